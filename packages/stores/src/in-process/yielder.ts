/** Long changes of trees in memory leave others their turns. */

// So many nodes take longer to add than anybody should wait who asks for something else.
const manyNodes = 250;
const longestStretch = 10;
const stepsAtOnce = 200;

/** The turns of one change: where it is long, others have one whenever it has gone on for a while. */
export class Yielder {
  readonly long: boolean;
  #since = performance.now();

  constructor(nodes = 0) {
    this.long = nodes >= manyNodes;
  }

  /** Waits until others had their turn, or says at once that it is not yet time. */
  rest(): Promise<void> | undefined {
    return !this.long || performance.now() - this.#since < longestStretch ? undefined : this.#yieldToEventLoop();
  }

  async #yieldToEventLoop(): Promise<void> {
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    this.#since = performance.now();
  }

  /** A list made of parts of another one, with rests in between. */
  async partByPart<T>(list: readonly T[], make: (part: readonly T[]) => readonly T[]): Promise<readonly T[]> {
    const made: T[] = [];
    for (let from = 0; from < list.length; from += stepsAtOnce) {
      for (const one of make(list.slice(from, from + stepsAtOnce))) made.push(one);
      await this.rest();
    }
    return made;
  }
}

/** Lets long changes of trees in memory yield to other work. */

// A change of at least this many nodes yields; a shorter one would only get slower.
const manyNodes = 250;
const maxWorkMs = 10;
const stepsAtOnce = 200;

/**
 * Decides when a change yields. A change of many nodes yields after 10 milliseconds of work; a short one never does.
 */
export class Yielder {
  readonly long: boolean;
  #since = performance.now();

  constructor(nodes = 0) {
    this.long = nodes >= manyNodes;
  }

  /** Returns a promise to await if the change should yield now, else undefined. */
  yieldIfDue(): Promise<void> | undefined {
    return !this.long || performance.now() - this.#since < maxWorkMs ? undefined : this.#yieldToEventLoop();
  }

  async #yieldToEventLoop(): Promise<void> {
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    this.#since = performance.now();
  }

  /** Maps a list in parts, and yields in between. */
  async mapInParts<T>(list: readonly T[], make: (part: readonly T[]) => readonly T[]): Promise<readonly T[]> {
    const results: T[] = [];
    for (let from = 0; from < list.length; from += stepsAtOnce) {
      for (const one of make(list.slice(from, from + stepsAtOnce))) results.push(one);
      await this.yieldIfDue();
    }
    return results;
  }
}

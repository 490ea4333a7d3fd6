/** One thing at a time: what is being done, what waits for it, and how both end. */

/** How something that was to be done came out: it was, a reply was on its way, or it was over before its turn came. */
export type Turned = 'done' | 'busy' | 'over';

/**
 * What is written goes where the view is, so nothing is done beside something else. A reply is not waited for, it may take
 * minutes and is seen; a command is, so that what was typed ahead is done where that ends.
 */
export class OneAtATime {
  readonly #changed: () => void;
  #doing: { readonly done: Promise<void>; readonly isReply: boolean; stop(): void } | null = null;
  #waiting: readonly { readonly what: string }[] = [];
  #isOver = false;

  /** `changed` is called when something begins, ends or waits. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** What is being done. */
  get doing(): 'reply' | 'command' | null {
    if (this.#doing === null) return null;
    return this.#doing.isReply ? 'reply' : 'command';
  }

  /** What waits for its turn, as it was written. */
  get waiting(): readonly string[] {
    return this.#waiting.map(({ what }) => what);
  }

  /** Does something when its turn comes. `what` is how it shows while it waits; nothing is shown without it. */
  async take(act: (signal: AbortSignal) => Promise<void>, isReply: boolean, what?: string): Promise<Turned> {
    const mine = what === undefined ? null : { what };
    while (this.#doing !== null) {
      if (this.#doing.isReply) return this.#without(mine, 'busy');
      if (mine !== null && !this.#waiting.includes(mine)) this.#wait([...this.#waiting, mine]);
      await this.#doing.done;
      if (this.#isOver) return 'over';
    }
    const controller = new AbortController();
    let finish: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#doing = { done, isReply, stop: () => controller.abort() };
    try {
      this.#without(mine, 'done');
      await act(controller.signal);
    } finally {
      this.#doing = null;
      this.#changed();
      finish();
    }
    return 'done';
  }

  /** Stops what is being done. False if nothing is. */
  stop(): boolean {
    this.#doing?.stop();
    return this.#doing !== null;
  }

  /** Stops what is being done, and begins nothing of what waits, which is given back. */
  end(): readonly string[] {
    this.#isOver = true;
    this.stop();
    return this.waiting;
  }

  #without(mine: { readonly what: string } | null, outcome: Turned): Turned {
    if (mine !== null && this.#waiting.includes(mine)) this.#wait(this.#waiting.filter((each) => each !== mine));
    return outcome;
  }

  #wait(waiting: readonly { readonly what: string }[]): void {
    this.#waiting = waiting;
    this.#changed();
  }
}

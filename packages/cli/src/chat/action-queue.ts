/** Runs one action at a time and queues the others. */

/** The outcome of an action: done, refused because a reply was running, or cancelled before it started. */
export type QueuedActionOutcome = 'done' | 'busy' | 'over';

/** An action that waits for the actions before it. */
interface Queued {
  readonly what: string;
  readonly isReply: boolean;
  /** Resolves when the action is cancelled. */
  readonly over: Promise<void>;
  takeBack(): void;
}

/**
 * Runs the actions of a chat one after the other, because each starts at the position where the one before ended. An
 * action without a text to show is refused while a reply is running, because the reply may take minutes.
 */
export class ActionQueue {
  readonly #changed: () => void;
  #doing: { readonly done: Promise<void>; readonly isReply: boolean; stop(): void } | null = null;
  #waiting: readonly Queued[] = [];
  #isOver = false;

  /** `changed` is called when an action ends, and when the list of queued actions changes. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** What kind of action is running; null if none is. */
  get doing(): 'reply' | 'command' | null {
    if (this.#doing === null) return null;
    return this.#doing.isReply ? 'reply' : 'command';
  }

  /** The texts of queued actions. */
  get waiting(): readonly string[] {
    return this.#waiting.map(({ what }) => what);
  }

  /** Runs an action after the actions before it. `what` is the text to show while the action is queued. */
  async take(
    act: (signal: AbortSignal) => Promise<void>,
    isReply: boolean,
    what?: string,
  ): Promise<QueuedActionOutcome> {
    const mine = what === undefined ? null : createQueued(what, isReply);
    while (this.#doing !== null) {
      if (mine === null && this.#doing.isReply) return 'busy';
      if (mine !== null && !this.#waiting.includes(mine)) this.#wait([...this.#waiting, mine]);
      await Promise.race([this.#doing.done, ...(mine === null ? [] : [mine.over])]);
      if (this.#isOver || (mine !== null && !this.#waiting.includes(mine))) return 'over';
    }
    const controller = new AbortController();
    let finish: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#doing = { done, isReply, stop: () => controller.abort() };
    try {
      if (mine !== null && this.#waiting.includes(mine)) this.#wait(this.#waiting.filter((each) => each !== mine));
      await act(controller.signal);
    } finally {
      this.#doing = null;
      this.#changed();
      finish();
    }
    return 'done';
  }

  /** Stops the running action. Returns false if no action is running. */
  stop(): boolean {
    this.#doing?.stop();
    return this.#doing !== null;
  }

  /** Cancels the queued messages and returns their texts. Queued commands stay. */
  takeBack(): readonly string[] {
    const messages = this.#waiting.filter(({ isReply }) => isReply);
    if (messages.length > 0) this.#wait(this.#waiting.filter(({ isReply }) => !isReply));
    for (const message of messages) message.takeBack();
    return messages.map(({ what }) => what);
  }

  /** Stops the running action, cancels the queued ones and returns their texts. */
  end(): readonly string[] {
    this.#isOver = true;
    this.stop();
    return this.waiting;
  }

  #wait(waiting: readonly Queued[]): void {
    this.#waiting = waiting;
    this.#changed();
  }
}

function createQueued(what: string, isReply: boolean): Queued {
  let takeBack: () => void = () => undefined;
  const over = new Promise<void>((resolve) => {
    takeBack = resolve;
  });
  return { what, isReply, over, takeBack };
}

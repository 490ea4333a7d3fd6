/** Runs work under the same key one after another, in the order of the calls. */
export class KeyedLocks {
  readonly #pending = new Map<string, Promise<void>>();

  /** Whether any work under a key is running or waiting. */
  isHeld(key: string): boolean {
    return this.#pending.has(key);
  }

  /** Runs work after all earlier work under the same key has ended, successfully or not. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#pending.get(key);
    const running = before === undefined ? work() : before.then(work);
    const finished = running.then(
      () => undefined,
      () => undefined,
    );
    this.#pending.set(key, finished);
    void finished.then(() => {
      if (this.#pending.get(key) === finished) this.#pending.delete(key);
    });
    return running;
  }
}

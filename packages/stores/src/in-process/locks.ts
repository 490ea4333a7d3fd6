/** Runs work under the same key one after another, in the order of the calls. */
export class KeyedLocks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Whether any work under a key is running or waiting. */
  held(key: string): boolean {
    return this.#tails.has(key);
  }

  /** Runs work after all earlier work under the same key has ended, successfully or not. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const running = before === undefined ? work() : before.then(work);
    const settled = running.then(
      () => undefined,
      () => undefined,
    );
    this.#tails.set(key, settled);
    void settled.then(() => {
      if (this.#tails.get(key) === settled) this.#tails.delete(key);
    });
    return running;
  }
}

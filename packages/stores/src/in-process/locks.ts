/** Work on the same thing runs one after the other, in the order in which it was asked for. */
export class Locks {
  readonly #tails = new Map<string, Promise<void>>();

  /** Whether something runs or waits under a key. */
  held(key: string): boolean {
    return this.#tails.has(key);
  }

  /** Runs work when everything asked for before under the same key is through, however it ended. */
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

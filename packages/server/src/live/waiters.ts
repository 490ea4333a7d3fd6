/** Those who wait for the next change of something: all are woken at once, and a signal lets one go alone. */
export class Waiters {
  readonly #wakes = new Set<() => void>();

  /** Resolves when all are woken, or when the signal fires; one that has fired already is not noticed. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#wakes.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wakes.add(wake);
      signal.addEventListener('abort', wake, { once: true });
    });
  }

  /** Wakes everybody who waits by now. */
  wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}

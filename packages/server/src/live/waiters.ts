/** A list of callers that wait for the next change. `wake` resolves all of them; an abort signal resolves only one. */
export class ChangeWaiters {
  readonly #wakes = new Set<() => void>();

  /**
   * Resolves on the next `wake`, or when the signal aborts. The caller must check for a signal that has already
   * aborted.
   */
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

  wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}

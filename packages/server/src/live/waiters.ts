/** Callers that wait for the next change. All are woken together; an abort signal releases a single one. */
export class ChangeWaiters {
  readonly #wakes = new Set<() => void>();

  /**
   * Resolves on the next wake or when the signal aborts. The caller must check for a signal that is already aborted.
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

  /** Wakes all current waiters. */
  wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}

/** Callers that wait for the next change: all are woken together; a signal releases a single one. */
export class ChangeWaiters {
  readonly #wakes = new Set<() => void>();

  /** Resolves on the next wake or when the signal aborts; a signal that is already aborted is not checked. */
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

/** The calls in progress. A stopping server lets them finish for a limited time, then aborts the rest. */

// The time in which aborted calls must end.
const endingMs = 500;

export interface OpenCallEntry {
  /** Aborts when the call's time is over. */
  readonly ending: AbortSignal;
  /** Removes a finished call. */
  end(): void;
}

/** Tracks the calls and aborts the remaining ones. */
export class OpenCalls {
  readonly #calls = new Set<AbortController>();
  #through: (() => void) | null = null;

  /** Registers a call. */
  begin(): OpenCallEntry {
    const call = new AbortController();
    this.#calls.add(call);
    const end = () => {
      this.#calls.delete(call);
      if (this.#calls.size === 0) this.#through?.();
    };
    return { ending: call.signal, end };
  }

  /** Waits at most so long for all calls, then aborts the rest. New calls are refused. */
  async stop(ms: number): Promise<void> {
    await this.#allThrough(ms);
    for (const call of [...this.#calls]) call.abort();
    await this.#allThrough(endingMs);
  }

  async #allThrough(ms: number): Promise<void> {
    if (this.#calls.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
      this.#through = resolve;
    });
    clearTimeout(timer);
  }
}

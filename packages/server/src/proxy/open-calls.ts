/** Tracks the calls in progress. A stopping server lets them finish for a limited time, then aborts the rest. */

// How long to wait for aborted calls to end.
const endingMs = 500;

export interface OpenCallEntry {
  /** Aborts when the server stops and the call has used up its time. */
  readonly ending: AbortSignal;
  end(): void;
}

/** The calls in progress. */
export class OpenCalls {
  readonly #calls = new Set<AbortController>();
  #through: (() => void) | null = null;

  /** Registers a call. Its signal is already aborted if the server is stopping. */
  begin(): OpenCallEntry {
    const call = new AbortController();
    this.#calls.add(call);
    const end = () => {
      this.#calls.delete(call);
      if (this.#calls.size === 0) this.#through?.();
    };
    return { ending: call.signal, end };
  }

  /** Waits at most `ms` for all calls, then aborts the rest. New calls are refused from now on. */
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

/** The calls in progress: a stopping server lets them finish for a while, then aborts the rest. */

// How long aborted calls may take to end.
const endingMs = 500;

export interface OpenCallEntry {
  /** Aborts when the call's time is over. */
  readonly ending: AbortSignal;
  /** The call has finished. */
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

  /** Waits for all calls for so long, and aborts the rest. No new calls start. */
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

/** The calls that are being answered, so that a server that stops can let them come to their end, and then ends them. */

// How long calls that were ended may take to say so.
const endingMs = 500;

/** One call. */
export interface OpenCallEntry {
  /** Fires when the call has had the time that there was. */
  readonly ending: AbortSignal;
  /** It is through. */
  end(): void;
}

/** Knows the calls, and ends what is left of them. */
export class OpenCalls {
  readonly #calls = new Set<AbortController>();
  #through: (() => void) | null = null;

  /** A call begins. */
  begin(): OpenCallEntry {
    const call = new AbortController();
    this.#calls.add(call);
    const end = () => {
      this.#calls.delete(call);
      if (this.#calls.size === 0) this.#through?.();
    };
    return { ending: call.signal, end };
  }

  /** Waits until all are through, for so long, and ends the rest. Nobody begins one any more. */
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

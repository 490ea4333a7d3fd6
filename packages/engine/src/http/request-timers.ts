/** Timers that end a request, and the one signal that all of them share. */

/** A signal that fires for an outer one, for any of its timers, or when told to; and leaves nothing behind. */
export interface RequestTimers {
  readonly signal: AbortSignal;
  /** Starts a timer, or starts it anew; when it runs out the signal fires with what `reason` makes. */
  timer(ms: number, reason: () => unknown): { restart(): void; stop(): void };
  /** Fires the signal. */
  abort(reason: unknown): void;
  /** Stops every timer and lets go of the outer signal. */
  close(): void;
}

// setTimeout takes no more; a longer wish would fire at once.
const longest = 2 ** 31 - 1;

/** Begins to watch. Every watch must be closed. */
export function startRequestTimers(outer: AbortSignal | undefined): RequestTimers {
  const controller = new AbortController();
  const timers = new Set<NodeJS.Timeout>();
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted) follow();
  else outer?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    timer(ms, reason) {
      const running = setTimeout(() => controller.abort(reason()), Math.min(ms, longest));
      timers.add(running);
      return {
        // refresh() after a stop would start it again behind our back.
        restart: () => {
          if (timers.has(running)) running.refresh();
        },
        stop: () => {
          timers.delete(running);
          clearTimeout(running);
        },
      };
    },
    abort: (reason) => controller.abort(reason),
    close() {
      for (const running of timers) clearTimeout(running);
      timers.clear();
      outer?.removeEventListener('abort', follow);
    },
  };
}

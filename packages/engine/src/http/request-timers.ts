/** Timers that abort a request, sharing one signal. */

/** A signal that aborts with an outer one, with any of its timers, or on request. */
export interface RequestTimers {
  readonly signal: AbortSignal;
  /** Starts a timer; when it expires, the signal aborts with the result of `reason`. */
  timer(ms: number, reason: () => unknown): { restart(): void; stop(): void };
  /** Aborts the signal. */
  abort(reason: unknown): void;
  /** Stops all timers and removes the listener from the outer signal. */
  close(): void;
}

// The maximum of setTimeout; a larger value would fire immediately.
const longest = 2 ** 31 - 1;

/** Starts the timers of a request. They must be closed after use. */
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
        // refresh() would restart a stopped timer.
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

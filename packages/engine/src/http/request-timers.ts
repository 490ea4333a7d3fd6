/** Timers that abort one request through a common signal. */

/** A signal that aborts when the outer signal does, when a timer expires, or when `abort` is called. */
export interface RequestTimers {
  readonly signal: AbortSignal;
  /** Starts a timer; when it expires, the signal aborts with the result of `reason`. */
  timer(ms: number, reason: () => unknown): { restart(): void; stop(): void };
  abort(reason: unknown): void;
  /** Stops all timers and removes the listener from the outer signal. */
  close(): void;
}

// The largest delay that setTimeout accepts; a larger one would fire immediately.
const longest = 2 ** 31 - 1;

/** Creates the timers of a request. Call `close` when the request has ended. */
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
        // `refresh` would start a stopped timer again.
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

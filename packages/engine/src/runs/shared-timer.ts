import type { Clock } from '../providers/contract.ts';

/** A timer that all replies of a server share, because requests that reach the store together cost one transaction. */
export interface SharedTimer {
  readonly everyMs: number;
  /** Calls `call` at the next tick, at most one interval from now; returns a function that cancels it. */
  next(call: () => void): () => void;
}

/** Creates a shared timer. It runs only while callbacks are pending. */
export function createSharedTimer(clock: Pick<Clock, 'wait'>, everyMs: number): SharedTimer {
  const waiting = new Set<() => void>();
  let timer: AbortController | null = null;
  const start = () => {
    const stop = new AbortController();
    timer = stop;
    clock.wait(everyMs, stop.signal).then(() => {
      if (timer === stop) timer = null;
      const now = [...waiting];
      waiting.clear();
      for (const call of now) call();
    }, ignoreCancelledWait);
  };
  return {
    everyMs,
    next(call) {
      waiting.add(call);
      if (timer === null) start();
      return () => {
        if (!waiting.delete(call) || waiting.size > 0) return;
        timer?.abort();
        timer = null;
      };
    },
  };
}

/** Returns the timer for an interval; all callers with this interval get the same one. */
export type SharedTimers = (everyMs: number) => SharedTimer;

/** Creates the timers of a server, one per interval. */
export function createSharedTimers(clock: Pick<Clock, 'wait'>): SharedTimers {
  const timers = new Map<number, SharedTimer>();
  return (everyMs) => {
    const known = timers.get(everyMs) ?? createSharedTimer(clock, everyMs);
    timers.set(everyMs, known);
    return known;
  };
}

/** Resolves at the next tick. Rejects if the signal aborts. */
export function waitForTick(timer: SharedTimer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      cancel();
      reject(signal.reason);
    };
    const cancel = timer.next(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function ignoreCancelledWait(): void {
  // The wait was cancelled because no callback is pending.
}

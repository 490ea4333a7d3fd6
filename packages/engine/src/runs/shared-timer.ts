import type { Clock } from '../providers/contract.ts';

/** A timer that all replies of a server share. Requests that arrive at the store together cost one transaction. */
export interface SharedTimer {
  /** The interval in milliseconds. */
  readonly everyMs: number;
  /** Schedules a callback for the next tick, at most one interval away; returns a function that cancels it. */
  next(call: () => void): () => void;
}

/** Creates a shared timer; it runs only while callbacks are pending. */
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

/** Returns the timer with an interval, so that all users of that interval run at the same time. */
export type SharedTimers = (everyMs: number) => SharedTimer;

/** Creates the timers of a server. */
export function createSharedTimers(clock: Pick<Clock, 'wait'>): SharedTimers {
  const timers = new Map<number, SharedTimer>();
  return (everyMs) => {
    const known = timers.get(everyMs) ?? createSharedTimer(clock, everyMs);
    timers.set(everyMs, known);
    return known;
  };
}

/** Waits for the next tick. Rejects if the signal aborts. */
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
  // The wait was cancelled, because no callback is pending.
}

import { systemClock } from '../providers/clock.ts';
import type { Clock } from '../providers/contract.ts';

/** A clock whose waits end when the test calls `tick`. */
export interface ManualClock extends Clock {
  /** The number of waits that have not ended. */
  readonly waits: number;
  tick(): void;
  pass(ms: number): void;
}

/** Creates the clock. If `everyMs` is given, only waits of this length depend on `tick`; others take real time. */
export function createManualClock(everyMs?: number): ManualClock {
  let due: (() => void)[] = [];
  let at = 1_000;
  return {
    ...systemClock,
    now: () => at,
    pass(ms) {
      at += ms;
    },
    wait: (ms, signal) =>
      everyMs !== undefined && ms !== everyMs
        ? systemClock.wait(ms, signal)
        : new Promise((resolve, reject) => {
            due.push(resolve);
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          }),
    tick() {
      const now = due;
      due = [];
      for (const one of now) one();
    },
    get waits() {
      return due.length;
    },
  };
}

import type { Clock } from '../providers/contract.ts';
import { waitForNextTask } from '../wait-for-next-task.ts';

/** Returns a promise to wait for if the event loop was blocked too long, else null. */
export type YieldToEventLoop = () => Promise<void> | null;

/**
 * Creates a function that lets the event loop run. Without it, a stream or store that never waits would block
 * heartbeats, timers and sockets. All turns of an engine share one function, so that a hundred turns together block no
 * longer than one.
 */
export function createYielder(clock: Pick<Clock, 'now'>, everyMs = 8): YieldToEventLoop {
  let last = clock.now();
  let turn: Promise<void> | null = null;
  const isDue = () => clock.now() - last >= everyMs;
  const wait = async () => {
    // Checked again after waiting, because turns that woke earlier may have used up the time.
    do {
      turn ??= waitForNextTask().then(() => {
        last = clock.now();
        turn = null;
      });
      await turn;
    } while (isDue());
  };
  return () => (isDue() ? wait() : null);
}

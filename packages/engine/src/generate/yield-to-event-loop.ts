import { nextTurn } from '../next-turn.ts';
import type { Clock } from '../providers/contract.ts';

/** Returns a promise if other work is due, else null. */
export type YieldToEventLoop = () => Promise<void> | null;

/**
 * Creates a function that yields to the event loop. Without it, a stream or store that never waits would block
 * heartbeats, timers and sockets. All turns of an engine share one, so that a hundred turns together block no longer
 * than one.
 */
export function createYielder(clock: Pick<Clock, 'now'>, everyMs = 8): YieldToEventLoop {
  let last = clock.now();
  let turn: Promise<void> | null = null;
  const isDue = () => clock.now() - last >= everyMs;
  const wait = async () => {
    // Checked again after waiting: turns that woke earlier may have used the time up.
    do {
      turn ??= nextTurn().then(() => {
        last = clock.now();
        turn = null;
      });
      await turn;
    } while (isDue());
  };
  return () => (isDue() ? wait() : null);
}

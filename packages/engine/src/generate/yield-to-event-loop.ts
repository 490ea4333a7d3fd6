import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../providers/contract.ts';

/** Gives a promise to wait for while others wait to get in, else null at once. */
export type YieldToEventLoop = () => Promise<void> | null;

/**
 * Lets other work in where a stream that never waits, or a store that never waits, would keep the event loop for itself:
 * heartbeats, timers and sockets all stand still in that time. All turns of an engine share one, so that a hundred of
 * them together take no longer at a stretch than one may.
 */
export function createYielder(clock: Pick<Clock, 'now'>, everyMs = 8): YieldToEventLoop {
  let last = clock.now();
  let turn: Promise<void> | null = null;
  const isDue = () => clock.now() - last >= everyMs;
  const wait = async () => {
    // Again after waiting: those who woke before may have used the time up.
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

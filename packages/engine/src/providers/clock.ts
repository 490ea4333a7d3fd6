import { waitMs } from '../event-loop.ts';
import type { Clock } from './contract.ts';

/** The system's clock and random numbers. A wait that ends removes its timer and its listener. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  async wait(ms, signal) {
    await waitMs(ms, { signal });
    signal.throwIfAborted();
  },
};

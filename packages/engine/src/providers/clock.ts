import type { Clock } from './contract.ts';

/** The system's clock and random numbers. A wait that ends removes its timer and its listener. */
export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  wait(ms, signal) {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(signal.reason);
        return;
      }
      const stop = () => {
        clearTimeout(timer);
        reject(signal.reason);
      };
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      }, ms);
      signal.addEventListener('abort', stop, { once: true });
    });
  },
};

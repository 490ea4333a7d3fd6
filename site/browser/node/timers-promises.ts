/** Implements Node's timers that return promises. */
import { runNextTask } from './globals.ts';

export function setImmediate<T>(value?: T): Promise<T | undefined> {
  return new Promise((resolve) => runNextTask(() => resolve(value)));
}

export function setTimeout<T>(
  ms: number,
  value?: T,
  options: { readonly signal?: AbortSignal } = {},
): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const { signal } = options;
    if (signal?.aborted === true) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = globalThis.setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve(value);
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
    return undefined;
  });
}

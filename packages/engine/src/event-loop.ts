/** Waits for a time, or lets other work of the process run between the parts of a long task. */
import type { Clock } from './providers/contract.ts';

/** Runs a function in the next iteration of the event loop: after sockets and timers that are due. */
export function runNextTask(task: () => void): void {
  if (typeof setImmediate === 'function') setImmediate(task);
  else if (typeof MessageChannel === 'function') postTask(task);
  else setTimeout(task);
}

/** Resolves in the next iteration of the event loop. */
export function waitForNextTask(): Promise<void> {
  return new Promise(runNextTask);
}

const tasks: (() => void)[] = [];
let channel: InstanceType<typeof MessageChannel> | undefined;

/** Uses a message, because a browser delays a timer by at least 4 ms. */
function postTask(task: () => void): void {
  if (channel === undefined) {
    channel = new MessageChannel();
    channel.port1.addEventListener('message', () => tasks.shift()?.());
    channel.port1.start();
  }
  tasks.push(task);
  channel.port2.postMessage(null);
}

/**
 * Resolves after a time, or as soon as the signal aborts. With `idle` the wait does not keep the process alive.
 */
export function waitMs(
  ms: number,
  { signal, idle = false }: { readonly signal?: AbortSignal; readonly idle?: boolean } = {},
): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer: ReturnType<typeof setTimeout> | number = setTimeout(end, ms);
    // In a browser a timer is a number, and no timer keeps the page alive.
    if (idle && typeof timer === 'object') timer.unref();
    signal?.addEventListener('abort', end);
  });
}

/** Waits for work, but not longer than `ms`. Returns whether it ended in time, and rejects if it failed in time. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

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

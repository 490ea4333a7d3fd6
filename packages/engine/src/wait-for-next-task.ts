/**
 * Resolves in the next iteration of the event loop, after sockets and timers that are due; in a browser after due
 * timers.
 */
export function waitForNextTask(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve);
    else setTimeout(resolve);
  });
}

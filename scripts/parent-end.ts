/**
 * Ends this process, as a stop would, when the one that started it has ended. npm hands a stop on to the shell that it runs a
 * script with, and the shell does not hand it on: its end is the only sign.
 */
export function endWithParent(everyMs = 250): void {
  const { ppid } = process;
  const watch = setInterval(() => {
    if (process.ppid === ppid) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, everyMs);
  watch.unref();
}

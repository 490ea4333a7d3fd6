/**
 * Ends this process when its parent has ended. npm passes a signal to the shell that runs a script, but the shell does
 * not pass it on, so the end of the parent is the only sign.
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

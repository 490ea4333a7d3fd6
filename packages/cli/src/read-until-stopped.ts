/**
 * Reads until the signal aborts, then throws. Ctrl-C also stops the program that writes to a pipe, and its partial
 * output would look complete.
 */
export async function* readUntilStopped<T>(pieces: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  let stop: () => void = () => undefined;
  let isReading = false;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  stopped.catch(() => undefined);
  try {
    for (;;) {
      signal.throwIfAborted();
      isReading = true;
      const { done, value } = await Promise.race([iterator.next(), stopped]);
      isReading = false;
      signal.throwIfAborted();
      if (done === true) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // Standard input that is still open would keep the process alive. A read that has not ended cannot be returned.
    if (!isReading) await iterator.return?.();
  }
}

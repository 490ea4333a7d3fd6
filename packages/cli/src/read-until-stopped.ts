/**
 * Reads until the signal aborts, then throws. Ctrl-C also stops the program that writes to a pipe, and its partial
 * output would look complete.
 */
export async function* readUntilStopped<T>(pieces: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  let stop: () => void = () => undefined;
  const stopped = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  stopped.catch(() => undefined);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await Promise.race([iterator.next(), stopped]);
      signal.throwIfAborted();
      if (done === true) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

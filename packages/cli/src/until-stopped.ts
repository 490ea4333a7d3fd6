/**
 * What comes in until somebody stops it, which is an error: whoever wrote the other end of a pipe is stopped as well, and
 * what had come by then would be taken for the whole.
 */
export async function* untilStopped<T>(pieces: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
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

/** Events that any number of readers see, each from where it likes. */
export interface Broadcast<E extends object> {
  push(event: E): void;
  /** No event comes after this; readers end when they have seen all. */
  close(): void;
  /** The events from an index on, those to come included. Leaving early stops nothing. */
  read(from?: number): AsyncIterable<E>;
}

/** Makes a broadcast. Events are kept as long as it is referenced, so that a late reader misses none. */
export function createBroadcast<E extends object>(): Broadcast<E> {
  const events: E[] = [];
  let closed = false;
  // Each stays from its first wait until it leaves or has seen all.
  const readers = new Set<() => void>();
  const wake = () => {
    for (const look of readers) look();
  };
  // By hand: an async generator would take three turns of the queue for each event where a promise takes one.
  const reader = (from: number): AsyncIterator<E, undefined> => {
    let at = from;
    let left = false;
    const take = (): IteratorResult<E, undefined> | null => {
      if (left) return { done: true, value: undefined };
      const value = events[at];
      if (value === undefined) return closed ? { done: true, value: undefined } : null;
      at++;
      return { done: false, value };
    };
    const asked: ((result: IteratorResult<E, undefined>) => void)[] = [];
    // One for all that this reader waits for: a function for each event would cost more than the event.
    const look = () => {
      while (asked.length > 0) {
        const come = take();
        if (come === null) return;
        asked.shift()?.(come);
      }
    };
    const next = (): Promise<IteratorResult<E, undefined>> => {
      const there = asked.length === 0 ? take() : null;
      if (there !== null) return Promise.resolve(there);
      readers.add(look);
      return new Promise((resolve) => void asked.push(resolve));
    };
    return {
      next,
      return() {
        left = true;
        look();
        readers.delete(look);
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  };
  return {
    push(event) {
      if (closed) return;
      events.push(event);
      wake();
    },
    close() {
      closed = true;
      wake();
      readers.clear();
    },
    read: (from = 0) => ({ [Symbol.asyncIterator]: () => reader(Math.max(0, from)) }),
  };
}

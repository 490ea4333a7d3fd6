/** Events that any number of readers see, each from where it likes. */
export interface Broadcast<E> {
  push(event: E): void;
  /** No event comes after this; readers end when they have seen all. */
  close(): void;
  /** The events from an index on, those to come included. Leaving early stops nothing. */
  read(from?: number): AsyncIterable<E>;
}

/** Makes a broadcast. Events are kept as long as it is referenced, so that a late reader misses none. */
export function createBroadcast<E>(): Broadcast<E> {
  const events: E[] = [];
  let closed = false;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const one of woken) one();
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
    },
    async *read(from = 0) {
      for (let at = Math.max(0, from); ; at++) {
        while (at >= events.length) {
          if (closed) return;
          await new Promise<void>((resolve) => waiting.push(resolve));
        }
        const event = events[at];
        if (event !== undefined) yield event;
      }
    },
  };
}

/** Events that any number of readers see, each from where it likes. */
export interface Broadcast<E extends object> {
  push(event: E): void;
  /** No event comes after this; readers end when they have seen all. */
  close(): void;
  /** The events from an index on, those to come included. Leaving early stops nothing. */
  read(from?: number): AsyncIterable<E>;
}

/**
 * How an event that goes on where the one before it ended is kept as a text alone. A reply of thousands of pieces would
 * otherwise leave thousands of objects behind, and moving those about costs more than telling them.
 */
export interface Packing<E extends object> {
  /** Null for an event that does not go on like that. */
  pack(before: E, event: E): string | null;
  unpack(before: E, packed: string): E;
}

/** Makes a broadcast. Events are kept as long as it is referenced, so that a late reader misses none. */
export function createBroadcast<E extends object>(packing: Packing<E> | null = null): Broadcast<E> {
  const events: (E | string)[] = [];
  let newest: E | null = null;
  let closed = false;
  // Each stays from its first wait until it leaves or has seen all. Looked through by index: it is mostly one.
  let readers: (() => void)[] = [];
  let waking = false;
  const wake = () => {
    waking = false;
    for (let index = 0; index < readers.length; index++) readers[index]?.();
  };
  /** The event at an index, whatever it is kept as, where nobody knows the one before it. */
  const unpacked = (at: number): E | null => {
    let whole = at;
    while (typeof events[whole] === 'string') whole--;
    let event: E | null = null;
    for (; whole <= at; whole++) event = broadcastEvent(packing, event, events[whole]);
    return event;
  };
  // By hand: an async generator would take three turns of the queue for each event where a promise takes one.
  const reader = (from: number): AsyncIterator<E, undefined> => {
    let at = from;
    let before: E | null = null;
    let left = false;
    const take = (): IteratorResult<E, undefined> | null => {
      if (left) return { done: true, value: undefined };
      const kept = events[at];
      if (kept === undefined) return closed ? { done: true, value: undefined } : null;
      before = typeof kept === 'string' && before === null ? unpacked(at) : broadcastEvent(packing, before, kept);
      at++;
      return before === null ? null : { done: false, value: before };
    };
    // The one that asks, and those that ask before it was answered, of which there are hardly ever any.
    let asking: ((result: IteratorResult<E, undefined>) => void) | null = null;
    const asked: ((result: IteratorResult<E, undefined>) => void)[] = [];
    // One for all that this reader waits for: a function for each event would cost more than the event.
    const look = () => {
      while (asking !== null) {
        const come = take();
        if (come === null) return;
        const answer = asking;
        asking = asked.shift() ?? null;
        answer(come);
      }
    };
    const wait = (resolve: (result: IteratorResult<E, undefined>) => void) => {
      if (asking === null) asking = resolve;
      else asked.push(resolve);
    };
    let waits = false;
    const next = (): Promise<IteratorResult<E, undefined>> => {
      const there = asking === null ? take() : null;
      if (there !== null) return Promise.resolve(there);
      if (!waits) readers.push(look);
      waits = true;
      return new Promise(wait);
    };
    return {
      next,
      return() {
        left = true;
        look();
        readers = readers.filter((one) => one !== look);
        return Promise.resolve({ done: true, value: undefined });
      },
    };
  };
  return {
    push(event) {
      if (closed) return;
      const packed = newest === null ? null : (packing?.pack(newest, event) ?? null);
      newest = event;
      events.push(packed ?? event);
      // Not at once: what arrives in one piece is told in one go, which spares each event a promise that waits.
      if (waking || readers.length === 0) return;
      waking = true;
      setImmediate(wake);
    },
    close() {
      closed = true;
      wake();
      readers = [];
    },
    read: (from = 0) => ({ [Symbol.asyncIterator]: () => reader(Math.max(0, from)) }),
  };
}

function broadcastEvent<E extends object>(
  packing: Packing<E> | null,
  before: E | null,
  kept: E | string | undefined,
): E | null {
  if (typeof kept !== 'string') return kept ?? null;
  return before === null || packing === null ? null : packing.unpack(before, kept);
}

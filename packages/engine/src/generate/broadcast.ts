/** Events for any number of readers, each of which starts at its own index. */
export interface Broadcast<E extends object> {
  push(event: E): void;
  /** Ends the broadcast; readers end when they have read all events. */
  close(): void;
  /** The events from an index on, including future ones. A reader that leaves early stops nothing. */
  read(from?: number): AsyncIterable<E>;
}

/**
 * Stores an event that continues the previous one as a string only. A reply of thousands of deltas would otherwise
 * keep thousands of objects alive, and collecting those costs more than sending them.
 */
export interface EventPacking<E extends object> {
  /** Null for an event that does not continue the previous one. */
  pack(before: E, event: E): string | null;
  unpack(before: E, packed: string): E;
}

/** Creates a broadcast. Events are kept as long as it is referenced, so that a late reader misses none. */
export function createBroadcast<E extends object>(packing: EventPacking<E> | null = null): Broadcast<E> {
  const events: (E | string)[] = [];
  let newest: E | null = null;
  let closed = false;
  // The waiting readers. A plain array, because there is usually only one.
  let readers: (() => void)[] = [];
  let waking = false;
  const wake = () => {
    waking = false;
    for (let index = 0; index < readers.length; index++) readers[index]?.();
  };
  /** The event at an index, unpacked without knowing the previous event. */
  const unpacked = (at: number): E | null => {
    let whole = at;
    while (typeof events[whole] === 'string') whole--;
    let event: E | null = null;
    for (; whole <= at; whole++) event = broadcastEvent(packing, event, events[whole]);
    return event;
  };
  // A hand-written iterator: an async generator would need three microtasks per event instead of one.
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
    // The pending request of this reader; further concurrent requests are rare and queued.
    let asking: ((result: IteratorResult<E, undefined>) => void) | null = null;
    const asked: ((result: IteratorResult<E, undefined>) => void)[] = [];
    // One function per reader: a closure per event would cost more than the event.
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
      // Readers wake in a microtask: events that arrive together are delivered together, which saves a pending promise
      // per event.
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
  packing: EventPacking<E> | null,
  before: E | null,
  kept: E | string | undefined,
): E | null {
  if (typeof kept !== 'string') return kept ?? null;
  return before === null || packing === null ? null : packing.unpack(before, kept);
}

/** Delivers events to any number of readers, each of which starts at its own index. */
export interface Broadcast<E extends object> {
  push(event: E): void;
  /** Ends the broadcast; each reader ends after it has read all events. */
  close(): void;
  /**
   * Returns the events from an index on, including future ones. A reader that stops early does not stop the broadcast.
   */
  read(from?: number): AsyncIterable<E>;
}

/**
 * Encodes an event that continues the previous one as a string. A reply of thousands of deltas would otherwise keep
 * thousands of objects alive, which costs the garbage collector more time than sending them.
 */
export interface EventPacking<E extends object> {
  /** Returns null for an event that does not continue the previous one. */
  pack(before: E, event: E): string | null;
  unpack(before: E, packed: string): E;
}

/** Creates a broadcast. Events are kept as long as it is referenced, so that a late reader misses none. */
export function createBroadcast<E extends object>(packing: EventPacking<E> | null = null): Broadcast<E> {
  const events: (E | string)[] = [];
  let newest: E | null = null;
  let closed = false;
  // The readers that wait. An array, because there is usually only one.
  let readers: (() => void)[] = [];
  let waking = false;
  const wake = () => {
    waking = false;
    for (let index = 0; index < readers.length; index++) readers[index]?.();
  };
  /** Returns the event at an index; unpacks all events since the last one that was stored whole. */
  const unpacked = (at: number): E | null => {
    let whole = at;
    while (typeof events[whole] === 'string') whole--;
    let event: E | null = null;
    for (; whole <= at; whole++) event = broadcastEvent(packing, event, events[whole]);
    return event;
  };
  // A hand-written iterator, because an async generator needs three microtasks per event instead of one.
  const reader = (from: number): AsyncIterator<E, undefined> => {
    let at = from;
    let before: E | null = null;
    let stopped = false;
    const take = (): IteratorResult<E, undefined> | null => {
      if (stopped) return { done: true, value: undefined };
      const kept = events[at];
      if (kept === undefined) return closed ? { done: true, value: undefined } : null;
      before = typeof kept === 'string' && before === null ? unpacked(at) : broadcastEvent(packing, before, kept);
      at++;
      return before === null ? null : { done: false, value: before };
    };
    // Resolves the pending `next` call of this reader; further concurrent calls are rare and are queued.
    let pendingResolve: ((result: IteratorResult<E, undefined>) => void) | null = null;
    const queuedResolves: ((result: IteratorResult<E, undefined>) => void)[] = [];
    // Created once per reader, because a closure per event would cost more than the event.
    const deliver = () => {
      while (pendingResolve !== null) {
        const result = take();
        if (result === null) return;
        const answer = pendingResolve;
        pendingResolve = queuedResolves.shift() ?? null;
        answer(result);
      }
    };
    const wait = (resolve: (result: IteratorResult<E, undefined>) => void) => {
      if (pendingResolve === null) pendingResolve = resolve;
      else queuedResolves.push(resolve);
    };
    let waits = false;
    const next = (): Promise<IteratorResult<E, undefined>> => {
      const ready = pendingResolve === null ? take() : null;
      if (ready !== null) return Promise.resolve(ready);
      if (!waits) readers.push(deliver);
      waits = true;
      return new Promise(wait);
    };
    return {
      next,
      return() {
        stopped = true;
        deliver();
        readers = readers.filter((one) => one !== deliver);
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
      // Readers wake in `setImmediate`, so that events that arrive together are delivered together, with one pending
      // promise for all of them.
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

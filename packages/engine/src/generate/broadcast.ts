import { runNextTask } from '../event-loop.ts';
import type { TurnEvent } from './contract.ts';

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
  const log = new EventLog(packing);
  return {
    push: (event) => log.push(event),
    close: () => log.close(),
    read: (from = 0) => ({ [Symbol.asyncIterator]: () => new BroadcastReader(log, Math.max(0, from)) }),
  };
}

/** The events of a broadcast, and the readers that wait for the next one. */
class EventLog<E extends object> {
  readonly #packing: EventPacking<E> | null;
  readonly #events: (E | string)[] = [];
  #newest: E | null = null;
  #closed = false;
  // An array, because there is usually only one reader.
  #readers: (() => void)[] = [];
  #isWaking = false;

  constructor(packing: EventPacking<E> | null) {
    this.#packing = packing;
  }

  get closed(): boolean {
    return this.#closed;
  }

  push(event: E): void {
    if (this.#closed) return;
    const packed = this.#newest === null ? null : (this.#packing?.pack(this.#newest, event) ?? null);
    this.#newest = event;
    this.#events.push(packed ?? event);
    // Readers wake in the next task, so that events that arrive together are delivered together, with one pending
    // promise for all of them.
    if (this.#isWaking || this.#readers.length === 0) return;
    this.#isWaking = true;
    runNextTask(this.#wake);
  }

  close(): void {
    this.#closed = true;
    this.#wake();
    this.#readers = [];
  }

  addReader(deliver: () => void): void {
    this.#readers.push(deliver);
  }

  removeReader(deliver: () => void): void {
    this.#readers = this.#readers.filter((one) => one !== deliver);
  }

  /** Returns the event at an index; `before` is the event before it, or null if the reader has not read it. */
  eventAt(index: number, before: E | null): E | null {
    const stored = this.#events[index];
    if (typeof stored !== 'string') return stored ?? null;
    return this.#unpack(before ?? this.#wholeEventAt(index - 1), stored);
  }

  /** Unpacks all events since the last one that was stored whole. */
  #wholeEventAt(index: number): E | null {
    let whole = index;
    while (typeof this.#events[whole] === 'string') whole--;
    let event: E | null = null;
    for (; whole <= index; whole++) event = this.eventAt(whole, event);
    return event;
  }

  #unpack(before: E | null, packed: string): E | null {
    return before === null || this.#packing === null ? null : this.#packing.unpack(before, packed);
  }

  readonly #wake = (): void => {
    this.#isWaking = false;
    for (let index = 0; index < this.#readers.length; index++) this.#readers[index]?.();
  };
}

/** One reader. A hand-written iterator, because an async generator needs three microtasks per event instead of one. */
class BroadcastReader<E extends object> implements AsyncIterator<E, undefined> {
  readonly #log: EventLog<E>;
  #at: number;
  #before: E | null = null;
  #stopped = false;
  #isAdded = false;
  // Resolves the pending `next` call; further concurrent calls are rare and are queued.
  #pending: ((result: IteratorResult<E, undefined>) => void) | null = null;
  readonly #queue: ((result: IteratorResult<E, undefined>) => void)[] = [];

  constructor(log: EventLog<E>, from: number) {
    this.#log = log;
    this.#at = from;
  }

  next(): Promise<IteratorResult<E, undefined>> {
    const ready = this.#pending === null ? this.#take() : null;
    if (ready !== null) return Promise.resolve(ready);
    if (!this.#isAdded) this.#log.addReader(this.#deliver);
    this.#isAdded = true;
    return new Promise(this.#wait);
  }

  return(): Promise<IteratorResult<E, undefined>> {
    this.#stopped = true;
    this.#deliver();
    this.#log.removeReader(this.#deliver);
    return Promise.resolve({ done: true, value: undefined });
  }

  #take(): IteratorResult<E, undefined> | null {
    if (this.#stopped) return { done: true, value: undefined };
    const event = this.#log.eventAt(this.#at, this.#before);
    if (event === null) return this.#log.closed ? { done: true, value: undefined } : null;
    this.#at++;
    this.#before = event;
    return { done: false, value: event };
  }

  // The next two functions are created once per reader, because a closure per event would cost more than the event.
  readonly #deliver = (): void => {
    while (this.#pending !== null) {
      const result = this.#take();
      if (result === null) return;
      const answer = this.#pending;
      this.#pending = this.#queue.shift() ?? null;
      answer(result);
    }
  };

  readonly #wait = (resolve: (result: IteratorResult<E, undefined>) => void): void => {
    if (this.#pending === null) this.#pending = resolve;
    else this.#queue.push(resolve);
  };
}

/** Packs consecutive text deltas of one reply as strings, which need less memory than event objects. */
export const deltaPacking: EventPacking<TurnEvent> = {
  pack(before, event) {
    if (event.type !== 'text-delta' || before.type !== 'text-delta' || event.nodeId !== before.nodeId) return null;
    return event.offset === before.offset + before.text.length ? event.text : null;
  },
  unpack(before, text) {
    if (before.type !== 'text-delta') throw new TypeError(`A text does not go on from ${before.type}.`);
    return { type: 'text-delta', nodeId: before.nodeId, offset: before.offset + before.text.length, text };
  },
};

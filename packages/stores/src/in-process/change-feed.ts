/** The feed over all trees: the recorded changes in order, and the followers that wait for the next one. */
import type { AbortSignalLike, TreeId, TreeListEvent } from '@coppice/core';
import { decodeCursor, encodeCursor } from '../cursor.ts';

interface FeedPosition {
  readonly owner: string;
  readonly sequence: number;
  readonly event: TreeListEvent;
}

// The interval in which changes of other processes are looked for, while a follower waits.
const pollMs = 250;

/** Records the changes of all trees under increasing numbers, and wakes waiting followers. */
export class ChangeFeed {
  #events: FeedPosition[] = [];
  #last = 0;
  /** The numbers of changes that are being persisted, in increasing order, each with its owner. */
  readonly #reserved = new Map<number, string>();
  #isClosed = false;
  readonly #waiting = new Set<() => void>();
  #poll: (() => Promise<void>) | null = null;
  #timer: ReturnType<typeof setInterval> | null = null;

  /** Assigns and returns the number of the next change. */
  nextNumber(): number {
    return ++this.#last;
  }

  /**
   * Assigns the number of a change that will be persisted. The owner's followers get no later change before this one is
   * recorded or its number is released, because they would never see it afterwards.
   */
  reserveNumber(owner: string): number {
    const sequence = this.nextNumber();
    this.#reserved.set(sequence, owner);
    return sequence;
  }

  /** Releases the reserved number of a change that could not be persisted. */
  releaseNumber(sequence: number): void {
    if (this.#reserved.delete(sequence)) this.wake();
  }

  /** The highest number that was assigned. */
  get last(): number {
    return this.#last;
  }

  /** Continues the numbering after a number that an earlier process assigned. */
  continueAfter(sequence: number): void {
    this.#last = Math.max(this.#last, sequence);
  }

  /** Records a change of a tree under a number that was assigned before. */
  record(owner: string, treeId: TreeId, version: number, sequence: number): void {
    this.#last = Math.max(this.#last, sequence);
    this.#reserved.delete(sequence);
    const change = { owner, sequence, event: { cursor: encodeCursor('changes', [sequence]), treeId, version } };
    // A number is assigned before its change is persisted. A slow change is recorded after changes with higher numbers.
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1]?.sequence ?? 0) > sequence) index--;
    this.#events.splice(index, 0, change);
  }

  /** Deletes the recorded changes of a purged tree, so that new followers do not see its id. */
  forget(treeId: TreeId): void {
    this.#events = this.#events.filter(({ event }) => event.treeId !== treeId);
  }

  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Ends every feed, because the store is closed. */
  end(): void {
    this.#isClosed = true;
    this.wake();
  }

  /** Whether a feed must end: the store is closed or the signal is aborted. */
  isEnded(signal: AbortSignalLike | undefined): boolean {
    return this.#isClosed || signal?.aborted === true;
  }

  /** Sets the function that looks for changes of other processes. It is called at intervals while a follower waits. */
  pollWith(poll: () => Promise<void>): void {
    this.#poll = poll;
  }

  #startPolling(poll: () => Promise<void>): void {
    let isBusy = false;
    this.#timer = setInterval(() => {
      if (isBusy) return;
      isBusy = true;
      // Errors are ignored: a read of the tree reports them, and the next poll tries again.
      void poll()
        .catch(() => undefined)
        .finally(() => {
          isBusy = false;
        });
    }, pollMs);
    this.#timer.unref?.();
  }

  #stopPolling(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Resolves after the next change, or when the signal aborts. */
  wait(signal: AbortSignalLike | undefined): Promise<void> {
    if (this.#poll !== null && this.#timer === null && !this.#isClosed) this.#startPolling(this.#poll);
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiting.delete(wake);
        if (this.#waiting.size === 0) this.#stopPolling();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  /** Yields the changes in an owner's trees after a cursor (null: after this call), then waits for new ones. */
  changes(owner: string, since: string | null, signal?: AbortSignalLike): AsyncGenerator<TreeListEvent> {
    // The position is read now and not at the first `next()`; otherwise changes in between would be missed.
    const known = since === null ? Number.POSITIVE_INFINITY : sequenceOf(since);
    // The numbers of changes by other processes exist only in memory, so a cursor from before the store was reopened may
    // be higher than all numbers here. The next change would get a number that the follower seems to have seen.
    return this.#from(owner, known > this.#last ? this.#firstReserved(owner) - 1 : known, signal);
  }

  async *#from(owner: string, since: number, signal?: AbortSignalLike): AsyncGenerator<TreeListEvent> {
    let seen = since;
    while (!this.isEnded(signal)) {
      const change = this.#firstAfter(seen, owner);
      if (change === undefined) await this.wait(signal);
      else {
        seen = change.sequence;
        yield change.event;
      }
    }
  }

  /** Returns the lowest number of an owner's changes that are being persisted; without one, the next number. */
  #firstReserved(owner: string): number {
    for (const [sequence, of] of this.#reserved) if (of === owner) return sequence;
    return this.#last + 1;
  }

  /** Returns the owner's next change; undefined if there is none, or a change before it is still being persisted. */
  #firstAfter(sequence: number, owner: string): FeedPosition | undefined {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if ((this.#events[mid]?.sequence ?? 0) <= sequence) low = mid + 1;
      else high = mid;
    }
    while (low < this.#events.length && this.#events[low]?.owner !== owner) low++;
    const change = this.#events[low];
    return change !== undefined && change.sequence < this.#firstReserved(owner) ? change : undefined;
  }
}

function sequenceOf(cursor: string): number {
  return Number(decodeCursor('changes', ['number'], cursor)[0]);
}

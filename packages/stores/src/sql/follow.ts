/** Follows a feed: yields existing items, then new ones, until the listener ends it. */
import type { AbortSignalLike } from '@coppice/core';

/** The source of a feed. */
export interface FeedOptions<T> {
  /** Returns the next items in order: an empty list if there are none yet, null if there will be no more. */
  next(): Promise<readonly T[] | null>;
  /** Called before an item is yielded. The next call of {@link next} returns the items after it. */
  passed(one: T): void;
  /** Resolves when there may be more items than the last call of {@link next} returned. */
  wait(): Promise<unknown>;
  /** The most items that {@link next} returns. If it returns fewer, there were no more. */
  readonly limit: number;
}

/** Yields items one by one, until the signal aborts or the source ends. */
export async function* followFeed<T>(way: FeedOptions<T>, signal: AbortSignalLike | undefined): AsyncGenerator<T> {
  while (!feedEnded(signal)) {
    const found = await way.next();
    if (found === null) return;
    for (const one of found) {
      if (feedEnded(signal)) return;
      way.passed(one);
      yield one;
    }
    if (found.length < way.limit) await way.wait();
  }
}

// The signal is read each time, because it may change during an await.
function feedEnded(signal: AbortSignalLike | undefined): boolean {
  return signal?.aborted === true;
}

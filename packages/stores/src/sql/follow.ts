/** Follows a feed: yields existing items, then new ones, until the listener ends it. */
import type { AbortSignalLike } from '@coppice/core';

/** The source of a feed, and the position of one follower in it. */
export interface FeedSource<T> {
  /** Returns the next items in order: an empty list if there are none yet, null if the source has ended. */
  next(): Promise<readonly T[] | null>;
  /** Called before an item is yielded, so that the next call of {@link next} continues after it. */
  passed(one: T): void;
  /** Resolves when {@link next} may return more items than before. */
  wait(): Promise<unknown>;
  /** The maximum number of items that {@link next} returns. If it returns fewer, the follower waits. */
  readonly limit: number;
}

/** Yields items one by one, until the signal aborts or the source ends. */
export async function* followFeed<T>(source: FeedSource<T>, signal: AbortSignalLike | undefined): AsyncGenerator<T> {
  while (!feedEnded(signal)) {
    const found = await source.next();
    if (found === null) return;
    for (const one of found) {
      if (feedEnded(signal)) return;
      source.passed(one);
      yield one;
    }
    if (found.length < source.limit) await source.wait();
  }
}

// A function, because TypeScript would assume that `aborted` cannot change during an await.
function feedEnded(signal: AbortSignalLike | undefined): boolean {
  return signal?.aborted === true;
}

/** Feeds: what is there, and what comes after it, for as long as anybody listens. */
import type { AbortSignalLike } from '@coppice/core';

/** Where a feed comes from. */
export interface FeedOptions<T> {
  /** What comes next, in order; nothing where one has to wait, null where no more will come. */
  next(): Promise<readonly T[] | null>;
  /** One of them is about to be handed on: the next ones are those behind it. */
  passed(one: T): void;
  /** Resolves when there may be more. */
  wait(): Promise<unknown>;
}

/** Hands on what comes, one by one, until the signal or the end. */
export async function* followFeed<T>(way: FeedOptions<T>, signal: AbortSignalLike | undefined): AsyncGenerator<T> {
  while (!feedEnded(signal)) {
    const found = await way.next();
    if (found === null) return;
    for (const one of found) {
      if (feedEnded(signal)) return;
      way.passed(one);
      yield one;
    }
    if (found.length === 0) await way.wait();
  }
}

// Asked anew each time: it may end while something is awaited.
function feedEnded(signal: AbortSignalLike | undefined): boolean {
  return signal?.aborted === true;
}

import { treeId } from '@coppice/core';
import { testUuid } from '@coppice/core/testing';
import { expect, it } from 'vitest';
import { encodeCursor } from '../cursor.ts';
import { ChangeFeed } from './change-feed.ts';

it('[K294] a feed over all trees continues after a cursor that is ahead of all numbers on disk', async () => {
  const [slow, fast] = [treeId(testUuid(1)), treeId(testUuid(2))];
  const feed = new ChangeFeed();
  feed.continueAfter(2);
  const reserved = feed.reserveNumber('me');
  const ended = new AbortController();
  const following = feed.changes('me', encodeCursor('changes', [9]), ended.signal);
  const seen = [following.next(), following.next()];
  feed.record('me', fast, 1, feed.nextNumber());
  feed.record('me', slow, 1, reserved);
  feed.wake();
  // A follower that waits for more than these two ends here without a change.
  await Promise.race([Promise.all(seen), new Promise((resolve) => setImmediate(resolve))]);
  ended.abort();
  expect((await Promise.all(seen)).map(({ value }) => value?.treeId)).toEqual([slow, fast]);
});

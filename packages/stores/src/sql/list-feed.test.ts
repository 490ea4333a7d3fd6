import { treeId } from '@coppice/core';
import { testUuid } from '@coppice/core/testing';
import { expect, test } from 'vitest';
import {
  advancePositions,
  decodePositionsCursor,
  encodePositionsCursor,
  type FeedEvent,
  SharedFeedQueries,
} from './list-feed.ts';

const event: FeedEvent = { lane: 2, position: 9, treeId: treeId(testUuid(1)), version: 1 };

test('[L182] positions keep one number per lane, and a cursor returns them', () => {
  const after = advancePositions([4], event);
  expect(after).toEqual([4, 0, 9]);
  expect(decodePositionsCursor(encodePositionsCursor(after))).toEqual(after);
  expect(decodePositionsCursor(encodePositionsCursor([]))).toEqual([0]);
});

test('[L183] followers at the same positions share one query until a commit arrives; others make their own', async () => {
  const shared = new SharedFeedQueries();
  const leave = [shared.follow('ann'), shared.follow('ann')];
  let queries = 0;
  const query = async () => {
    queries++;
    return [event];
  };
  const answers = await Promise.all(Array.from({ length: 25 }, () => shared.run('ann', [4], '1', query)));
  expect(answers).toEqual(Array.from({ length: 25 }, () => [event]));
  expect(queries).toBe(1);
  await shared.run('ann', [3], '1', query);
  expect(queries).toBe(2);
  await shared.run('ann', [4], '2', query);
  expect(queries).toBe(3);
  for (const end of leave) end();
  await shared.run('ann', [4], '2', query);
  expect(queries).toBe(4);
});

test('[L183] a failed query is repeated', async () => {
  const shared = new SharedFeedQueries();
  shared.follow('ann');
  await expect(shared.run('ann', [], '1', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await shared.run('ann', [], '1', async () => [event])).toEqual([event]);
});

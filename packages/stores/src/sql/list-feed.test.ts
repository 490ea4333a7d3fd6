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

const event: FeedEvent = { lane: 2, place: 9, treeId: treeId(testUuid(1)), version: 1 };

test('[L182] positions keep one number per lane, and a cursor returns them', () => {
  const after = advancePositions([4], event);
  expect(after).toEqual([4, 0, 9]);
  expect(decodePositionsCursor(encodePositionsCursor(after))).toEqual(after);
  expect(decodePositionsCursor(encodePositionsCursor([]))).toEqual([0]);
});

test('[L183] followers at the same positions share one query until a commit arrives; others make their own', async () => {
  const shared = new SharedFeedQueries();
  const leave = [shared.follow('ann'), shared.follow('ann')];
  let looks = 0;
  const look = async () => {
    looks++;
    return [event];
  };
  const answers = await Promise.all(Array.from({ length: 25 }, () => shared.look('ann', [4], '1', look)));
  expect(answers).toEqual(Array.from({ length: 25 }, () => [event]));
  expect(looks).toBe(1);
  await shared.look('ann', [3], '1', look);
  expect(looks).toBe(2);
  await shared.look('ann', [4], '2', look);
  expect(looks).toBe(3);
  for (const end of leave) end();
  await shared.look('ann', [4], '2', look);
  expect(looks).toBe(4);
});

test('[L183] a failed query is repeated', async () => {
  const shared = new SharedFeedQueries();
  shared.follow('ann');
  await expect(shared.look('ann', [], '1', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await shared.look('ann', [], '1', async () => [event])).toEqual([event]);
});

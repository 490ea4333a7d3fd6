import { Bed } from '@coppice/core/testing';
import { expect, test } from 'vitest';
import { createMemoryStore } from './index.ts';

test('a memory store plans, commits, reads, feeds and lists', async () => {
  const store = createMemoryStore();
  const bed = await Bed.make({ store });
  await bed.grow(['hello there', 'hi', 'bye']);
  await bed.grow(['hello there', 'hi', 'what else'], undefined);
  const page = await store.trees();
  expect(page.items.length).toBe(1);
  expect((await store.search({ text: 'HELLO' })).items.length).toBeGreaterThan(0);
  const seen: number[] = [];
  const stop = new AbortController();
  for await (const commit of store.feed(bed.treeId, 0, stop.signal)) {
    seen.push(commit.version);
    if (commit.version === 3) stop.abort();
  }
  expect(seen).toEqual([1, 2, 3]);
  expect((await store.fsck()).findings).toEqual([]);
});

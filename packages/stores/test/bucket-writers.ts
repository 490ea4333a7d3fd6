/** Users who write at once, while a test moves them or their bucket. */
import { ask, run, type Store, type TreeId } from '@coppice/core';
import { createTestClock, testKit, testUuid, user } from '@coppice/core/testing';
import { expect } from 'vitest';

export interface BucketWriters {
  /** Returns how many messages of an owner were acknowledged so far. */
  count(owner: string): number;
  /** Waits until every writer has stopped. */
  stop(): Promise<void>;
  /** Expects in the tree of each owner all acknowledged messages and no others. */
  expectNothingLost(store: Store): Promise<void>;
}

/** Appends to the tree of each owner through each of the stores, at most `most` messages each, until it is stopped. */
export function startBucketWriters(
  stores: readonly Store[],
  trees: ReadonlyMap<string, TreeId>,
  most: number,
): BucketWriters {
  const acknowledged = new Map<string, string[]>([...trees.keys()].map((owner) => [owner, []]));
  let isOver = false;
  const writers = [...trees].flatMap(([owner, treeId], at) =>
    stores.map(async (through, which) => {
      const tick = createTestClock(1_000 + at * 100 + which);
      for (let n = 0; n < most && !isOver; n++) {
        const id = testUuid(100_000 + at * 20_000 + which * 10_000 + n);
        const message = { message: user(`message ${n} of ${which}`), id };
        await run(
          through.forOwner(owner),
          { type: 'append', treeId, messages: [message], merge: false, select: false },
          { actor: 'me', kit: testKit, ...tick },
        );
        acknowledged.get(owner)?.push(id);
      }
    }),
  );
  return {
    count: (owner) => acknowledged.get(owner)?.length ?? 0,
    stop: async () => {
      isOver = true;
      await Promise.all(writers);
    },
    expectNothingLost: async (store) => {
      for (const [owner, treeId] of trees) {
        const rows = await store.forOwner(owner).read(treeId, () => ask('rows', {}));
        const found = (rows?.nodes ?? []).filter(({ parentId }) => parentId !== null).map(({ id }) => String(id));
        expect(found.sort()).toEqual([...(acknowledged.get(owner) ?? [])].sort());
        // The first version of a tree has no message.
        expect(rows?.row.version).toBe(found.length + 1);
      }
    },
  };
}

/** Tests of opening, closing, reopening and read-only stores. */
import { isAppError, type Store, treeId } from '@coppice/core';
import { testUuid, user } from '@coppice/core/testing';
import { describe, expect, type TestContext, test } from 'vitest';
import {
  askStore,
  awkwardTexts,
  buildMessageWithUnknownBlock,
  createTestTree,
  expectRefusalCode,
  readTreeJson,
  requireSubjectMethod,
  type StoreSubject,
  skipUnlessSupported,
  testStoreRule,
} from './subject.ts';

export function registerOpeningRules(subject: StoreSubject): void {
  describe('opening', () => {
    testStoreRule(subject, '[K1] a new store is empty and reports its kind', async (store) => {
      expect(await store.trees()).toEqual({ items: [], cursor: null });
      expect((await store.search({ text: 'anything' })).items).toEqual([]);
      const info = await store.info();
      expect(info.kind).not.toBe('');
      expect(info.place).not.toBe('');
      expect(info.readOnly).toBe(false);
      expect(info.schemaVersion).toBeGreaterThan(0);
      expect(await store.fsck()).toEqual({ trees: 0, nodes: 0, findings: [], repaired: [] });
    });

    testStoreRule(subject, '[K2] two stores at different addresses share nothing', async (store) => {
      const other = await subject.open();
      try {
        const fixture = await createTestTree(store);
        expect((await other.trees()).items).toEqual([]);
        expect(await askStore(other, fixture.treeId, 'tree', {})).toBeNull();
      } finally {
        await subject.destroy(other);
      }
    });

    test('[K3] a closed store refuses with store/unavailable', async () => {
      const store = await subject.open();
      const fixture = await createTestTree(store);
      await store.close();
      await store.close();
      const calls: readonly (() => Promise<unknown>)[] = [
        () => askStore(store, fixture.treeId, 'tree', {}),
        () => fixture.addMessages(['late']),
        () => store.trees(),
        () => store.search({ text: 'a' }),
        () => store.trash(fixture.treeId),
        () => store.runs.list(),
      ];
      for (const call of calls) expect(await expectRefusalCode(call)).toBe('store/unavailable');
      await subject.destroy(store);
    });

    testStoreRule(
      subject,
      '[K4] every acknowledged write is there after closing and reopening',
      async (store, context) => {
        skipUnlessSupported(context, store.supports.durable, 'this store does not outlive its process');
        const fixture = await createTestTree(store, 1, 'Be brief.');
        const [first] = await fixture.addMessages([...awkwardTexts.map(user), buildMessageWithUnknownBlock()]);
        if (first !== undefined)
          await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: first, title: 'here \u0000' });
        await fixture.run({
          type: 'attributes',
          treeId: fixture.treeId,
          set: { title: 'A title \ud800', pinned: true },
        });
        if (first !== undefined) await fixture.variant(user('another'), first);
        const { hash } = await store.blobs.put(new Uint8Array([1, 2, 3]), 'image/png');
        await store.accounts.putUser({ id: 'u', name: 'Ann', role: 'admin', createdAt: 1, disabledAt: null });
        const before = await everything(store);
        const again = await requireSubjectMethod(subject.reopen, 'reopen')(store);
        expect(await everything(again)).toEqual(before);
        expect(await again.blobs.read(hash)).toEqual(new Uint8Array([1, 2, 3]));
        expect(await again.accounts.users()).toEqual([
          { id: 'u', name: 'Ann', role: 'admin', createdAt: 1, disabledAt: null },
        ]);
        expect((await again.fsck()).findings).toEqual([]);
        await subject.destroy(again);
      },
    );

    test('[K5] a store opened read-only can be read and refuses every write', async () => {
      let store = await subject.open();
      const id = treeId(testUuid(1));
      if (store.supports.durable) {
        const fixture = await createTestTree(store);
        await fixture.addMessages(['kept']);
        store = await requireSubjectMethod(subject.reopen, 'reopen')(store, { readOnly: true });
        expect((await store.trees()).items.map((item) => item.id)).toEqual([id]);
        expect((await store.search({ text: 'kept' })).items.length).toBe(1);
      } else {
        await subject.destroy(store);
        store = await subject.open({ readOnly: true });
      }
      expect((await store.info()).readOnly).toBe(true);
      const record = { treeId: treeId(testUuid(9)), createdAt: 1, messages: [{ message: user('a') }] };
      const writes: readonly (() => Promise<unknown>)[] = [
        () => createTestTree(store, 2),
        () => store.purge(id, { upTo: 1 }),
        () => store.purgeTree(id),
        () => store.putLinear(record),
        () => store.blobs.put(new Uint8Array([1]), 'text/plain'),
        () => store.accounts.putUser({ id: 'u', name: 'Ann', role: 'admin', createdAt: 1, disabledAt: null }),
        () => store.putExternalIds([{ treeId: id, nodeId: null, format: 'f', scope: 's', id: 'x' }]),
        () => store.runs.beat('r', 1),
      ];
      for (const write of writes) expect(await expectRefusalCode(write)).toBe('tree/read-only');
      await subject.destroy(store);
    });

    testStoreRule(subject, '[K6] a damaged store is refused with store/damaged and not changed', (store, context) =>
      refusedAndUntouched(subject, store, context, 'damaged'),
    );

    testStoreRule(
      subject,
      '[K7] a store of a newer version is refused with store/newer and not changed',
      (store, context) => refusedAndUntouched(subject, store, context, 'newer'),
    );
  });
}

async function refusedAndUntouched(
  subject: StoreSubject,
  store: Store,
  context: TestContext,
  how: 'damaged' | 'newer',
): Promise<void> {
  skipUnlessSupported(context, store.supports.durable, 'there is nothing on disk that could be spoilt');
  const fixture = await createTestTree(store);
  await fixture.addMessages(['precious']);
  const spoilt = await requireSubjectMethod(subject.damage, 'damage')(store, how);
  const opening = await spoilt.open().then(
    // A store may detect the damage only when the tree is read.
    (opened) => expectRefusalCode(() => askStore(opened, fixture.treeId, 'rows', {})).finally(() => opened.close()),
    (error: unknown) => (isAppError(error) ? error.code : String(error)),
  );
  expect(opening).toBe(`store/${how}`);
  expect(await spoilt.unchanged()).toBe(true);
}

/** Returns everything that a store reports about an owner's trees. */
async function everything(store: Store): Promise<unknown> {
  const { items } = await store.trees();
  return Promise.all(
    items.map(async (item) => ({
      item,
      image: await readTreeJson(store, item.id),
      log: await askStore(store, item.id, 'log', { since: 0 }),
      history: await store.history(item.id),
    })),
  );
}

/** Tests of undo and redo of the newest act in any tree. */
import { treeId as asTreeId, type Store, type TreeId, undoOrRedoAnywhere } from '@coppice/core';
import { createTestClock, type TestTree, testKit, testUuid, user } from '@coppice/core/testing';
import { describe, expect } from 'vitest';
import {
  askStore,
  createTestTree,
  expectNoErrors,
  expectRefusalCode,
  requireSubjectMethod,
  type StoreSubject,
  skipUnlessSupported,
  testStoreRule,
} from './subject.ts';

/** Returns functions that run commands on several trees with one clock, as a single process does. */
function actorIn(store: Store, actor = 'me', clock = createTestClock(9)) {
  const context = { actor, kit: testKit, ...clock };
  return {
    context,
    undo: (force = false) => undoOrRedoAnywhere(store, { type: 'undo', force }, context),
    redo: () => undoOrRedoAnywhere(store, { type: 'redo' }, context),
    say: (fixture: TestTree, text: string, id?: string) =>
      fixture.run(
        {
          type: 'append',
          treeId: fixture.treeId,
          messages: [{ message: user(text), ...(id === undefined ? {} : { id }) }],
        },
        context,
      ),
  };
}

async function isTrashed(store: Store, id: TreeId): Promise<boolean> {
  return (await askStore(store, id, 'tree', {}))?.attributes.trashedAt !== undefined;
}

async function textsIn(store: Store, id: TreeId): Promise<string[]> {
  const rows = await askStore(store, id, 'rows', {});
  return (rows?.nodes ?? []).flatMap((node) => (node.removedIn === null && node.text !== '' ? [node.text] : []));
}

export function registerUndoAnywhereRules(subject: StoreSubject): void {
  describe('undo without a tree', () => {
    testStoreRule(subject, '[K165] finds acts that leave the time of change of their tree as it is', async (store) => {
      const fixtures = [await createTestTree(store), await createTestTree(store, 2), await createTestTree(store, 3)];
      const [a, b, c] = fixtures.map((fixture) => fixture.treeId);
      const { context } = actorIn(store);
      const undo = () => undoOrRedoAnywhere(store, { type: 'undo' }, { ...context, now: () => 30_000_000 });
      const at = (ms: number, actor = context.actor) => ({ actor, now: () => ms * 1_000_000 });
      for (const [index, fixture] of fixtures.entries())
        await fixture.run(
          { type: 'append', treeId: fixture.treeId, messages: [{ message: user('a') }] },
          at(10 + index),
        );
      const rename = (index: number, when: ReturnType<typeof at>) =>
        fixtures[index]?.run({ type: 'attributes', treeId: fixtures[index].treeId, set: { title: `T${index}` } }, when);
      await rename(0, at(20));
      await rename(1, at(21));
      await rename(0, at(22, 'you'));
      const undone = [await undo(), await undo(), await undo(), await undo(), await undo()];
      expect(undone.map(({ treeId }) => treeId)).toEqual([b, a, c, b, a]);
    });

    testStoreRule(
      subject,
      '[K165] undoes the newest act of the caller in any tree, one after the other',
      async (store) => {
        const [a, b] = [await createTestTree(store), await createTestTree(store, 2)];
        const { say, undo, redo, context } = actorIn(store);
        await say(a, 'first');
        await say(b, 'second');
        await say(a, 'third');
        await b.run(
          { type: 'append', treeId: b.treeId, messages: [{ message: user('by another') }] },
          { actor: 'you' },
        );
        expect((await undo()).treeId).toBe(a.treeId);
        expect(await textsIn(store, a.treeId)).toEqual(['first']);
        await say(a, 'fourth');
        expect((await undo()).treeId).toBe(a.treeId);
        expect(await expectRefusalCode(undo())).toBe('undo/overtaken');
        expect(await expectRefusalCode(redo().then(redo))).toBe('undo/nothing');
        expect((await undo()).treeId).toBe(a.treeId);
        expect((await undo(true)).treeId).toBe(b.treeId);
        expect((await undo()).treeId).toBe(a.treeId);
        expect(await textsIn(store, a.treeId)).toEqual([]);
        expect(await store.newestAct('nobody', 'undoable')).toBeNull();
        expect(await store.forOwner('other').newestAct(context.actor, 'undoable')).toBeNull();
        for (const { treeId } of [a, b]) await expectNoErrors(store, treeId);
      },
    );

    testStoreRule(subject, '[K165] orders acts with equal times by their log order', async (store) => {
      const clock = { now: () => 5_000_000, newId: createTestClock(9).newId };
      const { say, undo, redo } = actorIn(store, 'me', clock);
      const [a, b] = [await createTestTree(store), await createTestTree(store, 2)];
      await say(b, 'one');
      await say(a, 'two');
      await say(b, 'three');
      expect((await undo()).treeId).toBe(b.treeId);
      expect((await undo()).treeId).toBe(a.treeId);
      expect((await undo()).treeId).toBe(b.treeId);
      expect((await redo()).treeId).toBe(b.treeId);
      expect((await redo()).treeId).toBe(a.treeId);
      expect((await redo()).treeId).toBe(b.treeId);
    });

    testStoreRule(subject, '[K166] restores a deleted tree and deletes a restored one again', async (store) => {
      const [a, b] = [await createTestTree(store), await createTestTree(store, 2)];
      const { say, undo, redo, context } = actorIn(store);
      await say(b, 'stays');
      await say(a, 'kept');
      await a.run({ type: 'delete-tree', treeId: a.treeId }, context);
      const outcome = await undo();
      expect(outcome.treeId).toBe(a.treeId);
      expect(await isTrashed(store, a.treeId)).toBe(false);
      expect([await textsIn(store, a.treeId), await textsIn(store, b.treeId)]).toEqual([['kept'], ['stays']]);
      await redo();
      expect(await isTrashed(store, a.treeId)).toBe(true);
      await a.run({ type: 'restore-tree', treeId: a.treeId }, context);
      await undo();
      expect(await isTrashed(store, a.treeId)).toBe(true);
      expect(await textsIn(store, b.treeId)).toEqual(['stays']);
    });

    testStoreRule(
      subject,
      '[K167] moves a tree that was only created to the trash, and redo restores it',
      async (store) => {
        const a = await createTestTree(store);
        const { say, undo, redo, context } = actorIn(store);
        await say(a, 'kept');
        const copy = asTreeId(testUuid(3));
        await a.run({ type: 'duplicate', treeId: copy, from: a.treeId }, context);
        expect((await undo()).treeId).toBe(copy);
        expect(await isTrashed(store, copy)).toBe(true);
        expect((await redo()).treeId).toBe(copy);
        expect(await isTrashed(store, copy)).toBe(false);
        await a.run(
          { type: 'append', treeId: copy, messages: [{ message: user('by another') }] },
          { actor: 'you', ...createTestClock(20) },
        );
        await undo();
        expect(await isTrashed(store, copy)).toBe(true);
        expect((await undo()).treeId).toBe(a.treeId);
        await expectNoErrors(store, copy);
      },
    );

    testStoreRule(subject, '[K167] leaves a new tree in which others wrote, unless forced', async (store) => {
      const { undo, context } = actorIn(store);
      const made = asTreeId(testUuid(4));
      const b = await createTestTree(store, 2);
      await b.run({ type: 'create', treeId: made }, context);
      const messages = [{ message: user('by another') }];
      await b.run({ type: 'append', treeId: made, messages }, { actor: 'you', ...createTestClock(20) });
      expect(await expectRefusalCode(undo())).toBe('undo/overtaken');
      expect((await undo(true)).treeId).toBe(made);
      expect(await isTrashed(store, made)).toBe(true);
    });

    testStoreRule(subject, '[K168] redo is cleared by the caller’s next act in any tree', async (store) => {
      const [a, b] = [await createTestTree(store), await createTestTree(store, 2)];
      const { say, undo, redo } = actorIn(store);
      await say(a, 'one');
      await undo();
      await b.run({ type: 'append', treeId: b.treeId, messages: [{ message: user('x') }] }, { actor: 'you' });
      expect((await redo()).treeId).toBe(a.treeId);
      await undo();
      await say(b, 'two');
      expect(await expectRefusalCode(redo())).toBe('undo/nothing');
    });

    testStoreRule(subject, '[K169] works after the store is closed and reopened', async (first, context) => {
      skipUnlessSupported(context, first.supports.durable && first.supports.history, 'this store keeps nothing');
      const [a, b] = [await createTestTree(first), await createTestTree(first, 2)];
      const { say, context: mine } = actorIn(first);
      await say(a, 'one');
      await say(b, 'two');
      await a.run({ type: 'delete-tree', treeId: a.treeId }, mine);
      const store = await requireSubjectMethod(subject.reopen, 'reopen')(first);
      const { undo } = actorIn(store, 'me', createTestClock(30));
      expect((await undo()).treeId).toBe(a.treeId);
      expect(await isTrashed(store, a.treeId)).toBe(false);
      expect((await undo()).treeId).toBe(b.treeId);
      expect((await undo()).treeId).toBe(a.treeId);
    });

    testStoreRule(subject, '[K170] of two callers at once undoes two acts', async (store) => {
      const [a, b] = [await createTestTree(store), await createTestTree(store, 2)];
      const { say, undo } = actorIn(store);
      await say(a, 'one');
      await say(b, 'two');
      const taken = await Promise.all([undo(), undo()]);
      expect(taken.map(({ treeId }) => treeId).sort()).toEqual([a.treeId, b.treeId]);
    });

    testStoreRule(subject, '[K165] an invalid actor or kind is refused', async (store) => {
      const anyStore: { newestAct(actor: unknown, which: unknown): Promise<unknown> } = store as never;
      expect(await expectRefusalCode(anyStore.newestAct(7, 'undoable'))).toBe('command/invalid');
      expect(await expectRefusalCode(anyStore.newestAct('me', 'done'))).toBe('command/invalid');
    });
  });
}

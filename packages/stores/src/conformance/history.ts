import { treeId as asTreeId, type NodeId, nodeId, readTreeAsOf, type Tree } from '@coppice/core';
import {
  arbitraryCommands,
  assistant,
  ReferenceStore,
  runCommands,
  TestTree,
  testUuid,
  user,
} from '@coppice/core/testing';
import { treeToJson } from '@coppice/core/tree';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import {
  askStore,
  buildMessageWithId,
  createTestTree,
  expectNoErrors,
  expectRefusalCode,
  readTreeJson,
  readTreeValue,
  requireSubjectMethod,
  type StoreSubject,
  skipUnlessSupported,
  testStoreRule,
} from './subject.ts';

/** Adds a message with a pending reply in one act, then other messages below that reply. */
async function addMeanwhile(fixture: TestTree, number: number, act: { readonly actId: string }) {
  const { treeId } = fixture;
  const question = testUuid(number + 1);
  await fixture.run({ type: 'append', treeId, messages: [buildMessageWithId(question)] }, act);
  const { result } = await fixture.run({ type: 'reply', treeId, parentId: nodeId(question), replies: [{}] }, act);
  const [reply = nodeId('')] = result.added;
  const messages = [buildMessageWithId(testUuid(number + 2))];
  const { actId: meanwhile } = await fixture.run({ type: 'append', treeId, parentId: reply, messages });
  return { reply, meanwhile };
}

/** Returns a tree without visit marks, which are not logged, and without the fields that a rewind does not reset. */
function unmarked(tree: Tree): unknown {
  const { updatedAt: _, structureVersion: __, nodes, ...rest } = treeToJson(tree);
  return { ...rest, nodes: nodes.map((node) => ({ ...node, lastChildId: null })) };
}

/** Returns the active node, and for each node its place, its text, and whether it is live. */
function shapeOf(image: unknown): unknown {
  const { nodes, activeNodeId } = image as ReturnType<typeof treeToJson>;
  return {
    activeNodeId,
    nodes: nodes.map(({ id, parentId, position, groupId, text, removedIn }) => ({
      id,
      parentId,
      position,
      groupId,
      text,
      lives: removedIn === null,
    })),
  };
}

export function registerHistoryRules(subject: StoreSubject): void {
  describe('history', () => {
    testStoreRule(
      subject,
      '[K84] history tells the commits newest first, before a version and as many as asked for',
      async (store) => {
        const fixture = await createTestTree(store);
        for (const text of ['a', 'b', 'c']) await fixture.addMessages([text]);
        await fixture.run({ type: 'undo', treeId: fixture.treeId }, { actor: 'me' });
        const all = await store.history(fixture.treeId);
        expect(all.map(({ version, kind }) => [version, kind])).toEqual([
          [5, 'undo'],
          [4, 'do'],
          [3, 'do'],
          [2, 'do'],
          [1, 'do'],
        ]);
        expect(all[1]).toMatchObject({ actor: 'me', structural: true, steps: { insert: 1, select: 1 } });
        expect((await store.history(fixture.treeId, { before: 4, limit: 2 })).map(({ version }) => version)).toEqual([
          3, 2,
        ]);
        expect(await store.history(fixture.treeId, { before: 1 })).toEqual([]);
        for (const limit of [0, -1, 1.5, Number.NaN])
          expect(await expectRefusalCode(store.history(fixture.treeId, { limit }))).toBe('command/invalid');
      },
    );

    testStoreRule(subject, '[K85] the tree as of any version equals the tree at that time', async (store, context) => {
      skipUnlessSupported(context, store.supports.history, 'this store keeps no history');
      const [commands = []] = fc.sample(arbitraryCommands({ minLength: 40, maxLength: 40 }), { seed: 5, numRuns: 1 });
      const reference = new ReferenceStore(store.owner);
      const states = new Map<string, Tree>();
      for await (const _ of runCommands(reference, commands))
        for (const tree of reference.trees.values()) states.set(`${tree.id} ${tree.version}`, tree);
      for await (const _ of runCommands(store, commands));
      for (const then of states.values())
        expect(unmarked(await store.read(then.id, () => readTreeAsOf(then.id, then.version)))).toEqual(unmarked(then));
    });

    testStoreRule(
      subject,
      '[K291] an earlier version is restored where another message has the position of a removed one',
      async (store, context) => {
        skipUnlessSupported(context, store.supports.history, 'this store keeps no history');
        const fixture = await createTestTree(store);
        const { treeId } = fixture;
        const { rootId } = await readTreeValue(store, treeId);
        const roots: NodeId[] = [];
        for (const text of ['moved', 'parent', 'first', 'second'])
          roots.push(await fixture.variant(user(text), rootId));
        const [moved = nodeId(''), parent = nodeId(''), first = nodeId(''), second = nodeId('')] = roots;
        const { actId } = await fixture.run({ type: 'move', treeId, nodeId: moved, parentId: parent });
        // The position of the moved message is free now. Two others are moved to that position and just behind it.
        await fixture.run({ type: 'move', treeId, nodeId: first, parentId: rootId, before: parent });
        const { version } = await fixture.run({
          type: 'move',
          treeId,
          nodeId: second,
          parentId: rootId,
          before: parent,
        });
        const then = shapeOf(await readTreeJson(store, treeId));
        await fixture.run({ type: 'delete', treeId, nodeIds: [first, second] });
        await fixture.run({ type: 'undo', treeId, actId });
        const positions = await Promise.all(
          [moved, first].map(async (id) => (await askStore(store, treeId, 'anyNode', { id }))?.position),
        );
        expect(positions[0]).toBe(positions[1]);
        await fixture.run({ type: 'restore-version', treeId, version });
        expect(shapeOf(await readTreeJson(store, treeId))).toEqual(then);
        await expectNoErrors(store, treeId);
      },
    );

    testStoreRule(
      subject,
      '[K87] a tree that an act only created, or only selected a node in, does not count as changed by it',
      async (store) => {
        const fixture = await createTestTree(store);
        const other = await createTestTree(store, 2);
        const [seen = nodeId('')] = await other.addMessages(['x', 'y']);
        const { treeId } = fixture;
        const act = { actId: testUuid(700) };
        await fixture.run({ type: 'append', treeId, messages: [buildMessageWithId(testUuid(701))] }, act);
        await other.run({ type: 'select', treeId: other.treeId, nodeId: seen }, act);
        await fixture.run({ type: 'duplicate', treeId: asTreeId(testUuid(3)), from: treeId }, act);
        expect((await askStore(store, treeId, 'undoable', { actor: 'me' }))?.elsewhere).toEqual([]);
        await fixture.run({ type: 'undo', treeId });
        const { result } = await fixture.run({ type: 'redo', treeId });
        expect(result.activeNodeId).toBe(testUuid(701));
      },
    );

    testStoreRule(subject, '[K183] a restored node matches under its current ancestors', async (store) => {
      const fixture = await createTestTree(store);
      const [a = nodeId('')] = await fixture.addMessages(['a']);
      const c = await fixture.variant(user('c'), a);
      const marker = nodeId(testUuid(721));
      await fixture.run({ type: 'branch', treeId: fixture.treeId, nodeId: a, summary: 'What was left.', id: marker });
      await fixture.run({
        type: 'append',
        treeId: fixture.treeId,
        parentId: marker,
        messages: [buildMessageWithId(testUuid(720))],
      });
      const below = nodeId(testUuid(720));
      await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [below], mode: 'cascade' });
      await fixture.run({ type: 'move', treeId: fixture.treeId, nodeId: marker, parentId: c });
      await fixture.run({ type: 'restore', treeId: fixture.treeId, nodeId: below });
      const rows = await askStore(store, fixture.treeId, 'rows', {});
      expect(rows?.nodes.find((node) => node.id === below)?.matchParent).toBe(c);
      const key = rows?.nodes.find((node) => node.id === below)?.key ?? '';
      expect((await askStore(store, fixture.treeId, 'match', { from: c, keys: [key] })).nodes).toEqual([below]);
      expect((await askStore(store, fixture.treeId, 'match', { from: a, keys: [key] })).nodes).toEqual([]);
      await expectNoErrors(store, fixture.treeId);
    });

    testStoreRule(subject, '[K79] an act made while a reply was generated is newer than the reply', async (store) => {
      const fixture = await createTestTree(store);
      const { treeId } = fixture;
      const act = { actId: testUuid(710) };
      const newest = async () => (await askStore(store, treeId, 'undoable', { actor: 'me' }))?.actId;
      const { reply, meanwhile } = await addMeanwhile(fixture, 710, act);
      await fixture.run({ type: 'finish', treeId, nodeId: reply, status: 'success', message: assistant('x') }, act);
      expect(await newest()).toBe(meanwhile);
      await fixture.run({ type: 'undo', treeId });
      expect(await newest()).toBe(act.actId);
      await fixture.run({ type: 'undo', treeId });
      await fixture.run({ type: 'redo', treeId });
      // The redone act is the newest one.
      expect(await newest()).toBe(act.actId);
      await fixture.run({ type: 'redo', treeId });
      expect(await newest()).toBe(meanwhile);
      await expectNoErrors(store, treeId);
    });

    testStoreRule(subject, '[K79] the end of a reply does not clear redo', async (store) => {
      const fixture = await createTestTree(store);
      const { treeId } = fixture;
      const act = { actId: testUuid(720) };
      const { reply, meanwhile } = await addMeanwhile(fixture, 720, act);
      const next = async () => (await askStore(store, treeId, 'redoable', { actor: 'me' }))?.actId;
      await fixture.run({ type: 'undo', treeId });
      await fixture.run({ type: 'finish', treeId, nodeId: reply, status: 'success', message: assistant('x') }, act);
      expect(await next()).toBe(meanwhile);
      await fixture.run({ type: 'redo', treeId });
      expect((await askStore(store, treeId, 'children', { of: reply })).map((node) => node.id)).toEqual([
        testUuid(722),
      ]);
      await fixture.run({ type: 'undo', treeId });
      await fixture.run({ type: 'append', treeId, messages: [buildMessageWithId(testUuid(723))] });
      expect(await next()).toBeUndefined();
      await expectNoErrors(store, treeId);
    });

    testStoreRule(
      subject,
      '[K88] nodes that undo restores and nodes that it moves there get different positions',
      async (store) => {
        const fixture = await createTestTree(store);
        const { treeId } = fixture;
        const [, b = nodeId(''), c = nodeId('')] = await fixture.addMessages(['a', 'b', 'c']);
        const you = { actor: 'you' };
        await fixture.run({ type: 'delete', treeId, nodeIds: [b] });
        await fixture.run({ type: 'restore', treeId, nodeId: b }, you);
        await fixture.run({ type: 'append', treeId, parentId: b, messages: [buildMessageWithId(testUuid(800))] }, you);
        await fixture.run({ type: 'delete', treeId, nodeIds: [b], mode: 'cascade' }, you);
        await fixture.run({ type: 'undo', treeId, force: true });
        expect((await askStore(store, treeId, 'children', { of: b })).map((node) => node.id)).toEqual([
          testUuid(800),
          c,
        ]);
        await expectNoErrors(store, treeId);
      },
    );

    testStoreRule(
      subject,
      '[K89] undo continues past a restored version, removal by removal',
      async (store, context) => {
        skipUnlessSupported(context, store.supports.history, 'this store keeps no history');
        const fixture = await createTestTree(store);
        const { treeId } = fixture;
        const grown = await fixture.addMessages(['a', 'b', 'c']);
        const { version } = await readTreeValue(store, treeId);
        const look = async () => shapeOf(await readTreeJson(store, treeId));
        const states = [await look()];
        for (const id of [...grown].reverse()) {
          await fixture.run({ type: 'delete', treeId, nodeIds: [id], mode: 'cascade' });
          states.push(await look());
        }
        await fixture.run({ type: 'restore-version', treeId, version });
        states.push(await look());
        for (const state of states.slice(0, -1).reverse()) {
          await fixture.run({ type: 'undo', treeId });
          expect(await look()).toEqual(state);
          await expectNoErrors(store, treeId);
        }
        for (const state of states.slice(1)) {
          await fixture.run({ type: 'redo', treeId });
          expect(await look()).toEqual(state);
          await expectNoErrors(store, treeId);
        }
      },
    );

    testStoreRule(
      subject,
      '[K86] undo and redo work after the store is closed and reopened',
      async (store, context) => {
        skipUnlessSupported(context, store.supports.durable && store.supports.history, 'nothing outlives the process');
        const fixture = await createTestTree(store);
        const [first] = await fixture.addMessages(['a', 'b']);
        const before = await readTreeJson(store, fixture.treeId);
        await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [first ?? nodeId('')], mode: 'cascade' });
        const gone = await readTreeJson(store, fixture.treeId);
        let again = await requireSubjectMethod(subject.reopen, 'reopen')(store);
        await new TestTree(again, fixture.treeId).run({ type: 'undo', treeId: fixture.treeId });
        expect(shapeOf(await readTreeJson(again, fixture.treeId))).toEqual(shapeOf(before));
        again = await requireSubjectMethod(subject.reopen, 'reopen')(again);
        await new TestTree(again, fixture.treeId).run({ type: 'redo', treeId: fixture.treeId });
        expect(shapeOf(await readTreeJson(again, fixture.treeId))).toEqual(shapeOf(gone));
        await new TestTree(again, fixture.treeId).run(
          { type: 'append', treeId: fixture.treeId, messages: [{ message: user('after'), id: testUuid(600) }] },
          { newId: () => testUuid(601) },
        );
        expect(await new TestTree(again, fixture.treeId).refusal({ type: 'redo', treeId: fixture.treeId })).toBe(
          'undo/nothing',
        );
        await subject.destroy(again);
      },
    );
  });
}

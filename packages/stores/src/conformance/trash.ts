/** Tests of trash, purge and history. */
import {
  treeId as asTreeId,
  type NodeId,
  nodeId,
  readTreeAsOf,
  type Store,
  type Tree,
  type TreeId,
} from '@coppice/core';
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
  createTestTree,
  expectNoErrors,
  expectRefusalCode,
  readTreeJson,
  readTreeValue,
  requirePart,
  type StoreSubject,
  skipUnlessSupported,
  takeItems,
  testStoreRule,
} from './subject.ts';

/** Returns everything that a store reports about a tree as one text, to search it for purged words. */
async function allTextOf(store: Store, id: TreeId): Promise<string> {
  const row = await askStore(store, id, 'tree', {});
  const reported = [
    await askStore(store, id, 'rows', {}),
    await askStore(store, id, 'log', { since: 0 }),
    await takeItems(store.feed(id, 0), row?.version ?? 0),
    await store.history(id),
    await store.trash(id),
  ];
  return JSON.stringify(reported);
}

function said(id: string) {
  return { id, message: user(`says ${id}`) };
}

/** Adds a message with a pending reply in one act, then other messages below that reply. */
async function saidMeanwhile(fixture: TestTree, number: number, act: { readonly actId: string }) {
  const { treeId } = fixture;
  const question = testUuid(number + 1);
  await fixture.run({ type: 'append', treeId, messages: [said(question)] }, act);
  const { result } = await fixture.run({ type: 'reply', treeId, parentId: nodeId(question), replies: [{}] }, act);
  const [reply = nodeId('')] = result.added;
  const messages = [said(testUuid(number + 2))];
  const { actId: meanwhile } = await fixture.run({ type: 'append', treeId, parentId: reply, messages });
  return { reply, meanwhile };
}

async function rootOf(store: Store, id: TreeId): Promise<NodeId> {
  return (await askStore(store, id, 'tree', {}))?.rootId ?? nodeId('');
}

export function registerTrashRules(subject: StoreSubject): void {
  describe('the trash', () => {
    testStoreRule(
      subject,
      '[K80] the trash lists the nodes of each removal, newest first, until they are restored',
      async (store) => {
        const fixture = await createTestTree(store);
        const [a, b, c, d] = await fixture.addMessages(['a', 'b', 'c', 'd']);
        await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [d ?? nodeId('')], mode: 'cascade' });
        await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [b ?? nodeId('')], mode: 'cascade' });
        const items = await store.trash(fixture.treeId);
        expect(items.map(({ nodeId: id, count, removedIn, preview }) => ({ id, count, removedIn, preview }))).toEqual([
          { id: b, count: 2, removedIn: 4, preview: 'b' },
          { id: d, count: 1, removedIn: 3, preview: 'd' },
        ]);
        expect(items.every((item) => item.treeId === fixture.treeId && item.at > 0)).toBe(true);
        await fixture.run({ type: 'restore', treeId: fixture.treeId, nodeId: b ?? nodeId('') });
        expect((await store.trash(fixture.treeId)).map((item) => item.nodeId)).toEqual([d]);
        expect(
          (await askStore(store, fixture.treeId, 'path', { to: c ?? nodeId('') })).nodes.map((node) => node.id),
        ).toEqual([a, b, c]);
      },
    );

    testStoreRule(
      subject,
      '[K80] nodes removed together are listed in creation order, by their title',
      async (store) => {
        const fixture = await createTestTree(store);
        const { treeId } = fixture;
        const made = [testUuid(203), testUuid(202), testUuid(201)];
        for (const id of made)
          await fixture.run({ type: 'append', treeId, parentId: await rootOf(store, treeId), messages: [said(id)] });
        const [first = ''] = made;
        await fixture.run({ type: 'title', treeId, nodeId: nodeId(first), title: "a machine's", auto: true });
        await fixture.run({ type: 'append', treeId, parentId: nodeId(first), messages: [said(testUuid(204))] });
        await fixture.run({ type: 'clear', treeId });
        const items = await store.trash(treeId);
        expect(items.map((item) => item.nodeId)).toEqual(made);
        expect(items.map((item) => item.preview)).toEqual(made.map((id) => `says ${id}`));
      },
    );

    testStoreRule(
      subject,
      '[K81] purging takes rows, former contents and texts, and undo before it is refused',
      async (store) => {
        const fixture = await createTestTree(store);
        const [a, b, c] = await fixture.addMessages(['open', 'secret one', 'secret two']);
        const id = b ?? nodeId('');
        await fixture.run({
          type: 'edit',
          treeId: fixture.treeId,
          nodeId: id,
          content: 'secret three',
          mode: 'in-place',
        });
        await fixture.run({ type: 'title', treeId: fixture.treeId, nodeId: id, title: 'secret title' });
        await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: c ?? nodeId(''), title: 'secret mark' });
        await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [id], mode: 'cascade' });
        expect(await allTextOf(store, fixture.treeId)).toContain('secret');
        expect(await expectRefusalCode(store.purge(fixture.treeId, { nodeId: a ?? nodeId('') }))).toBe(
          'tree/unknown-node',
        );
        expect(await expectRefusalCode(store.purge(fixture.treeId, { nodeId: nodeId(testUuid(99)) }))).toBe(
          'tree/unknown-node',
        );
        const report = await store.purge(fixture.treeId, { nodeId: id });
        expect(report.nodes).toBe(2);
        expect(report.contents).toBeGreaterThan(0);
        expect(await allTextOf(store, fixture.treeId)).not.toContain('secret');
        expect(await store.trash(fixture.treeId)).toEqual([]);
        expect((await store.search({ text: 'secret' })).items).toEqual([]);
        expect(await askStore(store, fixture.treeId, 'anyNode', { id })).toBeNull();
        expect(await fixture.refusal({ type: 'undo', treeId: fixture.treeId })).toBe('undo/purged');
        expect(await fixture.refusal({ type: 'restore-version', treeId: fixture.treeId, version: 2 })).toBe(
          'undo/purged',
        );
        expect((await store.history(fixture.treeId)).map((commit) => commit.version)).toEqual([6, 5, 4, 3, 2, 1]);
        await fixture.addMessages(['goes on']);
        expect((await askStore(store, fixture.treeId, 'tree', {}))?.version).toBe(7);
        await expectNoErrors(store, fixture.treeId);
      },
    );

    testStoreRule(subject, '[K82] purging up to a version deletes exactly the nodes removed by then', async (store) => {
      const fixture = await createTestTree(store);
      const [a, b, c, d] = await fixture.addMessages(['a', 'b', 'c', 'd']);
      await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [d ?? nodeId('')] });
      await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [b ?? nodeId('')] });
      expect((await store.purge(fixture.treeId, { upTo: 2 })).nodes).toBe(0);
      expect((await store.purge(fixture.treeId, { upTo: 3 })).nodes).toBe(1);
      expect((await store.trash(fixture.treeId)).map((item) => item.nodeId)).toEqual([b]);
      await fixture.run({ type: 'undo', treeId: fixture.treeId });
      expect(
        (await askStore(store, fixture.treeId, 'path', { to: c ?? nodeId('') })).nodes.map((node) => node.id),
      ).toEqual([a, b, c]);
      await expectNoErrors(store, fixture.treeId);
    });

    testStoreRule(subject, '[K82] visit marks to purged nodes are deleted', async (store) => {
      const fixture = await createTestTree(store);
      const [a = nodeId(''), b = nodeId('')] = await fixture.addMessages(['a', 'b']);
      await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [b] });
      await store.purge(fixture.treeId, { nodeId: b });
      expect((await askStore(store, fixture.treeId, 'node', { id: a }))?.lastChildId).toBeNull();
    });

    testStoreRule(
      subject,
      '[K83] a tree can only be purged from the trash, and nothing of it remains',
      async (store) => {
        const fixture = await createTestTree(store);
        const [first] = await fixture.addMessages(['secret']);
        const run = {
          id: testUuid(80),
          treeId: fixture.treeId,
          nodeId: first ?? nodeId(''),
          process: 'p',
          startedAt: 1,
          beatAt: 1,
          data: {},
        };
        await store.runs.start(run);
        await store.runs.append(run.id, { offset: 0, text: 'secret' });
        await store.putExternalIds([
          { treeId: fixture.treeId, nodeId: first ?? null, format: 'f', scope: 's', id: 'x' },
        ]);
        expect(await expectRefusalCode(store.purgeTree(fixture.treeId))).toBe('command/invalid');
        await fixture.run({ type: 'delete-tree', treeId: fixture.treeId });
        await store.purgeTree(fixture.treeId);
        expect(await expectRefusalCode(store.purgeTree(fixture.treeId))).toBe('tree/unknown-tree');
        expect((await store.trees({ trashed: true })).items).toEqual([]);
        expect(await askStore(store, fixture.treeId, 'tree', {})).toBeNull();
        expect((await store.search({ text: 'secret' })).items).toEqual([]);
        expect(await store.runs.find(run.id)).toBeNull();
        expect(await store.runs.chunks(run.id)).toEqual([]);
        expect(await store.findExternalIds('f', 's', ['x'])).toEqual([]);
        const again = await createTestTree(store);
        expect(
          (
            await again.store.read(fixture.treeId, function* () {
              return (yield { ask: 'log', since: 0 } as const) as readonly unknown[];
            })
          ).length,
        ).toBe(1);
      },
    );
  });

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
      '[K87] a tree that an act only created, or only selected a node in, does not count as changed by it',
      async (store) => {
        const fixture = await createTestTree(store);
        const other = await createTestTree(store, 2);
        const [seen = nodeId('')] = await other.addMessages(['x', 'y']);
        const { treeId } = fixture;
        const act = { actId: testUuid(700) };
        await fixture.run({ type: 'append', treeId, messages: [said(testUuid(701))] }, act);
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
      await fixture.run({ type: 'append', treeId: fixture.treeId, parentId: marker, messages: [said(testUuid(720))] });
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

    testStoreRule(subject, '[K180] a purge names the other trees with copies of the purged nodes', async (store) => {
      const fixture = await createTestTree(store);
      const [first = nodeId(''), second = nodeId('')] = await fixture.addMessages(['one', 'two']);
      const { treeId } = fixture;
      const copy = asTreeId(testUuid(2));
      await fixture.run({ type: 'duplicate', treeId: copy, from: treeId, attributes: { title: 'The copy' } });
      const picking = await createTestTree(store, 3);
      await picking.addMessages(['begins']);
      await picking.run({ type: 'cherry-pick', treeId: picking.treeId, from: treeId, nodeId: second });
      await fixture.run({ type: 'delete', treeId, nodeIds: [second], mode: 'cascade' });
      expect(await store.purge(treeId, { nodeId: second })).toEqual({
        nodes: 1,
        contents: 0,
        copies: [
          { treeId: copy, title: 'The copy', nodes: 1 },
          { treeId: picking.treeId, title: null, nodes: 1 },
        ],
        waitingAttachments: 0,
        uncleared: [],
      });
      expect(first).not.toBe('');
      await fixture.run({ type: 'delete-tree', treeId: copy });
      const report = await store.purgeTree(copy);
      expect(report.nodes).toBe(3);
      expect(report.copies.map((one) => [one.treeId, one.nodes])).toContainEqual([treeId, 1]);
    });

    testStoreRule(
      subject,
      '[K180] a purge reports how many attachments stay because of a pending upload',
      async (store) => {
        const fixture = await createTestTree(store);
        const put = () => store.blobs.put(new TextEncoder().encode('bytes'), 'text/plain');
        const { hash } = await put();
        await put();
        const content = [{ type: 'file', source: { type: 'blob', hash }, mediaType: 'text/plain' }];
        await fixture.run({
          type: 'append',
          treeId: fixture.treeId,
          messages: [{ message: { role: 'user', content } }],
        });
        await fixture.run({ type: 'delete-tree', treeId: fixture.treeId });
        expect((await store.purgeTree(fixture.treeId)).waitingAttachments).toBe(1);
      },
    );

    testStoreRule(subject, '[K79] an act made while a reply was generated is newer than the reply', async (store) => {
      const fixture = await createTestTree(store);
      const { treeId } = fixture;
      const act = { actId: testUuid(710) };
      const newest = async () => (await askStore(store, treeId, 'undoable', { actor: 'me' }))?.actId;
      const { reply, meanwhile } = await saidMeanwhile(fixture, 710, act);
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
      const { reply, meanwhile } = await saidMeanwhile(fixture, 720, act);
      const next = async () => (await askStore(store, treeId, 'redoable', { actor: 'me' }))?.actId;
      await fixture.run({ type: 'undo', treeId });
      await fixture.run({ type: 'finish', treeId, nodeId: reply, status: 'success', message: assistant('x') }, act);
      expect(await next()).toBe(meanwhile);
      await fixture.run({ type: 'redo', treeId });
      expect((await askStore(store, treeId, 'children', { of: reply })).map((node) => node.id)).toEqual([
        testUuid(722),
      ]);
      await fixture.run({ type: 'undo', treeId });
      await fixture.run({ type: 'append', treeId, messages: [said(testUuid(723))] });
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
        await fixture.run({ type: 'append', treeId, parentId: b, messages: [said(testUuid(800))] }, you);
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
        let again = await requirePart(subject.reopen, 'reopen')(store);
        await new TestTree(again, fixture.treeId).run({ type: 'undo', treeId: fixture.treeId });
        expect(shapeOf(await readTreeJson(again, fixture.treeId))).toEqual(shapeOf(before));
        again = await requirePart(subject.reopen, 'reopen')(again);
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

/** Returns a tree without visit marks, which are not logged, and without times, which a rewind does not reset. */
function unmarked(tree: Tree): unknown {
  const { updatedAt: _, structureVersion: __, nodes, ...rest } = treeToJson(tree);
  return { ...rest, nodes: nodes.map((node) => ({ ...node, lastChildId: null })) };
}

/** Returns the live nodes with their parents. */
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

/** Tests that owners cannot see each other's data. */
import { nodeId, type Read, type Store, treeId } from '@coppice/core';
import { assistant, TestTree, testUuid, user } from '@coppice/core/testing';
import { describe, expect } from 'vitest';
import {
  askStore,
  createTestRun,
  createTestTree,
  expectFeedRefusalCode,
  expectRefusalCode,
  readTreeJson,
  type StoreSubject,
  secondOwnerOf,
  testStoreRule,
  waitForListEvent,
} from './subject.ts';

export function registerOwnerRules(subject: StoreSubject): void {
  describe('owners', () => {
    testStoreRule(subject, '[K90] ids of another owner are unknown to every call', async (store) => {
      const fixture = await createTestTree(store);
      const [first, second] = await fixture.addMessages(['mine alone', 'an answer']);
      const id = first ?? nodeId('');
      await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: id, title: 'B' });
      await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [second ?? nodeId('')] });
      await store.runs.start(createTestRun({ treeId: fixture.treeId, nodeId: id }));
      await store.runs.append(testUuid(80), { offset: 0, text: 'so far' });
      const { hash } = await store.blobs.put(new Uint8Array([9, 9]), 'image/png');
      await store.putExternalIds([{ treeId: fixture.treeId, nodeId: id, format: 'f', scope: 's', id: 'x' }]);
      await store.addProvenance([
        { treeId: fixture.treeId, source: 's', firstNodeId: id, lastNodeId: id, count: 1, at: 1 },
      ]);
      const before = await readTreeJson(store, fixture.treeId);

      const other = store.forOwner(secondOwnerOf(subject));
      expect(other.owner).toBe(secondOwnerOf(subject));
      await expectNothing(other, fixture, id);
      expect((await other.trees({})).items).toEqual([]);
      expect((await other.trees({ trashed: true })).items).toEqual([]);
      expect((await other.search({ text: 'mine' })).items).toEqual([]);
      expect((await other.search({ text: 'mine', treeId: fixture.treeId })).items).toEqual([]);
      expect((await other.content(fixture.treeId, [id])).size).toBe(0);
      expect(await other.runs.find(testUuid(80))).toBeNull();
      expect(await other.runs.chunks(testUuid(80))).toEqual([]);
      expect(await other.runs.list()).toEqual([]);
      expect(await other.runs.list(fixture.treeId)).toEqual([]);
      expect(await other.runs.beat(testUuid(80), 5)).toBe(false);
      expect(await other.runs.append(testUuid(80), { offset: 6, text: 'more' })).toBe(false);
      expect(await other.runs.claimStale(1000, 'q')).toEqual([]);
      await other.runs.end(testUuid(80));
      expect((await store.runs.find(testUuid(80)))?.beatAt).toBe(1);
      expect(await other.blobs.find(hash)).toBeNull();
      expect(await other.blobs.read(hash)).toBeNull();
      expect(await other.findExternalIds('f', 's', ['x'])).toEqual([]);
      expect((await other.fsck()).trees).toBe(0);
      const unknown: readonly (() => Promise<unknown>)[] = [
        () => other.history(fixture.treeId),
        () => other.trash(fixture.treeId),
        () => other.purge(fixture.treeId, { upTo: 100 }),
        () => other.purgeTree(fixture.treeId),
        () => other.externalIdsOf(fixture.treeId),
        () => other.provenanceOf(fixture.treeId),
        () => other.fsck({ treeId: fixture.treeId }),
        () => other.putExternalIds([{ treeId: fixture.treeId, nodeId: null, format: 'f', scope: 's', id: 'y' }]),
        () =>
          other.addProvenance([
            { treeId: fixture.treeId, source: 's', firstNodeId: id, lastNodeId: id, count: 1, at: 1 },
          ]),
        () => other.runs.start(createTestRun({ treeId: fixture.treeId, nodeId: id }, { id: testUuid(81) })),
      ];
      expect(await expectFeedRefusalCode(other, fixture.treeId)).toBe('tree/unknown-tree');
      for (const call of unknown)
        expect([String(call), await expectRefusalCode(call)]).toEqual([String(call), 'tree/unknown-tree']);
      expect(await readTreeJson(store, fixture.treeId)).toEqual(before);
      expect(await store.runs.chunks(testUuid(80))).toEqual([{ offset: 0, text: 'so far' }]);
    });

    testStoreRule(subject, '[K91] no command reaches a tree of another owner, not even as a source', async (store) => {
      const fixture = await createTestTree(store);
      const [first] = await fixture.addMessages(['mine', 'alone']);
      const id = first ?? nodeId('');
      const before = await readTreeJson(store, fixture.treeId);
      const other = store.forOwner('somebody else');
      const own = await createTestTree(other, 2);
      const treeIdOf = fixture.treeId;
      const intruder = new TestTree(other, treeIdOf);
      const message = user('intruding');
      const codes = new Set([
        await intruder.refusal({ type: 'append', treeId: treeIdOf, messages: [{ message }] }),
        await intruder.refusal({ type: 'delete-tree', treeId: treeIdOf }),
        await intruder.refusal({ type: 'clear', treeId: treeIdOf }),
        await intruder.refusal({ type: 'undo', treeId: treeIdOf }),
        await intruder.refusal({ type: 'restore-version', treeId: treeIdOf, version: 1 }),
        await own.refusal({ type: 'duplicate', treeId: treeId(testUuid(77)), from: treeIdOf }),
      ]);
      expect([...codes].filter((code) => code !== 'tree/unknown-tree' && code !== 'undo/nothing')).toEqual([]);
      const { rootId } = (await askStore(other, own.treeId, 'tree', {})) ?? { rootId: nodeId('') };
      expect(
        await own.refusal({
          type: 'graft',
          treeId: own.treeId,
          from: { treeId: treeIdOf, nodeId: id },
          parentId: rootId,
        }),
      ).toMatch(/^tree\/unknown-/);
      expect(await own.refusal({ type: 'append', treeId: own.treeId, parentId: id, messages: [{ message }] })).toBe(
        'tree/unknown-node',
      );
      expect(
        await own.refusal({ type: 'reply', treeId: own.treeId, parentId: id, replies: [{ message: assistant('x') }] }),
      ).toBe('tree/unknown-node');
      expect(await readTreeJson(store, treeIdOf)).toEqual(before);
    });

    testStoreRule(subject, '[K92] a tree id of another owner is taken', async (store) => {
      const fixture = await createTestTree(store);
      await fixture.addMessages(['mine']);
      const before = await readTreeJson(store, fixture.treeId);
      const other = new TestTree(store.forOwner(secondOwnerOf(subject)), fixture.treeId);
      expect(await other.refusal({ type: 'create', treeId: fixture.treeId }, { newId: () => testUuid(901) })).toBe(
        'id/taken',
      );
      const record = { treeId: fixture.treeId, createdAt: 1, messages: [{ message: user('theirs') }] };
      expect(await expectRefusalCode(store.forOwner(secondOwnerOf(subject)).putLinear(record))).toBe('id/taken');
      expect(await readTreeJson(store, fixture.treeId)).toEqual(before);
    });

    testStoreRule(subject, '[K93] a feed over all trees contains only the owner’s changes', async (store) => {
      const fixture = await createTestTree(store);
      const other = await createTestTree(store.forOwner('somebody else'), 2);
      const reported = await waitForListEvent(store, async () => {
        await other.addMessages(['theirs']);
        await fixture.addMessages(['mine']);
      });
      expect(reported.treeId).toBe(fixture.treeId);
    });
  });
}

/** Checks that every read about another owner's tree and node finds nothing. */
async function expectNothing(other: Store, fixture: TestTree, id: ReturnType<typeof nodeId>): Promise<void> {
  const nothing: readonly (readonly [Read, unknown])[] = [
    [{ ask: 'tree' }, null],
    [{ ask: 'rows' }, null],
    [{ ask: 'node', id }, null],
    [{ ask: 'anyNode', id }, null],
    [{ ask: 'home', id }, null],
    [{ ask: 'bookmark', on: id }, null],
    [{ ask: 'lastPosition', of: id }, null],
    [
      { ask: 'path', to: id },
      { nodes: [], complete: true },
    ],
    [{ ask: 'ancestors', of: id, limit: 9 }, []],
    [{ ask: 'sharedMatch', of: id }, []],
    [{ ask: 'children', of: id }, []],
    [{ ask: 'childIds', of: [id, id] }, [[], []]],
    [{ ask: 'subtree', of: id }, []],
    [{ ask: 'topology', of: id }, []],
    [{ ask: 'leaves', limit: 5 }, []],
    [{ ask: 'log', since: 0 }, []],
    [{ ask: 'undoable', actor: 'me' }, null],
    [{ ask: 'redoable', actor: 'me' }, null],
    [
      { ask: 'match', from: id, keys: ['k'] },
      { nodes: [], aliases: [] },
    ],
    // An owner learns that an id is taken, but not by which owner.
    [{ ask: 'taken', ids: [id] }, [id]],
  ];
  for (const [read, expected] of nothing)
    expect([
      read,
      await other.read(fixture.treeId, function* () {
        return yield read;
      }),
    ]).toEqual([read, expected]);
  const mine = await createTestTree(other, 55);
  for (const [read, expected] of nothing)
    if ('treeId' in read || read.ask === 'tree' || read.ask === 'node' || read.ask === 'path')
      expect(
        await other.read(mine.treeId, function* () {
          return yield { ...read, treeId: fixture.treeId };
        }),
      ).toEqual(expected);
  await mine.run({ type: 'delete-tree', treeId: mine.treeId });
  await other.purgeTree(mine.treeId);
}

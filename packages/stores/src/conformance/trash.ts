/** Tests of the trash and of purges. */
import { messageKit } from '@coppice/content';
import { treeId as asTreeId, type NodeId, nodeId, type Store, type TreeId } from '@coppice/core';
import { type TestTree, testUuid, user } from '@coppice/core/testing';
import { describe, expect } from 'vitest';
import {
  askStore,
  buildMessageWithId,
  createTestRun,
  createTestTree,
  expectNoErrors,
  expectRefusalCode,
  type StoreSubject,
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

async function rootOf(store: Store, id: TreeId): Promise<NodeId> {
  return (await askStore(store, id, 'tree', {}))?.rootId ?? nodeId('');
}

// The test kit uses whole texts as equality keys, so the tests of purged texts use the real kit.
const realKit = { kit: messageKit };
const secretText = 'a secret that is long. ';
const remainingText = 'What remains of the text.';

async function addText(fixture: TestTree, text: string, parentId?: NodeId): Promise<NodeId> {
  const parent = parentId === undefined ? {} : { parentId };
  const messages = [{ message: user(text) }];
  return (await fixture.run({ type: 'append', treeId: fixture.treeId, messages, ...parent }, realKit)).result.nodeId;
}

/** Splits a message, and returns its left half. */
async function splitText(fixture: TestTree, id: NodeId, position: number): Promise<NodeId> {
  const { treeId } = fixture;
  return (await fixture.run({ type: 'split', treeId, nodeId: id, position }, realKit)).result.nodeId;
}

/** A message to purge, and a version in which its text was in another message. */
interface DividedMessage {
  readonly before: number;
  readonly purged: NodeId;
}

/** The ways in which the text of a message comes into the history of another one. */
const dividedMessages: readonly (readonly [string, (fixture: TestTree, whole: NodeId) => Promise<DividedMessage>])[] = [
  [
    'the left half of a split message',
    async (fixture, whole) => ({ before: 2, purged: await splitText(fixture, whole, secretText.length) }),
  ],
  [
    'a left half that was changed since',
    async (fixture, whole) => {
      const purged = await splitText(fixture, whole, secretText.length);
      const content = 'something harmless';
      await fixture.run({ type: 'edit', treeId: fixture.treeId, nodeId: purged, content, mode: 'in-place' }, realKit);
      return { before: 2, purged };
    },
  ],
  [
    'the left half of a message that was changed before the split',
    async (fixture, whole) => {
      const content = `another ${secretText}${remainingText}`;
      await fixture.run({ type: 'edit', treeId: fixture.treeId, nodeId: whole, content, mode: 'in-place' }, realKit);
      return { before: 2, purged: await splitText(fixture, whole, content.length - remainingText.length) };
    },
  ],
  [
    'the left part of a left half that was split again',
    async (fixture, whole) => {
      const half = await splitText(fixture, whole, secretText.length);
      return { before: 2, purged: await splitText(fixture, half, 'a secret'.length) };
    },
  ],
  [
    'a left half whose split was undone and redone',
    async (fixture, whole) => {
      const purged = await splitText(fixture, whole, secretText.length);
      await fixture.run({ type: 'undo', treeId: fixture.treeId }, realKit);
      await fixture.run({ type: 'redo', treeId: fixture.treeId }, realKit);
      return { before: 4, purged };
    },
  ],
  [
    'a message that was joined for a while',
    async (fixture, whole) => {
      const { treeId } = fixture;
      await fixture.run({ type: 'edit', treeId, nodeId: whole, content: secretText, mode: 'in-place' }, realKit);
      await addText(fixture, remainingText, whole);
      await fixture.run({ type: 'join', treeId, nodeId: whole }, realKit);
      await fixture.run({ type: 'undo', treeId }, realKit);
      return { before: 5, purged: whole };
    },
  ],
];

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
          await fixture.run({
            type: 'append',
            treeId,
            parentId: await rootOf(store, treeId),
            messages: [buildMessageWithId(id)],
          });
        const [first = ''] = made;
        await fixture.run({ type: 'title', treeId, nodeId: nodeId(first), title: "a machine's", auto: true });
        await fixture.run({
          type: 'append',
          treeId,
          parentId: nodeId(first),
          messages: [buildMessageWithId(testUuid(204))],
        });
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

    for (const [name, divide] of dividedMessages)
      testStoreRule(
        subject,
        `[K81] purging ${name} deletes the former texts of the remaining message that contain it`,
        async (store) => {
          const fixture = await createTestTree(store);
          const { treeId } = fixture;
          const whole = await addText(fixture, `${secretText}${remainingText}`);
          const { before, purged } = await divide(fixture, whole);
          await fixture.run({ type: 'delete', treeId, nodeIds: [purged] }, realKit);
          expect(await allTextOf(store, treeId)).toContain('secret');
          await store.purge(treeId, { nodeId: purged });
          expect(await allTextOf(store, treeId)).not.toContain('secret');
          const rows = await askStore(store, treeId, 'rows', {});
          const texts = rows?.nodes.filter((node) => node.kind !== 'root' && node.removedIn === null);
          expect(texts?.map((node) => node.text).join('')).toContain(remainingText);
          expect(await fixture.refusal({ type: 'restore-version', treeId, version: before }, realKit)).toBe(
            'undo/purged',
          );
          expect(await fixture.refusal({ type: 'undo', treeId }, realKit)).toBe('undo/purged');
          await expectNoErrors(store, treeId);
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
        const run = createTestRun({ treeId: fixture.treeId, nodeId: first ?? nodeId('') });
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

    testStoreRule(
      subject,
      '[K81] a purge deletes external ids, provenance, runs and bookmarks of the purged messages and of no others',
      async (store) => {
        const fixture = await createTestTree(store);
        const { treeId } = fixture;
        const [first = nodeId(''), second = nodeId(''), third = nodeId('')] = await fixture.addMessages([
          'a',
          'b',
          'c',
        ]);
        const names = [first, third].map((id) => ({
          treeId,
          nodeId: id,
          format: 'other',
          scope: 'file',
          id: `of ${id}`,
        }));
        await store.putExternalIds(names);
        const records = [
          { treeId, source: 'kept', firstNodeId: first, lastNodeId: second, count: 2, at: 1 },
          { treeId, source: 'ends at a purged message', firstNodeId: first, lastNodeId: third, count: 3, at: 2 },
          { treeId, source: 'of a purged message', firstNodeId: third, lastNodeId: third, count: 1, at: 3 },
        ];
        await store.addProvenance(records);
        for (const [at, id] of [first, third].entries()) {
          await fixture.run({ type: 'bookmark', treeId, nodeId: id, title: `mark ${at}` });
          const run = { id: testUuid(730 + at), treeId, nodeId: id, process: 'p', startedAt: 1, data: {} };
          await store.runs.start(run);
          await store.runs.append(run.id, { offset: 0, text: 'so far' });
        }
        await fixture.run({ type: 'delete', treeId, nodeIds: [third], mode: 'cascade' });
        await store.purge(treeId, { nodeId: third });
        expect(await store.externalIdsOf(treeId)).toEqual(names.slice(0, 1));
        expect(await store.provenanceOf(treeId)).toEqual(records.slice(0, 1));
        expect((await store.runs.list(treeId)).map((run) => run.nodeId)).toEqual([first]);
        expect(await store.runs.chunks(testUuid(731))).toEqual([]);
        expect((await askStore(store, treeId, 'bookmarks', {})).map((mark) => mark.nodeId)).toEqual([first]);
      },
    );
  });
}

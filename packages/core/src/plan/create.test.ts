import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, type TreeId, treeId } from '../ids.ts';
import type { Json } from '../message.ts';
import type { TreeAttributes } from '../node.ts';
import {
  assistant,
  expectSteps,
  ReferenceStore,
  refusalOf,
  runAndCheck,
  stepTypesOf,
  TestTree,
  testKit,
  testUuid,
  user,
} from '../testing/index.ts';
import { allBookmarks, emptyTree, findNode, type Tree } from '../tree.ts';
import { type CreateCommand, type DuplicateCommand, forestKey } from './create.ts';

function creating(n: number, rest: Partial<CreateCommand> = {}): CreateCommand {
  return { type: 'create', treeId: treeId(testUuid(n)), ...rest };
}

function treeOf(store: ReferenceStore, id: TreeId | string): Tree {
  const tree = store.tree(treeId(id));
  if (tree === undefined) throw new Error(`There is no tree ${id}.`);
  return tree;
}

describe('a new tree', () => {
  test('[P74] has its root from its first commit on, and no active node', async () => {
    const fixture = new TestTree();
    const { result: made, commit, version } = await fixture.run(creating(1, { attributes: { title: 't' } }));
    expect(made).toEqual({ treeId: testUuid(1), created: true });
    expect(version).toBe(1);
    expectSteps(emptyTree(fixture.treeId), commit?.steps ?? []);
    const root = fixture.node(fixture.rootId);
    expect(root).toMatchObject({ kind: 'root', role: 'root', parentId: null, message: null });
    expect(fixture.tree).toMatchObject({ activeNodeId: null, size: 0, attributes: { title: 't', project: 'default' } });
  });

  test('[P74] having no system prompt differs from having an empty one', async () => {
    expect((await TestTree.make()).tree.attributes.systemPrompt).toBeUndefined();
    expect((await TestTree.make({ systemPrompt: '' })).tree.attributes.systemPrompt).toBe('');
  });

  test('[P74] a null system prompt means no prompt, also for a forest tree', async () => {
    const fixture = new TestTree();
    const none: TreeAttributes = JSON.parse('{"systemPrompt":null}');
    const { result: made } = await fixture.run(creating(1, { forest: true }));
    expect((await fixture.run(creating(2, { forest: true, attributes: none }))).result).toEqual({
      ...made,
      created: false,
    });
    await fixture.run(creating(3, { attributes: none }));
    expect((await fixture.run(creating(3))).commit).toBeNull();
  });

  test('[P74] a blank title is dropped when a tree is created, copied or retitled', async () => {
    const store = new ReferenceStore();
    const fixture = new TestTree(store);
    const blank = { title: ' \n', autoTitle: '' };
    await fixture.run(creating(1, { attributes: blank }));
    expect(fixture.tree.attributes).toEqual({ project: 'default' });
    expect((await fixture.run(creating(1, { attributes: blank }))).commit).toBeNull();
    const set = { type: 'attributes', treeId: fixture.treeId } as const;
    expect((await fixture.run({ ...set, set: blank })).commit).toBeNull();
    await fixture.run({ ...set, set: { title: 'Oak', autoTitle: 'A tree' } });
    await fixture.run({ ...set, set: { title: '' } });
    expect(fixture.tree.attributes).toEqual({ project: 'default', autoTitle: 'A tree' });
    const copy = { type: 'duplicate', treeId: treeId(testUuid(2)), from: fixture.treeId, attributes: blank } as const;
    await fixture.run(copy);
    expect(treeOf(store, testUuid(2)).attributes).not.toMatchObject({ autoTitle: expect.anything() });
    expect((await fixture.run(copy)).commit).toBeNull();
  });

  test('[P75] created again commits nothing; with another prompt or root it is refused', async () => {
    const fixture = new TestTree();
    const command = creating(1, { attributes: { systemPrompt: 'p' }, rootId: testUuid(40) });
    await fixture.run(command);
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: 'later' } });
    const before = fixture.tree;
    for (const again of [command, creating(1, { attributes: { systemPrompt: 'p' } })]) {
      const outcome = await fixture.run(again);
      expect(outcome.result).toEqual({ treeId: testUuid(1), created: false });
      expect(outcome.commit).toBeNull();
    }
    expect(fixture.tree).toBe(before);
    expect(await refusalOf(fixture, creating(1))).toBe('tree/exists');
    expect(await refusalOf(fixture, creating(1, { attributes: { systemPrompt: '' } }))).toBe('tree/exists');
    expect(await refusalOf(fixture, { ...command, rootId: testUuid(41) })).toBe('tree/exists');
  });

  test('[P75] created again with another title or other first messages is refused; later changes do not matter', async () => {
    const fixture = new TestTree();
    const messages = [{ message: user('hi'), id: testUuid(50) }, { message: assistant('yo') }];
    const command = creating(1, { attributes: { title: 'a', tags: ['x'] }, messages });
    await fixture.run(command);
    // As after a crash between the two commits, only the root exists; the messages may still be added.
    expect((await fixture.run(command)).result.created).toBe(false);
    await fixture.run({ type: 'append', treeId: fixture.treeId, parentId: fixture.rootId, messages });
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { folder: 'later' } });
    expect((await fixture.run(command)).commit).toBeNull();
    expect(await refusalOf(fixture, { ...command, attributes: { title: 'b', tags: ['x'] } })).toBe('tree/exists');
    expect(await refusalOf(fixture, { ...command, messages: [{ message: user('else') }] })).toBe('tree/exists');
    expect(await refusalOf(fixture, { ...command, messages: [{ message: user('else'), id: testUuid(50) }] })).toBe(
      'id/taken',
    );
  });

  test('[P75] is not created if its first messages are refused', async () => {
    const store = new ReferenceStore();
    const fixture = await TestTree.make({ store });
    const [hi] = await fixture.addMessages(['hi']);
    const first = (...ids: string[]) => creating(9, { messages: ids.map((id) => ({ message: user('hi'), id })) });
    expect(await refusalOf(fixture, first(hi ?? ''))).toBe('id/taken');
    expect(await refusalOf(fixture, first(testUuid(51), testUuid(51)))).toBe('id/taken');
    expect(await refusalOf(fixture, { ...first(testUuid(51)), rootId: testUuid(51) })).toBe('id/taken');
    expect(await refusalOf(fixture, first('no'))).toBe('id/invalid');
    const endless = { message: user('hi'), meta: { custom: { n: Number.POSITIVE_INFINITY } } };
    expect(await refusalOf(fixture, creating(9, { messages: [endless] }))).toBe('command/invalid');
    let deep: Json = [];
    for (let level = 0; level < 2000; level++) deep = [deep];
    const block = { role: 'user' as const, content: [{ type: 'other', deep }] };
    expect(await refusalOf(fixture, creating(9, { messages: [{ message: block }] }))).toBe('message/invalid');
    expect(store.tree(treeId(testUuid(9)))).toBeUndefined();
  });

  test('[P75] accepts a root id that is free and a UUID', async () => {
    const store = new ReferenceStore();
    const fixture = await TestTree.make({ store });
    const [hi] = await fixture.addMessages(['hi']);
    await fixture.run(creating(2, { rootId: testUuid(40) }));
    expect(treeOf(store, testUuid(2)).rootId).toBe(testUuid(40));
    expect(await refusalOf(fixture, creating(3, { rootId: testUuid(40) }))).toBe('id/taken');
    expect(await refusalOf(fixture, creating(3, { rootId: hi ?? '' }))).toBe('id/taken');
    expect(await refusalOf(fixture, creating(3, { rootId: 'client-created-root' }))).toBe('id/invalid');
    expect(store.tree(treeId(testUuid(3)))).toBeUndefined();
  });

  test('[P76] metadata is at most 64 kB of JSON, in a new tree, a copy and a change', async () => {
    const fixture = new TestTree();
    const metadata = { note: 'ö'.repeat(32_768) };
    await fixture.run(creating(1));
    expect(await refusalOf(fixture, creating(2, { attributes: { metadata } }))).toBe('command/invalid');
    const change = { type: 'attributes', treeId: fixture.treeId, set: { metadata } } as const;
    expect(await refusalOf(fixture, change)).toBe('command/invalid');
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { metadata: { note: 'ö'.repeat(32_000) } } });
  });

  test.each(['forestKey', 'copiedFrom', 'trashedAt'])('[P76] only Coppice itself sets %s', async (key) => {
    const fixture = await TestTree.make();
    const attributes: TreeAttributes = { [key]: 'x' };
    expect(await refusalOf(fixture, creating(2, { attributes }))).toBe('tree/root-protected');
    expect(await refusalOf(fixture, { type: 'attributes', treeId: fixture.treeId, set: attributes })).toBe(
      'tree/root-protected',
    );
    const copy: DuplicateCommand = { type: 'duplicate', treeId: treeId(testUuid(2)), from: fixture.treeId, attributes };
    expect(await refusalOf(fixture, copy)).toBe('tree/root-protected');
  });
});

describe('the forest', () => {
  async function forest(fixture: TestTree, n: number, attributes: TreeAttributes = {}) {
    return (await fixture.run(creating(n, { attributes, forest: true }))).result;
  }

  test('[P77] the same prompt finds the same tree, another makes another', async () => {
    const fixture = new TestTree();
    expect(await forest(fixture, 1, { systemPrompt: 'p' })).toEqual({ treeId: testUuid(1), created: true });
    expect(await forest(fixture, 2, { systemPrompt: 'p' })).toEqual({ treeId: testUuid(1), created: false });
    for (const [n, attributes] of [
      [3, {}],
      [4, { systemPrompt: '' }],
      [5, { systemPrompt: ' p' }],
      [6, { systemPrompt: 'p', project: 'other' }],
      [7, { systemPrompt: 'none' }],
    ] as const) {
      expect(await forest(fixture, n, attributes)).toEqual({ treeId: testUuid(n), created: true });
      expect(await forest(fixture, 9, attributes)).toEqual({ treeId: testUuid(n), created: false });
    }
  });

  test('[P77] a missing project means the default project', async () => {
    const fixture = new TestTree();
    await forest(fixture, 1);
    expect((await forest(fixture, 2, { project: 'default' })).treeId).toBe(testUuid(1));
  });

  test("[P77] a user's own chat, another owner's tree and one in the trash are not found", async () => {
    const store = new ReferenceStore();
    const fixture = new TestTree(store);
    await fixture.run(creating(1));
    expect((await forest(fixture, 2)).created).toBe(true);
    const other = new TestTree(store.forOwner('other'));
    expect((await forest(other, 3)).created).toBe(true);
    await fixture.run({ type: 'delete-tree', treeId: treeId(testUuid(2)) });
    expect((await forest(fixture, 4)).created).toBe(true);
  });

  test('[P77] a copy of a forest tree is not found instead of the original', async () => {
    const fixture = new TestTree();
    await forest(fixture, 1, { systemPrompt: 'p' });
    await fixture.run({ type: 'duplicate', treeId: treeId(testUuid(2)), from: treeId(testUuid(1)) });
    await fixture.run({ type: 'delete-tree', treeId: treeId(testUuid(1)) });
    expect((await forest(fixture, 3, { systemPrompt: 'p' })).created).toBe(true);
  });

  test('[P78] one project never has two forest trees with one prompt, whatever ids are taken, moved or in the trash', async () => {
    const store = new ReferenceStore();
    const fixture = new TestTree(store);
    await fixture.run(creating(1));
    expect(await refusalOf(fixture, creating(1, { forest: true }))).toBe('tree/exists');
    await forest(fixture, 2);
    await forest(fixture, 3, { project: 'other' });
    const move = { type: 'attributes', treeId: treeId(testUuid(3)), set: { project: null } } as const;
    expect(await refusalOf(fixture, move)).toBe('tree/exists');
    expect((await fixture.run({ ...move, set: { project: 'other' } })).commit).toBeNull();
    await fixture.run({ type: 'delete-tree', treeId: treeId(testUuid(2)) });
    await fixture.run(move);
    expect(treeOf(store, testUuid(3)).attributes.project).toBe('default');
    expect((await forest(fixture, 4)).treeId).toBe(testUuid(3));
    await fixture.run({ type: 'restore-tree', treeId: treeId(testUuid(2)) });
    expect(treeOf(store, testUuid(2)).attributes).toEqual({ project: 'default' });
    expect((await forest(fixture, 4)).treeId).toBe(testUuid(3));
  });

  test('[P77] a forest tree restored from the trash is found again', async () => {
    const fixture = new TestTree();
    await forest(fixture, 1);
    await fixture.run({ type: 'delete-tree', treeId: treeId(testUuid(1)) });
    await fixture.run({ type: 'restore-tree', treeId: treeId(testUuid(1)) });
    expect((await forest(fixture, 2)).treeId).toBe(testUuid(1));
  });

  test('[P77] different prompts have different keys', () => {
    const prompts = [undefined, '', ' ', 'a', 'a ', 'none', 'undefined', '{"a":1}'];
    expect(new Set(prompts.map((prompt) => forestKey(testKit, prompt))).size).toBe(prompts.length);
  });
});

describe('a copy of a tree', () => {
  async function grown() {
    const store = new ReferenceStore();
    const fixture = await TestTree.make({ store, systemPrompt: 'p' });
    const [q] = await fixture.addMessages(['q']);
    const prompt = q ?? fixture.rootId;
    const replies = [{ message: assistant('a') }, { message: assistant('so far'), status: 'pending' }] as const;
    const { result: made } = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: prompt, replies });
    const [a, open] = made.added;
    const [deep] = await fixture.addMessages(['deep', 'deeper'], a);
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: prompt, title: 'b' });
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: deep ?? prompt });
    if (a === undefined || open === undefined || deep === undefined) throw new Error('Nothing grew.');
    return { store, fixture, prompt, a, open, deep };
  }

  function copying(fixture: TestTree, rest: Partial<DuplicateCommand> = {}): DuplicateCommand {
    return { type: 'duplicate', treeId: treeId(testUuid(2)), from: fixture.treeId, ...rest };
  }

  /** Returns the texts of a tree from the first message to the active node. */
  function thread(store: ReferenceStore): string[] {
    return new TestTree(store, treeId(testUuid(2))).thread();
  }

  test('[P79] up to a node holds that path alone, under new ids, with the node active', async () => {
    const { store, fixture, prompt, a, deep } = await grown();
    const { result: made, commit } = await fixture.run(copying(fixture, { nodeId: a }));
    const copy = treeOf(store, testUuid(2));
    expectSteps(emptyTree(copy.id), commit?.steps ?? []);
    expect(copy.size).toBe(2);
    expect([...made.ids.keys()]).toEqual([prompt, a]);
    expect(copy.activeNodeId).toBe(made.ids.get(a));
    expect(thread(store)).toEqual(['q', 'a']);
    for (const id of made.ids.values()) expect(findNode(fixture.tree, id)).toBeUndefined();
    expect(fixture.active).toBe(deep);
  });

  test('[P79] without a node copies the path to the active one', async () => {
    const { store, fixture } = await grown();
    await fixture.run(copying(fixture));
    expect(thread(store)).toEqual(['q', 'a', 'deep']);
  });

  test('[P80] has no groups and no bookmarks, and records the origin of the tree and of each node', async () => {
    const { store, fixture, prompt, deep } = await grown();
    const { result: made } = await fixture.run(copying(fixture, { whole: true }));
    const copy = treeOf(store, testUuid(2));
    expect(allBookmarks(copy)).toEqual([]);
    expect(copy.attributes).toEqual({
      systemPrompt: 'p',
      project: 'default',
      copiedFrom: { treeId: fixture.treeId, nodeId: deep },
    });
    for (const [from, to] of made.ids) {
      const node = findNode(copy, to);
      expect(node?.groupId).toBe(0);
      expect(node?.meta.copiedFrom).toEqual({ treeId: fixture.treeId, nodeId: from });
      expect(node?.createdAt).toBe(fixture.node(from).createdAt);
    }
    expect(findNode(copy, made.ids.get(prompt) ?? '')?.text).toBe('q');
  });

  test('[P80] of the whole tree keeps its shape, its order and its active node; a pending reply becomes a failed one', async () => {
    const { store, fixture, open, deep } = await grown();
    const { result: made } = await fixture.run(copying(fixture, { whole: true }));
    expect(new TestTree(store, treeId(testUuid(2))).drawing()).toEqual(fixture.drawing());
    const copy = treeOf(store, testUuid(2));
    expect(findNode(copy, made.ids.get(open) ?? '')).toMatchObject({ status: 'error', text: 'so far' });
    expect(copy.activeNodeId).toBe(made.ids.get(deep));
    expect(fixture.node(open).status).toBe('pending');
  });

  test('[P80] points markers and left halves at the copied nodes', async () => {
    const { store, fixture, prompt, a, deep } = await grown();
    await fixture.run({ type: 'compact', treeId: fixture.treeId, summary: 's', firstKept: deep });
    const { result: cut } = await fixture.run({ type: 'split', treeId: fixture.treeId, nodeId: deep, position: 2 });
    await fixture.run({ type: 'branch', treeId: fixture.treeId, nodeId: prompt, summary: 'left' });
    const { result: made } = await fixture.run(copying(fixture, { whole: true }));
    const copy = treeOf(store, testUuid(2));
    const copies = [...made.ids.values()].map((id) => findNode(copy, id));
    expect(copies.find((node) => node?.kind === 'compaction')?.marker?.firstKept).toBe(made.ids.get(deep));
    const from = copies.find((node) => node?.kind === 'branch-summary')?.marker?.from;
    expect([...made.ids.values()]).toContain(from);
    expect(findNode(copy, made.ids.get(cut.nodeId) ?? '')?.meta.splitSource).toBe(made.ids.get(deep));
    const path = await fixture.run(copying(fixture, { treeId: treeId(testUuid(3)), nodeId: cut.nodeId }));
    const left = findNode(treeOf(store, testUuid(3)), path.result.ids.get(cut.nodeId) ?? '');
    expect(left?.meta.splitSource).toBeUndefined();
    expect(path.result.ids.get(a)).toBeDefined();
  });

  test('[P81] may have another system prompt, or none, while the old tree keeps its own', async () => {
    const { store, fixture } = await grown();
    await fixture.run(copying(fixture, { attributes: { systemPrompt: 'other', title: 't' } }));
    expect(treeOf(store, testUuid(2)).attributes).toMatchObject({ systemPrompt: 'other', title: 't' });
    await fixture.run(copying(fixture, { treeId: treeId(testUuid(3)), attributes: { systemPrompt: null } }));
    expect(treeOf(store, testUuid(3)).attributes.systemPrompt).toBeUndefined();
    expect(fixture.tree.attributes.systemPrompt).toBe('p');
  });

  test('[P79] of an empty tree, or up to the root, is empty', async () => {
    const { store, fixture } = await grown();
    await fixture.run(copying(fixture, { nodeId: fixture.rootId }));
    expect(treeOf(store, testUuid(2))).toMatchObject({ size: 0, activeNodeId: null });
    const { result: whole } = await fixture.run(
      copying(fixture, { treeId: treeId(testUuid(4)), nodeId: fixture.rootId, whole: true }),
    );
    expect(treeOf(store, testUuid(4)).activeNodeId).toBe(whole.ids.get(fixture.active ?? nodeId('')));
    await fixture.run(creating(5));
    await fixture.run(copying(fixture, { treeId: treeId(testUuid(6)), from: treeId(testUuid(5)), whole: true }));
    expect(treeOf(store, testUuid(6))).toMatchObject({ size: 0, attributes: { copiedFrom: { treeId: testUuid(5) } } });
  });

  test('[P82] made again is the same copy; an id of another tree and unknown nodes are refused', async () => {
    const { fixture, a, deep } = await grown();
    const command = copying(fixture, { nodeId: a });
    const made = await fixture.run(command);
    const again = await fixture.run(command);
    expect(again.commit).toBeNull();
    expect(again.result).toEqual(made.result);
    expect(await refusalOf(fixture, copying(fixture, { nodeId: deep }))).toBe('tree/exists');
    expect(await refusalOf(fixture, { ...command, attributes: { systemPrompt: 'other' } })).toBe('tree/exists');
    await fixture.run(creating(5));
    expect(await refusalOf(fixture, copying(fixture, { treeId: treeId(testUuid(5)) }))).toBe('tree/exists');
    expect(await refusalOf(fixture, copying(fixture, { treeId: fixture.treeId }))).toBe('tree/exists');
    const next = { treeId: treeId(testUuid(7)) };
    expect(await refusalOf(fixture, copying(fixture, { ...next, from: treeId(testUuid(99)) }))).toBe(
      'tree/unknown-tree',
    );
    expect(await refusalOf(fixture, copying(fixture, { ...next, nodeId: nodeId(testUuid(99)) }))).toBe(
      'tree/unknown-node',
    );
    const foreign: NodeId | undefined = made.result.ids.get(a);
    expect(await refusalOf(fixture, copying(fixture, { ...next, nodeId: foreign ?? a }))).toBe('tree/foreign-parent');
  });

  test('[P82] of a tree of another owner is refused as unknown', async () => {
    const { store, fixture } = await grown();
    const other = await TestTree.make({ store: store.forOwner('other'), treeId: treeId(testUuid(8)) });
    expect(await refusalOf(other, { type: 'duplicate', treeId: treeId(testUuid(9)), from: fixture.treeId })).toBe(
      'tree/unknown-tree',
    );
  });

  test('[P79] of a path of 20,000 messages, or of the whole tree, completes', async () => {
    const store = new ReferenceStore();
    const fixture = await TestTree.make({ store });
    await fixture.addMessages(Array.from({ length: 20_000 }, (_, at) => user(`m${at}`)));
    for (const [n, whole] of [
      [2, false],
      [3, true],
    ] as const) {
      await fixture.run({ type: 'duplicate', treeId: treeId(testUuid(n)), from: fixture.treeId, whole });
      expect(treeOf(store, testUuid(n)).size).toBe(20_000);
    }
  });
});

describe('a tree as a whole', () => {
  test('[P83] attributes change by a separate step, which makes no write stale and can be undone', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(['hi']);
    const { structureVersion } = fixture.tree;
    const set = { title: 't', pinned: true, tags: ['x'], metadata: { a: { b: 1 } }, folder: 'f' };
    const outcome = await runAndCheck(fixture, { type: 'attributes', treeId: fixture.treeId, set });
    expect(stepTypesOf(outcome)).toEqual(['attributes']);
    expect(fixture.tree.attributes).toEqual({ ...set, project: 'default' });
    expect(fixture.tree.structureVersion).toBe(structureVersion);
    await runAndCheck(fixture, { type: 'attributes', treeId: fixture.treeId, set: { title: null } });
    expect(fixture.tree.attributes.title).toBeUndefined();
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(fixture.tree.attributes.title).toBe('t');
  });

  test('[P83] a change without effect commits nothing, and the system prompt changes only in an empty chat', async () => {
    const fixture = await TestTree.make({ systemPrompt: 'p' });
    await runAndCheck(fixture, { type: 'attributes', treeId: fixture.treeId, set: { systemPrompt: 'before' } });
    expect(fixture.tree.attributes.systemPrompt).toBe('before');
    await fixture.addMessages(['hi']);
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: 't' } });
    for (const set of [{ title: 't' }, { folder: null }, {}, { project: 'default' }])
      expect((await fixture.run({ type: 'attributes', treeId: fixture.treeId, set })).commit).toBeNull();
    for (const systemPrompt of ['other', 'p', null])
      expect(await refusalOf(fixture, { type: 'attributes', treeId: fixture.treeId, set: { systemPrompt } })).toBe(
        'tree/root-protected',
      );
  });

  test('[P84] a tree is moved to the trash and restored unchanged, each once', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(['hi', 'hello']);
    const before = fixture.drawing();
    const gone = await runAndCheck(fixture, { type: 'delete-tree', treeId: fixture.treeId });
    expect(gone.result).toEqual({ treeId: fixture.treeId });
    expect(fixture.tree.attributes.trashedAt).toBeGreaterThan(0);
    expect((await fixture.run({ type: 'delete-tree', treeId: fixture.treeId })).commit).toBeNull();
    await runAndCheck(fixture, { type: 'restore-tree', treeId: fixture.treeId });
    expect(fixture.tree.attributes.trashedAt).toBeUndefined();
    expect((await fixture.run({ type: 'restore-tree', treeId: fixture.treeId })).commit).toBeNull();
    expect(fixture.drawing()).toEqual(before);
  });

  test('[P84] a tree cannot be moved to the trash while a reply is being written', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.addMessages(['q']);
    await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: q ?? fixture.rootId, replies: [{}] });
    expect(await refusalOf(fixture, { type: 'delete-tree', treeId: fixture.treeId })).toBe('tree/pending');
  });

  test('[P84] a tree that does not exist is refused', async () => {
    const fixture = await TestTree.make();
    const unknown = treeId(testUuid(99));
    expect(await refusalOf(fixture, { type: 'attributes', treeId: unknown, set: {} })).toBe('tree/unknown-tree');
    expect(await refusalOf(fixture, { type: 'delete-tree', treeId: unknown })).toBe('tree/unknown-tree');
    expect(await refusalOf(fixture, { type: 'restore-tree', treeId: unknown })).toBe('tree/unknown-tree');
  });
});

import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, type TreeId, treeId } from '../ids.ts';
import type { TreeAttributes } from '../node.ts';
import {
  assistant,
  Bed,
  carry,
  expectSteps,
  ReferenceStore,
  refusalOf,
  stepTypesOf,
  testKit,
  user,
  uuid,
} from '../testing/index.ts';
import { allBookmarks, findNode, seedling, type Tree } from '../tree.ts';
import { type CreateCommand, type DuplicateCommand, forestKey } from './create.ts';

function creating(n: number, rest: Partial<CreateCommand> = {}): CreateCommand {
  return { type: 'create', treeId: treeId(uuid(n)), ...rest };
}

function treeOf(store: ReferenceStore, id: TreeId | string): Tree {
  const tree = store.tree(treeId(id));
  if (tree === undefined) throw new Error(`There is no tree ${id}.`);
  return tree;
}

describe('a new tree', () => {
  test('[P74] has its root from its first commit on, and no active node', async () => {
    const bed = new Bed();
    const { result: made, commit, version } = await bed.run(creating(1, { attributes: { title: 't' } }));
    expect(made).toEqual({ treeId: uuid(1), created: true });
    expect(version).toBe(1);
    expectSteps(seedling(bed.treeId), commit?.steps ?? []);
    const root = bed.node(bed.rootId);
    expect(root).toMatchObject({ kind: 'root', role: 'root', parentId: null, message: null });
    expect(bed.tree).toMatchObject({ activeNodeId: null, size: 0, attributes: { title: 't', project: 'default' } });
  });

  test('[P74] no system prompt and the empty one differ', async () => {
    expect((await Bed.make()).tree.attributes.systemPrompt).toBeUndefined();
    expect((await Bed.make({ systemPrompt: '' })).tree.attributes.systemPrompt).toBe('');
  });

  test('[P74] a system prompt that is null is none, also where the forest tree of no prompt is asked for', async () => {
    const bed = new Bed();
    const none: TreeAttributes = JSON.parse('{"systemPrompt":null}');
    const { result: made } = await bed.run(creating(1, { forest: true }));
    expect((await bed.run(creating(2, { forest: true, attributes: none }))).result).toEqual({
      ...made,
      created: false,
    });
    await bed.run(creating(3, { attributes: none }));
    expect((await bed.run(creating(3))).commit).toBeNull();
  });

  test('[P74] a blank title is none, when a tree is made, copied or retitled', async () => {
    const store = new ReferenceStore();
    const bed = new Bed(store);
    const blank = { title: ' \n', autoTitle: '' };
    await bed.run(creating(1, { attributes: blank }));
    expect(bed.tree.attributes).toEqual({ project: 'default' });
    expect((await bed.run(creating(1, { attributes: blank }))).commit).toBeNull();
    const set = { type: 'attributes', treeId: bed.treeId } as const;
    expect((await bed.run({ ...set, set: blank })).commit).toBeNull();
    await bed.run({ ...set, set: { title: 'Oak', autoTitle: 'A tree' } });
    await bed.run({ ...set, set: { title: '' } });
    expect(bed.tree.attributes).toEqual({ project: 'default', autoTitle: 'A tree' });
    const copy = { type: 'duplicate', treeId: treeId(uuid(2)), from: bed.treeId, attributes: blank } as const;
    await bed.run(copy);
    expect(treeOf(store, uuid(2)).attributes).not.toMatchObject({ autoTitle: expect.anything() });
    expect((await bed.run(copy)).commit).toBeNull();
  });

  test('[P75] made again changes nothing; with another prompt or root it is refused', async () => {
    const bed = new Bed();
    const command = creating(1, { attributes: { systemPrompt: 'p' }, rootId: uuid(40) });
    await bed.run(command);
    await bed.run({ type: 'attributes', treeId: bed.treeId, set: { title: 'later' } });
    const before = bed.tree;
    for (const again of [command, creating(1, { attributes: { systemPrompt: 'p' } })]) {
      const outcome = await bed.run(again);
      expect(outcome.result).toEqual({ treeId: uuid(1), created: false });
      expect(outcome.commit).toBeNull();
    }
    expect(bed.tree).toBe(before);
    expect(await refusalOf(bed, creating(1))).toBe('tree/exists');
    expect(await refusalOf(bed, creating(1, { attributes: { systemPrompt: '' } }))).toBe('tree/exists');
    expect(await refusalOf(bed, { ...command, rootId: uuid(41) })).toBe('tree/exists');
  });

  test('[P75] made again with another title, or other first messages, it is refused; what came later is no matter', async () => {
    const bed = new Bed();
    const messages = [{ message: user('hi'), id: uuid(50) }, { message: assistant('yo') }];
    const command = creating(1, { attributes: { title: 'a', tags: ['x'] }, messages });
    await bed.run(command);
    // Nothing but the root is there yet, as after a crash between the two commits: the messages may still come.
    expect((await bed.run(command)).result.created).toBe(false);
    await bed.run({ type: 'append', treeId: bed.treeId, parentId: bed.rootId, messages });
    await bed.run({ type: 'attributes', treeId: bed.treeId, set: { folder: 'later' } });
    expect((await bed.run(command)).commit).toBeNull();
    expect(await refusalOf(bed, { ...command, attributes: { title: 'b', tags: ['x'] } })).toBe('tree/exists');
    expect(await refusalOf(bed, { ...command, messages: [{ message: user('else') }] })).toBe('tree/exists');
    expect(await refusalOf(bed, { ...command, messages: [{ message: user('else'), id: uuid(50) }] })).toBe('id/taken');
  });

  test('[P75] nothing is made where its first messages would be refused', async () => {
    const store = new ReferenceStore();
    const bed = await Bed.make({ store });
    const [hi] = await bed.grow(['hi']);
    const first = (...ids: string[]) => creating(9, { messages: ids.map((id) => ({ message: user('hi'), id })) });
    expect(await refusalOf(bed, first(hi ?? ''))).toBe('id/taken');
    expect(await refusalOf(bed, first(uuid(51), uuid(51)))).toBe('id/taken');
    expect(await refusalOf(bed, { ...first(uuid(51)), rootId: uuid(51) })).toBe('id/taken');
    expect(await refusalOf(bed, first('no'))).toBe('id/invalid');
    expect(store.tree(treeId(uuid(9)))).toBeUndefined();
  });

  test('[P75] takes a root id that is free and a UUID', async () => {
    const store = new ReferenceStore();
    const bed = await Bed.make({ store });
    const [hi] = await bed.grow(['hi']);
    await bed.run(creating(2, { rootId: uuid(40) }));
    expect(treeOf(store, uuid(2)).rootId).toBe(uuid(40));
    expect(await refusalOf(bed, creating(3, { rootId: uuid(40) }))).toBe('id/taken');
    expect(await refusalOf(bed, creating(3, { rootId: hi ?? '' }))).toBe('id/taken');
    expect(await refusalOf(bed, creating(3, { rootId: 'client-created-root' }))).toBe('id/invalid');
    expect(store.tree(treeId(uuid(3)))).toBeUndefined();
  });

  test('[P76] metadata is at most 64 kB of JSON, in a new tree, a copy and a change', async () => {
    const bed = new Bed();
    const metadata = { note: 'ö'.repeat(32_768) };
    await bed.run(creating(1));
    expect(await refusalOf(bed, creating(2, { attributes: { metadata } }))).toBe('command/invalid');
    const change = { type: 'attributes', treeId: bed.treeId, set: { metadata } } as const;
    expect(await refusalOf(bed, change)).toBe('command/invalid');
    await bed.run({ type: 'attributes', treeId: bed.treeId, set: { metadata: { note: 'ö'.repeat(32_000) } } });
  });

  test.each(['forestKey', 'copiedFrom', 'trashedAt'])('[P76] nobody but the tree itself sets %s', async (key) => {
    const bed = await Bed.make();
    const attributes: TreeAttributes = { [key]: 'x' };
    expect(await refusalOf(bed, creating(2, { attributes }))).toBe('tree/root-protected');
    expect(await refusalOf(bed, { type: 'attributes', treeId: bed.treeId, set: attributes })).toBe(
      'tree/root-protected',
    );
    const copy: DuplicateCommand = { type: 'duplicate', treeId: treeId(uuid(2)), from: bed.treeId, attributes };
    expect(await refusalOf(bed, copy)).toBe('tree/root-protected');
  });
});

describe('the forest', () => {
  async function forest(bed: Bed, n: number, attributes: TreeAttributes = {}) {
    return (await bed.run(creating(n, { attributes, forest: true }))).result;
  }

  test('[P77] the same prompt finds the same tree, another makes another', async () => {
    const bed = new Bed();
    expect(await forest(bed, 1, { systemPrompt: 'p' })).toEqual({ treeId: uuid(1), created: true });
    expect(await forest(bed, 2, { systemPrompt: 'p' })).toEqual({ treeId: uuid(1), created: false });
    for (const [n, attributes] of [
      [3, {}],
      [4, { systemPrompt: '' }],
      [5, { systemPrompt: ' p' }],
      [6, { systemPrompt: 'p', project: 'other' }],
      [7, { systemPrompt: 'none' }],
    ] as const) {
      expect(await forest(bed, n, attributes)).toEqual({ treeId: uuid(n), created: true });
      expect(await forest(bed, 9, attributes)).toEqual({ treeId: uuid(n), created: false });
    }
  });

  test('[P77] no project is the default project', async () => {
    const bed = new Bed();
    await forest(bed, 1);
    expect((await forest(bed, 2, { project: 'default' })).treeId).toBe(uuid(1));
  });

  test("[P77] a user's own chat, another owner's tree and one in the trash are not found", async () => {
    const store = new ReferenceStore();
    const bed = new Bed(store);
    await bed.run(creating(1));
    expect((await forest(bed, 2)).created).toBe(true);
    const other = new Bed(store.forOwner('other'));
    expect((await forest(other, 3)).created).toBe(true);
    await bed.run({ type: 'delete-tree', treeId: treeId(uuid(2)) });
    expect((await forest(bed, 4)).created).toBe(true);
  });

  test('[P77] a copy of a forest tree is not found in its place', async () => {
    const bed = new Bed();
    await forest(bed, 1, { systemPrompt: 'p' });
    await bed.run({ type: 'duplicate', treeId: treeId(uuid(2)), from: treeId(uuid(1)) });
    await bed.run({ type: 'delete-tree', treeId: treeId(uuid(1)) });
    expect((await forest(bed, 3, { systemPrompt: 'p' })).created).toBe(true);
  });

  test('[P78] there are never two in one project: not by an id that is taken, a move, or the trash', async () => {
    const store = new ReferenceStore();
    const bed = new Bed(store);
    await bed.run(creating(1));
    expect(await refusalOf(bed, creating(1, { forest: true }))).toBe('tree/exists');
    await forest(bed, 2);
    await forest(bed, 3, { project: 'other' });
    const move = { type: 'attributes', treeId: treeId(uuid(3)), set: { project: null } } as const;
    expect(await refusalOf(bed, move)).toBe('tree/exists');
    expect((await bed.run({ ...move, set: { project: 'other' } })).commit).toBeNull();
    await bed.run({ type: 'delete-tree', treeId: treeId(uuid(2)) });
    await bed.run(move);
    expect(treeOf(store, uuid(3)).attributes.project).toBe('default');
    expect((await forest(bed, 4)).treeId).toBe(uuid(3));
    await bed.run({ type: 'restore-tree', treeId: treeId(uuid(2)) });
    expect(treeOf(store, uuid(2)).attributes).toEqual({ project: 'default' });
    expect((await forest(bed, 4)).treeId).toBe(uuid(3));
  });

  test('[P77] a forest tree that comes back from the trash is found again', async () => {
    const bed = new Bed();
    await forest(bed, 1);
    await bed.run({ type: 'delete-tree', treeId: treeId(uuid(1)) });
    await bed.run({ type: 'restore-tree', treeId: treeId(uuid(1)) });
    expect((await forest(bed, 2)).treeId).toBe(uuid(1));
  });

  test('[P77] keys tell every two prompts apart', () => {
    const prompts = [undefined, '', ' ', 'a', 'a ', 'none', 'undefined', '{"a":1}'];
    expect(new Set(prompts.map((prompt) => forestKey(testKit, prompt))).size).toBe(prompts.length);
  });
});

describe('a copy of a tree', () => {
  async function grown() {
    const store = new ReferenceStore();
    const bed = await Bed.make({ store, systemPrompt: 'p' });
    const [q] = await bed.grow(['q']);
    const prompt = q ?? bed.rootId;
    const replies = [{ message: assistant('a') }, { message: assistant('so far'), status: 'pending' }] as const;
    const { result: made } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId: prompt, replies });
    const [a, open] = made.added;
    const [deep] = await bed.grow(['deep', 'deeper'], a);
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: prompt, title: 'b' });
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: deep ?? prompt });
    if (a === undefined || open === undefined || deep === undefined) throw new Error('Nothing grew.');
    return { store, bed, prompt, a, open, deep };
  }

  function copying(bed: Bed, rest: Partial<DuplicateCommand> = {}): DuplicateCommand {
    return { type: 'duplicate', treeId: treeId(uuid(2)), from: bed.treeId, ...rest };
  }

  /** Texts of a tree from the first turn to its active node. */
  function thread(store: ReferenceStore): string[] {
    return new Bed(store, treeId(uuid(2))).thread();
  }

  test('[P79] up to a node holds that path alone, under new ids, with the node active', async () => {
    const { store, bed, prompt, a, deep } = await grown();
    const { result: made, commit } = await bed.run(copying(bed, { nodeId: a }));
    const copy = treeOf(store, uuid(2));
    expectSteps(seedling(copy.id), commit?.steps ?? []);
    expect(copy.size).toBe(2);
    expect([...made.ids.keys()]).toEqual([prompt, a]);
    expect(copy.activeNodeId).toBe(made.ids.get(a));
    expect(thread(store)).toEqual(['q', 'a']);
    for (const id of made.ids.values()) expect(findNode(bed.tree, id)).toBeUndefined();
    expect(bed.active).toBe(deep);
  });

  test('[P79] without a node goes up to the active one', async () => {
    const { store, bed } = await grown();
    await bed.run(copying(bed));
    expect(thread(store)).toEqual(['q', 'a', 'deep']);
  });

  test('[P80] has no groups and no bookmarks, and remembers where it and each node came from', async () => {
    const { store, bed, prompt, deep } = await grown();
    const { result: made } = await bed.run(copying(bed, { whole: true }));
    const copy = treeOf(store, uuid(2));
    expect(allBookmarks(copy)).toEqual([]);
    expect(copy.attributes).toEqual({
      systemPrompt: 'p',
      project: 'default',
      copiedFrom: { treeId: bed.treeId, nodeId: deep },
    });
    for (const [from, to] of made.ids) {
      const node = findNode(copy, to);
      expect(node?.groupId).toBe(0);
      expect(node?.meta.copiedFrom).toEqual({ treeId: bed.treeId, nodeId: from });
      expect(node?.createdAt).toBe(bed.node(from).createdAt);
    }
    expect(findNode(copy, made.ids.get(prompt) ?? '')?.text).toBe('q');
  });

  test('[P80] whole keeps the shape, the order and the place of the user; a pending reply is an error there', async () => {
    const { store, bed, open, deep } = await grown();
    const { result: made } = await bed.run(copying(bed, { whole: true }));
    expect(new Bed(store, treeId(uuid(2))).drawing()).toEqual(bed.drawing());
    const copy = treeOf(store, uuid(2));
    expect(findNode(copy, made.ids.get(open) ?? '')).toMatchObject({ status: 'error', text: 'so far' });
    expect(copy.activeNodeId).toBe(made.ids.get(deep));
    expect(bed.node(open).status).toBe('pending');
  });

  test('[P80] leads the pointers of markers and left halves to the copies', async () => {
    const { store, bed, prompt, a, deep } = await grown();
    await bed.run({ type: 'compact', treeId: bed.treeId, summary: 's', firstKept: deep });
    const { result: cut } = await bed.run({ type: 'split', treeId: bed.treeId, nodeId: deep, position: 2 });
    await bed.run({ type: 'branch', treeId: bed.treeId, nodeId: prompt, summary: 'left' });
    const { result: made } = await bed.run(copying(bed, { whole: true }));
    const copy = treeOf(store, uuid(2));
    const copies = [...made.ids.values()].map((id) => findNode(copy, id));
    expect(copies.find((node) => node?.kind === 'compaction')?.marker?.firstKept).toBe(made.ids.get(deep));
    const from = copies.find((node) => node?.kind === 'branch-summary')?.marker?.from;
    expect([...made.ids.values()]).toContain(from);
    expect(findNode(copy, made.ids.get(cut.nodeId) ?? '')?.meta.splitSource).toBe(made.ids.get(deep));
    const path = await bed.run(copying(bed, { treeId: treeId(uuid(3)), nodeId: cut.nodeId }));
    const left = findNode(treeOf(store, uuid(3)), path.result.ids.get(cut.nodeId) ?? '');
    expect(left?.meta.splitSource).toBeUndefined();
    expect(path.result.ids.get(a)).toBeDefined();
  });

  test('[P81] may have another system prompt, or none, while the old tree keeps its own', async () => {
    const { store, bed } = await grown();
    await bed.run(copying(bed, { attributes: { systemPrompt: 'other', title: 't' } }));
    expect(treeOf(store, uuid(2)).attributes).toMatchObject({ systemPrompt: 'other', title: 't' });
    await bed.run(copying(bed, { treeId: treeId(uuid(3)), attributes: { systemPrompt: null } }));
    expect(treeOf(store, uuid(3)).attributes.systemPrompt).toBeUndefined();
    expect(bed.tree.attributes.systemPrompt).toBe('p');
  });

  test('[P79] of an empty tree, or up to the root, is empty', async () => {
    const { store, bed } = await grown();
    await bed.run(copying(bed, { nodeId: bed.rootId }));
    expect(treeOf(store, uuid(2))).toMatchObject({ size: 0, activeNodeId: null });
    const { result: whole } = await bed.run(copying(bed, { treeId: treeId(uuid(4)), nodeId: bed.rootId, whole: true }));
    expect(treeOf(store, uuid(4)).activeNodeId).toBe(whole.ids.get(bed.active ?? nodeId('')));
    await bed.run(creating(5));
    await bed.run(copying(bed, { treeId: treeId(uuid(6)), from: treeId(uuid(5)), whole: true }));
    expect(treeOf(store, uuid(6))).toMatchObject({ size: 0, attributes: { copiedFrom: { treeId: uuid(5) } } });
  });

  test('[P82] made again is the same copy; another tree of that id, and what is not there, are refused', async () => {
    const { bed, a, deep } = await grown();
    const command = copying(bed, { nodeId: a });
    const made = await bed.run(command);
    const again = await bed.run(command);
    expect(again.commit).toBeNull();
    expect(again.result).toEqual(made.result);
    expect(await refusalOf(bed, copying(bed, { nodeId: deep }))).toBe('tree/exists');
    expect(await refusalOf(bed, { ...command, attributes: { systemPrompt: 'other' } })).toBe('tree/exists');
    await bed.run(creating(5));
    expect(await refusalOf(bed, copying(bed, { treeId: treeId(uuid(5)) }))).toBe('tree/exists');
    expect(await refusalOf(bed, copying(bed, { treeId: bed.treeId }))).toBe('tree/exists');
    const next = { treeId: treeId(uuid(7)) };
    expect(await refusalOf(bed, copying(bed, { ...next, from: treeId(uuid(99)) }))).toBe('tree/unknown-tree');
    expect(await refusalOf(bed, copying(bed, { ...next, nodeId: nodeId(uuid(99)) }))).toBe('tree/unknown-node');
    const foreign: NodeId | undefined = made.result.ids.get(a);
    expect(await refusalOf(bed, copying(bed, { ...next, nodeId: foreign ?? a }))).toBe('tree/foreign-parent');
  });

  test('[P82] of a tree of another owner is refused as unknown', async () => {
    const { store, bed } = await grown();
    const other = await Bed.make({ store: store.forOwner('other'), treeId: treeId(uuid(8)) });
    expect(await refusalOf(other, { type: 'duplicate', treeId: treeId(uuid(9)), from: bed.treeId })).toBe(
      'tree/unknown-tree',
    );
  });

  test('[P79] of a path of 20,000 and of its whole tree ends', async () => {
    const store = new ReferenceStore();
    const bed = await Bed.make({ store });
    await bed.grow(Array.from({ length: 20_000 }, (_, at) => user(`m${at}`)));
    for (const [n, whole] of [
      [2, false],
      [3, true],
    ] as const) {
      await bed.run({ type: 'duplicate', treeId: treeId(uuid(n)), from: bed.treeId, whole });
      expect(treeOf(store, uuid(n)).size).toBe(20_000);
    }
  });
});

describe('a tree as a whole', () => {
  test('[P83] attributes change by a step of their own, which makes no write stale and can be undone', async () => {
    const bed = await Bed.make();
    await bed.grow(['hi']);
    const { structureVersion } = bed.tree;
    const set = { title: 't', pinned: true, tags: ['x'], metadata: { a: { b: 1 } }, folder: 'f' };
    const outcome = await carry(bed, { type: 'attributes', treeId: bed.treeId, set });
    expect(stepTypesOf(outcome)).toEqual(['attributes']);
    expect(bed.tree.attributes).toEqual({ ...set, project: 'default' });
    expect(bed.tree.structureVersion).toBe(structureVersion);
    await carry(bed, { type: 'attributes', treeId: bed.treeId, set: { title: null } });
    expect(bed.tree.attributes.title).toBeUndefined();
    await bed.run({ type: 'undo', treeId: bed.treeId });
    expect(bed.tree.attributes.title).toBe('t');
  });

  test('[P83] what is so already commits nothing, and the system prompt never changes', async () => {
    const bed = await Bed.make({ systemPrompt: 'p' });
    await bed.run({ type: 'attributes', treeId: bed.treeId, set: { title: 't' } });
    for (const set of [{ title: 't' }, { folder: null }, {}, { project: 'default' }])
      expect((await bed.run({ type: 'attributes', treeId: bed.treeId, set })).commit).toBeNull();
    for (const systemPrompt of ['other', 'p', null])
      expect(await refusalOf(bed, { type: 'attributes', treeId: bed.treeId, set: { systemPrompt } })).toBe(
        'tree/root-protected',
      );
  });

  test('[P84] a tree goes to the trash and comes back as it was, each once', async () => {
    const bed = await Bed.make();
    await bed.grow(['hi', 'hello']);
    const before = bed.drawing();
    const gone = await carry(bed, { type: 'delete-tree', treeId: bed.treeId });
    expect(gone.result).toEqual({ treeId: bed.treeId });
    expect(bed.tree.attributes.trashedAt).toBeGreaterThan(0);
    expect((await bed.run({ type: 'delete-tree', treeId: bed.treeId })).commit).toBeNull();
    await carry(bed, { type: 'restore-tree', treeId: bed.treeId });
    expect(bed.tree.attributes.trashedAt).toBeUndefined();
    expect((await bed.run({ type: 'restore-tree', treeId: bed.treeId })).commit).toBeNull();
    expect(bed.drawing()).toEqual(before);
  });

  test('[P84] while a reply is being written the tree does not go', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    await bed.run({ type: 'reply', treeId: bed.treeId, parentId: q ?? bed.rootId, replies: [{}] });
    expect(await refusalOf(bed, { type: 'delete-tree', treeId: bed.treeId })).toBe('tree/pending');
  });

  test('[P84] a tree that is not there is refused', async () => {
    const bed = await Bed.make();
    const unknown = treeId(uuid(99));
    expect(await refusalOf(bed, { type: 'attributes', treeId: unknown, set: {} })).toBe('tree/unknown-tree');
    expect(await refusalOf(bed, { type: 'delete-tree', treeId: unknown })).toBe('tree/unknown-tree');
    expect(await refusalOf(bed, { type: 'restore-tree', treeId: unknown })).toBe('tree/unknown-tree');
  });
});

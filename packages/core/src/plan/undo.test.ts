import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { drive, type Read } from '../reads.ts';
import { type RunContext, transplant } from '../run.ts';
import {
  assistant,
  Bed,
  essence,
  planned,
  ReferenceStore,
  refusalOf,
  testKit,
  ticking,
  user,
  uuid,
} from '../testing/index.ts';
import { bookmarkOn, childIds, findNode } from '../tree.ts';
import { undo as undoPlanner } from './undo.ts';

const you = { actor: 'you' };

function undo(bed: Bed, context: Partial<RunContext> = {}, force = false) {
  return bed.run({ type: 'undo', treeId: bed.treeId, force }, context);
}

function redo(bed: Bed, context: Partial<RunContext> = {}, force = false) {
  return bed.run({ type: 'redo', treeId: bed.treeId, force }, context);
}

async function add(bed: Bed, text: string, parentId: NodeId, context: Partial<RunContext> = {}): Promise<NodeId> {
  const messages = [{ message: user(text) }];
  const { result } = await bed.run({ type: 'append', treeId: bed.treeId, parentId, messages }, context);
  return result.nodeId;
}

function overwrite(bed: Bed, id: NodeId, content: string, context: Partial<RunContext> = {}) {
  return bed.run({ type: 'edit', treeId: bed.treeId, nodeId: id, content, mode: 'in-place' }, context);
}

function remove(bed: Bed, id: NodeId, context: Partial<RunContext> = {}, mode: 'splice' | 'cascade' = 'cascade') {
  return bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [id], mode }, context);
}

function move(bed: Bed, id: NodeId, parentId: NodeId, context: Partial<RunContext> = {}) {
  return bed.run({ type: 'move', treeId: bed.treeId, nodeId: id, parentId }, context);
}

function overtaken(bed: Bed, context: Partial<RunContext> = {}, type: 'undo' | 'redo' = 'undo') {
  return bed.run({ type, treeId: bed.treeId }, context).then(
    () => [],
    (error: { readonly code: string; readonly data: { readonly by?: readonly string[] } }) => {
      expect(error.code).toBe('undo/overtaken');
      return error.data.by ?? [];
    },
  );
}

describe('whose act', () => {
  test('[U4] the newest of the caller, whatever others did since', async () => {
    const bed = await Bed.make();
    const mine = await add(bed, 'mine', bed.rootId);
    const yours = await add(bed, 'yours', bed.rootId, you);
    const { commit } = await undo(bed);
    expect(findNode(bed.tree, mine)).toBeUndefined();
    expect(bed.node(yours).text).toBe('yours');
    expect(commit).toMatchObject({ kind: 'undo', actor: 'me' });
    expect(await refusalOf(bed, { type: 'undo', treeId: bed.treeId })).toBe('undo/nothing');
  });

  test('[U4] an act that was undone is passed over for the one before it, and one that was redone is not', async () => {
    const bed = await Bed.make();
    await add(bed, 'one', bed.rootId);
    await add(bed, 'two', bed.rootId);
    await undo(bed);
    await undo(bed);
    expect(bed.texts()).toEqual([]);
    await redo(bed);
    await redo(bed);
    expect(bed.texts()).toEqual(['one', 'two']);
    await undo(bed);
    expect(bed.texts()).toEqual(['one']);
  });

  test('[U5] all commits of an act are taken back by one, and brought back by one', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const act = { actId: uuid(500) };
    const before = essence(bed.tree);
    const parent = await add(bed, 'send', q ?? bed.rootId, act);
    const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId: parent, replies: [{}] }, act);
    const [reply = bed.rootId] = result.added;
    await bed.run(
      { type: 'finish', treeId: bed.treeId, nodeId: reply, status: 'success', message: assistant('yes') },
      act,
    );
    await bed.run({ type: 'title', treeId: bed.treeId, nodeId: q ?? bed.rootId, title: 'first' }, act);
    await bed.run({ type: 'title', treeId: bed.treeId, nodeId: q ?? bed.rootId, title: 'second' }, act);
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: q ?? bed.rootId, title: 'first' }, act);
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: q ?? bed.rootId, title: 'second' }, act);
    await overwrite(bed, q ?? bed.rootId, 'q2', act);
    await overwrite(bed, q ?? bed.rootId, 'q3', act);
    await bed.run({ type: 'attributes', treeId: bed.treeId, set: { title: 'a' } }, act);
    await bed.run({ type: 'attributes', treeId: bed.treeId, set: { title: 'b' } }, act);
    const after = essence(bed.tree);
    const { version } = bed.tree;
    const { commit } = await undo(bed);
    expect(essence(bed.tree)).toEqual(before);
    expect(bed.tree.version).toBe(version + 1);
    expect(commit?.actId).toBe(act.actId);
    await redo(bed);
    expect(essence(bed.tree)).toEqual(after);
  });

  test('[U5] an act that moved a node twice, or moved nodes into each other, is taken back exactly', async () => {
    const bed = await Bed.make();
    const ids: NodeId[] = [];
    for (const text of ['a', 'b', 'c']) ids.push(await add(bed, text, bed.rootId));
    const [a = bed.rootId, b = bed.rootId, c = bed.rootId] = ids;
    const before = essence(bed.tree);
    const act = { actId: uuid(500) };
    await move(bed, a, c, act);
    await move(bed, b, a, act);
    await move(bed, b, c, act);
    await move(bed, a, b, act);
    await add(bed, 'in the place of b', bed.rootId, act);
    const after = essence(bed.tree);
    await undo(bed);
    expect(essence(bed.tree)).toEqual(before);
    await redo(bed);
    expect(essence(bed.tree)).toEqual(after);
  });

  test('[U5] an act that deleted a node and then its parent brings both back', async () => {
    const bed = await Bed.make();
    const [, b, c] = await bed.grow(['a', 'b', 'c']);
    const before = essence(bed.tree);
    await remove(bed, c ?? bed.rootId, { actId: uuid(500) });
    await remove(bed, b ?? bed.rootId, { actId: uuid(500) });
    await undo(bed);
    expect(essence(bed.tree)).toEqual(before);
  });

  test('[U5] an act that deleted and restored a node leaves it as it is', async () => {
    const bed = await Bed.make();
    const [, b] = await bed.grow(['a', 'b']);
    const act = { actId: uuid(500) };
    await bed.run({ type: 'title', treeId: bed.treeId, nodeId: b ?? bed.rootId, title: 'noted' }, act);
    await remove(bed, b ?? bed.rootId, act);
    await bed.run({ type: 'restore', treeId: bed.treeId, nodeId: b ?? bed.rootId }, act);
    await undo(bed);
    expect(bed.node(b ?? '').meta.title).toBeUndefined();
  });

  test('[U23] an act that goes on after it was taken back is what it did since', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const act = { actId: uuid(500) };
    await overwrite(bed, q ?? bed.rootId, 'first', act);
    await undo(bed);
    await overwrite(bed, q ?? bed.rootId, 'second', act);
    await undo(bed);
    expect(bed.node(q ?? '').text).toBe('q');
    await redo(bed);
    await add(bed, 'more', q ?? bed.rootId, act);
    await undo(bed);
    expect(bed.drawing()).toEqual(['q *']);
  });

  test('[U21] a named act is taken back and no other', async () => {
    const bed = await Bed.make();
    const first = await bed.run({ type: 'append', treeId: bed.treeId, messages: [{ message: user('one') }] });
    await add(bed, 'two', bed.rootId);
    await bed.run({ type: 'undo', treeId: bed.treeId, actId: first.actId });
    expect(bed.texts()).toEqual(['two']);
    expect(await bed.refusal({ type: 'undo', treeId: bed.treeId, actId: first.actId })).toBe('undo/nothing');
    expect(await bed.refusal({ type: 'undo', treeId: bed.treeId, actId: first.actId }, you)).toBe('undo/nothing');
  });

  test('[U19] the birth of a tree is not undone, and in a fresh one there is nothing to undo or redo', async () => {
    const bed = await Bed.make();
    expect(await refusalOf(bed, { type: 'undo', treeId: bed.treeId })).toBe('undo/nothing');
    expect(await refusalOf(bed, { type: 'redo', treeId: bed.treeId })).toBe('undo/nothing');
  });

  test('[U18] undo is told from the log alone, so that it reaches over a restart', async () => {
    const bed = await Bed.make();
    const [a] = await bed.grow(['a', 'b']);
    await remove(bed, a ?? bed.rootId);
    const store = new ReferenceStore();
    for (const [id, tree] of bed.reference?.trees ?? []) store.trees.set(id, tree);
    for (const [id, log] of bed.reference?.commits ?? []) store.commits.set(id, JSON.parse(JSON.stringify(log)));
    const again = new Bed(store, bed.treeId);
    await undo(again);
    expect(again.drawing()).toEqual(['a', '  b *']);
  });
});

describe('what comes back', () => {
  test.each(['splice', 'cascade'] as const)(
    '[U6] after a %s the same ids, order, groups, bookmarks and pointer',
    async (mode) => {
      const bed = await Bed.make();
      const [q] = await bed.grow(['q']);
      const { result } = await bed.run({
        type: 'reply',
        treeId: bed.treeId,
        parentId: q ?? bed.rootId,
        replies: [{ message: assistant('one') }, { message: assistant('two') }],
      });
      const [one = bed.rootId] = result.added;
      const below = await add(bed, 'below', one);
      await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: one, title: 'here' });
      await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: below, title: 'there' });
      await bed.run({ type: 'select', treeId: bed.treeId, nodeId: one });
      const before = essence(bed.tree);
      await remove(bed, one, {}, mode);
      await undo(bed);
      expect(essence(bed.tree)).toEqual(before);
    },
  );

  test('[U6] after a clear everything', async () => {
    const bed = await Bed.make();
    await bed.grow(['a', 'b']);
    await bed.grow(['c'], bed.rootId);
    const before = essence(bed.tree);
    await bed.run({ type: 'clear', treeId: bed.treeId });
    await undo(bed);
    expect(essence(bed.tree)).toEqual(before);
  });

  test('[U22] taking back a split keeps the pointer and the bookmarks on what comes out of its left half', async () => {
    const bed = await Bed.make();
    const [q, below] = await bed.grow(['hello world', 'yes']);
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: below ?? bed.rootId, title: 'here' });
    const before = essence(bed.tree);
    await bed.run({ type: 'split', treeId: bed.treeId, nodeId: q ?? bed.rootId, position: 5 });
    await undo(bed);
    expect(essence(bed.tree)).toEqual(before);
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: q ?? bed.rootId });
    const { result } = await bed.run({ type: 'split', treeId: bed.treeId, nodeId: q ?? bed.rootId, position: 5 });
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: result.nodeId });
    await undo(bed);
    expect(bed.active).not.toBeNull();
    expect(bookmarkOn(bed.tree, below ?? '')?.title).toBe('here');
  });

  test('[U15] the pointer goes back if the user is where the act left them', async () => {
    const bed = await Bed.make();
    const [a] = await bed.grow(['a', 'b']);
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: a ?? bed.rootId });
    await add(bed, 'c', bed.rootId);
    await undo(bed);
    expect(bed.active).toBe(a);
  });

  test('[U15] the pointer stays if the user went elsewhere, and finds a place if that goes', async () => {
    const bed = await Bed.make();
    const [a, b] = await bed.grow(['a', 'b']);
    const { result } = await bed.run({
      type: 'append',
      treeId: bed.treeId,
      parentId: a ?? bed.rootId,
      messages: [{ message: user('c') }, { message: assistant('d') }],
    });
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: a ?? bed.rootId });
    await undo(bed);
    expect(bed.active).toBe(a);
    await redo(bed);
    expect(bed.active).toBe(a);
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: result.added[0] ?? bed.rootId });
    await undo(bed);
    expect(bed.active).toBe(b);
  });

  test('[U16] a place that was taken meanwhile is left to who has it: what comes back stands right behind', async () => {
    const bed = await Bed.make();
    const a = await add(bed, 'a', bed.rootId);
    const b = await add(bed, 'b', bed.rootId);
    await add(bed, 'c', a);
    await move(bed, b, a);
    const d = await add(bed, 'd', bed.rootId, you);
    expect(bed.node(d).position).toBe('a1');
    const e = await add(bed, 'e', bed.rootId, you);
    await undo(bed);
    expect(childIds(bed.tree, bed.rootId)).toEqual([a, d, b, e]);
  });

  test('[U20] the end of a reply is not taken back to pending, where nobody would end it', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId: q ?? bed.rootId, replies: [{}] });
    const [reply = bed.rootId] = result.added;
    const finish = {
      type: 'finish',
      treeId: bed.treeId,
      nodeId: reply,
      status: 'success',
      message: assistant('yes'),
    } as const;
    await bed.run(finish);
    await undo(bed);
    expect(bed.node(reply)).toMatchObject({ status: 'interrupted', text: '' });
    await redo(bed);
    expect(bed.node(reply)).toMatchObject({ status: 'success', text: 'yes' });
    await undo(bed);
    await undo(bed);
    expect(findNode(bed.tree, reply)).toBeUndefined();
  });

  test('[U20] a reply that someone else ended for its writer is taken back with the act that began it', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId: q ?? bed.rootId, replies: [{}] });
    const [reply = bed.rootId] = result.added;
    await bed.run(
      { type: 'finish', treeId: bed.treeId, nodeId: reply, status: 'interrupted', message: assistant('half') },
      { actor: 'recovery' },
    );
    await undo(bed);
    expect(bed.drawing()).toEqual(['q *']);
  });
});

describe('overtaken', () => {
  test('[U7] by what others hung below: refused, naming it; by force it goes along, and comes back', async () => {
    const bed = await Bed.make();
    const mine = await add(bed, 'mine', bed.rootId);
    const yours = await add(bed, 'yours', mine, you);
    expect(await overtaken(bed)).toEqual([`${yours} below ${mine}`]);
    await undo(bed, {}, true);
    expect(bed.tree.size).toBe(0);
    await redo(bed);
    expect(bed.drawing()).toEqual(['mine', '  yours *']);
  });

  test('[U7] by what others hung, moved, restored or wrote below what an act brought back', async () => {
    const bed = await Bed.make();
    const a = await add(bed, 'a', bed.rootId);
    const b = await add(bed, 'b', a);
    const c = await add(bed, 'c', b);
    const side = await add(bed, 'side', bed.rootId, you);
    await remove(bed, c, you);
    await remove(bed, a);
    await undo(bed);
    const changes: readonly (() => Promise<unknown>)[] = [
      () => add(bed, 'd', b, you),
      () => move(bed, side, b, you),
      () => bed.run({ type: 'restore', treeId: bed.treeId, nodeId: c }, you),
      () => overwrite(bed, b, 'other', you),
    ];
    for (const change of changes) {
      await change();
      expect(await overtaken(bed, {}, 'redo')).toHaveLength(1);
      await undo(bed, you);
      // Done and taken back is as it was, but for what lies in the trash.
      const { plan } = await planned(bed, { type: 'redo', treeId: bed.treeId });
      expect(plan.steps.map((step) => step.type)).toContain('remove');
    }
  });

  test('[U8] by texts, places, notes and attributes that others changed; by force they are turned back', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const other = await add(bed, 'other', bed.rootId, you);
    const id = q ?? bed.rootId;
    const acts: readonly ((context: Partial<RunContext>, word: string) => Promise<unknown>)[] = [
      (context, word) => overwrite(bed, id, word, context),
      (context, word) => bed.run({ type: 'title', treeId: bed.treeId, nodeId: id, title: word }, context),
      (context, word) => bed.run({ type: 'attributes', treeId: bed.treeId, set: { title: word } }, context),
      (context, word) => move(bed, id, word === 'mine' ? other : bed.rootId, context),
    ];
    for (const act of acts) {
      const before = essence(bed.tree);
      await act({}, 'mine');
      await act(you, 'yours');
      expect(await overtaken(bed)).toHaveLength(1);
      const tree = bed.tree;
      await undo(bed, {}, true);
      expect(essence(bed.tree)).toEqual(before);
      expect(bed.tree).not.toBe(tree);
    }
  });

  test('[U8] by the text of a message that the act added', async () => {
    const bed = await Bed.make();
    const mine = await add(bed, 'mine', bed.rootId);
    await overwrite(bed, mine, 'corrected', you);
    expect(await overtaken(bed)).toEqual([`the text of ${mine}`]);
    await undo(bed, you);
    await undo(bed);
    expect(bed.tree.size).toBe(0);
  });

  test('[U8] not by what the same actor did and took back again', async () => {
    const bed = await Bed.make();
    const mine = await add(bed, 'mine', bed.rootId);
    await overwrite(bed, mine, 'twice');
    await undo(bed);
    await undo(bed);
    expect(bed.tree.size).toBe(0);
  });

  test('[U8] by a node that others took away: its parent, or what the act changed', async () => {
    const bed = await Bed.make();
    const a = await add(bed, 'a', bed.rootId);
    const b = await add(bed, 'b', a);
    const c = await add(bed, 'c', bed.rootId);
    await move(bed, b, c);
    await remove(bed, a, you);
    expect(await overtaken(bed)).toEqual([`${a}, which ${b} hung on`]);
    await undo(bed, {}, true);
    await undo(bed, you);
    await overwrite(bed, c, 'changed');
    await remove(bed, c, you);
    expect(await overtaken(bed)).toEqual([`${c}, which is gone`]);
  });

  test('[U8] by a deletion of their own, once they had restored what the act deleted', async () => {
    const bed = await Bed.make();
    const a = await add(bed, 'a', bed.rootId);
    await remove(bed, a);
    await bed.run({ type: 'restore', treeId: bed.treeId, nodeId: a }, you);
    await remove(bed, a, you);
    expect(await overtaken(bed)).toEqual([`${a}, which was deleted again`]);
    await undo(bed, {}, true);
    expect(bed.texts()).toEqual(['a']);
  });

  test('[U9] a bookmark or a group that others changed stays as they left it, and alone it overtakes', async () => {
    const bed = await Bed.make();
    const [a, b] = await bed.grow(['a', 'b', 'c']);
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: b ?? bed.rootId, title: 'mine' });
    await remove(bed, b ?? bed.rootId, {}, 'splice');
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: a ?? bed.rootId, title: 'yours' }, you);
    await undo(bed);
    expect(bookmarkOn(bed.tree, a ?? '')?.title).toBe('yours');
    expect(bed.node(b ?? '').text).toBe('b');
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: b ?? bed.rootId, title: 'again' });
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: b ?? bed.rootId, title: 'theirs' }, you);
    expect(await overtaken(bed)).toEqual([`the bookmark on ${b}`]);
    await undo(bed, {}, true);
    expect(bookmarkOn(bed.tree, b ?? '')?.title).toBe('mine');
  });

  test('[U9] a message stays in a group to which others added variants since', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const mine = await bed.run({ type: 'edit', treeId: bed.treeId, nodeId: q ?? bed.rootId, content: 'mine' });
    const yours = await bed.run({ type: 'edit', treeId: bed.treeId, nodeId: q ?? bed.rootId, content: 'yours' }, you);
    await undo(bed);
    expect(findNode(bed.tree, mine.result.nodeId)).toBeUndefined();
    expect(bed.node(q ?? '').groupId).toBe(bed.node(yours.result.nodeId).groupId);
    await undo(bed, you);
    expect(bed.node(q ?? '').groupId).toBeGreaterThan(0);
  });

  test('[U10] what is gone already needs no undo, and an act of which nothing is left does not bar the ones before it', async () => {
    const bed = await Bed.make();
    const first = await add(bed, 'first', bed.rootId);
    const second = await add(bed, 'second', bed.rootId);
    await remove(bed, second, you);
    const { version } = bed.tree;
    const { commit } = await undo(bed);
    expect(commit?.kind).toBe('undo');
    expect(bed.tree.version).toBe(version + 1);
    expect(bed.texts()).toEqual(['first']);
    await undo(bed);
    expect(findNode(bed.tree, first)).toBeUndefined();
    await redo(bed);
    await redo(bed);
    expect(bed.texts()).toEqual(['first']);
  });

  test('[U11] an undo is refused while a reply is being written in what would go, also by force', async () => {
    const bed = await Bed.make();
    const mine = await add(bed, 'mine', bed.rootId);
    const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId: mine, replies: [{}] }, you);
    const [reply = bed.rootId] = result.added;
    for (const force of [false, true])
      expect(await refusalOf(bed, { type: 'undo', treeId: bed.treeId, force })).toBe('tree/pending');
    expect(await refusalOf(bed, { type: 'undo', treeId: bed.treeId }, you)).toBe('tree/pending');
    const finish = { type: 'finish', treeId: bed.treeId, nodeId: reply, status: 'aborted' } as const;
    await bed.run(finish, you);
    const reopen = { type: 'finish', treeId: bed.treeId, nodeId: reply, status: 'pending' } as const;
    await bed.run(reopen, you);
    expect(await refusalOf(bed, { type: 'undo', treeId: bed.treeId }, you)).toBe('tree/pending');
  });

  test('[U12] an act whose contents were purged is refused', async () => {
    const bed = await Bed.make();
    const { actId } = await bed.run({ type: 'append', treeId: bed.treeId, messages: [{ message: user('a') }] });
    const { now, newId } = ticking(9);
    const context = { treeId: bed.treeId, now: now(), newId, kit: testKit, actor: 'me', stale: false };
    const purged = { actId, commits: [], elsewhere: [], purged: true };
    const plan = () =>
      drive(undoPlanner({ type: 'undo', treeId: bed.treeId }, context), (read: Read) =>
        read.ask === 'undoable' ? purged : bed.tree,
      );
    expect(plan).toThrow(expect.objectContaining({ code: 'undo/purged' }));
  });
});

describe('redo', () => {
  test("[U13] the caller's next act clears it; others' acts, a pointer that moved and a retry do not", async () => {
    const bed = await Bed.make();
    const [a] = await bed.grow(['a']);
    await add(bed, 'b', a ?? bed.rootId);
    await undo(bed);
    await add(bed, 'yours', bed.rootId, you);
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: a ?? bed.rootId });
    await bed.grow(['a'], bed.rootId);
    await redo(bed);
    expect(bed.texts(a)).toEqual(['b']);
    await undo(bed);
    await bed.run({ type: 'tag', treeId: bed.treeId, nodeId: a ?? bed.rootId, tags: ['x'] });
    expect(await refusalOf(bed, { type: 'redo', treeId: bed.treeId })).toBe('undo/nothing');
  });

  test('[U14] to move the pointer alone is no act', async () => {
    const bed = await Bed.make();
    const [a] = await bed.grow(['a', 'b']);
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: a ?? bed.rootId });
    await bed.run({ type: 'branch', treeId: bed.treeId, nodeId: a ?? bed.rootId });
    await undo(bed);
    expect(bed.tree.size).toBe(0);
  });
});

describe('an act over two trees', () => {
  async function transplanted() {
    const bed = await Bed.make();
    const other = await Bed.make({ store: bed.store, treeId: treeId(uuid(2)) });
    const [a, b] = await bed.grow(['a', 'b', 'c']);
    const [x] = await other.grow(['x']);
    const before = [essence(bed.tree), essence(other.tree)];
    const ticks = ticking(77);
    const context = { actor: 'me', kit: testKit, ...ticks };
    const from = { treeId: bed.treeId, nodeId: b ?? bed.rootId };
    await transplant(bed.store, { from, to: { treeId: other.treeId, parentId: x ?? other.rootId } }, context);
    const after = [essence(bed.tree), essence(other.tree)];
    return { bed, other, before, after, a: a ?? nodeId('') };
  }

  test('[U17] it is taken back in both and brought back in both, from either of them', async () => {
    for (const side of ['bed', 'other'] as const) {
      const all = await transplanted();
      const { bed, other, before, after } = all;
      await undo(all[side]);
      expect([essence(bed.tree), essence(other.tree)]).toEqual(before);
      await redo(all[side]);
      expect([essence(bed.tree), essence(other.tree)]).toEqual(after);
    }
  });

  test('[U17] what one tree would refuse leaves both as they were', async () => {
    const { bed, other } = await transplanted();
    const [copy = nodeId('')] = childIds(other.tree, childIds(other.tree, other.rootId)[0] ?? '');
    await add(other, 'yours', copy, you);
    const trees = [bed.tree, other.tree];
    expect(await bed.refusal({ type: 'undo', treeId: bed.treeId })).toBe('undo/overtaken');
    expect([bed.tree, other.tree]).toEqual(trees);
    const stale = { type: 'undo', treeId: bed.treeId, force: true } as const;
    expect(await bed.refusal(stale, { expectedVersion: 1 })).toBe('tree/version-conflict');
    expect(bed.tree).toBe(trees[0]);
    expect(other.tree).toBe(trees[1]);
    await undo(bed, {}, true);
    expect(other.drawing()).toEqual(['x *']);
  });

  test('[U17] what was taken back in one tree only, as by a crash, is taken back in the other', async () => {
    const { bed, other, before } = await transplanted();
    const store = bed.reference;
    const kept = store?.trees.get(other.treeId);
    const log = [...(store?.commits.get(other.treeId) ?? [])];
    await undo(bed);
    if (kept !== undefined) store?.trees.set(other.treeId, kept);
    store?.commits.set(other.treeId, log);
    await undo(other);
    expect([essence(bed.tree), essence(other.tree)]).toEqual(before);
  });

  test('[U17] what comes back does so before its copy goes', async () => {
    const { bed, other } = await transplanted();
    const seen: string[] = [];
    const { reference } = bed;
    const change = reference?.change.bind(reference);
    if (reference !== null && change !== undefined)
      reference.change = (id, planning, options) => {
        seen.push(id);
        return change(id, planning, options);
      };
    await undo(other);
    expect(seen).toEqual([bed.treeId, other.treeId]);
  });

  test('[U17] it is not brought back where something was done since in the other tree', async () => {
    const { bed, other } = await transplanted();
    await undo(bed);
    await add(other, 'mine', other.rootId);
    const trees = [bed.tree, other.tree];
    expect(await bed.refusal({ type: 'redo', treeId: bed.treeId })).toBe('undo/nothing');
    expect(bed.tree).toBe(trees[0]);
    expect(other.tree).toBe(trees[1]);
  });

  test('[U17] trees of other owners are no part of an act, even under the same act id', async () => {
    const bed = await Bed.make();
    const stranger = bed.reference?.forOwner('stranger') ?? new ReferenceStore('stranger');
    const theirs = await Bed.make({ store: stranger, treeId: treeId(uuid(2)) });
    await add(theirs, 'theirs', theirs.rootId, { actId: uuid(500) });
    await add(bed, 'mine', bed.rootId, { actId: uuid(500) });
    const { result } = await undo(bed);
    expect(result.act.elsewhere).toEqual([]);
    expect(theirs.texts()).toEqual(['theirs']);
  });
});

describe('many', () => {
  test('[U24] 2,000 variants of one act are taken back with a few reads each', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const replies = Array.from({ length: 2000 }, (_, at) => ({ message: assistant(`r${at}`) }));
    await bed.run({ type: 'reply', treeId: bed.treeId, parentId: q ?? bed.rootId, replies });
    const { plan, asked } = await planned(bed, { type: 'undo', treeId: bed.treeId });
    expect(plan.steps.filter((step) => step.type === 'remove')).toHaveLength(2000);
    expect(asked.length).toBeLessThan(2000 * 8);
    await undo(bed);
    expect(bed.tree.size).toBe(1);
    await redo(bed);
    expect(bed.tree.size).toBe(2001);
  });

  test('[U24] a splice that raised 5,000 children is taken back without a walk for each', async () => {
    const bed = await Bed.make();
    const [q, x] = await bed.grow(['q', 'x']);
    const replies = Array.from({ length: 5000 }, (_, at) => ({ message: user(`r${at}`) }));
    await bed.run({ type: 'reply', treeId: bed.treeId, parentId: x ?? bed.rootId, replies, select: false });
    const before = essence(bed.tree);
    await remove(bed, x ?? bed.rootId, {}, 'splice');
    const { asked } = await planned(bed, { type: 'undo', treeId: bed.treeId });
    expect(asked.filter((name) => name === 'above').length).toBeLessThan(10);
    expect(asked.length).toBeLessThan(5000 * 5);
    await undo(bed);
    expect(essence(bed.tree)).toEqual(before);
    expect(bed.texts(q)).toEqual(['x']);
  });
});

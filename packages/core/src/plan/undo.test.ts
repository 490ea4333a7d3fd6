import { describe, expect, test } from 'vitest';
import type { NodeId } from '../ids.ts';
import { add, move, overwrite, redo, remove, undo, you } from '../testing/deeds.ts';
import { assistant, Bed, essence, planned, ReferenceStore, refusalOf, user, uuid } from '../testing/index.ts';
import { bookmarkOn, childIds, findNode } from '../tree.ts';

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

  test('[U4] what was done while a reply was written goes first, and is no obstacle to taking the turn back', async () => {
    const bed = await Bed.make();
    const act = { actId: uuid(500) };
    const sent = await add(bed, 'send', bed.rootId, act);
    const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId: sent, replies: [{}] }, act);
    const [reply = bed.rootId] = result.added;
    await add(bed, 'meanwhile', reply);
    await bed.run(
      { type: 'finish', treeId: bed.treeId, nodeId: reply, status: 'success', message: assistant('yes') },
      act,
    );
    await undo(bed);
    expect(bed.drawing()).toEqual(['send', '  yes *']);
    await undo(bed);
    expect(bed.drawing()).toEqual([]);
    await redo(bed);
    await redo(bed);
    expect(bed.drawing()).toEqual(['send', '  yes', '    meanwhile *']);
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

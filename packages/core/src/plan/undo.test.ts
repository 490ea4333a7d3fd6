import { describe, expect, test } from 'vitest';
import type { NodeId } from '../ids.ts';
import { add, move, overwrite, redo, remove, undo, you } from '../testing/act-shorthands.ts';
import { assistant, essence, planned, ReferenceStore, refusalOf, TestTree, user, uuid } from '../testing/index.ts';
import { bookmarkOn, childIds, findNode } from '../tree.ts';

describe('which act is undone', () => {
  test('[U4] undo takes the newest act of the caller, whatever others did since', async () => {
    const fixture = await TestTree.make();
    const mine = await add(fixture, 'mine', fixture.rootId);
    const yours = await add(fixture, 'yours', fixture.rootId, you);
    const { commit } = await undo(fixture);
    expect(findNode(fixture.tree, mine)).toBeUndefined();
    expect(fixture.node(yours).text).toBe('yours');
    expect(commit).toMatchObject({ kind: 'undo', actor: 'me' });
    expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId })).toBe('undo/nothing');
  });

  test('[U4] an act that was undone is skipped for the one before it, and one that was redone is not', async () => {
    const fixture = await TestTree.make();
    await add(fixture, 'one', fixture.rootId);
    await add(fixture, 'two', fixture.rootId);
    await undo(fixture);
    await undo(fixture);
    expect(fixture.texts()).toEqual([]);
    await redo(fixture);
    await redo(fixture);
    expect(fixture.texts()).toEqual(['one', 'two']);
    await undo(fixture);
    expect(fixture.texts()).toEqual(['one']);
  });

  test('[U4] acts made while a reply was generated are undone first, and do not prevent undoing the turn', async () => {
    const fixture = await TestTree.make();
    const act = { actId: uuid(500) };
    const sent = await add(fixture, 'send', fixture.rootId, act);
    const { result } = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: sent, replies: [{}] }, act);
    const [reply = fixture.rootId] = result.added;
    await add(fixture, 'meanwhile', reply);
    await fixture.run(
      { type: 'finish', treeId: fixture.treeId, nodeId: reply, status: 'success', message: assistant('yes') },
      act,
    );
    await undo(fixture);
    expect(fixture.drawing()).toEqual(['send', '  yes *']);
    await undo(fixture);
    expect(fixture.drawing()).toEqual([]);
    await redo(fixture);
    await redo(fixture);
    expect(fixture.drawing()).toEqual(['send', '  yes', '    meanwhile *']);
  });

  test('[U5] one commit undoes all commits of an act, and one redoes them', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.grow(['q']);
    const act = { actId: uuid(500) };
    const before = essence(fixture.tree);
    const parent = await add(fixture, 'send', q ?? fixture.rootId, act);
    const { result } = await fixture.run(
      { type: 'reply', treeId: fixture.treeId, parentId: parent, replies: [{}] },
      act,
    );
    const [reply = fixture.rootId] = result.added;
    await fixture.run(
      { type: 'finish', treeId: fixture.treeId, nodeId: reply, status: 'success', message: assistant('yes') },
      act,
    );
    await fixture.run({ type: 'title', treeId: fixture.treeId, nodeId: q ?? fixture.rootId, title: 'first' }, act);
    await fixture.run({ type: 'title', treeId: fixture.treeId, nodeId: q ?? fixture.rootId, title: 'second' }, act);
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: q ?? fixture.rootId, title: 'first' }, act);
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: q ?? fixture.rootId, title: 'second' }, act);
    await overwrite(fixture, q ?? fixture.rootId, 'q2', act);
    await overwrite(fixture, q ?? fixture.rootId, 'q3', act);
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: 'a' } }, act);
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: 'b' } }, act);
    const after = essence(fixture.tree);
    const { version } = fixture.tree;
    const { commit } = await undo(fixture);
    expect(essence(fixture.tree)).toEqual(before);
    expect(fixture.tree.version).toBe(version + 1);
    expect(commit?.actId).toBe(act.actId);
    await redo(fixture);
    expect(essence(fixture.tree)).toEqual(after);
  });

  test('[U5] an act that moved a node twice, or moved nodes into each other, is undone exactly', async () => {
    const fixture = await TestTree.make();
    const ids: NodeId[] = [];
    for (const text of ['a', 'b', 'c']) ids.push(await add(fixture, text, fixture.rootId));
    const [a = fixture.rootId, b = fixture.rootId, c = fixture.rootId] = ids;
    const before = essence(fixture.tree);
    const act = { actId: uuid(500) };
    await move(fixture, a, c, act);
    await move(fixture, b, a, act);
    await move(fixture, b, c, act);
    await move(fixture, a, b, act);
    await add(fixture, 'in the place of b', fixture.rootId, act);
    const after = essence(fixture.tree);
    await undo(fixture);
    expect(essence(fixture.tree)).toEqual(before);
    await redo(fixture);
    expect(essence(fixture.tree)).toEqual(after);
  });

  test('[U5] an act that deleted a node and then its parent brings both back', async () => {
    const fixture = await TestTree.make();
    const [, b, c] = await fixture.grow(['a', 'b', 'c']);
    const before = essence(fixture.tree);
    await remove(fixture, c ?? fixture.rootId, { actId: uuid(500) });
    await remove(fixture, b ?? fixture.rootId, { actId: uuid(500) });
    await undo(fixture);
    expect(essence(fixture.tree)).toEqual(before);
  });

  test('[U5] an act that deleted and restored a node leaves it as it is', async () => {
    const fixture = await TestTree.make();
    const [, b] = await fixture.grow(['a', 'b']);
    const act = { actId: uuid(500) };
    await fixture.run({ type: 'title', treeId: fixture.treeId, nodeId: b ?? fixture.rootId, title: 'noted' }, act);
    await remove(fixture, b ?? fixture.rootId, act);
    await fixture.run({ type: 'restore', treeId: fixture.treeId, nodeId: b ?? fixture.rootId }, act);
    await undo(fixture);
    expect(fixture.node(b ?? '').meta.title).toBeUndefined();
  });

  test('[U23] if an act continues after it was undone, only its later commits count', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.grow(['q']);
    const act = { actId: uuid(500) };
    await overwrite(fixture, q ?? fixture.rootId, 'first', act);
    await undo(fixture);
    await overwrite(fixture, q ?? fixture.rootId, 'second', act);
    await undo(fixture);
    expect(fixture.node(q ?? '').text).toBe('q');
    await redo(fixture);
    await add(fixture, 'more', q ?? fixture.rootId, act);
    await undo(fixture);
    expect(fixture.drawing()).toEqual(['q *']);
  });

  test('[U21] a named act is undone, and no other', async () => {
    const fixture = await TestTree.make();
    const first = await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: user('one') }] });
    await add(fixture, 'two', fixture.rootId);
    await fixture.run({ type: 'undo', treeId: fixture.treeId, actId: first.actId });
    expect(fixture.texts()).toEqual(['two']);
    expect(await fixture.refusal({ type: 'undo', treeId: fixture.treeId, actId: first.actId })).toBe('undo/nothing');
    expect(await fixture.refusal({ type: 'undo', treeId: fixture.treeId, actId: first.actId }, you)).toBe(
      'undo/nothing',
    );
  });

  test('[U19] creating a tree is not undone, and a new tree has nothing to undo or redo', async () => {
    const fixture = await TestTree.make();
    expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId })).toBe('undo/nothing');
    expect(await refusalOf(fixture, { type: 'redo', treeId: fixture.treeId })).toBe('undo/nothing');
  });

  test('[U18] undo is derived from the log alone, so that it works after a restart', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.grow(['a', 'b']);
    await remove(fixture, a ?? fixture.rootId);
    const store = new ReferenceStore();
    for (const [id, tree] of fixture.reference?.trees ?? []) store.trees.set(id, tree);
    for (const [id, log] of fixture.reference?.commits ?? []) store.commits.set(id, JSON.parse(JSON.stringify(log)));
    const again = new TestTree(store, fixture.treeId);
    await undo(again);
    expect(again.drawing()).toEqual(['a', '  b *']);
  });
});

describe('what undo restores', () => {
  test.each(['splice', 'cascade'] as const)(
    '[U6] undoing a %s restores the same ids, order, groups, bookmarks and active node',
    async (mode) => {
      const fixture = await TestTree.make();
      const [q] = await fixture.grow(['q']);
      const { result } = await fixture.run({
        type: 'reply',
        treeId: fixture.treeId,
        parentId: q ?? fixture.rootId,
        replies: [{ message: assistant('one') }, { message: assistant('two') }],
      });
      const [one = fixture.rootId] = result.added;
      const below = await add(fixture, 'below', one);
      await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: one, title: 'here' });
      await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: below, title: 'there' });
      await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: one });
      const before = essence(fixture.tree);
      await remove(fixture, one, {}, mode);
      await undo(fixture);
      expect(essence(fixture.tree)).toEqual(before);
    },
  );

  test('[U6] undoing a clear restores everything', async () => {
    const fixture = await TestTree.make();
    await fixture.grow(['a', 'b']);
    await fixture.grow(['c'], fixture.rootId);
    const before = essence(fixture.tree);
    await fixture.run({ type: 'clear', treeId: fixture.treeId });
    await undo(fixture);
    expect(essence(fixture.tree)).toEqual(before);
  });

  test('[U22] undoing a split keeps the active node and the bookmarks of the left half on the joined message', async () => {
    const fixture = await TestTree.make();
    const [q, below] = await fixture.grow(['hello world', 'yes']);
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: below ?? fixture.rootId, title: 'here' });
    const before = essence(fixture.tree);
    await fixture.run({ type: 'split', treeId: fixture.treeId, nodeId: q ?? fixture.rootId, position: 5 });
    await undo(fixture);
    expect(essence(fixture.tree)).toEqual(before);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: q ?? fixture.rootId });
    const { result } = await fixture.run({
      type: 'split',
      treeId: fixture.treeId,
      nodeId: q ?? fixture.rootId,
      position: 5,
    });
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: result.nodeId });
    await undo(fixture);
    expect(fixture.active).not.toBeNull();
    expect(bookmarkOn(fixture.tree, below ?? '')?.title).toBe('here');
  });

  test('[U15] undo restores the active node if it is where the act left it', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.grow(['a', 'b']);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: a ?? fixture.rootId });
    await add(fixture, 'c', fixture.rootId);
    await undo(fixture);
    expect(fixture.active).toBe(a);
  });

  test('[U15] the active node stays if the user moved, and is replaced if it is removed', async () => {
    const fixture = await TestTree.make();
    const [a, b] = await fixture.grow(['a', 'b']);
    const { result } = await fixture.run({
      type: 'append',
      treeId: fixture.treeId,
      parentId: a ?? fixture.rootId,
      messages: [{ message: user('c') }, { message: assistant('d') }],
    });
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: a ?? fixture.rootId });
    await undo(fixture);
    expect(fixture.active).toBe(a);
    await redo(fixture);
    expect(fixture.active).toBe(a);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: result.added[0] ?? fixture.rootId });
    await undo(fixture);
    expect(fixture.active).toBe(b);
  });

  test('[U16] a restored node whose position is taken comes directly after it', async () => {
    const fixture = await TestTree.make();
    const a = await add(fixture, 'a', fixture.rootId);
    const b = await add(fixture, 'b', fixture.rootId);
    await add(fixture, 'c', a);
    await move(fixture, b, a);
    const d = await add(fixture, 'd', fixture.rootId, you);
    expect(fixture.node(d).position).toBe('a1');
    const e = await add(fixture, 'e', fixture.rootId, you);
    await undo(fixture);
    expect(childIds(fixture.tree, fixture.rootId)).toEqual([a, d, b, e]);
  });

  test('[U20] undo never makes a finished reply pending, since no run would finish it', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.grow(['q']);
    const { result } = await fixture.run({
      type: 'reply',
      treeId: fixture.treeId,
      parentId: q ?? fixture.rootId,
      replies: [{}],
    });
    const [reply = fixture.rootId] = result.added;
    const finish = {
      type: 'finish',
      treeId: fixture.treeId,
      nodeId: reply,
      status: 'success',
      message: assistant('yes'),
    } as const;
    await fixture.run(finish);
    await undo(fixture);
    expect(fixture.node(reply)).toMatchObject({ status: 'interrupted', text: '' });
    await redo(fixture);
    expect(fixture.node(reply)).toMatchObject({ status: 'success', text: 'yes' });
    await undo(fixture);
    await undo(fixture);
    expect(findNode(fixture.tree, reply)).toBeUndefined();
  });

  test('[U20] a reply that another actor finished is undone with the act that started it', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.grow(['q']);
    const { result } = await fixture.run({
      type: 'reply',
      treeId: fixture.treeId,
      parentId: q ?? fixture.rootId,
      replies: [{}],
    });
    const [reply = fixture.rootId] = result.added;
    await fixture.run(
      { type: 'finish', treeId: fixture.treeId, nodeId: reply, status: 'interrupted', message: assistant('half') },
      { actor: 'recovery' },
    );
    await undo(fixture);
    expect(fixture.drawing()).toEqual(['q *']);
  });
});

describe('redo', () => {
  test('[U13] the next act of the caller clears it; acts of others, another active node and a retry do not', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.grow(['a']);
    await add(fixture, 'b', a ?? fixture.rootId);
    await undo(fixture);
    await add(fixture, 'yours', fixture.rootId, you);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: a ?? fixture.rootId });
    await fixture.grow(['a'], fixture.rootId);
    await redo(fixture);
    expect(fixture.texts(a)).toEqual(['b']);
    await undo(fixture);
    await fixture.run({ type: 'tag', treeId: fixture.treeId, nodeId: a ?? fixture.rootId, tags: ['x'] });
    expect(await refusalOf(fixture, { type: 'redo', treeId: fixture.treeId })).toBe('undo/nothing');
  });

  test('[U14] changing only the active node is not an act', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.grow(['a', 'b']);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: a ?? fixture.rootId });
    await fixture.run({ type: 'branch', treeId: fixture.treeId, nodeId: a ?? fixture.rootId });
    await undo(fixture);
    expect(fixture.tree.size).toBe(0);
  });
});

describe('undo of large acts', () => {
  test('[U24] 2,000 variants of one act are undone with a few reads each', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.grow(['q']);
    const replies = Array.from({ length: 2000 }, (_, at) => ({ message: assistant(`r${at}`) }));
    await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: q ?? fixture.rootId, replies });
    const { plan, asked } = await planned(fixture, { type: 'undo', treeId: fixture.treeId });
    expect(plan.steps.filter((step) => step.type === 'remove')).toHaveLength(2000);
    expect(asked.length).toBeLessThan(2000 * 8);
    await undo(fixture);
    expect(fixture.tree.size).toBe(1);
    await redo(fixture);
    expect(fixture.tree.size).toBe(2001);
  });

  test('[U24] a splice that moved 5,000 children is undone without a walk for each', async () => {
    const fixture = await TestTree.make();
    const [q, x] = await fixture.grow(['q', 'x']);
    const replies = Array.from({ length: 5000 }, (_, at) => ({ message: user(`r${at}`) }));
    await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: x ?? fixture.rootId, replies, select: false });
    const before = essence(fixture.tree);
    await remove(fixture, x ?? fixture.rootId, {}, 'splice');
    const { asked } = await planned(fixture, { type: 'undo', treeId: fixture.treeId });
    expect(asked.filter((name) => name === 'isAncestorOrSelf').length).toBeLessThan(10);
    expect(asked.length).toBeLessThan(5000 * 5);
    await undo(fixture);
    expect(essence(fixture.tree)).toEqual(before);
    expect(fixture.texts(q)).toEqual(['x']);
  });
});

describe('the system prompt', () => {
  const set = (fixture: TestTree, systemPrompt: string) =>
    fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { systemPrompt } });

  test('[U60] a prompt set in an empty tree can be undone, and is refused once messages were written under it', async () => {
    const fixture = await TestTree.make({ systemPrompt: 'old' });
    await set(fixture, 'new');
    await undo(fixture);
    expect(fixture.tree.attributes.systemPrompt).toBe('old');
    await set(fixture, 'new');
    await add(fixture, 'yours', fixture.rootId, you);
    expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId })).toBe('undo/overtaken');
    expect(fixture.tree.attributes.systemPrompt).toBe('new');
  });

  test('[U60] restoring a version from before the first message brings its prompt back', async () => {
    const fixture = await TestTree.make({ systemPrompt: 'old' });
    await set(fixture, 'new');
    await add(fixture, 'mine', fixture.rootId);
    await fixture.run({ type: 'restore-version', treeId: fixture.treeId, version: 1 });
    expect(fixture.tree.attributes.systemPrompt).toBe('old');
    expect(fixture.texts()).toEqual([]);
    await undo(fixture);
    expect(fixture.tree.attributes.systemPrompt).toBe('new');
    expect(fixture.texts()).toEqual(['mine']);
    await redo(fixture);
    expect(fixture.tree.attributes.systemPrompt).toBe('old');
    expect(fixture.texts()).toEqual([]);
    await fixture.run({ type: 'restore-version', treeId: fixture.treeId, version: 3 });
    expect(fixture.tree.attributes.systemPrompt).toBe('new');
    expect(fixture.texts()).toEqual(['mine']);
  });
});

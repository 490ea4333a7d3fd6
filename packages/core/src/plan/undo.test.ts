import { describe, expect, test } from 'vitest';
import type { NodeId } from '../ids.ts';
import {
  addMessage,
  addPendingReply,
  deleteNode,
  moveNode,
  otherActor,
  overwriteText,
  redoLast,
  undoLast,
} from '../testing/act-shorthands.ts';
import {
  assistant,
  planWithoutCommit,
  ReferenceStore,
  refusalOf,
  TestTree,
  testUuid,
  undoableState,
  user,
} from '../testing/index.ts';
import { bookmarkOn, childIds, findNode } from '../tree.ts';

describe('which act is undone', () => {
  test('[U4] undo chooses the newest act of the caller, whatever others did since', async () => {
    const fixture = await TestTree.make();
    const mine = await addMessage(fixture, 'mine', fixture.rootId);
    const yours = await addMessage(fixture, 'yours', fixture.rootId, otherActor);
    const { commit } = await undoLast(fixture);
    expect(findNode(fixture.tree, mine)).toBeUndefined();
    expect(fixture.node(yours).text).toBe('yours');
    expect(commit).toMatchObject({ kind: 'undo', actor: 'me' });
    expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId })).toBe('undo/nothing');
  });

  test('[U4] an act that was undone is skipped, and an act that was redone is not', async () => {
    const fixture = await TestTree.make();
    await addMessage(fixture, 'one', fixture.rootId);
    await addMessage(fixture, 'two', fixture.rootId);
    await undoLast(fixture);
    await undoLast(fixture);
    expect(fixture.texts()).toEqual([]);
    await redoLast(fixture);
    await redoLast(fixture);
    expect(fixture.texts()).toEqual(['one', 'two']);
    await undoLast(fixture);
    expect(fixture.texts()).toEqual(['one']);
  });

  test('[U4] acts made while a reply was generated are undone first, and do not prevent undoing the turn', async () => {
    const fixture = await TestTree.make();
    const act = { actId: testUuid(500) };
    const sent = await addMessage(fixture, 'send', fixture.rootId, act);
    const { result } = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: sent, replies: [{}] }, act);
    const [reply = fixture.rootId] = result.added;
    await addMessage(fixture, 'meanwhile', reply);
    await fixture.run(
      { type: 'finish', treeId: fixture.treeId, nodeId: reply, status: 'success', message: assistant('yes') },
      act,
    );
    await undoLast(fixture);
    expect(fixture.drawing()).toEqual(['send', '  yes *']);
    await undoLast(fixture);
    expect(fixture.drawing()).toEqual([]);
    await redoLast(fixture);
    await redoLast(fixture);
    expect(fixture.drawing()).toEqual(['send', '  yes', '    meanwhile *']);
  });

  test('[U5] one commit undoes all commits of an act, and one redoes them', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.addMessages(['q']);
    const act = { actId: testUuid(500) };
    const before = undoableState(fixture.tree);
    const parent = await addMessage(fixture, 'send', q ?? fixture.rootId, act);
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
    await overwriteText(fixture, q ?? fixture.rootId, 'q2', act);
    await overwriteText(fixture, q ?? fixture.rootId, 'q3', act);
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: 'a' } }, act);
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: 'b' } }, act);
    const after = undoableState(fixture.tree);
    const { version } = fixture.tree;
    const { commit } = await undoLast(fixture);
    expect(undoableState(fixture.tree)).toEqual(before);
    expect(fixture.tree.version).toBe(version + 1);
    expect(commit?.actId).toBe(act.actId);
    await redoLast(fixture);
    expect(undoableState(fixture.tree)).toEqual(after);
  });

  test('[U5] an act that moved a node twice, or moved nodes into each other, is undone exactly', async () => {
    const fixture = await TestTree.make();
    const ids: NodeId[] = [];
    for (const text of ['a', 'b', 'c']) ids.push(await addMessage(fixture, text, fixture.rootId));
    const [a = fixture.rootId, b = fixture.rootId, c = fixture.rootId] = ids;
    const before = undoableState(fixture.tree);
    const act = { actId: testUuid(500) };
    await moveNode(fixture, a, c, act);
    await moveNode(fixture, b, a, act);
    await moveNode(fixture, b, c, act);
    await moveNode(fixture, a, b, act);
    await addMessage(fixture, 'in the place of b', fixture.rootId, act);
    const after = undoableState(fixture.tree);
    await undoLast(fixture);
    expect(undoableState(fixture.tree)).toEqual(before);
    await redoLast(fixture);
    expect(undoableState(fixture.tree)).toEqual(after);
  });

  test('[U5] an act that deleted a node and then its parent brings both back', async () => {
    const fixture = await TestTree.make();
    const [, b, c] = await fixture.addMessages(['a', 'b', 'c']);
    const before = undoableState(fixture.tree);
    await deleteNode(fixture, c ?? fixture.rootId, { actId: testUuid(500) });
    await deleteNode(fixture, b ?? fixture.rootId, { actId: testUuid(500) });
    await undoLast(fixture);
    expect(undoableState(fixture.tree)).toEqual(before);
  });

  test('[U5] an act that deleted and restored a node leaves it as it is', async () => {
    const fixture = await TestTree.make();
    const [, b] = await fixture.addMessages(['a', 'b']);
    const act = { actId: testUuid(500) };
    await fixture.run({ type: 'title', treeId: fixture.treeId, nodeId: b ?? fixture.rootId, title: 'noted' }, act);
    await deleteNode(fixture, b ?? fixture.rootId, act);
    await fixture.run({ type: 'restore', treeId: fixture.treeId, nodeId: b ?? fixture.rootId }, act);
    await undoLast(fixture);
    expect(fixture.node(b ?? '').meta.title).toBeUndefined();
  });

  test('[U23] if an act continues after it was undone, only its later commits count', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.addMessages(['q']);
    const act = { actId: testUuid(500) };
    await overwriteText(fixture, q ?? fixture.rootId, 'first', act);
    await undoLast(fixture);
    await overwriteText(fixture, q ?? fixture.rootId, 'second', act);
    await undoLast(fixture);
    expect(fixture.node(q ?? '').text).toBe('q');
    await redoLast(fixture);
    await addMessage(fixture, 'more', q ?? fixture.rootId, act);
    await undoLast(fixture);
    expect(fixture.drawing()).toEqual(['q *']);
  });

  test('[U21] a named act is undone, and no other', async () => {
    const fixture = await TestTree.make();
    const first = await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: user('one') }] });
    await addMessage(fixture, 'two', fixture.rootId);
    await fixture.run({ type: 'undo', treeId: fixture.treeId, actId: first.actId });
    expect(fixture.texts()).toEqual(['two']);
    expect(await fixture.refusal({ type: 'undo', treeId: fixture.treeId, actId: first.actId })).toBe('undo/nothing');
    expect(await fixture.refusal({ type: 'undo', treeId: fixture.treeId, actId: first.actId }, otherActor)).toBe(
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
    const [a] = await fixture.addMessages(['a', 'b']);
    await deleteNode(fixture, a ?? fixture.rootId);
    const store = new ReferenceStore();
    for (const [id, tree] of fixture.reference?.trees ?? []) store.trees.set(id, tree);
    for (const [id, log] of fixture.reference?.commits ?? []) store.commits.set(id, JSON.parse(JSON.stringify(log)));
    const again = new TestTree(store, fixture.treeId);
    await undoLast(again);
    expect(again.drawing()).toEqual(['a', '  b *']);
  });
});

describe('what undo restores', () => {
  test.each(['splice', 'cascade'] as const)(
    '[U6] undoing a %s restores the same ids, order, groups, bookmarks and active node',
    async (mode) => {
      const fixture = await TestTree.make();
      const [q] = await fixture.addMessages(['q']);
      const { result } = await fixture.run({
        type: 'reply',
        treeId: fixture.treeId,
        parentId: q ?? fixture.rootId,
        replies: [{ message: assistant('one') }, { message: assistant('two') }],
      });
      const [one = fixture.rootId] = result.added;
      const below = await addMessage(fixture, 'below', one);
      await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: one, title: 'here' });
      await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: below, title: 'there' });
      await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: one });
      const before = undoableState(fixture.tree);
      await deleteNode(fixture, one, {}, mode);
      await undoLast(fixture);
      expect(undoableState(fixture.tree)).toEqual(before);
    },
  );

  test('[U6] undoing a clear restores everything', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(['a', 'b']);
    await fixture.addMessages(['c'], fixture.rootId);
    const before = undoableState(fixture.tree);
    await fixture.run({ type: 'clear', treeId: fixture.treeId });
    await undoLast(fixture);
    expect(undoableState(fixture.tree)).toEqual(before);
  });

  test('[U22] undoing a split keeps the active node and the bookmarks of the left half on the joined message', async () => {
    const fixture = await TestTree.make();
    const [q, below] = await fixture.addMessages(['hello world', 'yes']);
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: below ?? fixture.rootId, title: 'here' });
    const before = undoableState(fixture.tree);
    await fixture.run({ type: 'split', treeId: fixture.treeId, nodeId: q ?? fixture.rootId, position: 5 });
    await undoLast(fixture);
    expect(undoableState(fixture.tree)).toEqual(before);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: q ?? fixture.rootId });
    const { result } = await fixture.run({
      type: 'split',
      treeId: fixture.treeId,
      nodeId: q ?? fixture.rootId,
      position: 5,
    });
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: result.nodeId });
    await undoLast(fixture);
    expect(fixture.active).not.toBeNull();
    expect(bookmarkOn(fixture.tree, below ?? '')?.title).toBe('here');
  });

  test('[U15] undo restores the active node if it is where the act left it', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.addMessages(['a', 'b']);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: a ?? fixture.rootId });
    await addMessage(fixture, 'c', fixture.rootId);
    await undoLast(fixture);
    expect(fixture.active).toBe(a);
  });

  test('[U15] the active node stays if the user moved, and is replaced if it is removed', async () => {
    const fixture = await TestTree.make();
    const [a, b] = await fixture.addMessages(['a', 'b']);
    const { result } = await fixture.run({
      type: 'append',
      treeId: fixture.treeId,
      parentId: a ?? fixture.rootId,
      messages: [{ message: user('c') }, { message: assistant('d') }],
    });
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: a ?? fixture.rootId });
    await undoLast(fixture);
    expect(fixture.active).toBe(a);
    await redoLast(fixture);
    expect(fixture.active).toBe(a);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: result.added[0] ?? fixture.rootId });
    await undoLast(fixture);
    expect(fixture.active).toBe(b);
  });

  test('[U16] a restored node whose position is taken comes directly after it', async () => {
    const fixture = await TestTree.make();
    const a = await addMessage(fixture, 'a', fixture.rootId);
    const b = await addMessage(fixture, 'b', fixture.rootId);
    await addMessage(fixture, 'c', a);
    await moveNode(fixture, b, a);
    const d = await addMessage(fixture, 'd', fixture.rootId, otherActor);
    expect(fixture.node(d).position).toBe('a1');
    const e = await addMessage(fixture, 'e', fixture.rootId, otherActor);
    await undoLast(fixture);
    expect(childIds(fixture.tree, fixture.rootId)).toEqual([a, d, b, e]);
  });

  test('[U20] undo never makes a finished reply pending, since no run would finish it', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.addMessages(['q']);
    const reply = await addPendingReply(fixture, q ?? fixture.rootId);
    const finish = {
      type: 'finish',
      treeId: fixture.treeId,
      nodeId: reply,
      status: 'success',
      message: assistant('yes'),
    } as const;
    await fixture.run(finish);
    await undoLast(fixture);
    expect(fixture.node(reply)).toMatchObject({ status: 'interrupted', text: '' });
    await redoLast(fixture);
    expect(fixture.node(reply)).toMatchObject({ status: 'success', text: 'yes' });
    await undoLast(fixture);
    await undoLast(fixture);
    expect(findNode(fixture.tree, reply)).toBeUndefined();
  });

  test('[U20] a reply that another actor finished is undone with the act that started it', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.addMessages(['q']);
    const reply = await addPendingReply(fixture, q ?? fixture.rootId);
    await fixture.run(
      { type: 'finish', treeId: fixture.treeId, nodeId: reply, status: 'interrupted', message: assistant('half') },
      { actor: 'recovery' },
    );
    await undoLast(fixture);
    expect(fixture.drawing()).toEqual(['q *']);
  });
});

describe('redo', () => {
  test('[U13] the next act of the caller clears it; acts of others, another active node and a retry do not', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.addMessages(['a']);
    await addMessage(fixture, 'b', a ?? fixture.rootId);
    await undoLast(fixture);
    await addMessage(fixture, 'yours', fixture.rootId, otherActor);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: a ?? fixture.rootId });
    await fixture.addMessages(['a'], fixture.rootId);
    await redoLast(fixture);
    expect(fixture.texts(a)).toEqual(['b']);
    await undoLast(fixture);
    await fixture.run({ type: 'tag', treeId: fixture.treeId, nodeId: a ?? fixture.rootId, tags: ['x'] });
    expect(await refusalOf(fixture, { type: 'redo', treeId: fixture.treeId })).toBe('undo/nothing');
  });

  test('[U14] changing only the active node is not an act', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.addMessages(['a', 'b']);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: a ?? fixture.rootId });
    await fixture.run({ type: 'branch', treeId: fixture.treeId, nodeId: a ?? fixture.rootId });
    await undoLast(fixture);
    expect(fixture.tree.size).toBe(0);
  });
});

describe('undo of large acts', () => {
  test('[U24] 2,000 variants of one act are undone with a few reads each', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.addMessages(['q']);
    const replies = Array.from({ length: 2000 }, (_, at) => ({ message: assistant(`r${at}`) }));
    await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: q ?? fixture.rootId, replies });
    const { plan, asked } = await planWithoutCommit(fixture, { type: 'undo', treeId: fixture.treeId });
    expect(plan.steps.filter((step) => step.type === 'remove')).toHaveLength(2000);
    expect(asked.length).toBeLessThan(2000 * 8);
    await undoLast(fixture);
    expect(fixture.tree.size).toBe(1);
    await redoLast(fixture);
    expect(fixture.tree.size).toBe(2001);
  });

  test('[U24] a splice that moved 5,000 children is undone without a walk for each', async () => {
    const fixture = await TestTree.make();
    const [q, x] = await fixture.addMessages(['q', 'x']);
    const replies = Array.from({ length: 5000 }, (_, at) => ({ message: user(`r${at}`) }));
    await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: x ?? fixture.rootId, replies, select: false });
    const before = undoableState(fixture.tree);
    await deleteNode(fixture, x ?? fixture.rootId, {}, 'splice');
    const { asked } = await planWithoutCommit(fixture, { type: 'undo', treeId: fixture.treeId });
    expect(asked.filter((name) => name === 'isAncestorOrSelf').length).toBeLessThan(10);
    expect(asked.length).toBeLessThan(5000 * 5);
    await undoLast(fixture);
    expect(undoableState(fixture.tree)).toEqual(before);
    expect(fixture.texts(q)).toEqual(['x']);
  });

  test('[U62] undoing a move near the end of a long chat does not read the messages above it', async () => {
    const fixture = await TestTree.make();
    const ids = await fixture.addMessages(Array.from({ length: 2000 }, (_, at) => `m${at}`));
    const [moved, to] = [ids.at(-5) ?? fixture.rootId, ids.at(-10) ?? fixture.rootId];
    const before = undoableState(fixture.tree);
    await fixture.run({ type: 'move', treeId: fixture.treeId, nodeId: moved, parentId: to });
    const { asked } = await planWithoutCommit(fixture, { type: 'undo', treeId: fixture.treeId });
    expect(asked).not.toContain('path');
    expect(asked.length).toBeLessThan(20);
    await undoLast(fixture);
    expect(undoableState(fixture.tree)).toEqual(before);
  });
});

describe('the system prompt', () => {
  const set = (fixture: TestTree, systemPrompt: string) =>
    fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { systemPrompt } });

  test('[U60] a prompt set in an empty tree can be undone, and is refused once messages were written under it', async () => {
    const fixture = await TestTree.make({ systemPrompt: 'old' });
    await set(fixture, 'new');
    await undoLast(fixture);
    expect(fixture.tree.attributes.systemPrompt).toBe('old');
    await set(fixture, 'new');
    await addMessage(fixture, 'yours', fixture.rootId, otherActor);
    expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId })).toBe('undo/overtaken');
    expect(fixture.tree.attributes.systemPrompt).toBe('new');
  });

  test('[U60] restoring a version from before the first message brings its prompt back', async () => {
    const fixture = await TestTree.make({ systemPrompt: 'old' });
    await set(fixture, 'new');
    await addMessage(fixture, 'mine', fixture.rootId);
    await fixture.run({ type: 'restore-version', treeId: fixture.treeId, version: 1 });
    expect(fixture.tree.attributes.systemPrompt).toBe('old');
    expect(fixture.texts()).toEqual([]);
    await undoLast(fixture);
    expect(fixture.tree.attributes.systemPrompt).toBe('new');
    expect(fixture.texts()).toEqual(['mine']);
    await redoLast(fixture);
    expect(fixture.tree.attributes.systemPrompt).toBe('old');
    expect(fixture.texts()).toEqual([]);
    await fixture.run({ type: 'restore-version', treeId: fixture.treeId, version: 3 });
    expect(fixture.tree.attributes.systemPrompt).toBe('new');
    expect(fixture.texts()).toEqual(['mine']);
  });
});

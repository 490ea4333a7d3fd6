import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { subtree } from '../path.ts';
import { moveToTree } from '../run.ts';
import {
  assistant,
  createTestClock,
  planWithoutCommit,
  ReferenceStore,
  refusalOf,
  runAndCheck,
  stepTypesOf,
  TestTree,
  testKit,
  testUuid,
  undoableState,
  user,
} from '../testing/index.ts';
import { bookmarkOn, childIds, findNode } from '../tree.ts';
import type { CherryPickCommand, GraftCommand, MergeCommand } from './copy.ts';

const nowhere = nodeId(testUuid(77));

async function two(): Promise<{ here: TestTree; there: TestTree }> {
  const there = await TestTree.make();
  const here = await TestTree.make({ store: there.store, treeId: treeId(testUuid(2)) });
  return { here, there };
}

function grafting(here: TestTree, there: TestTree, id: NodeId, parentId: NodeId, select?: boolean): GraftCommand {
  const from = { treeId: there.treeId, nodeId: id };
  return { type: 'graft', treeId: here.treeId, from, parentId, ...(select === undefined ? {} : { select }) };
}

describe('a graft', () => {
  test('[V19] copies a branch of another tree with new ids, its order, groups, metadata, times and origin', async () => {
    const { here, there } = await two();
    const [q = nowhere] = await there.addMessages(['q']);
    const replies = [{ message: assistant('one') }, { message: assistant('two') }];
    const { result: made } = await there.run({ type: 'reply', treeId: there.treeId, parentId: q, replies });
    await there.run({ type: 'tag', treeId: there.treeId, nodeId: q, tags: ['x'] });
    await there.addMessages(['under two'], made.added[1]);
    await here.variant(user('first'), here.rootId);
    const before = there.tree;
    const { result } = await runAndCheck(here, grafting(here, there, q, here.rootId));
    expect(there.tree).toBe(before);
    expect(here.drawing()).toEqual(['first *', 'q', '  one', '  two', '    under two']);
    const copies = subtree(here.tree, result.nodeId);
    const originals = subtree(there.tree, q);
    expect(result.added).toEqual(copies.map((node) => node.id));
    for (const [index, copy] of copies.entries()) {
      const original = originals[index];
      expect(findNode(there.tree, copy.id)).toBeUndefined();
      expect(copy.meta.copiedFrom).toEqual({ treeId: there.treeId, nodeId: original?.id });
      expect(copy.createdAt).toBe(original?.createdAt);
      expect(copy.message).toEqual(original?.message);
      expect(copy.groupId).toBe(original?.groupId);
    }
    expect(here.node(result.nodeId).meta.tags).toEqual(['x']);
  });

  test('[V19] puts the copied top node in no group, because its siblings are not copied', async () => {
    const { here, there } = await two();
    const replies = [{ message: assistant('one') }, { message: assistant('two') }];
    const { result: made } = await there.run({ type: 'reply', treeId: there.treeId, parentId: there.rootId, replies });
    const { result } = await runAndCheck(here, grafting(here, there, made.added[0] ?? nowhere, here.rootId));
    expect(here.node(result.nodeId).groupId).toBe(0);
  });

  test('[V20] turns a pending reply into a failed one, and copies no bookmarks', async () => {
    const { here, there } = await two();
    const [q = nowhere] = await there.addMessages(['q']);
    await there.run({ type: 'reply', treeId: there.treeId, parentId: q, replies: [{}] });
    await there.run({ type: 'bookmark', treeId: there.treeId, nodeId: q, title: 'here' });
    const { result } = await runAndCheck(here, grafting(here, there, q, here.rootId));
    expect(here.node(result.added[1] ?? nowhere).status).toBe('error');
    expect(bookmarkOn(here.tree, result.nodeId)).toBeUndefined();
  });

  test('[V20] points markers and split halves at the copied nodes', async () => {
    const { here, there } = await two();
    const [q = nowhere] = await there.addMessages(['hello world', 'yes']);
    const { result: halves } = await there.run({ type: 'split', treeId: there.treeId, nodeId: q, position: 5 });
    await there.run({ type: 'compact', treeId: there.treeId, summary: 'so far', firstKept: q });
    const { result } = await runAndCheck(here, grafting(here, there, halves.nodeId, here.rootId));
    const copies = subtree(here.tree, result.nodeId);
    const right = copies.find((node) => node.meta.copiedFrom?.nodeId === q);
    expect(here.node(result.nodeId).meta.splitSource).toBe(right?.id);
    expect(copies.find((node) => node.kind === 'compaction')?.marker?.firstKept).toBe(right?.id);
    const alone = await here.run({
      type: 'cherry-pick',
      treeId: here.treeId,
      nodeId: halves.nodeId,
      from: there.treeId,
    });
    expect(here.node(alone.result.nodeId).meta.splitSource).toBeUndefined();
  });

  test('[V21] changes the active node on request or if the tree is empty, to the leaf last visited there', async () => {
    const { here, there } = await two();
    const [q = nowhere] = await there.addMessages(['q', 'old']);
    await there.addMessages(['new'], q);
    await there.run({ type: 'select', treeId: there.treeId, nodeId: childIds(there.tree, q)[0] ?? q });
    await runAndCheck(here, grafting(here, there, q, here.rootId));
    expect(here.thread()).toEqual(['q', 'old']);
    const at = here.active;
    await runAndCheck(here, grafting(here, there, q, here.rootId));
    expect(here.active).toBe(at);
    const { result } = await runAndCheck(here, grafting(here, there, q, here.rootId, true));
    expect(here.node(here.active ?? '').parentId).toBe(result.nodeId);
  });

  test('[V22] refuses the root, unknown nodes and nodes of another owner', async () => {
    const { here, there } = await two();
    const [q = nowhere] = await there.addMessages(['q']);
    const owned = there.reference?.forOwner('stranger') ?? new ReferenceStore('stranger');
    const theirs = await TestTree.make({ store: owned, treeId: treeId(testUuid(3)) });
    const hidden = await theirs.variant(user('secret'), theirs.rootId);
    const commands: readonly (readonly [GraftCommand, string])[] = [
      [grafting(here, there, there.rootId, here.rootId), 'tree/root-protected'],
      [grafting(here, there, nowhere, here.rootId), 'tree/unknown-node'],
      [grafting(here, there, q, nowhere), 'tree/unknown-node'],
      [grafting(here, there, q, q), 'tree/foreign-parent'],
      [grafting(here, theirs, hidden, here.rootId), 'tree/unknown-node'],
    ];
    for (const [command, code] of commands) expect(await refusalOf(here, command)).toBe(code);
  });
});

function picking(fixture: TestTree, id: NodeId, to?: NodeId, from?: TestTree): CherryPickCommand {
  const command: CherryPickCommand = { type: 'cherry-pick', treeId: fixture.treeId, nodeId: id };
  return { ...command, ...(to === undefined ? {} : { to }), ...(from === undefined ? {} : { from: from.treeId }) };
}

describe('a cherry-pick', () => {
  test('[V23] copies a message to the end of the active branch, with its origin', async () => {
    const fixture = await TestTree.make();
    const [q = nowhere] = await fixture.addMessages(['q', 'main']);
    const replies = [{ message: assistant('one') }, { message: assistant('two') }];
    const { result: made } = await fixture.run({
      type: 'reply',
      treeId: fixture.treeId,
      parentId: q,
      replies,
      select: false,
    });
    const [one = nowhere] = made.added;
    const { result, commit } = await runAndCheck(fixture, picking(fixture, one));
    expect(fixture.thread()).toEqual(['q', 'main', 'one']);
    expect(fixture.active).toBe(result.nodeId);
    expect(stepTypesOf({ commit })).toEqual(['insert', 'select']);
    const copy = fixture.node(result.nodeId);
    expect(copy.meta.pickedFrom).toEqual({ treeId: fixture.treeId, nodeId: one });
    expect(copy.groupId).toBe(0);
    expect(copy.createdAt).toBeGreaterThanOrEqual(fixture.node(copy.parentId ?? '').createdAt);
    expect(fixture.node(one).groupId).toBe(1);
  });

  test('[V23] copies a range of a path as a chain without its markers, in one commit', async () => {
    const fixture = await TestTree.make();
    const [q = nowhere, a = nowhere] = await fixture.addMessages(['q', 'a', 'b']);
    await fixture.run({ type: 'mark', treeId: fixture.treeId, kind: 'state', message: user('state') });
    const [c = nowhere] = await fixture.addMessages(['c']);
    await fixture.addMessages(['main'], q);
    const { result } = await runAndCheck(fixture, picking(fixture, a, c));
    expect(fixture.thread()).toEqual(['q', 'main', 'a', 'b', 'c']);
    expect(result.added).toHaveLength(3);
    expect(fixture.active).toBe(result.nodeId);
  });

  test('[V24] picks from another tree, also into an empty one', async () => {
    const { here, there } = await two();
    const [q = nowhere, a = nowhere] = await there.addMessages(['q', 'a']);
    const { result } = await runAndCheck(here, picking(here, q, a, there));
    expect(here.thread()).toEqual(['q', 'a']);
    expect(here.node(result.nodeId).meta.pickedFrom).toEqual({ treeId: there.treeId, nodeId: a });
  });

  test('[V25] refuses the root, markers, pending replies, and a range whose end is not below its start', async () => {
    const { here, there } = await two();
    const [q = nowhere, a = nowhere] = await there.addMessages(['q', 'a']);
    const side = await there.variant(user('side'), q);
    const { result: marked } = await there.run({
      type: 'mark',
      treeId: there.treeId,
      kind: 'state',
      message: user('state'),
      parentId: q,
    });
    const { result: open } = await there.run({ type: 'reply', treeId: there.treeId, parentId: q, replies: [{}] });
    const commands: readonly (readonly [TestTree, CherryPickCommand, string])[] = [
      [there, picking(there, there.rootId), 'tree/root-protected'],
      [there, picking(there, there.rootId, a), 'tree/root-protected'],
      [there, picking(there, marked.nodeId), 'command/invalid'],
      [there, picking(there, open.added[0] ?? nowhere), 'tree/pending'],
      [there, picking(there, q, open.added[0] ?? nowhere), 'tree/pending'],
      [there, picking(there, a, side), 'tree/not-on-path'],
      [there, picking(there, a, q), 'tree/not-on-path'],
      [there, picking(there, nowhere), 'tree/unknown-node'],
      [there, picking(there, q, nowhere), 'tree/unknown-node'],
      [here, picking(here, q), 'tree/foreign-parent'],
    ];
    for (const [fixture, command, code] of commands) expect(await refusalOf(fixture, command)).toBe(code);
  });
});

describe('a merge', () => {
  const merging = (fixture: TestTree, id: NodeId, further: Partial<MergeCommand> = {}): MergeCommand => ({
    type: 'merge',
    treeId: fixture.treeId,
    nodeId: id,
    ...further,
  });

  test('[V26] adds one summary at the end of the active branch that names the last node of the other', async () => {
    const fixture = await TestTree.make();
    const [q = nowhere, tip = nowhere] = await fixture.addMessages(['q', 'side']);
    await fixture.addMessages(['main'], q);
    const { result } = await runAndCheck(fixture, merging(fixture, tip, { summary: 'the side said so' }));
    const node = fixture.node(result.nodeId);
    expect(node).toMatchObject({ kind: 'branch-summary', text: 'the side said so', role: 'system' });
    expect(node.marker?.mergedFrom).toEqual({ treeId: fixture.treeId, nodeId: tip });
    expect(fixture.thread()).toEqual(['q', 'main', 'the side said so']);
    expect(fixture.active).toBe(result.nodeId);
  });

  test('[V27] by messages copies the messages after the common ancestor, as one act', async () => {
    const fixture = await TestTree.make();
    const [q = nowhere, , tip = nowhere] = await fixture.addMessages(['q', 'side', 'more']);
    await fixture.addMessages(['main'], q);
    const before = undoableState(fixture.tree);
    await runAndCheck(fixture, merging(fixture, tip, { mode: 'messages' }));
    expect(fixture.thread()).toEqual(['q', 'main', 'side', 'more']);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(undoableState(fixture.tree)).toEqual(before);
  });

  test('[V28] refuses a blank summary, a node on the active branch, the root and unknown nodes', async () => {
    const fixture = await TestTree.make();
    const [q = nowhere, tip = nowhere] = await fixture.addMessages(['q', 'side']);
    const [main = nowhere] = await fixture.addMessages(['main'], q);
    const commands: readonly (readonly [MergeCommand, string])[] = [
      [merging(fixture, tip), 'message/blank'],
      [merging(fixture, tip, { summary: ' \n' }), 'message/blank'],
      [merging(fixture, q, { summary: 'x' }), 'command/invalid'],
      [merging(fixture, main, { mode: 'messages' }), 'command/invalid'],
      [merging(fixture, fixture.rootId, { summary: 'x' }), 'tree/root-protected'],
      [merging(fixture, nowhere, { summary: 'x' }), 'tree/unknown-node'],
    ];
    for (const [command, code] of commands) expect(await refusalOf(fixture, command)).toBe(code);
  });

  test('[V29] finds the common ancestor of two branches of 4,000 in a few reads', async () => {
    const fixture = await TestTree.make();
    const ids = await fixture.addMessages(Array.from({ length: 4000 }, (_, at) => `m${at}`));
    const fork = ids[2500] ?? nowhere;
    const tip = ids[3999] ?? nowhere;
    await fixture.addMessages(['main'], fork);
    const { plan, asked } = await planWithoutCommit(fixture, merging(fixture, tip, { mode: 'messages' }));
    expect(plan.steps.filter((step) => step.type === 'insert')).toHaveLength(1499);
    expect(asked.length).toBeLessThan(30);
  });
});

test('[V40] a cherry-pick and a merge go to the named node, wherever the user is', async () => {
  const fixture = await TestTree.make();
  const [q = nowhere, tip = nowhere] = await fixture.addMessages(['q', 'side']);
  const [main = nowhere] = await fixture.addMessages(['main'], q);
  await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: q });
  await runAndCheck(fixture, { type: 'cherry-pick', treeId: fixture.treeId, nodeId: tip, parentId: main });
  expect(fixture.thread()).toEqual(['q', 'main', 'side']);
  await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: q });
  await runAndCheck(fixture, { type: 'merge', treeId: fixture.treeId, nodeId: tip, mode: 'messages', parentId: main });
  expect(fixture.thread()).toEqual(['q', 'main', 'side']);
  await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: q });
  const noted = { meta: { source: { type: 'summary' } }, details: { focus: 'why' } };
  const { result } = await runAndCheck(fixture, {
    type: 'merge',
    treeId: fixture.treeId,
    nodeId: tip,
    summary: 'in short',
    parentId: main,
    ...noted,
  });
  expect(fixture.thread()).toEqual(['q', 'main', 'in short']);
  expect(fixture.node(result.nodeId)).toMatchObject({
    meta: noted.meta,
    marker: { details: noted.details, from: tip },
  });
  const beyond = { type: 'merge', treeId: fixture.treeId, nodeId: main, summary: 'x', parentId: main } as const;
  expect(await refusalOf(fixture, beyond)).toBe('command/invalid');
});

describe('a move to another tree', () => {
  const context = { actor: 'me', kit: testKit, ...createTestClock(55) };

  test('[V30] is a copy in the target tree and a removal in the source tree, two commits of one act, the copy first', async () => {
    const { here, there } = await two();
    const [, b = nowhere] = await there.addMessages(['a', 'b', 'c']);
    const from = { treeId: there.treeId, nodeId: b };
    const { result, actId } = await moveToTree(
      there.store,
      { from, to: { treeId: here.treeId, parentId: here.rootId } },
      context,
    );
    expect(here.drawing()).toEqual(['b', '  c *']);
    expect(here.node(result.nodeId).meta.copiedFrom).toEqual({ treeId: there.treeId, nodeId: b });
    expect(there.drawing()).toEqual(['a *']);
    const logs = [here, there].map((fixture) => fixture.reference?.commits.get(fixture.treeId)?.at(-1));
    expect(logs.map((commit) => commit?.actId)).toEqual([actId, actId]);
  });

  test('[V31] is refused before anything is copied if the target cannot hold the branch or already has it', async () => {
    const { here, there } = await two();
    const [a = nowhere, b = nowhere] = await there.addMessages(['a', 'b']);
    await there.run({ type: 'reply', treeId: there.treeId, parentId: b, replies: [{}] });
    const to = { treeId: here.treeId, parentId: here.rootId };
    const tries = [
      [{ from: { treeId: there.treeId, nodeId: a }, to }, 'tree/pending'],
      [{ from: { treeId: there.treeId, nodeId: there.rootId }, to }, 'tree/root-protected'],
      [{ from: { treeId: there.treeId, nodeId: nowhere }, to }, 'tree/unknown-node'],
      [{ from: { treeId: there.treeId, nodeId: a }, to: { ...to, parentId: nowhere } }, 'tree/pending'],
      [{ from: { treeId: there.treeId, nodeId: a }, to: { treeId: there.treeId, parentId: b } }, 'command/invalid'],
    ] as const;
    const trees = [here.tree, there.tree];
    for (const [wish, code] of tries)
      await expect(moveToTree(there.store, wish, context)).rejects.toMatchObject({ code });
    expect(here.tree).toBe(trees[0]);
    expect(there.tree).toBe(trees[1]);
  });

  test('[V31] is refused before anything is copied if the source tree is in the trash', async () => {
    const { here, there } = await two();
    const [a = nowhere] = await there.addMessages(['a']);
    await there.run({ type: 'delete-tree', treeId: there.treeId });
    const wish = { from: { treeId: there.treeId, nodeId: a }, to: { treeId: here.treeId, parentId: here.rootId } };
    await expect(moveToTree(there.store, wish, context)).rejects.toMatchObject({ code: 'tree/read-only' });
    expect(here.texts()).toEqual([]);
  });

  test('[V31] expects the version of the target tree', async () => {
    const { here, there } = await two();
    const [a = nowhere] = await there.addMessages(['a']);
    await here.addMessages(['x']);
    const wish = { from: { treeId: there.treeId, nodeId: a }, to: { treeId: here.treeId, parentId: here.rootId } };
    await expect(moveToTree(there.store, wish, { ...context, expectedVersion: 1 })).rejects.toMatchObject({
      code: 'tree/version-conflict',
    });
    expect(there.texts()).toEqual(['a']);
    await moveToTree(there.store, wish, { ...context, expectedVersion: here.tree.version });
    expect(there.texts()).toEqual([]);
  });
});

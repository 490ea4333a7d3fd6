// @module-tag full
import { beforeAll, describe, expect, test } from 'vitest';
import { checkTree } from './check.ts';
import { type NodeId, nodeId } from './ids.ts';
import { treeFromJson, treeToJson } from './json.ts';
import { branchPage, commonAncestor, lastVisitedLeaf, leaves, path, siblingIndex, topology } from './path.ts';
import { assistant, TestTree } from './testing/test-tree.ts';
import { childCount, childIds, findNode, type Tree } from './tree.ts';

function lengthOf(tree: Tree, to: string): number {
  const found = path(tree, { to });
  return found.ok ? found.value.length : -1;
}

/** Returns the tree after a round trip through JSON text. */
function overJson(tree: Tree): Tree {
  const back = treeFromJson(JSON.parse(JSON.stringify(treeToJson(tree))));
  if (!back.ok) throw new Error(back.refusal.message);
  return back.value;
}

function pick(ids: readonly NodeId[], index: number): NodeId {
  return ids[index] ?? nodeId('');
}

describe('[T48] a chain of 100,000 messages', () => {
  const depth = 100_000;
  let fixture = new TestTree();
  let ids: readonly NodeId[] = [];

  beforeAll(async () => {
    fixture = await TestTree.make();
    ids = await fixture.addMessages(Array.from({ length: depth }, (_, index) => `message ${index}`));
  });

  test('[T48] is read as a path, by pages, to its fork and to its leaf', () => {
    const { tree } = fixture;
    const last = pick(ids, depth - 1);
    expect([tree.size, lengthOf(tree, last), tree.activeNodeId]).toEqual([depth, depth, last]);
    expect(branchPage(tree)).toMatchObject({
      ok: true,
      value: { nodes: { length: 20 }, before: pick(ids, depth - 20) },
    });
    expect(branchPage(tree, { before: pick(ids, 5) })).toMatchObject({
      ok: true,
      value: { nodes: { length: 5 }, before: null },
    });
    expect(commonAncestor(tree, last, pick(ids, 3))).toBe(ids[3]);
    expect(lastVisitedLeaf(tree, tree.rootId)).toBe(last);
    expect([leaves(tree).length, topology(tree).length]).toEqual([1, depth]);
  });

  test('[T48] sent again with one more message gets one new node', async () => {
    const messages = Array.from({ length: depth }, (_, index) => `message ${index}`);
    const { tree: before } = fixture;
    const all = await fixture.addMessages([...messages, 'one more'], fixture.rootId);
    expect([fixture.tree.size, fixture.tree.version]).toEqual([before.size + 1, before.version + 1]);
    expect(all.slice(0, depth)).toEqual(ids);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(fixture.tree.size).toBe(depth);
  });

  test('[T48] passes a JSON round trip and the check', () => {
    const back = overJson(fixture.tree);
    expect([back.size, lengthOf(back, pick(ids, depth - 1))]).toEqual([depth, depth]);
    expect(checkTree(back)).toEqual([]);
  });

  test('[T48] is edited and spliced in the middle, and each is undone', async () => {
    const { treeId } = fixture;
    const middle = pick(ids, depth / 2);
    const { result } = await fixture.run({ type: 'edit', treeId, nodeId: middle, content: 'edited' });
    expect(lengthOf(fixture.tree, result.nodeId)).toBe(depth / 2 + 1);
    await fixture.run({ type: 'undo', treeId });
    await fixture.run({ type: 'delete', treeId, nodeIds: [middle] });
    expect([fixture.tree.size, lengthOf(fixture.tree, pick(ids, depth - 1))]).toEqual([depth - 1, depth - 1]);
    await fixture.run({ type: 'undo', treeId });
    expect([fixture.tree.size, lengthOf(fixture.tree, pick(ids, depth - 1))]).toEqual([depth, depth]);
  });

  test('[T48] is removed by one cascade of two steps, and restored by one undo', async () => {
    const { treeId } = fixture;
    const { commit } = await fixture.run({ type: 'delete', treeId, nodeIds: [pick(ids, 1)], mode: 'cascade' });
    expect([commit?.steps.length, fixture.tree.size, fixture.active]).toEqual([2, 1, ids[0]]);
    await fixture.run({ type: 'undo', treeId });
    expect([fixture.tree.size, fixture.active]).toEqual([depth, ids[depth - 1]]);
    expect(lengthOf(fixture.tree, pick(ids, depth - 1))).toBe(depth);
  });
});

describe('[T49] 50,000 variants of one reply', () => {
  const count = 50_000;
  let fixture = new TestTree();
  let top = nodeId('');
  let ids: readonly NodeId[] = [];

  beforeAll(async () => {
    fixture = await TestTree.make();
    const [first] = await fixture.addMessages(['prompt']);
    top = first ?? top;
    const replies = Array.from({ length: count }, (_, index) => ({ message: assistant(`reply ${index}`) }));
    await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: top, replies });
    ids = childIds(fixture.tree, top);
  });

  test('[T49] are counted, paged and appended to', async () => {
    const middle = pick(ids, count / 2);
    expect([ids.length, siblingIndex(fixture.tree, middle)]).toEqual([count, [count / 2, count]]);
    const page = branchPage(fixture.tree, { nodeId: middle, siblings: true });
    expect(page.ok ? page.value.groups.get(middle)?.length : 0).toBe(count - 1);
    const { result } = await fixture.run({ type: 'edit', treeId: fixture.treeId, nodeId: middle, content: 'edited' });
    expect(siblingIndex(fixture.tree, result.nodeId)).toEqual([count, count + 1]);
    expect(findNode(fixture.tree, result.nodeId)?.groupId).toBe(1);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(childCount(fixture.tree, top)).toBe(count);
  });

  test('[T49] pass a JSON round trip and the check', () => {
    const back = overJson(fixture.tree);
    expect(childIds(back, top)).toEqual(ids);
    expect(checkTree(back)).toEqual([]);
  });

  test('[T49] move up by one splice, in order and in one group, and back by one undo', async () => {
    const { treeId } = fixture;
    await fixture.run({ type: 'delete', treeId, nodeIds: [top] });
    expect(childIds(fixture.tree, fixture.rootId)).toEqual(ids);
    expect(new Set(ids.map((id) => findNode(fixture.tree, id)?.groupId)).size).toBe(1);
    await fixture.run({ type: 'undo', treeId });
    expect(childIds(fixture.tree, fixture.rootId)).toEqual([top]);
    expect(childIds(fixture.tree, top)).toEqual(ids);
  });

  test('[T49] are removed by one cascade, and restored in order by one undo', async () => {
    const { treeId } = fixture;
    await fixture.run({ type: 'delete', treeId, nodeIds: ids.slice(1), mode: 'cascade' });
    expect([childIds(fixture.tree, top), fixture.active]).toEqual([[ids[0]], ids[0]]);
    await fixture.run({ type: 'undo', treeId });
    expect(childIds(fixture.tree, top)).toEqual(ids);
  });
});

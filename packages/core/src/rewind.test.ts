import { describe, expect, test } from 'vitest';
import { applyOrThrow } from './apply.ts';
import { checkTree } from './check.ts';
import { nodeId } from './ids.ts';
import { rewindTree, treeFromRows } from './rewind.ts';
import { buildTree } from './testing/build-tree.ts';
import { undoableState } from './testing/expect-steps.ts';
import { TestTree } from './testing/test-tree.ts';
import { allBookmarks, allNodes, childIds, findAnyNode, type Tree } from './tree.ts';

describe('a tree from rows', () => {
  test('[T45] is the same for any order of the rows', () => {
    const { tree } = applyOrThrow(buildTree('a\n  b\n    c\n  d\ne*'), [{ type: 'remove', nodeId: nodeId('b') }]);
    const nodes = allNodes(tree);
    for (const order of [nodes, [...nodes].reverse(), [...nodes].sort((a, b) => (a.id < b.id ? 1 : -1))]) {
      const back = treeFromRows(tree, order, allBookmarks(tree));
      expect(undoableState(back)).toEqual(undoableState(tree));
      expect([back.size, childIds(back, 'a'), checkTree(back)]).toEqual([tree.size, ['d'], []]);
      const restored = applyOrThrow(back, [{ type: 'restore', nodeId: nodeId('b'), version: 3 }]).tree;
      expect([childIds(restored, 'a'), childIds(restored, 'b')]).toEqual([['b', 'd'], ['c']]);
    }
  });

  test('[T45] contains exactly these rows, also if they come from a tree', () => {
    const tree = buildTree('a\n  b*');
    const back = treeFromRows({ ...tree, activeNodeId: null }, allNodes(tree).slice(0, 1), []);
    expect([back.size, allNodes(back).length, checkTree(back)]).toEqual([0, 1, []]);
  });

  test('[T46] keeps inconsistent links, so that the check can name them', () => {
    const tree = buildTree('a\n  b*');
    const nodes = allNodes(tree).filter((node) => node.id !== 'a');
    const codes = checkTree(treeFromRows(tree, nodes, [])).map((finding) => finding.code);
    expect(codes).toContain('I03 dangling-parent');
  });
});

describe('a tree as of a version', () => {
  test('[T47] equals the tree at that time, after edits, splits, deletes, moves and restores', async () => {
    const fixture = await TestTree.make();
    const trees: Tree[] = [fixture.tree];
    const { treeId } = fixture;
    const did = async (work: Promise<unknown>) => {
      await work;
      trees.push(fixture.tree);
    };
    await did(fixture.addMessages(['one two', 'three', 'four', 'five']));
    const [one, two, three] =
      trees[1] === undefined
        ? []
        : allNodes(trees[1])
            .slice(1)
            .map((node) => node.id);
    if (one === undefined || two === undefined || three === undefined) throw new Error('Four were appended.');
    await did(fixture.run({ type: 'edit', treeId, nodeId: one, content: 'other', mode: 'in-place' }));
    await did(fixture.run({ type: 'split', treeId, nodeId: one, position: 2 }));
    await did(fixture.run({ type: 'delete', treeId, nodeIds: [two] }));
    await did(fixture.run({ type: 'bookmark', treeId, nodeId: three, title: 'here' }));
    await did(fixture.run({ type: 'delete', treeId, nodeIds: [three], mode: 'cascade' }));
    await did(fixture.run({ type: 'restore', treeId, nodeId: two }));
    await did(fixture.run({ type: 'undo', treeId }));
    const log = fixture.reference?.commits.get(treeId) ?? [];
    for (const then of trees) {
      const back = rewindTree(fixture.tree, log, then.version);
      expect(undoableState(back)).toEqual(undoableState(then));
      expect(checkTree(back).filter((finding) => finding.severity === 'error')).toEqual([]);
      expect(allNodes(back).length).toBe(allNodes(then).length);
    }
    expect(findAnyNode(rewindTree(fixture.tree, log, 1), one)).toBeUndefined();
    expect(rewindTree(fixture.tree, log, fixture.tree.version)).toEqual(fixture.tree);
  });
});

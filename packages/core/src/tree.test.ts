import { describe, expect, test } from 'vitest';
import { applyOrThrow } from './apply.ts';
import { nodeId, treeId } from './ids.ts';
import { buildNewNode, buildTree } from './testing/build-tree.ts';
import { undoableState } from './testing/expect-steps.ts';
import { allBookmarks, allNodes, bookmarkOn, childCount, childIds, emptyTree, findAnyNode, findNode } from './tree.ts';

describe('a tree value', () => {
  test('[T10] begins without a root, at version 0', () => {
    expect(emptyTree(treeId('t'), 'ann', 5)).toMatchObject({
      id: 't',
      owner: 'ann',
      rootId: '',
      version: 0,
      size: 0,
      activeNodeId: null,
      createdAt: 5,
    });
  });

  test('[T11] finds a live node, and a removed one only on request', () => {
    const { tree } = applyOrThrow(buildTree('a\n  b\n  c*'), [{ type: 'remove', nodeId: nodeId('b') }]);
    expect([findNode(tree, 'c')?.id, findNode(tree, 'b'), findAnyNode(tree, 'b')?.removedIn]).toEqual([
      'c',
      undefined,
      3,
    ]);
    expect([findNode(tree, 'x'), findAnyNode(tree, 'x')]).toEqual([undefined, undefined]);
    expect([tree.size, allNodes(tree).length]).toEqual([2, 4]);
  });

  test('[T12] gives children in stored order, not in order of creation', () => {
    const sample = buildTree('a\n  b\n  c*');
    const a = findNode(sample, 'a');
    if (a === undefined) throw new Error('The drawing has a.');
    const { tree } = applyOrThrow(sample, [
      { type: 'insert', node: buildNewNode('first', a, { position: 'Zz' }) },
      { type: 'insert', node: buildNewNode('between', a, { position: 'a0V' }) },
    ]);
    expect(childIds(tree, 'a')).toEqual(['first', 'b', 'between', 'c']);
    expect([childCount(tree, 'a'), childCount(tree, 'c'), childCount(tree, 'x')]).toEqual([4, 0, 0]);
    expect(allNodes(tree).map((node) => node.id)).toEqual(['root', 'a', 'b', 'c', 'first', 'between']);
  });

  test('[T13] is not changed when a change makes a new tree value', () => {
    const tree = buildTree('a\n  b\n  c*');
    const was = undoableState(tree);
    const b = findNode(tree, 'b');
    if (b === undefined) throw new Error('The drawing has b.');
    const next = applyOrThrow(tree, [
      { type: 'insert', node: buildNewNode('x', b) },
      { type: 'annotate', nodeId: nodeId('a'), after: { title: 'A' }, before: { title: null } },
      { type: 'select', after: nodeId('x'), before: nodeId('c') },
      { type: 'remove', nodeId: nodeId('c') },
    ]).tree;
    expect(undoableState(tree)).toEqual(was);
    expect([findNode(tree, 'x'), findNode(next, 'c'), findNode(tree, 'c')?.id]).toEqual([undefined, undefined, 'c']);
    expect(tree.activeNodeId).toBe('c');
  });

  test('[T13] has at most one bookmark per node, oldest first', () => {
    const on = (id: string, createdAt: number) =>
      ({
        type: 'bookmark',
        nodeId: nodeId(id),
        after: { nodeId: nodeId(id), title: `${id}${createdAt}`, createdAt, updatedAt: createdAt },
        before: null,
      }) as const;
    const { tree } = applyOrThrow(buildTree('a\n  b\n  c*'), [on('b', 9), on('c', 3), on('a', 3), on('b', 4)]);
    expect(allBookmarks(tree).map((mark) => mark.title)).toEqual(['a3', 'c3', 'b4']);
    expect([bookmarkOn(tree, 'b')?.title, bookmarkOn(tree, 'x')]).toEqual(['b4', undefined]);
  });
});

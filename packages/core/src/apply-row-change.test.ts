import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { applyOrThrow } from './apply.ts';
import { childListIds, emptyChildList } from './child-list.ts';
import { nodeId } from './ids.ts';
import type { Node } from './node.ts';
import { lastVisitedLeaf } from './path.ts';
import { mapGet } from './persistent-map.ts';
import { CommitRows } from './steps/kinds.ts';
import type { Step, TreePosition } from './steps/types.ts';
import { propertyParameters, propertyTimeoutMs } from './testing/arbitraries.ts';
import { buildTree, testRootId } from './testing/build-tree.ts';
import { expectSteps } from './testing/expect-steps.ts';
import { allNodes, childIds, findNode, type Tree } from './tree.ts';

const runs = propertyParameters(200, process.env);
vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });

function at(tree: Tree, id: string): Node {
  const node = findNode(tree, id);
  if (node === undefined) throw new Error(`There is no message ${id}.`);
  return node;
}

function select(tree: Tree, id: string): Tree {
  return applyOrThrow(tree, [{ type: 'select', after: nodeId(id), before: tree.activeNodeId }]).tree;
}

function placeOf({ parentId, position, groupId, matchParent }: Node): TreePosition {
  return { parentId: parentId ?? testRootId, position, groupId, matchParent: matchParent ?? testRootId };
}

function move(tree: Tree, id: string, to: string, position: string, matchParent: string): Step {
  const from = placeOf(at(tree, id));
  return {
    type: 'move',
    nodeId: nodeId(id),
    to: { parentId: nodeId(to), position, groupId: 0, matchParent: nodeId(matchParent) },
    from,
  };
}

const marksOf = (tree: Tree, ids: readonly string[]) => ids.map((id) => at(tree, id).lastChildId);

describe('visit marks', () => {
  const drawing = `
a
  b
    c*
    d
  e
    f
g
  h`;

  test('[S27] selecting a node sets the visit marks on the path to it, and no others', () => {
    const tree = buildTree(drawing);
    expect(marksOf(tree, ['root', 'a', 'b', 'e', 'g'])).toEqual(['a', 'b', 'c', null, null]);
    const next = select(tree, 'f');
    expect(marksOf(next, ['root', 'a', 'b', 'e', 'g'])).toEqual(['a', 'e', 'c', 'f', null]);
    const last = select(next, 'g');
    expect(marksOf(last, ['root', 'a', 'b', 'e', 'g'])).toEqual(['g', 'e', 'c', 'f', null]);
  });

  test('[S27] after any selections each visit mark names the child that was last on the active path', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...ids), { maxLength: 30 }), (picks) => {
        let tree = buildTree(drawing);
        const model = new Map<string, string>();
        for (const pick of ['c', ...picks]) {
          tree = select(tree, pick);
          for (let id: string | null = pick; id !== null; ) {
            const parent: string | null = at(tree, id).parentId;
            if (parent !== null) model.set(parent, id);
            id = parent;
          }
        }
        for (const id of ['root', ...ids]) expect(at(tree, id).lastChildId).toBe(model.get(id) ?? null);
      }),
      runs,
    );
  });

  test('[S27] with a known parent of the active node, nothing is read for a message beside it', () => {
    const tree = buildTree(drawing);
    const node = { ...at(tree, 'd'), id: nodeId('new'), position: 'zz' };
    const steps: Step[] = [
      { type: 'insert', node },
      { type: 'select', after: node.id, before: tree.activeNodeId },
    ];
    const commit = { version: tree.version + 1, seq: tree.nextSeq, at: 0, steps };
    const reading = new CommitRows(commit, tree.activeNodeId);
    expect(steps.map((step) => reading.take(step).follow === null)).toEqual([true, false]);
    const rows = new CommitRows(commit, tree.activeNodeId, nodeId('b'));
    const written = steps.map((step) => rows.take(step));
    expect(written.map(({ follow }) => follow)).toEqual([null, null]);
    const { changes } = applyOrThrow(tree, steps);
    expect(written.flatMap((step) => step.rows)).toEqual(changes);
  });

  test('[S28] a splice moves the mark of the removed node to its parent', () => {
    const tree = buildTree(drawing);
    const { tree: next } = applyOrThrow(tree, [
      move(tree, 'c', 'a', 'Zx', 'a'),
      move(tree, 'd', 'a', 'Zy', 'a'),
      { type: 'remove', nodeId: nodeId('b') },
    ]);
    expect(childIds(next, 'a')).toEqual(['c', 'd', 'e']);
    expect(lastVisitedLeaf(next, testRootId)).toBe('c');
  });

  test('[S28] a node inserted between a parent and its child takes over the visit mark', () => {
    const tree = buildTree('a\n  b\n    c*\n  x');
    const { tree: next } = applyOrThrow(tree, [move(tree, 'b', 'x', 'a0', 'x')]);
    expect(marksOf(next, ['a', 'x', 'b'])).toEqual(['x', 'b', 'c']);
    expect(lastVisitedLeaf(next, 'a')).toBe('c');
  });

  test('[S28] a node moved to another parent leaves no visit mark at the old one', () => {
    const tree = buildTree(drawing);
    const { tree: next } = applyOrThrow(tree, [move(tree, 'b', 'h', 'a0', 'h')]);
    expect(marksOf(next, ['a', 'h', 'b'])).toEqual([null, 'b', 'c']);
  });

  test('[S35] a branch with the active node is marked at its new place, where others were visited before', () => {
    const tree = select(select(buildTree(drawing), 'h'), 'c');
    expect(marksOf(tree, ['root', 'a', 'b', 'g', 'h'])).toEqual(['a', 'b', 'c', 'h', null]);
    const { tree: below } = applyOrThrow(tree, [move(tree, 'b', 'g', 'a1', 'g')]);
    expect(marksOf(below, ['root', 'a', 'b', 'g'])).toEqual(['g', null, 'c', 'b']);
    const { tree: deeper } = applyOrThrow(below, [move(below, 'b', 'h', 'a0', 'h')]);
    expect(marksOf(deeper, ['root', 'b', 'g', 'h'])).toEqual(['g', 'c', 'h', 'b']);
  });

  test('[S35] a branch that is moved while another is active leaves the marks of the active path', () => {
    const tree = select(buildTree(drawing), 'h');
    const { tree: next } = applyOrThrow(tree, [move(tree, 'b', 'g', 'a1', 'g')]);
    expect(marksOf(next, ['root', 'a', 'b', 'g'])).toEqual(['g', null, 'c', 'h']);
  });

  test('[S35] an active node stays marked when its child moves beside it', () => {
    const tree = select(buildTree(drawing), 'b');
    const { tree: next } = applyOrThrow(tree, [move(tree, 'c', 'a', 'a2', 'a')]);
    expect(marksOf(next, ['root', 'a', 'b'])).toEqual(['a', 'b', null]);
  });

  test('[S35] the way to an active node 300 levels below a moved one is marked', () => {
    const deep = Array.from({ length: 300 }, (_, level) => `${'  '.repeat(level)}n${level}${level === 299 ? '*' : ''}`);
    const tree = select(select(buildTree(['o', '  p', ...deep].join('\n')), 'p'), 'n299');
    const { tree: next } = applyOrThrow(tree, [move(tree, 'n1', 'o', 'a1', 'o')]);
    expect(lastVisitedLeaf(next, testRootId)).toBe('n299');
  });
});

describe('match parents', () => {
  test('[S29] follow a marker that moves, through markers below it, and no further', () => {
    const tree = buildTree(`
a
  #m
    b
      c
    #n
      d
e*`);
    expect(['m', 'b', 'c', 'n', 'd'].map((id) => at(tree, id).matchParent)).toEqual(['a', 'a', 'b', 'a', 'a']);
    const { tree: next } = expectSteps(tree, [move(tree, 'm', 'e', 'a0', 'e')]);
    expect(['m', 'b', 'c', 'n', 'd'].map((id) => at(next, id).matchParent)).toEqual(['e', 'e', 'b', 'e', 'e']);
  });

  test('[S29] are right when a node is restored below a marker that moved meanwhile', () => {
    const tree = buildTree(`
a
  #m
    b
    #n
      d
e*`);
    const { tree: one } = expectSteps(tree, [
      { type: 'remove', nodeId: nodeId('b') },
      { type: 'remove', nodeId: nodeId('n') },
    ]);
    const { tree: two } = expectSteps(one, [move(one, 'm', 'e', 'a0', 'e')]);
    const { tree: back } = expectSteps(two, [
      { type: 'restore', nodeId: nodeId('b'), version: 3 },
      { type: 'restore', nodeId: nodeId('n'), version: 3 },
    ]);
    expect(['b', 'n', 'd'].map((id) => at(back, id).matchParent)).toEqual(['e', 'e', 'e']);
  });
});

describe('removed children', () => {
  const removedChildrenOf = (tree: Tree, id: string) => [
    ...childListIds(mapGet(tree.nodes, id)?.removedChildren ?? emptyChildList),
  ];

  test('[S30] are recorded under their parent until they are restored', () => {
    const tree = buildTree('a\n  b\n  c\nd*');
    const one = applyOrThrow(tree, [{ type: 'remove', nodeId: nodeId('b') }]).tree;
    expect([removedChildrenOf(one, 'a'), childIds(one, 'a')]).toEqual([['b'], ['c']]);
    const two = applyOrThrow(one, [{ type: 'restore', nodeId: nodeId('b'), version: 3 }]).tree;
    expect([removedChildrenOf(two, 'a'), childIds(two, 'a')]).toEqual([[], ['b', 'c']]);
  });

  test('[S30] are kept apart when they had the same position at different times', () => {
    let tree = buildTree('a\n  b\n  c\nd*');
    const { position } = at(tree, 'b');
    tree = applyOrThrow(tree, [{ type: 'remove', nodeId: nodeId('b') }]).tree;
    tree = applyOrThrow(tree, [move(tree, 'c', 'a', position, 'a')]).tree;
    tree = applyOrThrow(tree, [{ type: 'remove', nodeId: nodeId('c') }]).tree;
    expect(removedChildrenOf(tree, 'a')).toEqual(['b', 'c']);
    tree = applyOrThrow(tree, [{ type: 'restore', nodeId: nodeId('c'), version: 5 }]).tree;
    expect([removedChildrenOf(tree, 'a'), childIds(tree, 'a')]).toEqual([['b'], ['c']]);
    expect(allNodes(tree)).toHaveLength(5);
  });
});

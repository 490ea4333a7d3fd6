import { describe, expect, test } from 'vitest';
import { apply, applyOrThrow } from './apply.ts';
import { isAppError } from './errors.ts';
import { nodeId } from './ids.ts';
import { stepTypes } from './steps/index.ts';
import type { Step } from './steps/types.ts';
import { buildNewNode, buildTree, emptyTestTree, testRootId } from './testing/build-tree.ts';
import { expectSteps, undoableState } from './testing/expect-steps.ts';
import { bookmarkOn, childIds, findAnyNode, findNode } from './tree.ts';

const remove = (id: string): Step => ({ type: 'remove', nodeId: nodeId(id) });
const restore = (id: string, version: number): Step => ({ type: 'restore', nodeId: nodeId(id), version });
const select = (after: string | null, before: string | null): Step => ({
  type: 'select',
  after: after === null ? null : nodeId(after),
  before: before === null ? null : nodeId(before),
});
const bookmark = (id: string, set = true): Step => {
  const mark = { nodeId: nodeId(id), title: id, createdAt: 1, updatedAt: 1 };
  return { type: 'bookmark', nodeId: nodeId(id), after: set ? mark : null, before: set ? null : mark };
};

describe('apply', () => {
  test('[S15] changes nothing when one of the steps does not fit, even the last', () => {
    const tree = buildTree('a\n  b\n  c*');
    const was = undoableState(tree);
    const result = apply(tree, [remove('b'), bookmark('c'), select('a', 'c'), remove('nobody')]);
    expect(result).toMatchObject({ ok: false, refusal: { code: 'tree/unknown-node', data: { nodeId: 'nobody' } } });
    expect(undoableState(tree)).toEqual(was);
  });

  test('[S20] raises the version by one for a commit of many steps', () => {
    const tree = buildTree('a\n  b\n  c*');
    const { tree: next } = applyOrThrow(tree, [remove('b'), bookmark('c'), select('a', 'c')], { at: 77 });
    expect([tree.version, next.version, next.updatedAt, tree.updatedAt]).toEqual([2, 3, 77, 0]);
  });

  test('[S20] makes no commit of an empty list of steps: the tree and its version stay the same', () => {
    const tree = buildTree('a*');
    expect(apply(tree, [])).toEqual({ ok: true, value: { tree, changes: [] } });
    expect(applyOrThrow(tree, []).tree).toBe(tree);
  });

  test('[S21] refuses a commit that leaves the active node in the trash', () => {
    const tree = buildTree('a\n  b*');
    expect(apply(tree, [remove('b')])).toMatchObject({ ok: false, refusal: { code: 'tree/unknown-node' } });
    expect(apply(tree, [remove('b'), select('a', 'b')]).ok).toBe(true);
    expect(apply(tree, [select('a', 'b'), remove('b')]).ok).toBe(true);
  });

  test('[S21] refuses a filled tree without an active node, and an empty tree with an active node', () => {
    const tree = buildTree('a*');
    expect(apply(tree, [select(null, 'a')])).toMatchObject({ ok: false, refusal: { code: 'step/invalid' } });
    expect(apply(tree, [remove('a')])).toMatchObject({ ok: false, refusal: { code: 'tree/unknown-node' } });
    expect(apply(tree, [select(null, 'a'), remove('a')])).toMatchObject({ ok: true, value: { tree: { size: 0 } } });
    const seedOne = buildNewNode('x', { id: testRootId, kind: 'root', matchParent: null });
    expect(apply(emptyTestTree(), [{ type: 'insert', node: seedOne }])).toMatchObject({
      ok: false,
      refusal: { code: 'step/invalid' },
    });
  });

  test('[S22] refuses a commit that leaves a bookmark on a removed node', () => {
    const tree = applyOrThrow(buildTree('a\n  b\n  c*'), [bookmark('b')]).tree;
    expect(apply(tree, [remove('b')])).toMatchObject({ ok: false, refusal: { code: 'tree/has-references' } });
    const { tree: next } = expectSteps(tree, [remove('b'), bookmark('b', false)]);
    expect(bookmarkOn(next, 'b')).toBeUndefined();
    expect(apply(next, [bookmark('b')])).toMatchObject({ ok: false, refusal: { code: 'tree/has-references' } });
  });

  test('[S23] restores a removed node, its bookmark and the active node in any order of the steps', () => {
    const tree = applyOrThrow(buildTree('a\n  b*'), [bookmark('b')]).tree;
    for (const steps of [
      [bookmark('b', false), select('a', 'b'), remove('b')],
      [remove('b'), select('a', 'b'), bookmark('b', false)],
    ])
      expectSteps(tree, steps);
  });

  test('[S24] a node removed alone and then with its ancestor is restored with the ancestor', () => {
    const tree = buildTree('a\n  b\n    c\nd*');
    const { tree: gone } = expectSteps(tree, [remove('c'), remove('b')]);
    expect(['b', 'c'].map((id) => findAnyNode(gone, id)?.removedIn)).toEqual([3, 3]);
    const { tree: back } = expectSteps(gone, [restore('b', 3)]);
    expect(childIds(back, 'b')).toEqual(['c']);
    expect(back.size).toBe(tree.size);
    expect(apply(gone, [restore('b', 3), restore('c', 3)]).ok).toBe(true);
    expect(apply(gone, [restore('c', 3)])).toMatchObject({ ok: false, refusal: { code: 'tree/unknown-node' } });
  });

  test('[S24] refuses to remove a node whose child was moved to another parent in the same commit', () => {
    const tree = buildTree('a\n  b\nd*');
    const b = findNode(tree, 'b');
    const a = findNode(tree, 'a');
    if (a === undefined || b === undefined) throw new Error('The drawing has a and b.');
    const steps: Step[] = [
      remove('b'),
      { type: 'insert', node: buildNewNode('x', a, { position: b.position }) },
      remove('a'),
    ];
    expect(apply(tree, steps)).toMatchObject({ ok: false, refusal: { code: 'step/invalid' } });
  });

  test('[S25] refuses to restore a node in the commit that removes it', () => {
    const tree = buildTree('a\n  b*');
    expect(apply(tree, [remove('b'), restore('b', 3)])).toMatchObject({ ok: false, refusal: { code: 'step/invalid' } });
  });

  test('[S26] gives the row changes that a store writes, in order', () => {
    const tree = buildTree('a\n  b*');
    const b = findNode(tree, 'b');
    if (b === undefined) throw new Error('The drawing has b.');
    const { changes } = applyOrThrow(tree, [
      { type: 'insert', node: buildNewNode('x', b) },
      select('x', 'b'),
      { type: 'annotate', nodeId: nodeId('x'), after: { title: 'X' }, before: { title: null } },
    ]);
    expect(changes).toMatchObject([
      { op: 'added', node: { id: 'x', seq: 3, addedIn: 3, removedIn: null, role: 'user' } },
      { op: 'tree', activeNodeId: 'x' },
      { op: 'updated', nodeIds: ['b'], set: { lastChildId: 'x' } },
      { op: 'updated', nodeIds: ['x'], set: {}, meta: { title: 'X' } },
    ]);
  });

  test('[S15] throws the refusal where the caller requested an exception', () => {
    expect.assertions(2);
    try {
      applyOrThrow(buildTree('a*'), [remove('b')]);
    } catch (error) {
      expect(isAppError(error)).toBe(true);
      expect(error).toMatchObject({ code: 'tree/unknown-node', kind: 'not-found' });
    }
  });

  test('knows ten kinds of step', () => {
    expect(stepTypes).toHaveLength(10);
  });
});

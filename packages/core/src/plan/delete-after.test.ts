import { describe, expect, test } from 'vitest';
import type { NodeId } from '../ids.ts';
import { runReads } from '../reads.ts';
import { addMessage, addPendingReply, bookmarkNode } from '../testing/act-shorthands.ts';
import { runAndCheck, TestTree } from '../testing/index.ts';
import { createPlanContext } from '../testing/plan-context.ts';
import { bookmarkOn, childIds } from '../tree.ts';
import { type DeleteCommand, type DeleteImpact, readDeleteImpact } from './delete.ts';

function deleting(fixture: TestTree, nodeIds: readonly NodeId[], mode?: 'splice' | 'cascade'): DeleteCommand {
  return { type: 'delete', treeId: fixture.treeId, nodeIds, ...(mode === undefined ? {} : { mode }) };
}

describe('the active node after a delete', () => {
  test('[V8] is the newest leaf left below the parent', async () => {
    for (const mode of ['splice', 'cascade'] as const) {
      const fixture = await TestTree.make();
      const [q] = await fixture.addMessages(['q']);
      await fixture.addMessages(['old', 'older leaf'], q);
      const [newer] = await fixture.addMessages(['newer', 'newest leaf'], q);
      const gone = await addMessage(fixture, 'gone', q ?? fixture.rootId);
      expect(fixture.active).toBe(gone);
      const { result } = await runAndCheck(fixture, deleting(fixture, [gone], mode));
      expect(fixture.active).toBe(childIds(fixture.tree, newer ?? '')[0]);
      expect(result.activeNodeId).toBe(fixture.active);
    }
  });

  test('[V8] is the newest leaf below the node that replaced a spliced one', async () => {
    const fixture = await TestTree.make();
    const [q, x, , leaf] = await fixture.addMessages(['q', 'x', 'y', 'z']);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: x ?? fixture.rootId });
    await runAndCheck(fixture, deleting(fixture, [x ?? fixture.rootId]));
    expect(fixture.active).toBe(leaf);
    expect(fixture.texts(q)).toEqual(['y']);
  });

  test('[V8] is the parent if it has no child left, even if a whole chain was spliced out', async () => {
    const fixture = await TestTree.make();
    const [q, x, y] = await fixture.addMessages(['q', 'x', 'y']);
    await runAndCheck(fixture, deleting(fixture, [x ?? '', y ?? ''] as NodeId[]));
    expect(fixture.active).toBe(q);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(fixture.active).toBe(y);
    await runAndCheck(fixture, deleting(fixture, [x ?? fixture.rootId], 'cascade'));
    expect(fixture.active).toBe(q);
  });

  test('[V8] is another first turn if the parent is the root, and nothing in an empty tree', async () => {
    const fixture = await TestTree.make();
    const [, leaf] = await fixture.addMessages(['a', 'b']);
    const [c] = await fixture.addMessages(['c', 'd'], fixture.rootId);
    await runAndCheck(fixture, deleting(fixture, [c ?? fixture.rootId], 'cascade'));
    expect(fixture.active).toBe(leaf);
    await runAndCheck(fixture, deleting(fixture, childIds(fixture.tree, fixture.rootId), 'cascade'));
    expect(fixture.active).toBeNull();
  });

  test('[V8] is unchanged if it was not deleted', async () => {
    const fixture = await TestTree.make();
    const [a, b] = await fixture.addMessages(['a', 'b', 'c']);
    const other = await addMessage(fixture, 'other', fixture.rootId);
    await runAndCheck(fixture, deleting(fixture, [b ?? fixture.rootId]));
    await runAndCheck(fixture, deleting(fixture, [a ?? fixture.rootId], 'cascade'));
    expect(fixture.active).toBe(other);
  });
});

describe('bookmarks', () => {
  test('[V9] of spliced nodes move to the nearest remaining node above, and keep their time', async () => {
    const fixture = await TestTree.make();
    const [a, b, c] = await fixture.addMessages(['a', 'b', 'c', 'd']);
    await bookmarkNode(fixture, c ?? fixture.rootId, 'here');
    const before = bookmarkOn(fixture.tree, c ?? '');
    const { result } = await runAndCheck(fixture, deleting(fixture, [b ?? '', c ?? ''] as NodeId[]));
    expect(bookmarkOn(fixture.tree, a ?? '')).toEqual({ ...before, nodeId: a });
    expect(result.bookmarks).toEqual({ moved: [{ ...before, nodeId: a }], removed: [] });
  });

  test('[V9] are removed and reported if that node is the root or has a bookmark', async () => {
    const fixture = await TestTree.make();
    const [a, b, c] = await fixture.addMessages(['a', 'b', 'c']);
    await bookmarkNode(fixture, a ?? fixture.rootId, 'top');
    await bookmarkNode(fixture, b ?? fixture.rootId, 'second');
    await bookmarkNode(fixture, c ?? fixture.rootId, 'third');
    const { result } = await runAndCheck(fixture, deleting(fixture, [b ?? fixture.rootId, c ?? fixture.rootId]));
    expect(result.bookmarks.removed.map((one) => one.title)).toEqual(['second', 'third']);
    expect(bookmarkOn(fixture.tree, a ?? '')?.title).toBe('top');
    const last = await runAndCheck(fixture, deleting(fixture, [a ?? fixture.rootId]));
    expect(last.result.bookmarks.removed.map((one) => one.title)).toEqual(['top']);
  });

  test('[V9] of two spliced nodes cannot share one node: the first named is kept', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.addMessages(['a']);
    const one = await addMessage(fixture, 'one', a ?? fixture.rootId);
    const two = await addMessage(fixture, 'two', a ?? fixture.rootId);
    await bookmarkNode(fixture, one, 'one');
    await bookmarkNode(fixture, two, 'two');
    const { result } = await runAndCheck(fixture, deleting(fixture, [two, one]));
    expect(result.bookmarks.moved.map((mark) => mark.title)).toEqual(['two']);
    expect(result.bookmarks.removed.map((mark) => mark.title)).toEqual(['one']);
  });

  test('[V9] of nodes deleted by cascade are removed and reported', async () => {
    const fixture = await TestTree.make();
    const [a, b] = await fixture.addMessages(['a', 'b', 'c']);
    await bookmarkNode(fixture, b ?? fixture.rootId, 'inside');
    await bookmarkNode(fixture, a ?? fixture.rootId, 'outside');
    const { result } = await runAndCheck(fixture, deleting(fixture, [b ?? fixture.rootId], 'cascade'));
    expect(result.bookmarks.removed.map((mark) => mark.title)).toEqual(['inside']);
    expect(bookmarkOn(fixture.tree, a ?? '')?.title).toBe('outside');
  });
});

describe('clear', () => {
  test('[V10] only the root remains, with no active node and no bookmark', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.addMessages(['a', 'b']);
    await fixture.addMessages(['c'], fixture.rootId);
    await bookmarkNode(fixture, a ?? fixture.rootId, 'here');
    const { result } = await runAndCheck(fixture, { type: 'clear', treeId: fixture.treeId });
    expect(fixture.tree.size).toBe(0);
    expect(fixture.active).toBeNull();
    expect(result.removed).toHaveLength(2);
    expect(result.bookmarks.removed).toHaveLength(1);
    expect(fixture.node(fixture.rootId).kind).toBe('root');
  });

  test('[V10] an empty tree is left as it is, without a commit', async () => {
    const fixture = await TestTree.make();
    expect((await runAndCheck(fixture, { type: 'clear', treeId: fixture.treeId })).commit).toBeNull();
  });
});

describe('the preview of a delete', () => {
  async function impact(fixture: TestTree, command: DeleteCommand): Promise<DeleteImpact> {
    return fixture.store.read(fixture.treeId, () => readDeleteImpact(command, createPlanContext(fixture.treeId)));
  }

  test('[V11] lists the nodes that would be removed and the links to them', async () => {
    const fixture = await TestTree.make();
    const [a, b, c] = await fixture.addMessages(['a', 'b', 'c']);
    await bookmarkNode(fixture, c ?? fixture.rootId, 'deep');
    const reply = await addPendingReply(fixture, c ?? fixture.rootId);
    const before = fixture.tree;
    expect(await impact(fixture, deleting(fixture, [b ?? '', c ?? ''] as NodeId[], 'cascade'))).toMatchObject({
      count: 3,
      bookmarks: [{ title: 'deep' }],
      pending: [reply],
      active: true,
    });
    expect(await impact(fixture, deleting(fixture, [a ?? '', c ?? ''] as NodeId[]))).toMatchObject({
      count: 2,
      bookmarks: [{ title: 'deep' }],
      pending: [reply],
      active: false,
    });
    expect((await impact(fixture, deleting(fixture, [a ?? fixture.rootId]))).pending).toEqual([]);
    expect((await impact(fixture, deleting(fixture, [reply]))).pending).toEqual([reply]);
    expect(fixture.tree).toBe(before);
  });

  test('[V11] refuses whatever the delete itself would refuse', async () => {
    const fixture = await TestTree.make();
    const reading = readDeleteImpact(deleting(fixture, [fixture.rootId]), createPlanContext(fixture.treeId));
    expect(() =>
      runReads(reading, (read) => (read.ask === 'tree' ? fixture.tree : fixture.node(fixture.rootId))),
    ).toThrow(expect.objectContaining({ code: 'tree/root-protected' }));
  });
});

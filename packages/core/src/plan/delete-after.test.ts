import { describe, expect, test } from 'vitest';
import type { NodeId } from '../ids.ts';
import { drive } from '../reads.ts';
import { add, mark, pending } from '../testing/deeds.ts';
import { Bed, carry, testKit, ticking, uuid } from '../testing/index.ts';
import { bookmarkOn, childIds } from '../tree.ts';
import { type DeleteCommand, type Impact, impactOf } from './delete.ts';

function deleting(bed: Bed, nodeIds: readonly NodeId[], mode?: 'splice' | 'cascade'): DeleteCommand {
  return { type: 'delete', treeId: bed.treeId, nodeIds, ...(mode === undefined ? {} : { mode }) };
}

describe('where the user is afterwards', () => {
  test('[V8] at the newest leaf that is left below the parent', async () => {
    for (const mode of ['splice', 'cascade'] as const) {
      const bed = await Bed.make();
      const [q] = await bed.grow(['q']);
      await bed.grow(['old', 'older leaf'], q);
      const [newer] = await bed.grow(['newer', 'newest leaf'], q);
      const gone = await add(bed, 'gone', q ?? bed.rootId);
      expect(bed.active).toBe(gone);
      const { result } = await carry(bed, deleting(bed, [gone], mode));
      expect(bed.active).toBe(childIds(bed.tree, newer ?? '')[0]);
      expect(result.activeNodeId).toBe(bed.active);
    }
  });

  test('[V8] at the newest leaf below what took the place of a spliced node', async () => {
    const bed = await Bed.make();
    const [q, x, , leaf] = await bed.grow(['q', 'x', 'y', 'z']);
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: x ?? bed.rootId });
    await carry(bed, deleting(bed, [x ?? bed.rootId]));
    expect(bed.active).toBe(leaf);
    expect(bed.texts(q)).toEqual(['y']);
  });

  test('[V8] at the parent where it has no child left, also if a whole chain went by splice', async () => {
    const bed = await Bed.make();
    const [q, x, y] = await bed.grow(['q', 'x', 'y']);
    await carry(bed, deleting(bed, [x ?? '', y ?? ''] as NodeId[]));
    expect(bed.active).toBe(q);
    await bed.run({ type: 'undo', treeId: bed.treeId });
    expect(bed.active).toBe(y);
    await carry(bed, deleting(bed, [x ?? bed.rootId], 'cascade'));
    expect(bed.active).toBe(q);
  });

  test('[V8] among the other first turns where the parent is the root, and nowhere in an empty tree', async () => {
    const bed = await Bed.make();
    const [, leaf] = await bed.grow(['a', 'b']);
    const [c] = await bed.grow(['c', 'd'], bed.rootId);
    await carry(bed, deleting(bed, [c ?? bed.rootId], 'cascade'));
    expect(bed.active).toBe(leaf);
    await carry(bed, deleting(bed, childIds(bed.tree, bed.rootId), 'cascade'));
    expect(bed.active).toBeNull();
  });

  test('[V8] where they were, if that is still there', async () => {
    const bed = await Bed.make();
    const [a, b] = await bed.grow(['a', 'b', 'c']);
    const other = await add(bed, 'other', bed.rootId);
    await carry(bed, deleting(bed, [b ?? bed.rootId]));
    await carry(bed, deleting(bed, [a ?? bed.rootId], 'cascade'));
    expect(bed.active).toBe(other);
  });
});

describe('bookmarks', () => {
  test('[V9] by splice they go to the nearest node above that stays, and keep their time', async () => {
    const bed = await Bed.make();
    const [a, b, c] = await bed.grow(['a', 'b', 'c', 'd']);
    await mark(bed, c ?? bed.rootId, 'here');
    const before = bookmarkOn(bed.tree, c ?? '');
    const { result } = await carry(bed, deleting(bed, [b ?? '', c ?? ''] as NodeId[]));
    expect(bookmarkOn(bed.tree, a ?? '')).toEqual({ ...before, nodeId: a });
    expect(result.bookmarks).toEqual({ moved: [{ ...before, nodeId: a }], removed: [] });
  });

  test('[V9] where that is the root, or has one, they are removed and reported', async () => {
    const bed = await Bed.make();
    const [a, b, c] = await bed.grow(['a', 'b', 'c']);
    await mark(bed, a ?? bed.rootId, 'top');
    await mark(bed, b ?? bed.rootId, 'second');
    await mark(bed, c ?? bed.rootId, 'third');
    const { result } = await carry(bed, deleting(bed, [b ?? bed.rootId, c ?? bed.rootId]));
    expect(result.bookmarks.removed.map((one) => one.title)).toEqual(['second', 'third']);
    expect(bookmarkOn(bed.tree, a ?? '')?.title).toBe('top');
    const last = await carry(bed, deleting(bed, [a ?? bed.rootId]));
    expect(last.result.bookmarks.removed.map((one) => one.title)).toEqual(['top']);
  });

  test('[V9] two of them cannot share one node: the first named is kept', async () => {
    const bed = await Bed.make();
    const [a] = await bed.grow(['a']);
    const one = await add(bed, 'one', a ?? bed.rootId);
    const two = await add(bed, 'two', a ?? bed.rootId);
    await mark(bed, one, 'one');
    await mark(bed, two, 'two');
    const { result } = await carry(bed, deleting(bed, [two, one]));
    expect(result.bookmarks.moved.map((mark) => mark.title)).toEqual(['two']);
    expect(result.bookmarks.removed.map((mark) => mark.title)).toEqual(['one']);
  });

  test('[V9] by cascade they are removed and reported', async () => {
    const bed = await Bed.make();
    const [a, b] = await bed.grow(['a', 'b', 'c']);
    await mark(bed, b ?? bed.rootId, 'inside');
    await mark(bed, a ?? bed.rootId, 'outside');
    const { result } = await carry(bed, deleting(bed, [b ?? bed.rootId], 'cascade'));
    expect(result.bookmarks.removed.map((mark) => mark.title)).toEqual(['inside']);
    expect(bookmarkOn(bed.tree, a ?? '')?.title).toBe('outside');
  });
});

describe('clear', () => {
  test('[V10] only the root remains, with no active node and no bookmark', async () => {
    const bed = await Bed.make();
    const [a] = await bed.grow(['a', 'b']);
    await bed.grow(['c'], bed.rootId);
    await mark(bed, a ?? bed.rootId, 'here');
    const { result } = await carry(bed, { type: 'clear', treeId: bed.treeId });
    expect(bed.tree.size).toBe(0);
    expect(bed.active).toBeNull();
    expect(result.removed).toHaveLength(2);
    expect(result.bookmarks.removed).toHaveLength(1);
    expect(bed.node(bed.rootId).kind).toBe('root');
  });

  test('[V10] an empty tree is left as it is, without a commit', async () => {
    const bed = await Bed.make();
    expect((await carry(bed, { type: 'clear', treeId: bed.treeId })).commit).toBeNull();
  });
});

describe('before a delete', () => {
  async function impact(bed: Bed, command: DeleteCommand): Promise<Impact> {
    const { now, newId } = ticking(5);
    const context = { treeId: bed.treeId, now: now(), newId, kit: testKit, actor: 'me', stale: false };
    return bed.store.read(bed.treeId, () => impactOf(command, context));
  }

  test('[V11] it can be asked what would go and what points there', async () => {
    const bed = await Bed.make();
    const [a, b, c] = await bed.grow(['a', 'b', 'c']);
    await mark(bed, c ?? bed.rootId, 'deep');
    const reply = await pending(bed, c ?? bed.rootId);
    const before = bed.tree;
    expect(await impact(bed, deleting(bed, [b ?? '', c ?? ''] as NodeId[], 'cascade'))).toMatchObject({
      count: 3,
      bookmarks: [{ title: 'deep' }],
      pending: [reply],
      active: true,
    });
    expect(await impact(bed, deleting(bed, [a ?? '', c ?? ''] as NodeId[]))).toMatchObject({
      count: 2,
      bookmarks: [{ title: 'deep' }],
      pending: [reply],
      active: false,
    });
    expect((await impact(bed, deleting(bed, [a ?? bed.rootId]))).pending).toEqual([]);
    expect((await impact(bed, deleting(bed, [reply]))).pending).toEqual([reply]);
    expect(bed.tree).toBe(before);
  });

  test('[V11] what would be refused anyway is refused here too', async () => {
    const bed = await Bed.make();
    const context = { treeId: bed.treeId, now: 1, newId: () => uuid(5), kit: testKit, actor: 'me', stale: false };
    const reading = impactOf(deleting(bed, [bed.rootId]), context);
    expect(() => drive(reading, (read) => (read.ask === 'tree' ? bed.tree : bed.node(bed.rootId)))).toThrow(
      expect.objectContaining({ code: 'tree/root-protected' }),
    );
  });
});

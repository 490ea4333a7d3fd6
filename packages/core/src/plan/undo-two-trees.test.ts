import { describe, expect, test } from 'vitest';
import { nodeId, treeId } from '../ids.ts';
import { moveToTree } from '../run.ts';
import { addMessage, otherActor, redoLast, undoLast } from '../testing/act-shorthands.ts';
import { createTestClock, ReferenceStore, TestTree, testKit, testUuid, undoableState } from '../testing/index.ts';
import { childIds } from '../tree.ts';

describe('an act over two trees', () => {
  async function transplanted() {
    const fixture = await TestTree.make();
    const other = await TestTree.make({ store: fixture.store, treeId: treeId(testUuid(2)) });
    const [a, b] = await fixture.addMessages(['a', 'b', 'c']);
    const [x] = await other.addMessages(['x']);
    const before = [undoableState(fixture.tree), undoableState(other.tree)];
    const ticks = createTestClock(77);
    const context = { actor: 'me', kit: testKit, ...ticks };
    const from = { treeId: fixture.treeId, nodeId: b ?? fixture.rootId };
    await moveToTree(fixture.store, { from, to: { treeId: other.treeId, parentId: x ?? other.rootId } }, context);
    const after = [undoableState(fixture.tree), undoableState(other.tree)];
    return { fixture, other, before, after, a: a ?? nodeId('') };
  }

  test('[U17] it is undone in both and redone in both, from either of them', async () => {
    for (const side of ['fixture', 'other'] as const) {
      const all = await transplanted();
      const { fixture, other, before, after } = all;
      await undoLast(all[side]);
      expect([undoableState(fixture.tree), undoableState(other.tree)]).toEqual(before);
      await redoLast(all[side]);
      expect([undoableState(fixture.tree), undoableState(other.tree)]).toEqual(after);
    }
  });

  test('[U17] a refusal in one tree leaves both unchanged', async () => {
    const { fixture, other } = await transplanted();
    const [copy = nodeId('')] = childIds(other.tree, childIds(other.tree, other.rootId)[0] ?? '');
    await addMessage(other, 'yours', copy, otherActor);
    const trees = [fixture.tree, other.tree];
    expect(await fixture.refusal({ type: 'undo', treeId: fixture.treeId })).toBe('undo/overtaken');
    expect([fixture.tree, other.tree]).toEqual(trees);
    const stale = { type: 'undo', treeId: fixture.treeId, force: true } as const;
    expect(await fixture.refusal(stale, { expectedVersion: 1 })).toBe('tree/version-conflict');
    expect(fixture.tree).toBe(trees[0]);
    expect(other.tree).toBe(trees[1]);
    await undoLast(fixture, {}, true);
    expect(other.drawing()).toEqual(['x *']);
  });

  test('[U17] neither tree is undone if one is in the trash', async () => {
    for (const [one, two] of [
      ['fixture', 'other'],
      ['other', 'fixture'],
    ] as const) {
      const all = await transplanted();
      const { fixture, other } = all;
      await all[one].run({ type: 'delete-tree', treeId: all[one].treeId }, otherActor);
      const trees = [fixture.tree, other.tree];
      expect(await all[two].refusal({ type: 'undo', treeId: all[two].treeId })).toBe('tree/read-only');
      expect([fixture.tree, other.tree]).toEqual(trees);
    }
  });

  test('[U17] an act that a crash left undone in one tree only is undone in the other', async () => {
    const { fixture, other, before } = await transplanted();
    const store = fixture.reference;
    const kept = store?.trees.get(other.treeId);
    const log = [...(store?.commits.get(other.treeId) ?? [])];
    await undoLast(fixture);
    if (kept !== undefined) store?.trees.set(other.treeId, kept);
    store?.commits.set(other.treeId, log);
    await undoLast(other);
    expect([undoableState(fixture.tree), undoableState(other.tree)]).toEqual(before);
  });

  test('[U17] nodes are restored before their copies are removed', async () => {
    const { fixture, other } = await transplanted();
    const seen: string[] = [];
    const { reference } = fixture;
    const change = reference?.change.bind(reference);
    if (reference !== null && change !== undefined)
      reference.change = (id, planning, options) => {
        seen.push(id);
        return change(id, planning, options);
      };
    await undoLast(other);
    expect(seen).toEqual([fixture.treeId, other.treeId]);
  });

  test('[U17] it is not redone if there was a later act in the other tree', async () => {
    const { fixture, other } = await transplanted();
    await undoLast(fixture);
    await addMessage(other, 'mine', other.rootId);
    const trees = [fixture.tree, other.tree];
    expect(await fixture.refusal({ type: 'redo', treeId: fixture.treeId })).toBe('undo/nothing');
    expect(fixture.tree).toBe(trees[0]);
    expect(other.tree).toBe(trees[1]);
  });

  test('[U17] a tree in which an act only selected a node, or which it only created, does not prevent its undo', async () => {
    const fixture = await TestTree.make();
    const other = await TestTree.make({ store: fixture.store, treeId: treeId(testUuid(2)) });
    const [x] = await other.addMessages(['x', 'y']);
    const act = { actId: testUuid(500) };
    await addMessage(fixture, 'mine', fixture.rootId, act);
    await other.run({ type: 'select', treeId: other.treeId, nodeId: x ?? other.rootId }, act);
    await fixture.run({ type: 'create', treeId: treeId(testUuid(3)) }, act);
    await undoLast(fixture);
    expect(fixture.texts()).toEqual([]);
    await redoLast(fixture);
    expect(fixture.texts()).toEqual(['mine']);
  });

  test('[U17] trees of other owners are not part of an act, even with the same act id', async () => {
    const fixture = await TestTree.make();
    const stranger = fixture.reference?.forOwner('stranger') ?? new ReferenceStore('stranger');
    const theirs = await TestTree.make({ store: stranger, treeId: treeId(testUuid(2)) });
    await addMessage(theirs, 'theirs', theirs.rootId, { actId: testUuid(500) });
    await addMessage(fixture, 'mine', fixture.rootId, { actId: testUuid(500) });
    const { result } = await undoLast(fixture);
    expect(result.act.elsewhere).toEqual([]);
    expect(theirs.texts()).toEqual(['theirs']);
  });
});

import { describe, expect, test } from 'vitest';
import { type Read, runReads } from '../reads.ts';
import type { RunContext } from '../run.ts';
import { add, move, overwrite, redo, remove, undo, you } from '../testing/act-shorthands.ts';
import { essence, planned, refusalOf, TestTree, testKit, ticking, user } from '../testing/index.ts';
import { bookmarkOn, findNode } from '../tree.ts';
import { undo as undoPlanner } from './undo.ts';

function overtaken(fixture: TestTree, context: Partial<RunContext> = {}, type: 'undo' | 'redo' = 'undo') {
  return fixture.run({ type, treeId: fixture.treeId }, context).then(
    () => [],
    (error: { readonly code: string; readonly data: { readonly by?: readonly string[] } }) => {
      expect(error.code).toBe('undo/overtaken');
      return error.data.by ?? [];
    },
  );
}

describe('undo after changes by others', () => {
  test('[U7] is refused if others added nodes below, and names them; with force they are removed too, and redone', async () => {
    const fixture = await TestTree.make();
    const mine = await add(fixture, 'mine', fixture.rootId);
    const yours = await add(fixture, 'yours', mine, you);
    expect(await overtaken(fixture)).toEqual([`${yours} below ${mine}`]);
    await undo(fixture, {}, true);
    expect(fixture.tree.size).toBe(0);
    await redo(fixture);
    expect(fixture.drawing()).toEqual(['mine', '  yours *']);
  });

  test('[U7] is refused if others added, moved, restored or edited nodes below restored ones', async () => {
    const fixture = await TestTree.make();
    const a = await add(fixture, 'a', fixture.rootId);
    const b = await add(fixture, 'b', a);
    const c = await add(fixture, 'c', b);
    const side = await add(fixture, 'side', fixture.rootId, you);
    await remove(fixture, c, you);
    await remove(fixture, a);
    await undo(fixture);
    const changes: readonly (() => Promise<unknown>)[] = [
      () => add(fixture, 'd', b, you),
      () => move(fixture, side, b, you),
      () => fixture.run({ type: 'restore', treeId: fixture.treeId, nodeId: c }, you),
      () => overwrite(fixture, b, 'other', you),
    ];
    for (const change of changes) {
      await change();
      expect(await overtaken(fixture, {}, 'redo')).toHaveLength(1);
      await undo(fixture, you);
      // After a change and its undo the tree is as before, except for the trash.
      const { plan } = await planned(fixture, { type: 'redo', treeId: fixture.treeId });
      expect(plan.steps.map((step) => step.type)).toContain('remove');
    }
  });

  test('[U8] is refused if others changed the same texts, positions, notes or attributes; with force they are reverted', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.grow(['q']);
    const other = await add(fixture, 'other', fixture.rootId, you);
    const id = q ?? fixture.rootId;
    const acts: readonly ((context: Partial<RunContext>, word: string) => Promise<unknown>)[] = [
      (context, word) => overwrite(fixture, id, word, context),
      (context, word) => fixture.run({ type: 'title', treeId: fixture.treeId, nodeId: id, title: word }, context),
      (context, word) => fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: word } }, context),
      (context, word) => move(fixture, id, word === 'mine' ? other : fixture.rootId, context),
    ];
    for (const act of acts) {
      const before = essence(fixture.tree);
      await act({}, 'mine');
      await act(you, 'yours');
      expect(await overtaken(fixture)).toHaveLength(1);
      const tree = fixture.tree;
      await undo(fixture, {}, true);
      expect(essence(fixture.tree)).toEqual(before);
      expect(fixture.tree).not.toBe(tree);
    }
  });

  test('[U8] is refused if others changed the text of a message that the act added', async () => {
    const fixture = await TestTree.make();
    const mine = await add(fixture, 'mine', fixture.rootId);
    await overwrite(fixture, mine, 'corrected', you);
    expect(await overtaken(fixture)).toEqual([`the text of ${mine}`]);
    await undo(fixture, you);
    await undo(fixture);
    expect(fixture.tree.size).toBe(0);
  });

  test('[U8] is not refused because of changes that the same actor made and undid', async () => {
    const fixture = await TestTree.make();
    const mine = await add(fixture, 'mine', fixture.rootId);
    await overwrite(fixture, mine, 'twice');
    await undo(fixture);
    await undo(fixture);
    expect(fixture.tree.size).toBe(0);
  });

  test('[U8] is refused if others removed the parent, or a node that the act changed', async () => {
    const fixture = await TestTree.make();
    const a = await add(fixture, 'a', fixture.rootId);
    const b = await add(fixture, 'b', a);
    const c = await add(fixture, 'c', fixture.rootId);
    await move(fixture, b, c);
    await remove(fixture, a, you);
    expect(await overtaken(fixture)).toEqual([`${a}, which ${b} hung on`]);
    await undo(fixture, {}, true);
    await undo(fixture, you);
    await overwrite(fixture, c, 'changed');
    await remove(fixture, c, you);
    expect(await overtaken(fixture)).toEqual([`${c}, which is gone`]);
  });

  test('[U8] is refused if others restored the deleted node and deleted it again', async () => {
    const fixture = await TestTree.make();
    const a = await add(fixture, 'a', fixture.rootId);
    await remove(fixture, a);
    await fixture.run({ type: 'restore', treeId: fixture.treeId, nodeId: a }, you);
    await remove(fixture, a, you);
    expect(await overtaken(fixture)).toEqual([`${a}, which was deleted again`]);
    await undo(fixture, {}, true);
    expect(fixture.texts()).toEqual(['a']);
  });

  test('[U9] keeps a bookmark or a group as others changed it, and is refused if nothing else is left to undo', async () => {
    const fixture = await TestTree.make();
    const [a, b] = await fixture.grow(['a', 'b', 'c']);
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: b ?? fixture.rootId, title: 'mine' });
    await remove(fixture, b ?? fixture.rootId, {}, 'splice');
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: a ?? fixture.rootId, title: 'yours' }, you);
    await undo(fixture);
    expect(bookmarkOn(fixture.tree, a ?? '')?.title).toBe('yours');
    expect(fixture.node(b ?? '').text).toBe('b');
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: b ?? fixture.rootId, title: 'again' });
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: b ?? fixture.rootId, title: 'theirs' }, you);
    expect(await overtaken(fixture)).toEqual([`the bookmark on ${b}`]);
    await undo(fixture, {}, true);
    expect(bookmarkOn(fixture.tree, b ?? '')?.title).toBe('mine');
  });

  test('[U9] keeps a message in a group to which others added variants since', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.grow(['q']);
    const mine = await fixture.run({
      type: 'edit',
      treeId: fixture.treeId,
      nodeId: q ?? fixture.rootId,
      content: 'mine',
    });
    const yours = await fixture.run(
      { type: 'edit', treeId: fixture.treeId, nodeId: q ?? fixture.rootId, content: 'yours' },
      you,
    );
    await undo(fixture);
    expect(findNode(fixture.tree, mine.result.nodeId)).toBeUndefined();
    expect(fixture.node(q ?? '').groupId).toBe(fixture.node(yours.result.nodeId).groupId);
    await undo(fixture, you);
    expect(fixture.node(q ?? '').groupId).toBeGreaterThan(0);
  });

  test('[U10] skips effects that are gone, and an act without remaining effects does not block earlier ones', async () => {
    const fixture = await TestTree.make();
    const first = await add(fixture, 'first', fixture.rootId);
    const second = await add(fixture, 'second', fixture.rootId);
    await remove(fixture, second, you);
    const { version } = fixture.tree;
    const { commit } = await undo(fixture);
    expect(commit?.kind).toBe('undo');
    expect(fixture.tree.version).toBe(version + 1);
    expect(fixture.texts()).toEqual(['first']);
    await undo(fixture);
    expect(findNode(fixture.tree, first)).toBeUndefined();
    await redo(fixture);
    await redo(fixture);
    expect(fixture.texts()).toEqual(['first']);
  });

  test('[U11] is refused while a reply is being written in a node that it would remove, even with force', async () => {
    const fixture = await TestTree.make();
    const mine = await add(fixture, 'mine', fixture.rootId);
    const { result } = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: mine, replies: [{}] }, you);
    const [reply = fixture.rootId] = result.added;
    for (const force of [false, true])
      expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId, force })).toBe('tree/pending');
    expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId }, you)).toBe('tree/pending');
    const finish = { type: 'finish', treeId: fixture.treeId, nodeId: reply, status: 'aborted' } as const;
    await fixture.run(finish, you);
    const reopen = { type: 'finish', treeId: fixture.treeId, nodeId: reply, status: 'pending' } as const;
    await fixture.run(reopen, you);
    expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId }, you)).toBe('tree/pending');
  });

  test('[U12] is refused if the contents of the act were purged', async () => {
    const fixture = await TestTree.make();
    const { actId } = await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: user('a') }] });
    const { now, newId } = ticking(9);
    const context = { treeId: fixture.treeId, now: now(), newId, kit: testKit, actor: 'me', stale: false };
    const purged = { actId, commits: [], elsewhere: [], purged: true };
    const plan = () =>
      runReads(undoPlanner({ type: 'undo', treeId: fixture.treeId }, context), (read: Read) =>
        read.ask === 'undoable' ? purged : fixture.tree,
      );
    expect(plan).toThrow(expect.objectContaining({ code: 'undo/purged' }));
  });
});

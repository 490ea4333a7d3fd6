import { describe, expect, test } from 'vitest';
import { drive, type Read } from '../reads.ts';
import type { RunContext } from '../run.ts';
import { add, move, overwrite, redo, remove, undo, you } from '../testing/deeds.ts';
import { Bed, essence, planned, refusalOf, testKit, ticking, user } from '../testing/index.ts';
import { bookmarkOn, findNode } from '../tree.ts';
import { undo as undoPlanner } from './undo.ts';

function overtaken(bed: Bed, context: Partial<RunContext> = {}, type: 'undo' | 'redo' = 'undo') {
  return bed.run({ type, treeId: bed.treeId }, context).then(
    () => [],
    (error: { readonly code: string; readonly data: { readonly by?: readonly string[] } }) => {
      expect(error.code).toBe('undo/overtaken');
      return error.data.by ?? [];
    },
  );
}

describe('overtaken', () => {
  test('[U7] by what others hung below: refused, naming it; by force it goes along, and comes back', async () => {
    const bed = await Bed.make();
    const mine = await add(bed, 'mine', bed.rootId);
    const yours = await add(bed, 'yours', mine, you);
    expect(await overtaken(bed)).toEqual([`${yours} below ${mine}`]);
    await undo(bed, {}, true);
    expect(bed.tree.size).toBe(0);
    await redo(bed);
    expect(bed.drawing()).toEqual(['mine', '  yours *']);
  });

  test('[U7] by what others hung, moved, restored or wrote below what an act brought back', async () => {
    const bed = await Bed.make();
    const a = await add(bed, 'a', bed.rootId);
    const b = await add(bed, 'b', a);
    const c = await add(bed, 'c', b);
    const side = await add(bed, 'side', bed.rootId, you);
    await remove(bed, c, you);
    await remove(bed, a);
    await undo(bed);
    const changes: readonly (() => Promise<unknown>)[] = [
      () => add(bed, 'd', b, you),
      () => move(bed, side, b, you),
      () => bed.run({ type: 'restore', treeId: bed.treeId, nodeId: c }, you),
      () => overwrite(bed, b, 'other', you),
    ];
    for (const change of changes) {
      await change();
      expect(await overtaken(bed, {}, 'redo')).toHaveLength(1);
      await undo(bed, you);
      // Done and taken back is as it was, but for what lies in the trash.
      const { plan } = await planned(bed, { type: 'redo', treeId: bed.treeId });
      expect(plan.steps.map((step) => step.type)).toContain('remove');
    }
  });

  test('[U8] by texts, places, notes and attributes that others changed; by force they are turned back', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const other = await add(bed, 'other', bed.rootId, you);
    const id = q ?? bed.rootId;
    const acts: readonly ((context: Partial<RunContext>, word: string) => Promise<unknown>)[] = [
      (context, word) => overwrite(bed, id, word, context),
      (context, word) => bed.run({ type: 'title', treeId: bed.treeId, nodeId: id, title: word }, context),
      (context, word) => bed.run({ type: 'attributes', treeId: bed.treeId, set: { title: word } }, context),
      (context, word) => move(bed, id, word === 'mine' ? other : bed.rootId, context),
    ];
    for (const act of acts) {
      const before = essence(bed.tree);
      await act({}, 'mine');
      await act(you, 'yours');
      expect(await overtaken(bed)).toHaveLength(1);
      const tree = bed.tree;
      await undo(bed, {}, true);
      expect(essence(bed.tree)).toEqual(before);
      expect(bed.tree).not.toBe(tree);
    }
  });

  test('[U8] by the text of a message that the act added', async () => {
    const bed = await Bed.make();
    const mine = await add(bed, 'mine', bed.rootId);
    await overwrite(bed, mine, 'corrected', you);
    expect(await overtaken(bed)).toEqual([`the text of ${mine}`]);
    await undo(bed, you);
    await undo(bed);
    expect(bed.tree.size).toBe(0);
  });

  test('[U8] not by what the same actor did and took back again', async () => {
    const bed = await Bed.make();
    const mine = await add(bed, 'mine', bed.rootId);
    await overwrite(bed, mine, 'twice');
    await undo(bed);
    await undo(bed);
    expect(bed.tree.size).toBe(0);
  });

  test('[U8] by a node that others took away: its parent, or what the act changed', async () => {
    const bed = await Bed.make();
    const a = await add(bed, 'a', bed.rootId);
    const b = await add(bed, 'b', a);
    const c = await add(bed, 'c', bed.rootId);
    await move(bed, b, c);
    await remove(bed, a, you);
    expect(await overtaken(bed)).toEqual([`${a}, which ${b} hung on`]);
    await undo(bed, {}, true);
    await undo(bed, you);
    await overwrite(bed, c, 'changed');
    await remove(bed, c, you);
    expect(await overtaken(bed)).toEqual([`${c}, which is gone`]);
  });

  test('[U8] by a deletion of their own, once they had restored what the act deleted', async () => {
    const bed = await Bed.make();
    const a = await add(bed, 'a', bed.rootId);
    await remove(bed, a);
    await bed.run({ type: 'restore', treeId: bed.treeId, nodeId: a }, you);
    await remove(bed, a, you);
    expect(await overtaken(bed)).toEqual([`${a}, which was deleted again`]);
    await undo(bed, {}, true);
    expect(bed.texts()).toEqual(['a']);
  });

  test('[U9] a bookmark or a group that others changed stays as they left it, and alone it overtakes', async () => {
    const bed = await Bed.make();
    const [a, b] = await bed.grow(['a', 'b', 'c']);
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: b ?? bed.rootId, title: 'mine' });
    await remove(bed, b ?? bed.rootId, {}, 'splice');
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: a ?? bed.rootId, title: 'yours' }, you);
    await undo(bed);
    expect(bookmarkOn(bed.tree, a ?? '')?.title).toBe('yours');
    expect(bed.node(b ?? '').text).toBe('b');
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: b ?? bed.rootId, title: 'again' });
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: b ?? bed.rootId, title: 'theirs' }, you);
    expect(await overtaken(bed)).toEqual([`the bookmark on ${b}`]);
    await undo(bed, {}, true);
    expect(bookmarkOn(bed.tree, b ?? '')?.title).toBe('mine');
  });

  test('[U9] a message stays in a group to which others added variants since', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const mine = await bed.run({ type: 'edit', treeId: bed.treeId, nodeId: q ?? bed.rootId, content: 'mine' });
    const yours = await bed.run({ type: 'edit', treeId: bed.treeId, nodeId: q ?? bed.rootId, content: 'yours' }, you);
    await undo(bed);
    expect(findNode(bed.tree, mine.result.nodeId)).toBeUndefined();
    expect(bed.node(q ?? '').groupId).toBe(bed.node(yours.result.nodeId).groupId);
    await undo(bed, you);
    expect(bed.node(q ?? '').groupId).toBeGreaterThan(0);
  });

  test('[U10] what is gone already needs no undo, and an act of which nothing is left does not bar the ones before it', async () => {
    const bed = await Bed.make();
    const first = await add(bed, 'first', bed.rootId);
    const second = await add(bed, 'second', bed.rootId);
    await remove(bed, second, you);
    const { version } = bed.tree;
    const { commit } = await undo(bed);
    expect(commit?.kind).toBe('undo');
    expect(bed.tree.version).toBe(version + 1);
    expect(bed.texts()).toEqual(['first']);
    await undo(bed);
    expect(findNode(bed.tree, first)).toBeUndefined();
    await redo(bed);
    await redo(bed);
    expect(bed.texts()).toEqual(['first']);
  });

  test('[U11] an undo is refused while a reply is being written in what would go, also by force', async () => {
    const bed = await Bed.make();
    const mine = await add(bed, 'mine', bed.rootId);
    const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId: mine, replies: [{}] }, you);
    const [reply = bed.rootId] = result.added;
    for (const force of [false, true])
      expect(await refusalOf(bed, { type: 'undo', treeId: bed.treeId, force })).toBe('tree/pending');
    expect(await refusalOf(bed, { type: 'undo', treeId: bed.treeId }, you)).toBe('tree/pending');
    const finish = { type: 'finish', treeId: bed.treeId, nodeId: reply, status: 'aborted' } as const;
    await bed.run(finish, you);
    const reopen = { type: 'finish', treeId: bed.treeId, nodeId: reply, status: 'pending' } as const;
    await bed.run(reopen, you);
    expect(await refusalOf(bed, { type: 'undo', treeId: bed.treeId }, you)).toBe('tree/pending');
  });

  test('[U12] an act whose contents were purged is refused', async () => {
    const bed = await Bed.make();
    const { actId } = await bed.run({ type: 'append', treeId: bed.treeId, messages: [{ message: user('a') }] });
    const { now, newId } = ticking(9);
    const context = { treeId: bed.treeId, now: now(), newId, kit: testKit, actor: 'me', stale: false };
    const purged = { actId, commits: [], elsewhere: [], purged: true };
    const plan = () =>
      drive(undoPlanner({ type: 'undo', treeId: bed.treeId }, context), (read: Read) =>
        read.ask === 'undoable' ? purged : bed.tree,
      );
    expect(plan).toThrow(expect.objectContaining({ code: 'undo/purged' }));
  });
});

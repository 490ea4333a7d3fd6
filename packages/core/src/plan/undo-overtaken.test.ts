import { describe, expect, test } from 'vitest';
import { type Read, runReads } from '../reads.ts';
import type { RunContext } from '../run.ts';
import {
  addMessage,
  deleteNode,
  moveNode,
  otherActor,
  overwriteText,
  redoLast,
  undoLast,
} from '../testing/act-shorthands.ts';
import { planWithoutCommit, refusalOf, TestTree, undoableState, user } from '../testing/index.ts';
import { createPlanContext } from '../testing/plan-context.ts';
import { bookmarkOn, findNode } from '../tree.ts';
import { planUndo } from './undo.ts';

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
    const mine = await addMessage(fixture, 'mine', fixture.rootId);
    const yours = await addMessage(fixture, 'yours', mine, otherActor);
    expect(await overtaken(fixture)).toEqual([`${yours} below ${mine}`]);
    await undoLast(fixture, {}, true);
    expect(fixture.tree.size).toBe(0);
    await redoLast(fixture);
    expect(fixture.drawing()).toEqual(['mine', '  yours *']);
  });

  test('[U7] is refused if others added, moved, restored or edited nodes below restored ones', async () => {
    const fixture = await TestTree.make();
    const a = await addMessage(fixture, 'a', fixture.rootId);
    const b = await addMessage(fixture, 'b', a);
    const c = await addMessage(fixture, 'c', b);
    const side = await addMessage(fixture, 'side', fixture.rootId, otherActor);
    await deleteNode(fixture, c, otherActor);
    await deleteNode(fixture, a);
    await undoLast(fixture);
    const changes: readonly (() => Promise<unknown>)[] = [
      () => addMessage(fixture, 'd', b, otherActor),
      () => moveNode(fixture, side, b, otherActor),
      () => fixture.run({ type: 'restore', treeId: fixture.treeId, nodeId: c }, otherActor),
      () => overwriteText(fixture, b, 'other', otherActor),
    ];
    for (const change of changes) {
      await change();
      expect(await overtaken(fixture, {}, 'redo')).toHaveLength(1);
      await undoLast(fixture, otherActor);
      // After a change and its undo, the tree is the same as before, except for the trash.
      const { plan } = await planWithoutCommit(fixture, { type: 'redo', treeId: fixture.treeId });
      expect(plan.steps.map((step) => step.type)).toContain('remove');
    }
  });

  test('[U8] is refused if others changed the same texts, positions, metadata or attributes; with force they are reverted', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.addMessages(['q']);
    const other = await addMessage(fixture, 'other', fixture.rootId, otherActor);
    const id = q ?? fixture.rootId;
    const acts: readonly ((context: Partial<RunContext>, word: string) => Promise<unknown>)[] = [
      (context, word) => overwriteText(fixture, id, word, context),
      (context, word) => fixture.run({ type: 'title', treeId: fixture.treeId, nodeId: id, title: word }, context),
      (context, word) => fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: word } }, context),
      (context, word) => moveNode(fixture, id, word === 'mine' ? other : fixture.rootId, context),
    ];
    for (const act of acts) {
      const before = undoableState(fixture.tree);
      await act({}, 'mine');
      await act(otherActor, 'yours');
      expect(await overtaken(fixture)).toHaveLength(1);
      const tree = fixture.tree;
      await undoLast(fixture, {}, true);
      expect(undoableState(fixture.tree)).toEqual(before);
      expect(fixture.tree).not.toBe(tree);
    }
  });

  test('[U8] is refused if others changed the text of a message that the act added', async () => {
    const fixture = await TestTree.make();
    const mine = await addMessage(fixture, 'mine', fixture.rootId);
    await overwriteText(fixture, mine, 'corrected', otherActor);
    expect(await overtaken(fixture)).toEqual([`the text of ${mine}`]);
    await undoLast(fixture, otherActor);
    await undoLast(fixture);
    expect(fixture.tree.size).toBe(0);
  });

  test('[U8] is not refused because of changes that the same actor made and undid', async () => {
    const fixture = await TestTree.make();
    const mine = await addMessage(fixture, 'mine', fixture.rootId);
    await overwriteText(fixture, mine, 'twice');
    await undoLast(fixture);
    await undoLast(fixture);
    expect(fixture.tree.size).toBe(0);
  });

  test('[U8] is refused if others removed the parent, or a node that the act changed', async () => {
    const fixture = await TestTree.make();
    const a = await addMessage(fixture, 'a', fixture.rootId);
    const b = await addMessage(fixture, 'b', a);
    const c = await addMessage(fixture, 'c', fixture.rootId);
    await moveNode(fixture, b, c);
    await deleteNode(fixture, a, otherActor);
    expect(await overtaken(fixture)).toEqual([`${a}, the parent of ${b}`]);
    await undoLast(fixture, {}, true);
    await undoLast(fixture, otherActor);
    await overwriteText(fixture, c, 'changed');
    await deleteNode(fixture, c, otherActor);
    expect(await overtaken(fixture)).toEqual([`${c}, which was removed`]);
  });

  test('[U8] is refused if others restored the deleted node and deleted it again', async () => {
    const fixture = await TestTree.make();
    const a = await addMessage(fixture, 'a', fixture.rootId);
    await deleteNode(fixture, a);
    await fixture.run({ type: 'restore', treeId: fixture.treeId, nodeId: a }, otherActor);
    await deleteNode(fixture, a, otherActor);
    expect(await overtaken(fixture)).toEqual([`${a}, which was deleted again`]);
    await undoLast(fixture, {}, true);
    expect(fixture.texts()).toEqual(['a']);
  });

  test('[U9] keeps a bookmark or a group as others changed it, and is refused if nothing else is left to undo', async () => {
    const fixture = await TestTree.make();
    const [a, b] = await fixture.addMessages(['a', 'b', 'c']);
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: b ?? fixture.rootId, title: 'mine' });
    await deleteNode(fixture, b ?? fixture.rootId, {}, 'splice');
    await fixture.run(
      { type: 'bookmark', treeId: fixture.treeId, nodeId: a ?? fixture.rootId, title: 'yours' },
      otherActor,
    );
    await undoLast(fixture);
    expect(bookmarkOn(fixture.tree, a ?? '')?.title).toBe('yours');
    expect(fixture.node(b ?? '').text).toBe('b');
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: b ?? fixture.rootId, title: 'again' });
    await fixture.run(
      { type: 'bookmark', treeId: fixture.treeId, nodeId: b ?? fixture.rootId, title: 'theirs' },
      otherActor,
    );
    expect(await overtaken(fixture)).toEqual([`the bookmark on ${b}`]);
    await undoLast(fixture, {}, true);
    expect(bookmarkOn(fixture.tree, b ?? '')?.title).toBe('mine');
  });

  test('[U9] keeps a message in a group to which others added variants since', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.addMessages(['q']);
    const mine = await fixture.run({
      type: 'edit',
      treeId: fixture.treeId,
      nodeId: q ?? fixture.rootId,
      content: 'mine',
    });
    const yours = await fixture.run(
      { type: 'edit', treeId: fixture.treeId, nodeId: q ?? fixture.rootId, content: 'yours' },
      otherActor,
    );
    await undoLast(fixture);
    expect(findNode(fixture.tree, mine.result.nodeId)).toBeUndefined();
    expect(fixture.node(q ?? '').groupId).toBe(fixture.node(yours.result.nodeId).groupId);
    await undoLast(fixture, otherActor);
    expect(fixture.node(q ?? '').groupId).toBeGreaterThan(0);
  });

  test('[U10] skips effects that are gone, and an act without remaining effects does not block earlier ones', async () => {
    const fixture = await TestTree.make();
    const first = await addMessage(fixture, 'first', fixture.rootId);
    const second = await addMessage(fixture, 'second', fixture.rootId);
    await deleteNode(fixture, second, otherActor);
    const { version } = fixture.tree;
    const { commit } = await undoLast(fixture);
    expect(commit?.kind).toBe('undo');
    expect(fixture.tree.version).toBe(version + 1);
    expect(fixture.texts()).toEqual(['first']);
    await undoLast(fixture);
    expect(findNode(fixture.tree, first)).toBeUndefined();
    await redoLast(fixture);
    await redoLast(fixture);
    expect(fixture.texts()).toEqual(['first']);
  });

  test('[U11] is refused while a reply is being written in a node that it would remove, even with force', async () => {
    const fixture = await TestTree.make();
    const mine = await addMessage(fixture, 'mine', fixture.rootId);
    const { result } = await fixture.run(
      { type: 'reply', treeId: fixture.treeId, parentId: mine, replies: [{}] },
      otherActor,
    );
    const [reply = fixture.rootId] = result.added;
    for (const force of [false, true])
      expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId, force })).toBe('tree/pending');
    expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId }, otherActor)).toBe('tree/pending');
    const finish = { type: 'finish', treeId: fixture.treeId, nodeId: reply, status: 'aborted' } as const;
    await fixture.run(finish, otherActor);
    const reopen = { type: 'finish', treeId: fixture.treeId, nodeId: reply, status: 'pending' } as const;
    await fixture.run(reopen, otherActor);
    expect(await refusalOf(fixture, { type: 'undo', treeId: fixture.treeId }, otherActor)).toBe('tree/pending');
  });

  test('[U12] is refused if the contents of the act were purged', async () => {
    const fixture = await TestTree.make();
    const { actId } = await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: user('a') }] });
    const context = createPlanContext(fixture.treeId);
    const purged = { actId, commits: [], elsewhere: [], purged: true };
    const plan = () =>
      runReads(planUndo({ type: 'undo', treeId: fixture.treeId }, context), (read: Read) =>
        read.ask === 'undoable' ? purged : fixture.tree,
      );
    expect(plan).toThrow(expect.objectContaining({ code: 'undo/purged' }));
  });
});

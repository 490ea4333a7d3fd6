import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { answerFromTree } from '../answer-from-tree.ts';
import { checkTree } from '../check.ts';
import { type NodeId, nodeId } from '../ids.ts';
import { type Answer, type Read, runReads } from '../reads.ts';
import { run } from '../run.ts';
import { arbitraryCommands, propertyParameters, propertyTimeoutMs } from '../testing/arbitraries.ts';
import {
  assistant,
  createTestClock,
  ReferenceStore,
  refusalOf,
  runAndCheck,
  TestTree,
  testKit,
  testUuid,
  undoableState,
  user,
} from '../testing/index.ts';
import { createPlanContext, noOtherTrees } from '../testing/plan-context.ts';
import { runCommands } from '../testing/run-commands.ts';
import { childIds, findNode, type Tree } from '../tree.ts';
import { planRestoreVersion } from './restore.ts';

vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });

const nowhere = nodeId(testUuid(77));

function restoring(fixture: TestTree, id: NodeId) {
  return { type: 'restore', treeId: fixture.treeId, nodeId: id } as const;
}

function cascading(fixture: TestTree, ...nodeIds: NodeId[]) {
  return { type: 'delete', treeId: fixture.treeId, nodeIds, mode: 'cascade' } as const;
}

describe('restoring from the trash', () => {
  test('[U25] a node is restored to its place with the nodes removed with it; nodes removed earlier stay', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere, b = nowhere, c = nowhere] = await fixture.addMessages(['a', 'b', 'c']);
    const side = await fixture.variant(assistant('side'), b);
    await fixture.variant(user('last'), fixture.rootId);
    await fixture.run(cascading(fixture, side));
    await fixture.run(cascading(fixture, a));
    const { result } = await runAndCheck(fixture, restoring(fixture, a));
    expect(result.nodeId).toBe(a);
    expect(fixture.drawing()).toEqual(['a', '  b', '    c', 'last *']);
    expect(fixture.node(c).parentId).toBe(b);
    await runAndCheck(fixture, restoring(fixture, side));
    expect(fixture.texts(b)).toEqual(['c', 'side']);
  });

  test('[U26] restoring any node of a removal restores all of it', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere, , c = nowhere] = await fixture.addMessages(['a', 'b', 'c']);
    await fixture.run(cascading(fixture, a));
    expect((await runAndCheck(fixture, restoring(fixture, c))).result.nodeId).toBe(a);
    expect(fixture.tree.size).toBe(3);
  });

  test('[U26] a child of a removed node cannot be restored before its parent', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere, b = nowhere] = await fixture.addMessages(['a', 'b']);
    await fixture.run(cascading(fixture, b));
    await fixture.run(cascading(fixture, a));
    expect(await refusalOf(fixture, restoring(fixture, b))).toBe('tree/unknown-node');
    await fixture.run(restoring(fixture, a));
    await fixture.run(restoring(fixture, b));
    expect(fixture.drawing()).toEqual(['a *', '  b']);
  });

  test('[U26] a live node is left as it is; the root and unknown nodes are refused', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere] = await fixture.addMessages(['a']);
    expect((await runAndCheck(fixture, restoring(fixture, a))).commit).toBeNull();
    expect(await refusalOf(fixture, restoring(fixture, nowhere))).toBe('tree/unknown-node');
    expect(await refusalOf(fixture, restoring(fixture, fixture.rootId))).toBe('tree/unknown-node');
  });

  test('[U27] the node comes directly after the node that took its position, and is active in an empty tree', async () => {
    const fixture = await TestTree.make();
    const [a, b, c] = [
      await fixture.variant(user('a'), fixture.rootId),
      await fixture.variant(user('b'), fixture.rootId),
      await fixture.variant(user('c'), fixture.rootId),
    ];
    await fixture.run({ type: 'move', treeId: fixture.treeId, nodeId: c, parentId: a }, { actor: 'you' });
    const d = await fixture.variant(user('d'), fixture.rootId);
    await fixture.run(cascading(fixture, d));
    await fixture.run({ type: 'undo', treeId: fixture.treeId }, { actor: 'you' });
    await fixture.run(restoring(fixture, d));
    expect(childIds(fixture.tree, fixture.rootId)).toEqual([a, b, c, d]);
    await fixture.run({ type: 'clear', treeId: fixture.treeId });
    await runAndCheck(fixture, restoring(fixture, b));
    expect(fixture.active).toBe(b);
  });

  test('[U27] a restore is an act like any other', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere] = await fixture.addMessages(['a']);
    await fixture.run(cascading(fixture, a));
    await fixture.run(restoring(fixture, a));
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(fixture.tree.size).toBe(0);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(fixture.texts()).toEqual(['a']);
  });
});

describe('an earlier version', () => {
  const back = (fixture: TestTree, version: number) =>
    ({ type: 'restore-version', treeId: fixture.treeId, version }) as const;

  test('[U28] is restored completely: texts, positions, groups, metadata, bookmarks, attributes and active node', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere, b = nowhere] = await fixture.addMessages(['a', 'b']);
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: b, title: 'here' });
    await fixture.run({ type: 'tag', treeId: fixture.treeId, nodeId: a, tags: ['x'] });
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: 'then' } });
    const { version } = fixture.tree;
    const then = undoableState(fixture.tree);
    await fixture.run({ type: 'edit', treeId: fixture.treeId, nodeId: a, content: 'other' });
    await fixture.run({ type: 'edit', treeId: fixture.treeId, nodeId: b, content: 'rewritten', mode: 'in-place' });
    await fixture.run({ type: 'move', treeId: fixture.treeId, nodeId: b, parentId: fixture.rootId });
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: b, title: 'there' });
    await fixture.run({ type: 'tag', treeId: fixture.treeId, nodeId: a, tags: [] });
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: null, folder: 'now' } });
    await fixture.run({ type: 'clear', treeId: fixture.treeId });
    const now = undoableState(fixture.tree);
    await runAndCheck(fixture, back(fixture, version));
    expect(undoableState(fixture.tree)).toEqual(then);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(undoableState(fixture.tree)).toEqual(now);
  });

  test('[U1, U2, U28] is undone together with every earlier removal, and redone, state by state', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere, b = nowhere, c = nowhere] = await fixture.addMessages(['a', 'b', 'c']);
    const { version } = fixture.tree;
    const states = [undoableState(fixture.tree)];
    for (const id of [c, b, a]) {
      await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [id], mode: 'cascade' });
      states.push(undoableState(fixture.tree));
    }
    await fixture.run({ type: 'restore-version', treeId: fixture.treeId, version });
    const all = [...states, undoableState(fixture.tree)];
    for (const state of [...states].reverse()) {
      await fixture.run({ type: 'undo', treeId: fixture.treeId });
      expect(undoableState(fixture.tree)).toEqual(state);
    }
    for (const state of all.slice(1)) {
      await fixture.run({ type: 'redo', treeId: fixture.treeId });
      expect(undoableState(fixture.tree)).toEqual(state);
    }
  });

  test('[U1, U28] is undone with the bookmark of a message that the undo moves below a removed one', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere] = await fixture.addMessages(['one two']);
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: a, title: 'here' });
    const { version } = fixture.tree;
    const left = nodeId(testUuid(78));
    await fixture.run({ type: 'split', treeId: fixture.treeId, nodeId: a, position: 4, id: left });
    await fixture.run(cascading(fixture, left));
    const now = undoableState(fixture.tree);
    await runAndCheck(fixture, back(fixture, version));
    const then = undoableState(fixture.tree);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(undoableState(fixture.tree)).toEqual(now);
    await fixture.run({ type: 'redo', treeId: fixture.treeId });
    expect(undoableState(fixture.tree)).toEqual(then);
  });

  test('[U28] gives every node its exact position, whichever node is there now', async () => {
    const fixture = await TestTree.make();
    const ids: NodeId[] = [];
    for (const text of ['a', 'b', 'c']) ids.push(await fixture.variant(user(text), fixture.rootId));
    const [a = nowhere, b = nowhere, c = nowhere] = ids;
    const { version } = fixture.tree;
    const then = undoableState(fixture.tree);
    await fixture.run({ type: 'move', treeId: fixture.treeId, nodeId: c, parentId: a });
    await fixture.variant(user('in the place of c'), fixture.rootId);
    await fixture.run({ type: 'move', treeId: fixture.treeId, nodeId: b, parentId: fixture.rootId, before: a });
    await runAndCheck(fixture, back(fixture, version));
    expect(undoableState(fixture.tree)).toEqual(then);
  });

  test('[U28] gets its system prompt again if the tree was empty in between', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere] = await fixture.addMessages(['a', 'b']);
    const { version } = fixture.tree;
    const then = undoableState(fixture.tree);
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [a], mode: 'cascade' });
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { systemPrompt: 'Be brief.' } });
    await fixture.addMessages(['c']);
    const later = undoableState(fixture.tree);
    await runAndCheck(fixture, back(fixture, version));
    expect(undoableState(fixture.tree)).toEqual(then);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(undoableState(fixture.tree)).toEqual(later);
    await fixture.run({ type: 'redo', treeId: fixture.treeId });
    expect(undoableState(fixture.tree)).toEqual(then);
  });

  test('[U28] is restored exactly after any changes', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCommands({ maxLength: 30 }), fc.nat(), async (commands, pick) => {
        const store = new ReferenceStore();
        const past: Tree[] = [];
        for await (const { treeId } of runCommands(store, commands)) {
          const tree = store.trees.get(treeId);
          if (tree !== undefined && past.every((one) => one.id !== tree.id || one.version !== tree.version))
            past.push(tree);
        }
        const then = past[pick % Math.max(1, past.length)];
        if (then === undefined) return;
        const context = { actor: 'ann', kit: testKit, ...createTestClock(900_000) };
        const present = store.trees.get(then.id);
        const open = [...(present === undefined ? [] : [present]), then].some((tree) => hasPending(tree));
        // In a tree in the trash a restore is refused, and a restore never moves a tree to the trash.
        const trashed = [present, then].some((tree) => tree?.attributes.trashedAt !== undefined);
        if (open || trashed) return;
        await run(store, { type: 'restore-version', treeId: then.id, version: then.version }, context);
        const now = store.trees.get(then.id);
        expect(now && undoableState(now)).toEqual(undoableState(then));
        expect(now && checkTree(now).filter((finding) => finding.severity === 'error')).toEqual([]);
      }),
      propertyParameters(150, process.env),
    );
  });

  function hasPending(tree: Tree): boolean {
    return JSON.stringify(undoableState(tree)).includes('"status":"pending"');
  }

  test('[U29] that does not exist is refused', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(['a']);
    for (const version of [0, -1, 1.5, Number.NaN, fixture.tree.version + 1])
      expect(await refusalOf(fixture, back(fixture, version))).toBe('tree/unknown-version');
  });

  test('[U29] is refused while a reply that it would remove is being written', async () => {
    const fixture = await TestTree.make();
    const [q = nowhere] = await fixture.addMessages(['q']);
    const { version } = fixture.tree;
    const { result } = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: q, replies: [{}] });
    expect(await refusalOf(fixture, back(fixture, version))).toBe('tree/pending');
    const at = fixture.tree.version;
    await fixture.run({ type: 'tag', treeId: fixture.treeId, nodeId: q, tags: ['x'] });
    await runAndCheck(fixture, back(fixture, at));
    expect(fixture.node(result.added[0] ?? nowhere).status).toBe('pending');
  });

  test('[U29] keeps the final text of a reply that was still being written in that version', async () => {
    const fixture = await TestTree.make();
    const [q = nowhere] = await fixture.addMessages(['q']);
    const { result } = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: q, replies: [{}] });
    const [reply = nowhere] = result.added;
    const { version } = fixture.tree;
    await fixture.run({
      type: 'finish',
      treeId: fixture.treeId,
      nodeId: reply,
      status: 'success',
      message: assistant('yes'),
    });
    await fixture.run(cascading(fixture, reply));
    await runAndCheck(fixture, back(fixture, version));
    expect(fixture.node(reply)).toMatchObject({ status: 'success', text: 'yes' });
  });

  test('[U29] is refused if it needs purged nodes', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere, b = nowhere] = await fixture.addMessages(['a', 'b']);
    await fixture.run(cascading(fixture, b));
    const { tree } = fixture;
    const log = fixture.reference?.commits.get(fixture.treeId) ?? [];
    const around = { ...noOtherTrees, tree: () => tree, log: () => log };
    const purged = (read: Read): Answer => {
      if (read.ask !== 'rows') return answerFromTree(tree, read, around);
      return { row: tree, nodes: [fixture.node(fixture.rootId), fixture.node(a)], bookmarks: [] };
    };
    expect(() => runReads(planRestoreVersion(back(fixture, 2), createPlanContext(fixture.treeId)), purged)).toThrow(
      expect.objectContaining({ code: 'undo/purged' }),
    );
  });

  test('[U30] that is the current one changes nothing', async () => {
    const fixture = await TestTree.make();
    const [a = nowhere] = await fixture.addMessages(['a']);
    expect((await runAndCheck(fixture, back(fixture, fixture.tree.version))).commit).toBeNull();
    await runAndCheck(fixture, back(fixture, 1));
    expect(findNode(fixture.tree, a)).toBeUndefined();
    expect(fixture.active).toBeNull();
  });
});

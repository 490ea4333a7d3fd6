import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import type { Node } from '../node.ts';
import { subtree } from '../path.ts';
import { addPendingReply, addReplies } from '../testing/act-shorthands.ts';
import { assistant, planWithoutCommit, refusalOf, runAndCheck, TestTree, testUuid, user } from '../testing/index.ts';
import { childIds, findAnyNode, findNode, type Tree } from '../tree.ts';
import type { DeleteCommand } from './delete.ts';

function deleting(fixture: TestTree, nodeIds: readonly NodeId[], mode?: 'splice' | 'cascade'): DeleteCommand {
  return { type: 'delete', treeId: fixture.treeId, nodeIds, ...(mode === undefined ? {} : { mode }) };
}

/** Adds one message below a node and returns its id. */
async function say(fixture: TestTree, text: string, parentId: NodeId, role = user): Promise<NodeId> {
  return fixture.variant(role(text), parentId);
}

describe('splice', () => {
  test('[V1] the children take the place of the node, in order, and it is the default', async () => {
    const fixture = await TestTree.make();
    await say(fixture, 'before', fixture.rootId);
    const x = await say(fixture, 'x', fixture.rootId);
    await say(fixture, 'after', fixture.rootId);
    for (const text of ['one', 'two', 'three']) await say(fixture, text, x, assistant);
    await runAndCheck(fixture, deleting(fixture, [x]));
    expect(fixture.texts()).toEqual(['before', 'one', 'two', 'three', 'after']);
    expect(findNode(fixture.tree, x)).toBeUndefined();
    expect(findAnyNode(fixture.tree, x)?.removedIn).toBe(fixture.tree.version);
  });

  test('[V1] a node without children is just removed', async () => {
    const fixture = await TestTree.make();
    const x = await say(fixture, 'x', fixture.rootId);
    await say(fixture, 'y', fixture.rootId);
    const { result } = await runAndCheck(fixture, deleting(fixture, [x]));
    expect(fixture.drawing()).toEqual(['y *']);
    expect(result).toMatchObject({ removed: [x], parentId: fixture.rootId });
  });

  test('[V2] each group that moves gets a new number, higher than all at the destination', async () => {
    const fixture = await TestTree.make();
    const there = await addReplies(fixture, fixture.rootId, 'g1', 'g2');
    const x = await say(fixture, 'x', fixture.rootId);
    const first = await addReplies(fixture, x, 'a1', 'a2');
    const alone = await say(fixture, 'alone', x, assistant);
    const second = await addReplies(fixture, x, 'b1', 'b2');
    await runAndCheck(fixture, deleting(fixture, [x]));
    const group = (id: NodeId | undefined) => fixture.node(id ?? '').groupId;
    expect(there.map(group)).toEqual([1, 1]);
    expect(first.map(group)).toEqual([2, 2]);
    expect(second.map(group)).toEqual([3, 3]);
    expect(group(alone)).toBe(0);
  });

  test('[V2] a group number of removed siblings is not used again', async () => {
    const fixture = await TestTree.make();
    const there = await addReplies(fixture, fixture.rootId, 'g1', 'g2');
    const x = await say(fixture, 'x', fixture.rootId);
    const moved = await addReplies(fixture, x, 'a1', 'a2');
    await fixture.run(deleting(fixture, there));
    await runAndCheck(fixture, deleting(fixture, [x]));
    expect(moved.map((id) => fixture.node(id).groupId)).toEqual([2, 2]);
  });

  test('[V2] the same number under two different parents stays two groups', async () => {
    const fixture = await TestTree.make();
    const x = await say(fixture, 'x', fixture.rootId);
    const y = await say(fixture, 'y', fixture.rootId);
    const below = [...(await addReplies(fixture, x, 'x1', 'x2')), ...(await addReplies(fixture, y, 'y1', 'y2'))];
    expect(below.map((id) => fixture.node(id).groupId)).toEqual([1, 1, 1, 1]);
    await runAndCheck(fixture, deleting(fixture, [y, x]));
    const [a, b, c, d] = below.map((id) => fixture.node(id).groupId);
    expect(a).toBe(b);
    expect(c).toBe(d);
    expect(a).not.toBe(c);
    expect(fixture.texts()).toEqual(['x1', 'x2', 'y1', 'y2']);
  });

  test.each([
    ['from the top', [0, 2, 3]],
    ['from the bottom', [3, 2, 0]],
    ['mixed, and twice', [2, 0, 3, 2]],
  ])('[V3] several nodes of one path are deleted in one commit, named %s', async (_, order) => {
    const fixture = await TestTree.make();
    const chain = await fixture.addMessages(['a', 'b', 'c', 'd', 'e']);
    await runAndCheck(
      fixture,
      deleting(
        fixture,
        order.map((at) => chain[at] ?? fixture.rootId),
      ),
    );
    expect(fixture.drawing()).toEqual(['b', '  e *']);
  });

  test.each([
    [0, 2],
    [2, 0],
  ])(
    '[V3] a marker between two deleted nodes gets the node above them as its match parent (%i before %i)',
    async (...order) => {
      const fixture = await TestTree.make();
      const [base, a] = await fixture.addMessages(['base', 'a']);
      const { result } = await fixture.run({
        type: 'mark',
        treeId: fixture.treeId,
        kind: 'injected',
        message: user('marker'),
      });
      const [c, d] = await fixture.addMessages(['c', 'd']);
      const ids = [a, result.nodeId, c];
      await runAndCheck(
        fixture,
        deleting(
          fixture,
          order.map((at) => ids[at] ?? fixture.rootId),
        ),
      );
      expect(fixture.drawing()).toEqual(['base', '  marker', '    d *']);
      expect(fixture.node(d ?? '').matchParent).toBe(base);
    },
  );

  test('[V1, V2, V3] any splice keeps the order and the groups of the remaining nodes, and changes nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
        async (growth, doom) => {
          const fixture = await TestTree.make();
          const ids: NodeId[] = [fixture.rootId];
          for (const [index, [under, count]] of growth.entries()) {
            const texts = Array.from({ length: count }, (_, at) => `${index}.${at}`);
            ids.push(...(await addReplies(fixture, ids[under % ids.length] ?? fixture.rootId, ...texts)));
          }
          const doomed = [...new Set(doom.map((at) => ids[1 + (at % (ids.length - 1))] ?? fixture.rootId))];
          const before = fixture.tree;
          await runAndCheck(fixture, deleting(fixture, doomed));
          const stays = (tree: Tree) => inOrder(tree).filter((node) => !doomed.includes(node.id));
          const after = stays(fixture.tree);
          expect(after.map((node) => node.id)).toEqual(stays(before).map((node) => node.id));
          for (const a of after)
            for (const b of after) {
              const [x, y] = [findNode(before, a.id), findNode(before, b.id)];
              const together = x?.parentId === y?.parentId && x?.groupId === y?.groupId && a.groupId > 0;
              if (a.parentId === b.parentId) expect(a.groupId > 0 && a.groupId === b.groupId).toBe(together);
            }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('[V6] a pending node and its parent are refused; a node further up is not', async () => {
    const fixture = await TestTree.make();
    const [a, b] = await fixture.addMessages(['a', 'b']);
    const reply = await addPendingReply(fixture, b ?? fixture.rootId);
    expect(await refusalOf(fixture, deleting(fixture, [reply]))).toBe('tree/pending');
    expect(await refusalOf(fixture, deleting(fixture, [b ?? fixture.rootId]))).toBe('tree/pending');
    expect(await refusalOf(fixture, deleting(fixture, [a ?? fixture.rootId, b ?? fixture.rootId]))).toBe(
      'tree/pending',
    );
    expect(
      await refusalOf(fixture, { type: 'delete-group', treeId: fixture.treeId, nodeId: b ?? fixture.rootId }),
    ).toBe('tree/pending');
    await runAndCheck(fixture, deleting(fixture, [a ?? fixture.rootId]));
    expect(fixture.node(reply).status).toBe('pending');
    expect(fixture.active).toBe(reply);
  });

  test('[V12] deleting 2,000 of 4,000 nodes of a chain reads the children of each once', async () => {
    const fixture = await TestTree.make();
    const ids = await fixture.addMessages(Array.from({ length: 4000 }, (_, at) => `m${at}`));
    const odd = ids.filter((_, at) => at % 2 === 1);
    const { plan, asked } = await planWithoutCommit(fixture, deleting(fixture, odd));
    expect(plan.steps.filter((step) => step.type === 'move')).toHaveLength(1999);
    expect(asked.filter((name) => name === 'children')).toHaveLength(2000);
    const all = await planWithoutCommit(fixture, deleting(fixture, ids));
    expect(all.plan.steps.map((step) => step.type)).toEqual(['remove', 'select']);
    expect(all.asked.filter((name) => name === 'children')).toHaveLength(4000);
    await fixture.run(deleting(fixture, odd));
    expect(fixture.tree.size).toBe(2000);
  });
});

function inOrder(tree: Tree): Node[] {
  const nodes: Node[] = [];
  const open: NodeId[] = [tree.rootId];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const node = findNode(tree, at);
    if (node !== undefined && node.parentId !== null) nodes.push(node);
    open.push(...childIds(tree, at).reverse());
  }
  return nodes;
}

describe('cascade', () => {
  test('[V4] exactly the subtree is removed', async () => {
    const fixture = await TestTree.make();
    const [a, b] = await fixture.addMessages(['a', 'b', 'c']);
    const other = await say(fixture, 'other', a ?? fixture.rootId);
    const gone = subtree(fixture.tree, b ?? '').map((node) => node.id);
    const { result } = await runAndCheck(fixture, deleting(fixture, [b ?? fixture.rootId], 'cascade'));
    expect(result.removed).toEqual([b]);
    expect(gone.map((id) => findNode(fixture.tree, id))).toEqual([undefined, undefined]);
    expect(fixture.drawing()).toEqual(['a', '  other *']);
    expect(fixture.active).toBe(other);
  });

  test('[V4] a named node below another named one is removed with it', async () => {
    const fixture = await TestTree.make();
    const [a, b, c] = await fixture.addMessages(['a', 'b', 'c']);
    const other = await say(fixture, 'other', fixture.rootId);
    const { result, commit } = await runAndCheck(
      fixture,
      deleting(fixture, [c ?? '', other, a ?? '', b ?? ''] as NodeId[], 'cascade'),
    );
    expect([...result.removed].sort()).toEqual([a, other].sort());
    expect(commit?.steps.filter((step) => step.type === 'remove')).toHaveLength(2);
    expect(fixture.tree.size).toBe(0);
    expect(fixture.active).toBeNull();
  });

  test('[V4, V12] 100,000 levels are deleted by one step', async () => {
    const fixture = await TestTree.make();
    const ids = await fixture.addMessages(Array.from({ length: 100_000 }, (_, at) => user(`m${at}`)));
    const { commit } = await fixture.run(deleting(fixture, [ids[1] ?? fixture.rootId], 'cascade'));
    expect(commit?.steps.map((step) => step.type)).toEqual(['remove', 'select']);
    expect(fixture.tree.size).toBe(1);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(fixture.tree.size).toBe(100_000);
    expect(fixture.active).toBe(ids[ids.length - 1]);
  });

  test('[V6] a cascade is refused while a reply is being written in the subtree', async () => {
    const fixture = await TestTree.make();
    const [a, b] = await fixture.addMessages(['a', 'b']);
    await addPendingReply(fixture, b ?? fixture.rootId);
    expect(await refusalOf(fixture, deleting(fixture, [a ?? fixture.rootId], 'cascade'))).toBe('tree/pending');
    expect(await refusalOf(fixture, { type: 'clear', treeId: fixture.treeId })).toBe('tree/pending');
  });
});

describe('a reply group', () => {
  test('[V5] deleting it removes all its members, and the children of each take its place', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.addMessages(['q']);
    const [one, two] = await addReplies(fixture, q ?? fixture.rootId, 'one', 'two');
    const other = await say(fixture, 'other', q ?? fixture.rootId, assistant);
    await say(fixture, 'under one', one ?? fixture.rootId);
    await say(fixture, 'under two', two ?? fixture.rootId);
    const { result } = await runAndCheck(fixture, {
      type: 'delete-group',
      treeId: fixture.treeId,
      nodeId: two ?? fixture.rootId,
    });
    expect(result.removed).toEqual([one, two]);
    expect(fixture.texts(q)).toEqual(['under one', 'under two', 'other']);
    expect(fixture.node(other).groupId).toBe(0);
  });

  test('[V5] a node without a group is removed alone', async () => {
    const fixture = await TestTree.make();
    const a = await say(fixture, 'a', fixture.rootId);
    await say(fixture, 'b', fixture.rootId);
    await runAndCheck(fixture, { type: 'delete-group', treeId: fixture.treeId, nodeId: a });
    expect(fixture.texts()).toEqual(['b']);
  });

  test('[V5, V6] deleting it is refused while one member is being written', async () => {
    const fixture = await TestTree.make();
    const [q] = await fixture.addMessages(['q']);
    const { result } = await fixture.run({
      type: 'reply',
      treeId: fixture.treeId,
      parentId: q ?? fixture.rootId,
      replies: [{ message: assistant('done') }, {}],
    });
    const command = {
      type: 'delete-group',
      treeId: fixture.treeId,
      nodeId: result.added[0] ?? fixture.rootId,
    } as const;
    expect(await refusalOf(fixture, command)).toBe('tree/pending');
  });

  test('[V7] the root is in no group to delete', async () => {
    const fixture = await TestTree.make();
    expect(await refusalOf(fixture, { type: 'delete-group', treeId: fixture.treeId, nodeId: fixture.rootId })).toBe(
      'tree/root-protected',
    );
  });
});

describe('what cannot be deleted', () => {
  test.each(['splice', 'cascade'] as const)(
    '[V7] by %s refuses the root, unknown nodes, nodes of other trees and an empty list',
    async (mode) => {
      const fixture = await TestTree.make();
      const [a, b] = await fixture.addMessages(['a', 'b']);
      await fixture.run(deleting(fixture, [b ?? fixture.rootId]));
      const other = await TestTree.make({ store: fixture.store, treeId: treeId(testUuid(2)) });
      const foreign = await other.variant(user('x'), other.rootId);
      const ids: readonly (readonly [NodeId[], string])[] = [
        [[fixture.rootId], 'tree/root-protected'],
        [[a ?? fixture.rootId, fixture.rootId], 'tree/root-protected'],
        [[nodeId(testUuid(77))], 'tree/unknown-node'],
        [[b ?? fixture.rootId], 'tree/unknown-node'],
        [[foreign], 'tree/foreign-parent'],
        [[], 'command/invalid'],
      ];
      for (const [nodeIds, code] of ids) expect(await refusalOf(fixture, deleting(fixture, nodeIds, mode))).toBe(code);
    },
  );

  test('[V7] a tree that does not exist is refused', async () => {
    const fixture = await TestTree.make();
    for (const type of ['clear', 'undo', 'redo'] as const)
      expect(await fixture.refusal({ type, treeId: treeId(testUuid(99)) })).toMatch(
        /^(tree\/unknown-tree|undo\/nothing)$/,
      );
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import type { Node } from '../node.ts';
import { subtree } from '../path.ts';
import { pending, replies } from '../testing/deeds.ts';
import { assistant, Bed, carry, planned, refusalOf, user, uuid } from '../testing/index.ts';
import { childIds, findAnyNode, findNode, type Tree } from '../tree.ts';
import type { DeleteCommand } from './delete.ts';

function deleting(bed: Bed, nodeIds: readonly NodeId[], mode?: 'splice' | 'cascade'): DeleteCommand {
  return { type: 'delete', treeId: bed.treeId, nodeIds, ...(mode === undefined ? {} : { mode }) };
}

/** Adds one message below a node and gives its id. */
async function say(bed: Bed, text: string, parentId: NodeId, role = user): Promise<NodeId> {
  return bed.variant(role(text), parentId);
}

describe('splice', () => {
  test('[V1] the children take the place of the node, in order, and it is the default', async () => {
    const bed = await Bed.make();
    await say(bed, 'before', bed.rootId);
    const x = await say(bed, 'x', bed.rootId);
    await say(bed, 'after', bed.rootId);
    for (const text of ['one', 'two', 'three']) await say(bed, text, x, assistant);
    await carry(bed, deleting(bed, [x]));
    expect(bed.texts()).toEqual(['before', 'one', 'two', 'three', 'after']);
    expect(findNode(bed.tree, x)).toBeUndefined();
    expect(findAnyNode(bed.tree, x)?.removedIn).toBe(bed.tree.version);
  });

  test('[V1] a node without children leaves nothing behind', async () => {
    const bed = await Bed.make();
    const x = await say(bed, 'x', bed.rootId);
    await say(bed, 'y', bed.rootId);
    const { result } = await carry(bed, deleting(bed, [x]));
    expect(bed.drawing()).toEqual(['y *']);
    expect(result).toMatchObject({ removed: [x], parentId: bed.rootId });
  });

  test('[V2] each group that moves gets a fresh number above all at the destination', async () => {
    const bed = await Bed.make();
    const there = await replies(bed, bed.rootId, 'g1', 'g2');
    const x = await say(bed, 'x', bed.rootId);
    const first = await replies(bed, x, 'a1', 'a2');
    const alone = await say(bed, 'alone', x, assistant);
    const second = await replies(bed, x, 'b1', 'b2');
    await carry(bed, deleting(bed, [x]));
    const group = (id: NodeId | undefined) => bed.node(id ?? '').groupId;
    expect(there.map(group)).toEqual([1, 1]);
    expect(first.map(group)).toEqual([2, 2]);
    expect(second.map(group)).toEqual([3, 3]);
    expect(group(alone)).toBe(0);
  });

  test('[V2] a group number of removed siblings is not given again', async () => {
    const bed = await Bed.make();
    const there = await replies(bed, bed.rootId, 'g1', 'g2');
    const x = await say(bed, 'x', bed.rootId);
    const moved = await replies(bed, x, 'a1', 'a2');
    await bed.run(deleting(bed, there));
    await carry(bed, deleting(bed, [x]));
    expect(moved.map((id) => bed.node(id).groupId)).toEqual([2, 2]);
  });

  test('[V2] the same number under two different parents stays two groups', async () => {
    const bed = await Bed.make();
    const x = await say(bed, 'x', bed.rootId);
    const y = await say(bed, 'y', bed.rootId);
    const below = [...(await replies(bed, x, 'x1', 'x2')), ...(await replies(bed, y, 'y1', 'y2'))];
    expect(below.map((id) => bed.node(id).groupId)).toEqual([1, 1, 1, 1]);
    await carry(bed, deleting(bed, [y, x]));
    const [a, b, c, d] = below.map((id) => bed.node(id).groupId);
    expect(a).toBe(b);
    expect(c).toBe(d);
    expect(a).not.toBe(c);
    expect(bed.texts()).toEqual(['x1', 'x2', 'y1', 'y2']);
  });

  test.each([
    ['from the top', [0, 2, 3]],
    ['from the bottom', [3, 2, 0]],
    ['mixed, and twice', [2, 0, 3, 2]],
  ])('[V3] several nodes of one path go in one commit, named %s', async (_, order) => {
    const bed = await Bed.make();
    const chain = await bed.grow(['a', 'b', 'c', 'd', 'e']);
    await carry(
      bed,
      deleting(
        bed,
        order.map((at) => chain[at] ?? bed.rootId),
      ),
    );
    expect(bed.drawing()).toEqual(['b', '  e *']);
  });

  test.each([
    [0, 2],
    [2, 0],
  ])('[V3] a marker between two nodes that go matches under what is above it then (%i before %i)', async (...order) => {
    const bed = await Bed.make();
    const [base, a] = await bed.grow(['base', 'a']);
    const { result } = await bed.run({
      type: 'mark',
      treeId: bed.treeId,
      kind: 'injected',
      message: user('marker'),
    });
    const [c, d] = await bed.grow(['c', 'd']);
    const ids = [a, result.nodeId, c];
    await carry(
      bed,
      deleting(
        bed,
        order.map((at) => ids[at] ?? bed.rootId),
      ),
    );
    expect(bed.drawing()).toEqual(['base', '  marker', '    d *']);
    expect(bed.node(d ?? '').matchParent).toBe(base);
  });

  test('[V1, V2, V3] any splice keeps the order of what stays, its groups apart and together, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
        async (growth, doom) => {
          const bed = await Bed.make();
          const ids: NodeId[] = [bed.rootId];
          for (const [index, [under, count]] of growth.entries()) {
            const texts = Array.from({ length: count }, (_, at) => `${index}.${at}`);
            ids.push(...(await replies(bed, ids[under % ids.length] ?? bed.rootId, ...texts)));
          }
          const doomed = [...new Set(doom.map((at) => ids[1 + (at % (ids.length - 1))] ?? bed.rootId))];
          const before = bed.tree;
          await carry(bed, deleting(bed, doomed));
          const stays = (tree: Tree) => inOrder(tree).filter((node) => !doomed.includes(node.id));
          const after = stays(bed.tree);
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

  test('[V6] a node that is being written, and one that is being answered, are refused; one further up is not', async () => {
    const bed = await Bed.make();
    const [a, b] = await bed.grow(['a', 'b']);
    const reply = await pending(bed, b ?? bed.rootId);
    expect(await refusalOf(bed, deleting(bed, [reply]))).toBe('tree/pending');
    expect(await refusalOf(bed, deleting(bed, [b ?? bed.rootId]))).toBe('tree/pending');
    expect(await refusalOf(bed, deleting(bed, [a ?? bed.rootId, b ?? bed.rootId]))).toBe('tree/pending');
    expect(await refusalOf(bed, { type: 'delete-group', treeId: bed.treeId, nodeId: b ?? bed.rootId })).toBe(
      'tree/pending',
    );
    await carry(bed, deleting(bed, [a ?? bed.rootId]));
    expect(bed.node(reply).status).toBe('pending');
    expect(bed.active).toBe(reply);
  });

  test('[V12] 2,000 of 4,000 nodes of a chain go with one read of children each', async () => {
    const bed = await Bed.make();
    const ids = await bed.grow(Array.from({ length: 4000 }, (_, at) => `m${at}`));
    const odd = ids.filter((_, at) => at % 2 === 1);
    const { plan, asked } = await planned(bed, deleting(bed, odd));
    expect(plan.steps.filter((step) => step.type === 'move')).toHaveLength(1999);
    expect(asked.filter((name) => name === 'children')).toHaveLength(2000);
    const all = await planned(bed, deleting(bed, ids));
    expect(all.plan.steps.map((step) => step.type)).toEqual(['remove', 'select']);
    expect(all.asked.filter((name) => name === 'children')).toHaveLength(4000);
    await bed.run(deleting(bed, odd));
    expect(bed.tree.size).toBe(2000);
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
  test('[V4] exactly the subtree goes', async () => {
    const bed = await Bed.make();
    const [a, b] = await bed.grow(['a', 'b', 'c']);
    const other = await say(bed, 'other', a ?? bed.rootId);
    const gone = subtree(bed.tree, b ?? '').map((node) => node.id);
    const { result } = await carry(bed, deleting(bed, [b ?? bed.rootId], 'cascade'));
    expect(result.removed).toEqual([b]);
    expect(gone.map((id) => findNode(bed.tree, id))).toEqual([undefined, undefined]);
    expect(bed.drawing()).toEqual(['a', '  other *']);
    expect(bed.active).toBe(other);
  });

  test('[V4] what lies below another that is named goes with it', async () => {
    const bed = await Bed.make();
    const [a, b, c] = await bed.grow(['a', 'b', 'c']);
    const other = await say(bed, 'other', bed.rootId);
    const { result, commit } = await carry(
      bed,
      deleting(bed, [c ?? '', other, a ?? '', b ?? ''] as NodeId[], 'cascade'),
    );
    expect([...result.removed].sort()).toEqual([a, other].sort());
    expect(commit?.steps.filter((step) => step.type === 'remove')).toHaveLength(2);
    expect(bed.tree.size).toBe(0);
    expect(bed.active).toBeNull();
  });

  test('[V4, V12] 100,000 levels go by one step', async () => {
    const bed = await Bed.make();
    const ids = await bed.grow(Array.from({ length: 100_000 }, (_, at) => user(`m${at}`)));
    const { commit } = await bed.run(deleting(bed, [ids[1] ?? bed.rootId], 'cascade'));
    expect(commit?.steps.map((step) => step.type)).toEqual(['remove', 'select']);
    expect(bed.tree.size).toBe(1);
    await bed.run({ type: 'undo', treeId: bed.treeId });
    expect(bed.tree.size).toBe(100_000);
    expect(bed.active).toBe(ids[ids.length - 1]);
  });

  test('[V6] it is refused while a reply is being written anywhere inside', async () => {
    const bed = await Bed.make();
    const [a, b] = await bed.grow(['a', 'b']);
    await pending(bed, b ?? bed.rootId);
    expect(await refusalOf(bed, deleting(bed, [a ?? bed.rootId], 'cascade'))).toBe('tree/pending');
    expect(await refusalOf(bed, { type: 'clear', treeId: bed.treeId })).toBe('tree/pending');
  });
});

describe('a reply group', () => {
  test('[V5] all its members go, each leaving its children in its place', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const [one, two] = await replies(bed, q ?? bed.rootId, 'one', 'two');
    const other = await say(bed, 'other', q ?? bed.rootId, assistant);
    await say(bed, 'under one', one ?? bed.rootId);
    await say(bed, 'under two', two ?? bed.rootId);
    const { result } = await carry(bed, { type: 'delete-group', treeId: bed.treeId, nodeId: two ?? bed.rootId });
    expect(result.removed).toEqual([one, two]);
    expect(bed.texts(q)).toEqual(['under one', 'under two', 'other']);
    expect(bed.node(other).groupId).toBe(0);
  });

  test('[V5] a node in no group goes alone', async () => {
    const bed = await Bed.make();
    const a = await say(bed, 'a', bed.rootId);
    await say(bed, 'b', bed.rootId);
    await carry(bed, { type: 'delete-group', treeId: bed.treeId, nodeId: a });
    expect(bed.texts()).toEqual(['b']);
  });

  test('[V5, V6] it is refused while one member is being written', async () => {
    const bed = await Bed.make();
    const [q] = await bed.grow(['q']);
    const { result } = await bed.run({
      type: 'reply',
      treeId: bed.treeId,
      parentId: q ?? bed.rootId,
      replies: [{ message: assistant('done') }, {}],
    });
    const command = { type: 'delete-group', treeId: bed.treeId, nodeId: result.added[0] ?? bed.rootId } as const;
    expect(await refusalOf(bed, command)).toBe('tree/pending');
  });

  test('[V7] the root is in no group to delete', async () => {
    const bed = await Bed.make();
    expect(await refusalOf(bed, { type: 'delete-group', treeId: bed.treeId, nodeId: bed.rootId })).toBe(
      'tree/root-protected',
    );
  });
});

describe('what cannot be deleted', () => {
  test.each(['splice', 'cascade'] as const)(
    '[V7] by %s: the root, what is not there, what is elsewhere, nothing',
    async (mode) => {
      const bed = await Bed.make();
      const [a, b] = await bed.grow(['a', 'b']);
      await bed.run(deleting(bed, [b ?? bed.rootId]));
      const other = await Bed.make({ store: bed.store, treeId: treeId(uuid(2)) });
      const foreign = await other.variant(user('x'), other.rootId);
      const ids: readonly (readonly [NodeId[], string])[] = [
        [[bed.rootId], 'tree/root-protected'],
        [[a ?? bed.rootId, bed.rootId], 'tree/root-protected'],
        [[nodeId(uuid(77))], 'tree/unknown-node'],
        [[b ?? bed.rootId], 'tree/unknown-node'],
        [[foreign], 'tree/foreign-parent'],
        [[], 'command/invalid'],
      ];
      for (const [nodeIds, code] of ids) expect(await refusalOf(bed, deleting(bed, nodeIds, mode))).toBe(code);
    },
  );

  test('[V7] a tree that is not there has nothing to delete', async () => {
    const bed = await Bed.make();
    for (const type of ['clear', 'undo', 'redo'] as const)
      expect(await bed.refusal({ type, treeId: treeId(uuid(99)) })).toMatch(/^(tree\/unknown-tree|undo\/nothing)$/);
  });
});

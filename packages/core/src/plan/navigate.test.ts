import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { lastVisitedLeaf } from '../path.ts';
import { assistant, Bed, carry, ReferenceStore, refusalOf, stepTypesOf, user, uuid } from '../testing/index.ts';
import { childIds } from '../tree.ts';

function going(bed: Bed, id: NodeId | undefined, direction: 'next' | 'previous') {
  return { type: 'navigate', treeId: bed.treeId, nodeId: id ?? bed.rootId, direction } as const;
}

function selecting(bed: Bed, id: NodeId | undefined) {
  return { type: 'select', treeId: bed.treeId, nodeId: id ?? bed.rootId } as const;
}

/** A question with three answers; the second has two follow-ups. */
async function variants(): Promise<{ bed: Bed; answers: NodeId[]; deep: NodeId[] }> {
  const bed = await Bed.make();
  const [prompt] = await bed.grow(['q']);
  const answers: NodeId[] = [];
  for (const text of ['a', 'b', 'c']) answers.push(await bed.variant(assistant(text), prompt ?? bed.rootId));
  const deep: NodeId[] = [];
  for (const text of ['b1', 'b2']) deep.push(await bed.variant(user(text), answers[1] ?? bed.rootId));
  await bed.run(selecting(bed, answers[0]));
  return { bed, answers, deep };
}

describe('select', () => {
  test('[P61] makes a node active, a marker included, in a commit that is no act', async () => {
    const { bed, answers } = await variants();
    const outcome = await carry(bed, selecting(bed, answers[2]));
    expect(stepTypesOf(outcome)).toEqual(['select']);
    expect(outcome.commit?.structural).toBe(false);
    expect(bed.active).toBe(answers[2]);
    const marker = await bed.run({ type: 'compact', treeId: bed.treeId, summary: 's' });
    await bed.run(selecting(bed, answers[0]));
    await carry(bed, selecting(bed, marker.result.nodeId));
    expect(bed.active).toBe(marker.result.nodeId);
  });

  test('[P61] of the active node commits nothing', async () => {
    const { bed, answers } = await variants();
    expect((await bed.run(selecting(bed, answers[0]))).commit).toBeNull();
  });

  test('[P62] refuses the root, unknown, removed and foreign nodes, and so does navigate', async () => {
    const store = new ReferenceStore();
    const bed = await Bed.make({ store });
    const [a, gone] = await bed.grow(['a', 'gone']);
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [gone ?? bed.rootId] });
    const beside = await Bed.make({ store, treeId: treeId(uuid(2)) });
    const [foreign] = await beside.grow(['x']);
    const hidden = await Bed.make({ store: store.forOwner('other'), treeId: treeId(uuid(3)) });
    for (const command of [selecting, (on: Bed, id: NodeId | undefined) => going(on, id, 'next')]) {
      expect(await refusalOf(bed, command(bed, bed.rootId))).toBe('tree/root-protected');
      expect(await refusalOf(bed, command(bed, nodeId(uuid(99))))).toBe('tree/unknown-node');
      expect(await refusalOf(bed, command(bed, gone))).toBe('tree/unknown-node');
      expect(await refusalOf(bed, command(bed, foreign))).toBe('tree/foreign-parent');
      expect(await refusalOf(bed, command(bed, hidden.rootId))).toBe('tree/unknown-node');
    }
    expect(bed.active).toBe(a);
  });
});

describe('navigate', () => {
  test('[P63] goes to the next and the previous variant, round at the ends', async () => {
    const { bed, answers, deep } = await variants();
    const [a, , c] = answers;
    const to = async (id: NodeId | undefined, direction: 'next' | 'previous') =>
      (await carry(bed, going(bed, id, direction))).result.nodeId;
    expect(await to(a, 'next')).toBe(deep[1]);
    expect(await to(answers[1], 'next')).toBe(c);
    expect(await to(c, 'next')).toBe(a);
    expect(await to(a, 'previous')).toBe(c);
    expect(bed.active).toBe(c);
  });

  test('[P63] follows the stored order, not the order of creation', async () => {
    const { bed, answers } = await variants();
    const [a, b, c] = answers;
    const parentId = bed.node(a ?? '').parentId ?? bed.rootId;
    await bed.run({ type: 'move', treeId: bed.treeId, nodeId: c ?? bed.rootId, parentId, before: b ?? bed.rootId });
    expect((await bed.run(going(bed, a, 'next'))).result.nodeId).toBe(c);
  });

  test('[P64] lands on the leaf that was last visited there, else on the last one', async () => {
    const { bed, answers, deep } = await variants();
    await bed.run(selecting(bed, deep[0]));
    const [under] = await bed.grow([assistant('under')]);
    await bed.run(selecting(bed, answers[0]));
    expect((await carry(bed, going(bed, answers[0], 'next'))).result.nodeId).toBe(under);
    await bed.run(selecting(bed, deep[1]));
    await bed.run(selecting(bed, answers[0]));
    expect((await carry(bed, going(bed, answers[0], 'next'))).result.nodeId).toBe(deep[1]);
    expect(lastVisitedLeaf(bed.tree, answers[1] ?? '')).toBe(deep[1]);
  });

  test('[P64] a visited branch that was removed since is not gone to', async () => {
    const { bed, answers, deep } = await variants();
    await bed.run(selecting(bed, deep[0]));
    await bed.run(selecting(bed, answers[0]));
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [deep[0] ?? bed.rootId], mode: 'cascade' });
    expect((await bed.run(going(bed, answers[0], 'next'))).result.nodeId).toBe(deep[1]);
  });

  test('[P65] of a single variant stays where it is, and commits nothing', async () => {
    const { bed, answers } = await variants();
    const [prompt] = childIds(bed.tree, bed.rootId);
    const before = bed.tree;
    for (const direction of ['next', 'previous'] as const) {
      const stayed = await bed.run(going(bed, prompt, direction));
      expect(stayed.commit).toBeNull();
      expect(stayed.result.nodeId).toBe(answers[0]);
    }
    expect(bed.tree).toBe(before);
  });
});

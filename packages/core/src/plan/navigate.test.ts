import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { lastVisitedLeaf } from '../path.ts';
import {
  assistant,
  ReferenceStore,
  refusalOf,
  runAndCheck,
  stepTypesOf,
  TestTree,
  testUuid,
  user,
} from '../testing/index.ts';
import { childIds } from '../tree.ts';

function going(fixture: TestTree, id: NodeId | undefined, direction: 'next' | 'previous') {
  return { type: 'navigate', treeId: fixture.treeId, nodeId: id ?? fixture.rootId, direction } as const;
}

function selecting(fixture: TestTree, id: NodeId | undefined) {
  return { type: 'select', treeId: fixture.treeId, nodeId: id ?? fixture.rootId } as const;
}

/** A question with three answers; the second answer has two follow-ups. */
async function variants(): Promise<{ fixture: TestTree; answers: NodeId[]; deep: NodeId[] }> {
  const fixture = await TestTree.make();
  const [prompt] = await fixture.addMessages(['q']);
  const answers: NodeId[] = [];
  for (const text of ['a', 'b', 'c']) answers.push(await fixture.variant(assistant(text), prompt ?? fixture.rootId));
  const deep: NodeId[] = [];
  for (const text of ['b1', 'b2']) deep.push(await fixture.variant(user(text), answers[1] ?? fixture.rootId));
  await fixture.run(selecting(fixture, answers[0]));
  return { fixture, answers, deep };
}

describe('select', () => {
  test('[P61] makes a node active, a marker included, in a commit that is not an act', async () => {
    const { fixture, answers } = await variants();
    const outcome = await runAndCheck(fixture, selecting(fixture, answers[2]));
    expect(stepTypesOf(outcome)).toEqual(['select']);
    expect(outcome.commit?.structural).toBe(false);
    expect(fixture.active).toBe(answers[2]);
    const marker = await fixture.run({ type: 'compact', treeId: fixture.treeId, summary: 's' });
    await fixture.run(selecting(fixture, answers[0]));
    await runAndCheck(fixture, selecting(fixture, marker.result.nodeId));
    expect(fixture.active).toBe(marker.result.nodeId);
  });

  test('[P61] of the active node commits nothing', async () => {
    const { fixture, answers } = await variants();
    expect((await fixture.run(selecting(fixture, answers[0]))).commit).toBeNull();
  });

  test('[P62] refuses the root, unknown, removed and foreign nodes, and so does navigate', async () => {
    const store = new ReferenceStore();
    const fixture = await TestTree.make({ store });
    const [a, gone] = await fixture.addMessages(['a', 'gone']);
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [gone ?? fixture.rootId] });
    const beside = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
    const [foreign] = await beside.addMessages(['x']);
    const hidden = await TestTree.make({ store: store.forOwner('other'), treeId: treeId(testUuid(3)) });
    for (const command of [selecting, (on: TestTree, id: NodeId | undefined) => going(on, id, 'next')]) {
      expect(await refusalOf(fixture, command(fixture, fixture.rootId))).toBe('tree/root-protected');
      expect(await refusalOf(fixture, command(fixture, nodeId(testUuid(99))))).toBe('tree/unknown-node');
      expect(await refusalOf(fixture, command(fixture, gone))).toBe('tree/unknown-node');
      expect(await refusalOf(fixture, command(fixture, foreign))).toBe('tree/foreign-parent');
      expect(await refusalOf(fixture, command(fixture, hidden.rootId))).toBe('tree/unknown-node');
    }
    expect(fixture.active).toBe(a);
  });
});

describe('navigate', () => {
  test('[P63] selects the next and the previous variant, wrapping around at the ends', async () => {
    const { fixture, answers, deep } = await variants();
    const [a, , c] = answers;
    const to = async (id: NodeId | undefined, direction: 'next' | 'previous') =>
      (await runAndCheck(fixture, going(fixture, id, direction))).result.nodeId;
    expect(await to(a, 'next')).toBe(deep[1]);
    expect(await to(answers[1], 'next')).toBe(c);
    expect(await to(c, 'next')).toBe(a);
    expect(await to(a, 'previous')).toBe(c);
    expect(fixture.active).toBe(c);
  });

  test('[P63] follows the stored order, not the order of creation', async () => {
    const { fixture, answers } = await variants();
    const [a, b, c] = answers;
    const parentId = fixture.node(a ?? '').parentId ?? fixture.rootId;
    await fixture.run({
      type: 'move',
      treeId: fixture.treeId,
      nodeId: c ?? fixture.rootId,
      parentId,
      before: b ?? fixture.rootId,
    });
    expect((await fixture.run(going(fixture, a, 'next'))).result.nodeId).toBe(c);
  });

  test('[P64] selects the leaf that was last visited there, else the last one', async () => {
    const { fixture, answers, deep } = await variants();
    await fixture.run(selecting(fixture, deep[0]));
    const [under] = await fixture.addMessages([assistant('under')]);
    await fixture.run(selecting(fixture, answers[0]));
    expect((await runAndCheck(fixture, going(fixture, answers[0], 'next'))).result.nodeId).toBe(under);
    await fixture.run(selecting(fixture, deep[1]));
    await fixture.run(selecting(fixture, answers[0]));
    expect((await runAndCheck(fixture, going(fixture, answers[0], 'next'))).result.nodeId).toBe(deep[1]);
    expect(lastVisitedLeaf(fixture.tree, answers[1] ?? '')).toBe(deep[1]);
  });

  test('[P64] ignores a visited branch that was removed since', async () => {
    const { fixture, answers, deep } = await variants();
    await fixture.run(selecting(fixture, deep[0]));
    await fixture.run(selecting(fixture, answers[0]));
    await fixture.run({
      type: 'delete',
      treeId: fixture.treeId,
      nodeIds: [deep[0] ?? fixture.rootId],
      mode: 'cascade',
    });
    expect((await fixture.run(going(fixture, answers[0], 'next'))).result.nodeId).toBe(deep[1]);
  });

  test('[P65] with a single variant stays where it is, and commits nothing', async () => {
    const { fixture, answers } = await variants();
    const [prompt] = childIds(fixture.tree, fixture.rootId);
    const before = fixture.tree;
    for (const direction of ['next', 'previous'] as const) {
      const stayed = await fixture.run(going(fixture, prompt, direction));
      expect(stayed.commit).toBeNull();
      expect(stayed.result.nodeId).toBe(answers[0]);
    }
    expect(fixture.tree).toBe(before);
  });
});

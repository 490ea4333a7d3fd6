import { describe, expect, test } from 'vitest';
import { contextOf } from '../context.ts';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import type { Message } from '../message.ts';
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
import type { BranchCommand, CompactCommand, MarkCommand } from './marker.ts';

async function conversation(store?: ReferenceStore): Promise<{ fixture: TestTree; ids: [NodeId, NodeId, NodeId] }> {
  const fixture = await TestTree.make(store === undefined ? {} : { store });
  const [one, two, three] = await fixture.addMessages(['one', 'two', 'three']);
  if (one === undefined || two === undefined || three === undefined) throw new Error('Nothing grew.');
  return { fixture, ids: [one, two, three] };
}

function branching(fixture: TestTree, id: NodeId, rest: Partial<BranchCommand> = {}): BranchCommand {
  return { type: 'branch', treeId: fixture.treeId, nodeId: id, ...rest };
}

function compacting(fixture: TestTree, rest: Partial<CompactCommand> = {}): CompactCommand {
  return { type: 'compact', treeId: fixture.treeId, summary: 'in short', ...rest };
}

function marking(fixture: TestTree, rest: Partial<MarkCommand> = {}): MarkCommand {
  return { type: 'mark', treeId: fixture.treeId, kind: 'injected', message: user('note'), ...rest };
}

describe('branch', () => {
  test('[P66] without a summary only changes the active node', async () => {
    const { fixture, ids } = await conversation();
    const outcome = await runAndCheck(fixture, branching(fixture, ids[0]));
    expect(stepTypesOf(outcome)).toEqual(['select']);
    expect(outcome.result).toEqual({ nodeId: ids[0], added: [] });
    expect((await fixture.run(branching(fixture, ids[0]))).commit).toBeNull();
  });

  test('[P67] with a summary adds a branch summary there that names the leaf left behind, and selects it', async () => {
    const { fixture, ids } = await conversation();
    const details = { files: ['a.ts'] };
    const { result: made, commit } = await runAndCheck(
      fixture,
      branching(fixture, ids[0], { summary: 'tried two', details }),
    );
    expect(stepTypesOf({ commit })).toEqual(['insert', 'select']);
    const node = fixture.node(made.nodeId);
    expect(node).toMatchObject({
      kind: 'branch-summary',
      role: 'system',
      text: 'tried two',
      parentId: ids[0],
      key: null,
    });
    expect(node.marker).toEqual({ from: ids[2], details });
    expect(made.added).toEqual([made.nodeId]);
    expect(fixture.active).toBe(made.nodeId);
    expect(fixture.drawing()).toEqual(['one', '  two', '    three', '  tried two *']);
  });

  test('[P67] names the given leaf, wherever the user is', async () => {
    const { fixture, ids } = await conversation();
    const { result } = await runAndCheck(fixture, branching(fixture, ids[0], { summary: 'tried two', from: ids[1] }));
    expect(fixture.node(result.nodeId).marker).toEqual({ from: ids[1] });
    const nowhere = branching(fixture, ids[0], { summary: 's', from: nodeId(testUuid(99)) });
    expect(await refusalOf(fixture, nowhere)).toBe('tree/unknown-node');
  });

  test('[P67] with a summary may start again at the root, even in an empty tree', async () => {
    const { fixture, ids } = await conversation();
    const { result: made } = await runAndCheck(fixture, branching(fixture, fixture.rootId, { summary: 'all of it' }));
    expect(fixture.node(made.nodeId)).toMatchObject({ parentId: fixture.rootId, marker: { from: ids[2] } });
    const empty = await TestTree.make();
    const first = await runAndCheck(empty, branching(empty, empty.rootId, { summary: 'before' }));
    expect(empty.node(first.result.nodeId).marker).toEqual({});
    expect(empty.active).toBe(first.result.nodeId);
  });

  test('[P68] refuses the root without a summary, a blank summary and unknown nodes', async () => {
    const store = new ReferenceStore();
    const { fixture, ids } = await conversation(store);
    const beside = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
    expect(await refusalOf(fixture, branching(fixture, fixture.rootId))).toBe('tree/root-protected');
    expect(await refusalOf(fixture, branching(fixture, ids[0], { summary: ' \n' }))).toBe('message/blank');
    for (const rest of [{}, { summary: 's' }]) {
      expect(await refusalOf(fixture, branching(fixture, nodeId(testUuid(99)), rest))).toBe('tree/unknown-node');
      expect(await refusalOf(fixture, branching(fixture, beside.rootId, rest))).toBe('tree/foreign-parent');
    }
  });
});

describe('compact', () => {
  test('[P69] adds a compaction below the active node that names the first kept node, and selects it', async () => {
    const { fixture, ids } = await conversation();
    const rest = { firstKept: ids[1], tokensBefore: 900, details: { by: 'me' }, meta: { source: { model: 'm' } } };
    const { result: made } = await runAndCheck(fixture, compacting(fixture, rest));
    const node = fixture.node(made.nodeId);
    expect(node).toMatchObject({ kind: 'compaction', role: 'system', text: 'in short', parentId: ids[2] });
    expect(node.marker).toEqual({ firstKept: ids[1], tokensBefore: 900, details: { by: 'me' } });
    expect(node.meta).toEqual({ source: { model: 'm' } });
    expect(fixture.active).toBe(made.nodeId);
  });

  test('[X40] keeps the recorded prompt above it, which counts below it whether or not any message is kept', async () => {
    for (const rest of [{}, { kept: true }]) {
      const { fixture, ids } = await conversation();
      await runAndCheck(fixture, {
        type: 'annotate',
        treeId: fixture.treeId,
        nodeId: ids[1],
        set: { recordedPrompt: 'Be kind.' },
      });
      const keeping = 'kept' in rest ? { firstKept: ids[2] } : {};
      const { result: made } = await runAndCheck(fixture, compacting(fixture, keeping));
      expect(fixture.node(made.nodeId).meta.recordedPrompt).toBe('Be kind.');
      const path = [...ids, made.nodeId].map((id) => fixture.node(id));
      const [first] = contextOf(path, { systemPrompt: 'Be brief.', kit: { tokens: () => 1 } }).entries;
      expect(first?.message.content).toMatchObject([{ text: 'Be kind.' }]);
    }
  });

  test('[P69] may keep nothing, and may keep the active node itself', async () => {
    const { fixture, ids } = await conversation();
    expect(fixture.node((await runAndCheck(fixture, compacting(fixture))).result.nodeId).marker).toEqual({});
    await fixture.run(branching(fixture, ids[2]));
    await runAndCheck(fixture, compacting(fixture, { firstKept: ids[2] }));
  });

  test('[P70] refuses an empty tree, a blank summary and a first kept node that is not on the active path', async () => {
    const store = new ReferenceStore();
    const { fixture, ids } = await conversation(store);
    const aside = await fixture.variant(user('aside'), ids[1]);
    await fixture.run(branching(fixture, ids[2]));
    const beside = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
    expect(await refusalOf(beside, compacting(beside))).toBe('context/nothing-to-compact');
    expect(await refusalOf(fixture, compacting(fixture, { summary: ' ' }))).toBe('message/blank');
    expect(await refusalOf(fixture, compacting(fixture, { firstKept: aside }))).toBe('tree/not-on-path');
    expect(await refusalOf(fixture, compacting(fixture, { firstKept: fixture.rootId }))).toBe('tree/not-on-path');
    expect(await refusalOf(fixture, compacting(fixture, { firstKept: nodeId(testUuid(99)) }))).toBe(
      'tree/unknown-node',
    );
    expect(await refusalOf(fixture, compacting(fixture, { firstKept: beside.rootId }))).toBe('tree/foreign-parent');
  });
});

describe('compact at a node', () => {
  test('[P110] is added below the named node, and becomes active only if that node was', async () => {
    const { fixture, ids } = await conversation();
    const there = await runAndCheck(fixture, compacting(fixture, { nodeId: ids[2], firstKept: ids[1] }));
    expect(fixture.node(there.result.nodeId).parentId).toBe(ids[2]);
    expect(fixture.active).toBe(there.result.nodeId);
    const elsewhere = await runAndCheck(fixture, compacting(fixture, { nodeId: ids[1] }));
    expect(fixture.node(elsewhere.result.nodeId).parentId).toBe(ids[1]);
    expect(fixture.active).toBe(there.result.nodeId);
    await fixture.run(branching(fixture, ids[0]));
    const quiet = await runAndCheck(fixture, compacting(fixture, { nodeId: ids[0], select: false }));
    expect(quiet.result.added).toHaveLength(1);
    expect(fixture.active).toBe(ids[0]);
  });

  test('[P110] refuses the root, unknown nodes, and a first kept node that is not above', async () => {
    const { fixture, ids } = await conversation();
    expect(await refusalOf(fixture, compacting(fixture, { nodeId: fixture.rootId }))).toBe(
      'context/nothing-to-compact',
    );
    expect(await refusalOf(fixture, compacting(fixture, { nodeId: nodeId(testUuid(99)) }))).toBe('tree/unknown-node');
    expect(await refusalOf(fixture, compacting(fixture, { nodeId: ids[0], firstKept: ids[1] }))).toBe(
      'tree/not-on-path',
    );
  });

  test('[P111] adds nothing on request if the node got a child meanwhile; a retry finds its own marker', async () => {
    const { fixture, ids } = await conversation();
    const late = await fixture.run(compacting(fixture, { nodeId: ids[1], onlyLeaf: true }));
    expect(late.commit).toBeNull();
    expect(late.result).toEqual({ nodeId: ids[1], added: [] });
    const command = compacting(fixture, { nodeId: ids[2], onlyLeaf: true, id: testUuid(60) });
    await runAndCheck(fixture, command);
    expect((await fixture.run(command)).result).toEqual({ nodeId: testUuid(60), added: [] });
  });
});

describe('branch from a node', () => {
  test('[P112] a branch summary names the given leaf, wherever the user is', async () => {
    const { fixture, ids } = await conversation();
    await fixture.run(branching(fixture, ids[1]));
    const { result } = await runAndCheck(fixture, branching(fixture, ids[0], { summary: 'tried', from: ids[2] }));
    expect(fixture.node(result.nodeId).marker).toEqual({ from: ids[2] });
    expect(await refusalOf(fixture, branching(fixture, ids[0], { summary: 's', from: nodeId(testUuid(99)) }))).toBe(
      'tree/unknown-node',
    );
  });
});

describe('mark', () => {
  test('[P71] adds an injected message or a state at the end of the active branch, or at a given node', async () => {
    const { fixture, ids } = await conversation();
    const note = await runAndCheck(fixture, marking(fixture, { details: { a: 1 } }));
    expect(fixture.node(note.result.nodeId)).toMatchObject({
      kind: 'injected',
      parentId: ids[2],
      marker: { details: { a: 1 } },
    });
    expect(fixture.active).toBe(note.result.nodeId);
    const state = await runAndCheck(
      fixture,
      marking(fixture, { kind: 'state', parentId: ids[0], select: false, message: user(' ') }),
    );
    expect(fixture.node(state.result.nodeId)).toMatchObject({ kind: 'state', parentId: ids[0], key: null });
    expect(fixture.active).toBe(note.result.nodeId);
  });

  test('[P71] as the first node of a tree becomes active', async () => {
    const fixture = await TestTree.make();
    const { result: made } = await runAndCheck(fixture, marking(fixture, { select: false }));
    expect(fixture.active).toBe(made.nodeId);
  });

  test('[P71] refuses a blank injected message, a malformed one, and unknown parents', async () => {
    const { fixture } = await conversation();
    expect(await refusalOf(fixture, marking(fixture, { message: user(' ') }))).toBe('message/blank');
    expect(await refusalOf(fixture, marking(fixture, { message: { role: 'user', content: [] } }))).toBe(
      'message/blank',
    );
    const bad: unknown = { role: 'user', content: 5 };
    expect(await refusalOf(fixture, marking(fixture, { message: bad as Message }))).toBe('message/invalid');
    expect(await refusalOf(fixture, marking(fixture, { parentId: nodeId(testUuid(99)) }))).toBe('tree/unknown-node');
  });

  test('[P72] markers are never merged with equal ones', async () => {
    const { fixture, ids } = await conversation();
    await fixture.run(marking(fixture, { parentId: ids[0] }));
    await fixture.run(marking(fixture, { parentId: ids[0] }));
    await fixture.run(branching(fixture, ids[0], { summary: 'note' }));
    await fixture.run(branching(fixture, ids[0], { summary: 'note' }));
    expect(fixture.texts(ids[0])).toEqual(['two', 'note', 'note', 'note', 'note']);
  });
});

describe('retries', () => {
  test.each([
    [
      'a branch with a summary',
      (fixture: TestTree, at: NodeId) => branching(fixture, at, { summary: 's', id: testUuid(60) }),
    ],
    ['a compaction', (fixture: TestTree, at: NodeId) => compacting(fixture, { firstKept: at, id: testUuid(60) })],
    [
      'a compaction at a place',
      (fixture: TestTree, at: NodeId) => compacting(fixture, { nodeId: at, id: testUuid(60) }),
    ],
    ['a mark', (fixture: TestTree) => marking(fixture, { id: testUuid(60) })],
    ['a mark at a place', (fixture: TestTree, at: NodeId) => marking(fixture, { parentId: at, id: testUuid(60) })],
  ])('[P73] of %s with its id commit nothing', async (_what, commandOn) => {
    const { fixture, ids } = await conversation();
    const command = commandOn(fixture, ids[0]);
    await runAndCheck(fixture, command);
    const before = fixture.tree;
    const again = await fixture.run(command);
    expect(again.commit).toBeNull();
    expect(again.result).toEqual({ nodeId: testUuid(60), added: [] });
    expect(fixture.tree).toBe(before);
  });

  test('[P73] an id of another node is taken, an invalid id is refused', async () => {
    const { fixture, ids } = await conversation();
    await fixture.run(marking(fixture, { id: testUuid(60), parentId: ids[0] }));
    for (const command of [
      marking(fixture, { id: testUuid(60), parentId: ids[1] }),
      marking(fixture, { id: testUuid(60), parentId: ids[0], message: assistant('other') }),
      marking(fixture, { id: testUuid(60), parentId: ids[0], kind: 'state' }),
      compacting(fixture, { id: testUuid(60) }),
      branching(fixture, ids[0], { summary: 'note', id: ids[2] }),
    ])
      expect(await refusalOf(fixture, command)).toBe('id/taken');
    expect(await refusalOf(fixture, compacting(fixture, { id: 'mine' }))).toBe('id/invalid');
  });
});

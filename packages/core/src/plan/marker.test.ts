import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import type { Message } from '../message.ts';
import { assistant, Bed, carry, ReferenceStore, refusalOf, stepTypesOf, user, uuid } from '../testing/index.ts';
import type { BranchCommand, CompactCommand, MarkCommand } from './marker.ts';

async function talk(store?: ReferenceStore): Promise<{ bed: Bed; ids: [NodeId, NodeId, NodeId] }> {
  const bed = await Bed.make(store === undefined ? {} : { store });
  const [one, two, three] = await bed.grow(['one', 'two', 'three']);
  if (one === undefined || two === undefined || three === undefined) throw new Error('Nothing grew.');
  return { bed, ids: [one, two, three] };
}

function branching(bed: Bed, id: NodeId, rest: Partial<BranchCommand> = {}): BranchCommand {
  return { type: 'branch', treeId: bed.treeId, nodeId: id, ...rest };
}

function compacting(bed: Bed, rest: Partial<CompactCommand> = {}): CompactCommand {
  return { type: 'compact', treeId: bed.treeId, summary: 'in short', ...rest };
}

function marking(bed: Bed, rest: Partial<MarkCommand> = {}): MarkCommand {
  return { type: 'mark', treeId: bed.treeId, kind: 'injected', message: user('note'), ...rest };
}

describe('branch', () => {
  test('[P66] without a summary moves the pointer and nothing else', async () => {
    const { bed, ids } = await talk();
    const outcome = await carry(bed, branching(bed, ids[0]));
    expect(stepTypesOf(outcome)).toEqual(['select']);
    expect(outcome.result).toEqual({ nodeId: ids[0], added: [] });
    expect((await bed.run(branching(bed, ids[0]))).commit).toBeNull();
  });

  test('[P67] with a summary adds a branch summary there that names the leaf left behind, and goes to it', async () => {
    const { bed, ids } = await talk();
    const details = { files: ['a.ts'] };
    const { result: made, commit } = await carry(bed, branching(bed, ids[0], { summary: 'tried two', details }));
    expect(stepTypesOf({ commit })).toEqual(['insert', 'select']);
    const node = bed.node(made.nodeId);
    expect(node).toMatchObject({
      kind: 'branch-summary',
      role: 'system',
      text: 'tried two',
      parentId: ids[0],
      key: null,
    });
    expect(node.marker).toEqual({ from: ids[2], details });
    expect(made.added).toEqual([made.nodeId]);
    expect(bed.active).toBe(made.nodeId);
    expect(bed.drawing()).toEqual(['one', '  two', '    three', '  tried two *']);
  });

  test('[P67] names the leaf that it is told was left, wherever the user is', async () => {
    const { bed, ids } = await talk();
    const { result } = await carry(bed, branching(bed, ids[0], { summary: 'tried two', from: ids[1] }));
    expect(bed.node(result.nodeId).marker).toEqual({ from: ids[1] });
    const nowhere = branching(bed, ids[0], { summary: 's', from: nodeId(uuid(99)) });
    expect(await refusalOf(bed, nowhere)).toBe('tree/unknown-node');
  });

  test('[P67] with a summary may start again at the root, also of an empty tree', async () => {
    const { bed, ids } = await talk();
    const { result: made } = await carry(bed, branching(bed, bed.rootId, { summary: 'all of it' }));
    expect(bed.node(made.nodeId)).toMatchObject({ parentId: bed.rootId, marker: { from: ids[2] } });
    const empty = await Bed.make();
    const first = await carry(empty, branching(empty, empty.rootId, { summary: 'before' }));
    expect(empty.node(first.result.nodeId).marker).toEqual({});
    expect(empty.active).toBe(first.result.nodeId);
  });

  test('[P68] refuses the root without a summary, a blank summary and nodes that are not there', async () => {
    const store = new ReferenceStore();
    const { bed, ids } = await talk(store);
    const beside = await Bed.make({ store, treeId: treeId(uuid(2)) });
    expect(await refusalOf(bed, branching(bed, bed.rootId))).toBe('tree/root-protected');
    expect(await refusalOf(bed, branching(bed, ids[0], { summary: ' \n' }))).toBe('message/blank');
    for (const rest of [{}, { summary: 's' }]) {
      expect(await refusalOf(bed, branching(bed, nodeId(uuid(99)), rest))).toBe('tree/unknown-node');
      expect(await refusalOf(bed, branching(bed, beside.rootId, rest))).toBe('tree/foreign-parent');
    }
  });
});

describe('compact', () => {
  test('[P69] adds a compaction below the active node that names the first node kept, and goes to it', async () => {
    const { bed, ids } = await talk();
    const rest = { firstKept: ids[1], tokensBefore: 900, details: { by: 'me' }, meta: { source: { model: 'm' } } };
    const { result: made } = await carry(bed, compacting(bed, rest));
    const node = bed.node(made.nodeId);
    expect(node).toMatchObject({ kind: 'compaction', role: 'system', text: 'in short', parentId: ids[2] });
    expect(node.marker).toEqual({ firstKept: ids[1], tokensBefore: 900, details: { by: 'me' } });
    expect(node.meta).toEqual({ source: { model: 'm' } });
    expect(bed.active).toBe(made.nodeId);
  });

  test('[P69] may keep nothing, and may keep the active node itself', async () => {
    const { bed, ids } = await talk();
    expect(bed.node((await carry(bed, compacting(bed))).result.nodeId).marker).toEqual({});
    await bed.run(branching(bed, ids[2]));
    await carry(bed, compacting(bed, { firstKept: ids[2] }));
  });

  test('[P70] refuses an empty tree, a blank summary and a first kept node that is not on the active path', async () => {
    const store = new ReferenceStore();
    const { bed, ids } = await talk(store);
    const aside = await bed.variant(user('aside'), ids[1]);
    await bed.run(branching(bed, ids[2]));
    const beside = await Bed.make({ store, treeId: treeId(uuid(2)) });
    expect(await refusalOf(beside, compacting(beside))).toBe('context/nothing-to-compact');
    expect(await refusalOf(bed, compacting(bed, { summary: ' ' }))).toBe('message/blank');
    expect(await refusalOf(bed, compacting(bed, { firstKept: aside }))).toBe('tree/not-on-path');
    expect(await refusalOf(bed, compacting(bed, { firstKept: bed.rootId }))).toBe('tree/not-on-path');
    expect(await refusalOf(bed, compacting(bed, { firstKept: nodeId(uuid(99)) }))).toBe('tree/unknown-node');
    expect(await refusalOf(bed, compacting(bed, { firstKept: beside.rootId }))).toBe('tree/foreign-parent');
  });
});

describe('compact at a place', () => {
  test('[P110] goes below the node that is named, and takes along only who is there', async () => {
    const { bed, ids } = await talk();
    const there = await carry(bed, compacting(bed, { nodeId: ids[2], firstKept: ids[1] }));
    expect(bed.node(there.result.nodeId).parentId).toBe(ids[2]);
    expect(bed.active).toBe(there.result.nodeId);
    const elsewhere = await carry(bed, compacting(bed, { nodeId: ids[1] }));
    expect(bed.node(elsewhere.result.nodeId).parentId).toBe(ids[1]);
    expect(bed.active).toBe(there.result.nodeId);
    await bed.run(branching(bed, ids[0]));
    const quiet = await carry(bed, compacting(bed, { nodeId: ids[0], select: false }));
    expect(quiet.result.added).toHaveLength(1);
    expect(bed.active).toBe(ids[0]);
  });

  test('[P110] refuses the root, nodes that are not there, and a first kept node that is not above', async () => {
    const { bed, ids } = await talk();
    expect(await refusalOf(bed, compacting(bed, { nodeId: bed.rootId }))).toBe('context/nothing-to-compact');
    expect(await refusalOf(bed, compacting(bed, { nodeId: nodeId(uuid(99)) }))).toBe('tree/unknown-node');
    expect(await refusalOf(bed, compacting(bed, { nodeId: ids[0], firstKept: ids[1] }))).toBe('tree/not-on-path');
  });

  test('[P111] adds nothing where somebody went on meanwhile, if that is asked for; a retry finds its own', async () => {
    const { bed, ids } = await talk();
    const late = await bed.run(compacting(bed, { nodeId: ids[1], onlyLeaf: true }));
    expect(late.commit).toBeNull();
    expect(late.result).toEqual({ nodeId: ids[1], added: [] });
    const command = compacting(bed, { nodeId: ids[2], onlyLeaf: true, id: uuid(60) });
    await carry(bed, command);
    expect((await bed.run(command)).result).toEqual({ nodeId: uuid(60), added: [] });
  });
});

describe('branch from a place', () => {
  test('[P112] a branch summary names the leaf that it is told was left, wherever the user is by now', async () => {
    const { bed, ids } = await talk();
    await bed.run(branching(bed, ids[1]));
    const { result } = await carry(bed, branching(bed, ids[0], { summary: 'tried', from: ids[2] }));
    expect(bed.node(result.nodeId).marker).toEqual({ from: ids[2] });
    expect(await refusalOf(bed, branching(bed, ids[0], { summary: 's', from: nodeId(uuid(99)) }))).toBe(
      'tree/unknown-node',
    );
  });
});

describe('mark', () => {
  test('[P71] adds an injected message or a state at the end of the active branch, or where it is told', async () => {
    const { bed, ids } = await talk();
    const note = await carry(bed, marking(bed, { details: { a: 1 } }));
    expect(bed.node(note.result.nodeId)).toMatchObject({
      kind: 'injected',
      parentId: ids[2],
      marker: { details: { a: 1 } },
    });
    expect(bed.active).toBe(note.result.nodeId);
    const state = await carry(
      bed,
      marking(bed, { kind: 'state', parentId: ids[0], select: false, message: user(' ') }),
    );
    expect(bed.node(state.result.nodeId)).toMatchObject({ kind: 'state', parentId: ids[0], key: null });
    expect(bed.active).toBe(note.result.nodeId);
  });

  test('[P71] as the first node of a tree becomes active', async () => {
    const bed = await Bed.make();
    const { result: made } = await carry(bed, marking(bed, { select: false }));
    expect(bed.active).toBe(made.nodeId);
  });

  test('[P71] refuses a blank injected message, one that cannot be read, and parents that are not there', async () => {
    const { bed } = await talk();
    expect(await refusalOf(bed, marking(bed, { message: user(' ') }))).toBe('message/blank');
    expect(await refusalOf(bed, marking(bed, { message: { role: 'user', content: [] } }))).toBe('message/blank');
    const bad: unknown = { role: 'user', content: 5 };
    expect(await refusalOf(bed, marking(bed, { message: bad as Message }))).toBe('message/invalid');
    expect(await refusalOf(bed, marking(bed, { parentId: nodeId(uuid(99)) }))).toBe('tree/unknown-node');
  });

  test('[P72] markers are never merged with equal ones', async () => {
    const { bed, ids } = await talk();
    await bed.run(marking(bed, { parentId: ids[0] }));
    await bed.run(marking(bed, { parentId: ids[0] }));
    await bed.run(branching(bed, ids[0], { summary: 'note' }));
    await bed.run(branching(bed, ids[0], { summary: 'note' }));
    expect(bed.texts(ids[0])).toEqual(['two', 'note', 'note', 'note', 'note']);
  });
});

describe('retries', () => {
  test.each([
    ['a branch with a summary', (bed: Bed, at: NodeId) => branching(bed, at, { summary: 's', id: uuid(60) })],
    ['a compaction', (bed: Bed, at: NodeId) => compacting(bed, { firstKept: at, id: uuid(60) })],
    ['a compaction at a place', (bed: Bed, at: NodeId) => compacting(bed, { nodeId: at, id: uuid(60) })],
    ['a mark', (bed: Bed) => marking(bed, { id: uuid(60) })],
    ['a mark at a place', (bed: Bed, at: NodeId) => marking(bed, { parentId: at, id: uuid(60) })],
  ])('[P73] of %s with its id commit nothing', async (_what, commandOn) => {
    const { bed, ids } = await talk();
    const command = commandOn(bed, ids[0]);
    await carry(bed, command);
    const before = bed.tree;
    const again = await bed.run(command);
    expect(again.commit).toBeNull();
    expect(again.result).toEqual({ nodeId: uuid(60), added: [] });
    expect(bed.tree).toBe(before);
  });

  test('[P73] an id of anything else is taken, one of another form is refused', async () => {
    const { bed, ids } = await talk();
    await bed.run(marking(bed, { id: uuid(60), parentId: ids[0] }));
    for (const command of [
      marking(bed, { id: uuid(60), parentId: ids[1] }),
      marking(bed, { id: uuid(60), parentId: ids[0], message: assistant('other') }),
      marking(bed, { id: uuid(60), parentId: ids[0], kind: 'state' }),
      compacting(bed, { id: uuid(60) }),
      branching(bed, ids[0], { summary: 'note', id: ids[2] }),
    ])
      expect(await refusalOf(bed, command)).toBe('id/taken');
    expect(await refusalOf(bed, compacting(bed, { id: 'mine' }))).toBe('id/invalid');
  });
});

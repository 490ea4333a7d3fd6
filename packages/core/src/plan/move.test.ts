import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { assistant, Bed, carry, planned, refusalOf, stepTypesOf, user, uuid } from '../testing/index.ts';
import { childIds } from '../tree.ts';
import type { MoveCommand } from './move.ts';

function moving(bed: Bed, id: NodeId, parentId: NodeId, before?: NodeId): MoveCommand {
  const command: MoveCommand = { type: 'move', treeId: bed.treeId, nodeId: id, parentId };
  return before === undefined ? command : { ...command, before };
}

async function three(): Promise<{ bed: Bed; a: NodeId; b: NodeId; c: NodeId }> {
  const bed = await Bed.make();
  const [a, b, c] = [
    await bed.variant(user('a'), bed.rootId),
    await bed.variant(user('b'), bed.rootId),
    await bed.variant(user('c'), bed.rootId),
  ];
  return { bed, a, b, c };
}

describe('a move', () => {
  test('[V13] hangs a branch with all below it last under another parent, ids kept', async () => {
    const { bed, a, c } = await three();
    await bed.grow(['reply', 'and'], a);
    const below = childIds(bed.tree, a);
    await bed.variant(assistant('first'), c);
    const { result } = await carry(bed, moving(bed, a, c));
    expect(result).toEqual({ nodeId: a, from: bed.rootId });
    expect(bed.drawing()).toEqual(['b', 'c', '  first *', '  a', '    reply', '      and']);
    expect(childIds(bed.tree, a)).toEqual(below);
  });

  test('[V13] puts it before a sibling where one is named', async () => {
    const { bed, a, b, c } = await three();
    await carry(bed, moving(bed, c, bed.rootId, a));
    expect(bed.texts()).toEqual(['c', 'a', 'b']);
    const d = await bed.variant(user('d'), a);
    await carry(bed, moving(bed, d, bed.rootId, b));
    expect(bed.texts()).toEqual(['c', 'a', 'd', 'b']);
  });

  test('[V13] leaves the pointer on the node that it was on', async () => {
    const { bed, a, b, c } = await three();
    expect(bed.active).toBe(c);
    const { commit } = await carry(bed, moving(bed, c, a));
    expect(stepTypesOf({ commit })).toEqual(['move']);
    expect(bed.active).toBe(c);
    await carry(bed, moving(bed, a, b));
    expect(bed.thread()).toEqual(['b', 'a', 'c']);
  });

  test('[V13] lets a moved message be found by what is above it now', async () => {
    const { bed, a, b } = await three();
    await carry(bed, moving(bed, b, a));
    const { result } = await bed.run({
      type: 'append',
      treeId: bed.treeId,
      parentId: bed.rootId,
      messages: [{ message: user('a') }, { message: user('b') }],
    });
    expect(result).toMatchObject({ reused: [a, b], added: [] });
  });

  test('[V13] takes the messages below a moved marker along to what is above it now', async () => {
    const { bed, a, b } = await three();
    const { result } = await bed.run({
      type: 'mark',
      treeId: bed.treeId,
      parentId: a,
      kind: 'injected',
      message: user('marker'),
    });
    const below = await bed.variant(assistant('below'), result.nodeId);
    await carry(bed, moving(bed, result.nodeId, b));
    expect(bed.node(below).matchParent).toBe(b);
  });

  test('[V14] gives a group a fresh number at another parent, and keeps it under the same one', async () => {
    const bed = await Bed.make();
    const [q, r] = [await bed.variant(user('q'), bed.rootId), await bed.variant(user('r'), bed.rootId)];
    const grouped = async (parentId: NodeId) => {
      const replies = [{ message: assistant('one') }, { message: assistant('two') }];
      return (await bed.run({ type: 'reply', treeId: bed.treeId, parentId, replies })).result.added;
    };
    const [one = q, two = q] = await grouped(q);
    const there = await grouped(r);
    await carry(bed, moving(bed, one, r));
    expect(bed.node(one).groupId).toBe(2);
    expect(there.map((id) => bed.node(id).groupId)).toEqual([1, 1]);
    await carry(bed, moving(bed, one, r, there[0]));
    expect(bed.node(one).groupId).toBe(2);
    expect(bed.node(two).groupId).toBe(1);
  });

  test('[V15] refuses cycles, the root, what is not there, what is elsewhere and a sibling that is none', async () => {
    const { bed, a, b, c } = await three();
    const below = await bed.variant(user('below'), a);
    const deep = await bed.variant(user('deep'), below);
    const other = await Bed.make({ store: bed.store, treeId: treeId(uuid(2)) });
    const foreign = await other.variant(user('x'), other.rootId);
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [c] });
    const commands: readonly (readonly [MoveCommand, string])[] = [
      [moving(bed, a, a), 'tree/cycle'],
      [moving(bed, a, below), 'tree/cycle'],
      [moving(bed, a, deep), 'tree/cycle'],
      [moving(bed, bed.rootId, a), 'tree/root-protected'],
      [moving(bed, nodeId(uuid(77)), a), 'tree/unknown-node'],
      [moving(bed, a, nodeId(uuid(77))), 'tree/unknown-node'],
      [moving(bed, a, c), 'tree/unknown-node'],
      [moving(bed, c, a), 'tree/unknown-node'],
      [moving(bed, a, foreign), 'tree/foreign-parent'],
      [moving(bed, foreign, a), 'tree/foreign-parent'],
      [moving(bed, a, b, below), 'command/invalid'],
      [moving(bed, a, b, foreign), 'tree/foreign-parent'],
      [moving(bed, a, b, a), 'command/invalid'],
    ];
    for (const [command, code] of commands) expect(await refusalOf(bed, command)).toBe(code);
  });

  test('[V16] to where a node stands already commits nothing, also beside places of removed nodes', async () => {
    const { bed, a, b, c } = await three();
    const same = [moving(bed, c, bed.rootId), moving(bed, a, bed.rootId, b), moving(bed, b, bed.rootId, b)];
    for (const command of same) expect((await carry(bed, command)).commit).toBeNull();
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [b] });
    expect((await carry(bed, moving(bed, a, bed.rootId, c))).commit).toBeNull();
    const { commit } = await carry(bed, moving(bed, c, bed.rootId, a));
    expect(commit).not.toBeNull();
    await bed.run({ type: 'undo', treeId: bed.treeId });
    await bed.run({ type: 'undo', treeId: bed.treeId });
    expect(bed.texts()).toEqual(['a', 'b', 'c']);
  });

  test('[V17] of a branch in which a reply is being written is carried out, and the reply can be ended there', async () => {
    const { bed, a, b } = await three();
    const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId: a, replies: [{}] });
    const [reply = a] = result.added;
    await carry(bed, moving(bed, a, b));
    await carry(bed, moving(bed, reply, b));
    const message = assistant('done');
    await carry(bed, { type: 'finish', treeId: bed.treeId, nodeId: reply, status: 'success', message });
    expect(bed.thread(reply)).toEqual(['b', 'done']);
  });

  test('[V18] reads no list of children under a parent that it is new to', async () => {
    const { bed, a, b } = await three();
    const { asked } = await planned(bed, moving(bed, a, b));
    expect(asked).not.toContain('children');
    expect(asked.length).toBeLessThan(6);
  });
});

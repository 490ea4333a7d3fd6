import { describe, expect, test } from 'vitest';
import { nodeId, treeId } from '../ids.ts';
import type { Message } from '../message.ts';
import { assistant, Bed, carry, ReferenceStore, refusalOf, user, uuid } from '../testing/index.ts';
import type { AppendCommand, NewMessage } from './append.ts';

function named(bed: Bed, messages: readonly NewMessage[], rest: Partial<AppendCommand> = {}): AppendCommand {
  return { type: 'append', treeId: bed.treeId, messages, ...rest };
}

describe('ids that a client chooses', () => {
  const pair: NewMessage[] = [
    { message: user('hi'), id: uuid(50) },
    { message: assistant('hello'), id: uuid(51) },
  ];

  test('[P7] a chosen id is the id of the node', async () => {
    const bed = await Bed.make();
    const { result: found } = await carry(bed, named(bed, pair));
    expect(found).toEqual({ nodeId: uuid(51), added: [uuid(50), uuid(51)], reused: [] });
  });

  test.each([
    ['the parent named', { merge: true, name: true }],
    ['no parent named', { merge: true, name: false }],
    ['the parent named, not merging', { merge: false, name: true }],
    ['no parent named, not merging', { merge: false, name: false }],
  ])('[P7] a retry with %s finds its own nodes and commits nothing', async (_how, { merge, name }) => {
    const bed = await Bed.make();
    const [start] = await bed.grow(['start']);
    const command = named(bed, pair, { merge, ...(name && start !== undefined ? { parentId: start } : {}) });
    await carry(bed, command);
    const before = bed.tree;
    const again = await bed.run(command);
    expect(again.result).toEqual({ nodeId: uuid(51), added: [], reused: [uuid(50), uuid(51)] });
    expect(again.commit).toBeNull();
    expect(bed.tree).toBe(before);
  });

  test.each([
    ['named', true],
    ['not named', false],
  ])('[P7] a retry of an append that reused its beginning finds all of it, the parent %s', async (_how, name) => {
    const bed = await Bed.make();
    const [start] = await bed.grow(['start', 'one', 'two']);
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: start ?? bed.rootId });
    const messages: NewMessage[] = [
      { message: assistant('one'), id: uuid(60) },
      { message: user('two'), id: uuid(61) },
      { message: assistant('three'), id: uuid(62) },
      { message: user('four') },
    ];
    const place = name && start !== undefined ? { parentId: start } : {};
    const command = named(bed, messages, { ...place, merge: true });
    const made = await carry(bed, command);
    expect(made.result.added).toHaveLength(2);
    const again = await bed.run(command);
    expect(again.commit).toBeNull();
    expect(again.result.reused).toEqual([...made.result.reused, ...made.result.added]);
    expect(again.result.added).toEqual([]);
  });

  test('[P7] a retry finds its own node also where an equal one has come before it', async () => {
    const bed = await Bed.make();
    const command = named(bed, [{ message: user('hi'), id: uuid(50) }], { parentId: bed.rootId });
    await bed.run(command);
    const twin = await bed.variant(user('hi'), bed.rootId);
    await bed.run({ type: 'move', treeId: bed.treeId, nodeId: twin, parentId: bed.rootId, before: nodeId(uuid(50)) });
    expect((await bed.run(command)).result.nodeId).toBe(uuid(50));
  });

  test('[P7] a retry that says more adds what is new', async () => {
    const bed = await Bed.make();
    await bed.run(named(bed, pair));
    const more = [...pair, { message: user('more'), id: uuid(52) }];
    const { result: found } = await carry(bed, named(bed, more, { merge: false }));
    expect(found).toEqual({ nodeId: uuid(52), added: [uuid(52)], reused: [uuid(50), uuid(51)] });
  });

  test('[P115] a message with an id is a node of its own beside an equal one, with what follows below it', async () => {
    const bed = await Bed.make();
    const [hi = bed.rootId] = await bed.grow(['hi', 'hello']);
    const messages = [{ message: user('hi'), id: uuid(50) }, { message: assistant('hello') }];
    const command = named(bed, messages, { parentId: bed.rootId });
    const { result: made } = await bed.run(command);
    expect(made).toMatchObject({ added: [uuid(50), expect.any(String)], reused: [] });
    expect((await bed.run(command)).commit).toBeNull();
    // What comes before it merges as ever, and a retry finds it there.
    const after = named(bed, [{ message: user('hi') }, { message: assistant('hello'), id: uuid(51) }], {
      parentId: bed.rootId,
    });
    const { result: below } = await bed.run(after);
    expect(below).toMatchObject({ added: [uuid(51)], reused: [hi] });
    expect((await bed.run(after)).commit).toBeNull();
    const { parentId: _, ...unnamed } = after;
    expect((await bed.run(unnamed)).commit).toBeNull();
  });

  test('[P115] a retry of messages with and without ids in turns finds all of them', async () => {
    const bed = await Bed.make();
    await bed.grow(['one', 'two', 'three']);
    const messages: NewMessage[] = [
      { message: user('one') },
      { message: assistant('two'), id: uuid(60) },
      { message: user('three') },
      { message: assistant('four'), id: uuid(61) },
      { message: user('five') },
    ];
    const command = named(bed, messages, { parentId: bed.rootId });
    const made = await bed.run(command);
    expect(made.result.reused).toHaveLength(1);
    expect(made.result.added).toHaveLength(4);
    const again = await bed.run(command);
    expect(again.commit).toBeNull();
    expect(again.result.reused).toEqual([...made.result.reused, ...made.result.added]);
    const moved = named(bed, [...messages.slice(0, 3), { message: assistant('other'), id: uuid(61) }], {
      parentId: bed.rootId,
    });
    expect(await refusalOf(bed, moved)).toBe('id/taken');
  });

  test('[P115] merging that is asked for reuses an equal message with another id, and its id stays free', async () => {
    const bed = await Bed.make();
    const [hi] = await bed.grow(['hi']);
    const { result: found } = await bed.run(
      named(bed, [{ message: user('hi'), id: uuid(50) }], { parentId: bed.rootId, merge: true }),
    );
    expect(found.nodeId).toBe(hi);
    const { result: later } = await bed.run(named(bed, [{ message: assistant('new'), id: uuid(50) }]));
    expect(later.added).toEqual([uuid(50)]);
  });

  test('[P8] an id that stands for another message, another place or a removed node is taken', async () => {
    const bed = await Bed.make();
    await bed.run(named(bed, pair));
    const one = (message: Message, id: string, rest: Partial<AppendCommand> = {}) =>
      named(bed, [{ message, id }], rest);
    for (const merge of [true, false]) {
      expect(await refusalOf(bed, one(user('other'), uuid(50), { merge }))).toBe('id/taken');
      expect(await refusalOf(bed, one(assistant('hello'), uuid(51), { merge, parentId: bed.rootId }))).toBe('id/taken');
      expect(await refusalOf(bed, one(user('x'), bed.rootId, { merge }))).toBe('id/taken');
      const swapped = pair.map((item, index) => ({ ...item, id: uuid(51 - index) }));
      expect(await refusalOf(bed, named(bed, swapped, { merge, parentId: bed.rootId }))).toBe('id/taken');
    }
    const later = [
      { message: user('new'), id: uuid(70) },
      { message: assistant('hello'), id: uuid(51) },
    ];
    expect(await refusalOf(bed, named(bed, later, { parentId: bed.rootId }))).toBe('id/taken');
    expect(await refusalOf(bed, named(bed, later))).toBe('id/taken');
    const gap = [...pair.slice(0, 1), { message: assistant('new') }, { message: user('x'), id: uuid(51) }];
    expect(await refusalOf(bed, named(bed, gap, { merge: false }))).toBe('id/taken');
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [nodeId(uuid(51))] });
    expect(await refusalOf(bed, one(assistant('hello'), uuid(51)))).toBe('id/taken');
  });

  test('[P8] an id of another tree, also of another owner, is taken', async () => {
    const store = new ReferenceStore();
    const bed = await Bed.make({ store });
    const beside = await Bed.make({ store: store.forOwner('other'), treeId: treeId(uuid(2)) });
    await beside.run({ ...named(beside, pair) });
    expect(await refusalOf(bed, named(bed, pair))).toBe('id/taken');
  });

  test("[P8] the tree's own id is taken, but for its root", async () => {
    const bed = await Bed.make();
    expect(await refusalOf(bed, named(bed, [{ message: user('x'), id: bed.treeId }]))).toBe('id/taken');
    const id = treeId(uuid(3));
    const messages = [{ message: user('x'), id }];
    expect(await refusalOf(bed, { type: 'create', treeId: id, messages })).toBe('id/taken');
    await bed.run({ type: 'create', treeId: id, rootId: id });
  });

  test('[P8] the same id twice is refused', async () => {
    const bed = await Bed.make();
    const twice = pair.map((item) => ({ ...item, id: uuid(50) }));
    expect(await refusalOf(bed, named(bed, twice))).toBe('id/taken');
  });

  test.each(['', 'x', '__proto__', uuid(50).toUpperCase().replace('0000', 'ABCD'), `{${uuid(50)}}`])(
    '[P9] %j is refused as an id, also for a message that is there',
    async (id) => {
      const bed = await Bed.make();
      await bed.grow(['hi']);
      expect(await refusalOf(bed, named(bed, [{ message: user('new'), id }]))).toBe('id/invalid');
      const there = named(bed, [{ message: user('hi'), id }], { parentId: bed.rootId });
      expect(await refusalOf(bed, there)).toBe('id/invalid');
    },
  );

  test.each(['', 'x', uuid(50).toUpperCase().replace('0000', 'ABCD')])(
    '[P9] %j is refused as the id of a tree that is made, copied or imported',
    async (text) => {
      const bed = await Bed.make();
      const id = treeId(text);
      expect(await refusalOf(bed, { type: 'create', treeId: id })).toBe('id/invalid');
      expect(await refusalOf(bed, { type: 'duplicate', treeId: id, from: bed.treeId })).toBe('id/invalid');
      expect(await refusalOf(bed, { type: 'import', treeId: id, nodes: [] })).toBe('id/invalid');
      expect(bed.reference?.trees.size).toBe(1);
    },
  );

  test('[P9] an id that is no text is refused as any other', async () => {
    const bed = await Bed.make();
    const messages = [{ message: user('new'), id: JSON.parse('5') }];
    expect(await refusalOf(bed, named(bed, messages))).toBe('id/invalid');
  });
});

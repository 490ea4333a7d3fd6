import { describe, expect, test } from 'vitest';
import { nodeId, treeId } from '../ids.ts';
import type { Message } from '../message.ts';
import { assistant, ReferenceStore, refusalOf, runAndCheck, TestTree, testUuid, user } from '../testing/index.ts';
import type { AppendCommand, NewMessage } from './append.ts';

function named(fixture: TestTree, messages: readonly NewMessage[], rest: Partial<AppendCommand> = {}): AppendCommand {
  return { type: 'append', treeId: fixture.treeId, messages, ...rest };
}

describe('ids that a client chooses', () => {
  const pair: NewMessage[] = [
    { message: user('hi'), id: testUuid(50) },
    { message: assistant('hello'), id: testUuid(51) },
  ];

  test('[P7] a chosen id is the id of the node', async () => {
    const fixture = await TestTree.make();
    const { result: found } = await runAndCheck(fixture, named(fixture, pair));
    expect(found).toEqual({ nodeId: testUuid(51), added: [testUuid(50), testUuid(51)], reused: [] });
  });

  test.each([
    ['the parent named', { merge: true, name: true }],
    ['no parent named', { merge: true, name: false }],
    ['the parent named, not merging', { merge: false, name: true }],
    ['no parent named, not merging', { merge: false, name: false }],
  ])('[P7] a retry with %s finds its own nodes and commits nothing', async (_how, { merge, name }) => {
    const fixture = await TestTree.make();
    const [start] = await fixture.addMessages(['start']);
    const command = named(fixture, pair, { merge, ...(name && start !== undefined ? { parentId: start } : {}) });
    await runAndCheck(fixture, command);
    const before = fixture.tree;
    const again = await fixture.run(command);
    expect(again.result).toEqual({ nodeId: testUuid(51), added: [], reused: [testUuid(50), testUuid(51)] });
    expect(again.commit).toBeNull();
    expect(fixture.tree).toBe(before);
  });

  test.each([
    ['named', true],
    ['not named', false],
  ])(
    '[P7] a retry of an append that reused existing messages finds all of its nodes, the parent %s',
    async (_how, name) => {
      const fixture = await TestTree.make();
      const [start] = await fixture.addMessages(['start', 'one', 'two']);
      await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: start ?? fixture.rootId });
      const messages: NewMessage[] = [
        { message: assistant('one'), id: testUuid(60) },
        { message: user('two'), id: testUuid(61) },
        { message: assistant('three'), id: testUuid(62) },
        { message: user('four') },
      ];
      const place = name && start !== undefined ? { parentId: start } : {};
      const command = named(fixture, messages, { ...place, merge: true });
      const made = await runAndCheck(fixture, command);
      expect(made.result.added).toHaveLength(2);
      const again = await fixture.run(command);
      expect(again.commit).toBeNull();
      expect(again.result.reused).toEqual([...made.result.reused, ...made.result.added]);
      expect(again.result.added).toEqual([]);
    },
  );

  test('[P7] a retry finds its own node even if an equal one was added before it', async () => {
    const fixture = await TestTree.make();
    const command = named(fixture, [{ message: user('hi'), id: testUuid(50) }], { parentId: fixture.rootId });
    await fixture.run(command);
    const twin = await fixture.variant(user('hi'), fixture.rootId);
    await fixture.run({
      type: 'move',
      treeId: fixture.treeId,
      nodeId: twin,
      parentId: fixture.rootId,
      before: nodeId(testUuid(50)),
    });
    expect((await fixture.run(command)).result.nodeId).toBe(testUuid(50));
  });

  test('[P7] a retry with more messages adds the new ones', async () => {
    const fixture = await TestTree.make();
    await fixture.run(named(fixture, pair));
    const more = [...pair, { message: user('more'), id: testUuid(52) }];
    const { result: found } = await runAndCheck(fixture, named(fixture, more, { merge: false }));
    expect(found).toEqual({ nodeId: testUuid(52), added: [testUuid(52)], reused: [testUuid(50), testUuid(51)] });
  });

  test('[P115] a message with an id is a separate node beside an equal one, with what follows below it', async () => {
    const fixture = await TestTree.make();
    const [hi = fixture.rootId] = await fixture.addMessages(['hi', 'hello']);
    const messages = [{ message: user('hi'), id: testUuid(50) }, { message: assistant('hello') }];
    const command = named(fixture, messages, { parentId: fixture.rootId });
    const { result: made } = await fixture.run(command);
    expect(made).toMatchObject({ added: [testUuid(50), expect.any(String)], reused: [] });
    expect((await fixture.run(command)).commit).toBeNull();
    // The messages before the chosen id are merged as usual, and a retry finds the node with the chosen id.
    const after = named(fixture, [{ message: user('hi') }, { message: assistant('hello'), id: testUuid(51) }], {
      parentId: fixture.rootId,
    });
    const { result: below } = await fixture.run(after);
    expect(below).toMatchObject({ added: [testUuid(51)], reused: [hi] });
    expect((await fixture.run(after)).commit).toBeNull();
    const { parentId: _, ...unnamed } = after;
    expect((await fixture.run(unnamed)).commit).toBeNull();
  });

  test('[P115] a retry with a mix of messages with and without ids finds all of them', async () => {
    const fixture = await TestTree.make();
    await fixture.addMessages(['one', 'two', 'three']);
    const messages: NewMessage[] = [
      { message: user('one') },
      { message: assistant('two'), id: testUuid(60) },
      { message: user('three') },
      { message: assistant('four'), id: testUuid(61) },
      { message: user('five') },
    ];
    const command = named(fixture, messages, { parentId: fixture.rootId });
    const made = await fixture.run(command);
    expect(made.result.reused).toHaveLength(1);
    expect(made.result.added).toHaveLength(4);
    const again = await fixture.run(command);
    expect(again.commit).toBeNull();
    expect(again.result.reused).toEqual([...made.result.reused, ...made.result.added]);
    const moved = named(fixture, [...messages.slice(0, 3), { message: assistant('other'), id: testUuid(61) }], {
      parentId: fixture.rootId,
    });
    expect(await refusalOf(fixture, moved)).toBe('id/taken');
  });

  test('[P115] merging on request reuses an equal message that has another id, and the requested id stays free', async () => {
    const fixture = await TestTree.make();
    const [hi] = await fixture.addMessages(['hi']);
    const { result: found } = await fixture.run(
      named(fixture, [{ message: user('hi'), id: testUuid(50) }], { parentId: fixture.rootId, merge: true }),
    );
    expect(found.nodeId).toBe(hi);
    const { result: later } = await fixture.run(named(fixture, [{ message: assistant('new'), id: testUuid(50) }]));
    expect(later.added).toEqual([testUuid(50)]);
  });

  test('[P8] an id of another message, of another position or of a removed node is taken', async () => {
    const fixture = await TestTree.make();
    await fixture.run(named(fixture, pair));
    const one = (message: Message, id: string, rest: Partial<AppendCommand> = {}) =>
      named(fixture, [{ message, id }], rest);
    for (const merge of [true, false]) {
      expect(await refusalOf(fixture, one(user('other'), testUuid(50), { merge }))).toBe('id/taken');
      expect(await refusalOf(fixture, one(assistant('hello'), testUuid(51), { merge, parentId: fixture.rootId }))).toBe(
        'id/taken',
      );
      expect(await refusalOf(fixture, one(user('x'), fixture.rootId, { merge }))).toBe('id/taken');
      const swapped = pair.map((item, index) => ({ ...item, id: testUuid(51 - index) }));
      expect(await refusalOf(fixture, named(fixture, swapped, { merge, parentId: fixture.rootId }))).toBe('id/taken');
    }
    const later = [
      { message: user('new'), id: testUuid(70) },
      { message: assistant('hello'), id: testUuid(51) },
    ];
    expect(await refusalOf(fixture, named(fixture, later, { parentId: fixture.rootId }))).toBe('id/taken');
    expect(await refusalOf(fixture, named(fixture, later))).toBe('id/taken');
    const gap = [...pair.slice(0, 1), { message: assistant('new') }, { message: user('x'), id: testUuid(51) }];
    expect(await refusalOf(fixture, named(fixture, gap, { merge: false }))).toBe('id/taken');
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [nodeId(testUuid(51))] });
    expect(await refusalOf(fixture, one(assistant('hello'), testUuid(51)))).toBe('id/taken');
  });

  test('[P8] an id of another tree, also of another owner, is taken', async () => {
    const store = new ReferenceStore();
    const fixture = await TestTree.make({ store });
    const beside = await TestTree.make({ store: store.forOwner('other'), treeId: treeId(testUuid(2)) });
    await beside.run({ ...named(beside, pair) });
    expect(await refusalOf(fixture, named(fixture, pair))).toBe('id/taken');
  });

  test('[P8] the id of the tree is taken, except for its root', async () => {
    const fixture = await TestTree.make();
    expect(await refusalOf(fixture, named(fixture, [{ message: user('x'), id: fixture.treeId }]))).toBe('id/taken');
    const id = treeId(testUuid(3));
    const messages = [{ message: user('x'), id }];
    expect(await refusalOf(fixture, { type: 'create', treeId: id, messages })).toBe('id/taken');
    await fixture.run({ type: 'create', treeId: id, rootId: id });
  });

  test('[P8] the same id used twice is refused', async () => {
    const fixture = await TestTree.make();
    const twice = pair.map((item) => ({ ...item, id: testUuid(50) }));
    expect(await refusalOf(fixture, named(fixture, twice))).toBe('id/taken');
  });

  test.each(['', 'x', '__proto__', testUuid(50).toUpperCase().replace('0000', 'ABCD'), `{${testUuid(50)}}`])(
    '[P9] %j is refused as an id, even for a message that exists',
    async (id) => {
      const fixture = await TestTree.make();
      await fixture.addMessages(['hi']);
      expect(await refusalOf(fixture, named(fixture, [{ message: user('new'), id }]))).toBe('id/invalid');
      const there = named(fixture, [{ message: user('hi'), id }], { parentId: fixture.rootId });
      expect(await refusalOf(fixture, there)).toBe('id/invalid');
    },
  );

  test.each(['', 'x', testUuid(50).toUpperCase().replace('0000', 'ABCD')])(
    '[P9] %j is refused as the id of a tree that is created, copied or imported',
    async (text) => {
      const fixture = await TestTree.make();
      const id = treeId(text);
      expect(await refusalOf(fixture, { type: 'create', treeId: id })).toBe('id/invalid');
      expect(await refusalOf(fixture, { type: 'duplicate', treeId: id, from: fixture.treeId })).toBe('id/invalid');
      expect(await refusalOf(fixture, { type: 'import', treeId: id, nodes: [] })).toBe('id/invalid');
      expect(fixture.reference?.trees.size).toBe(1);
    },
  );

  test('[P9] an id that is not a string is refused like any other invalid id', async () => {
    const fixture = await TestTree.make();
    const messages = [{ message: user('new'), id: JSON.parse('5') }];
    expect(await refusalOf(fixture, named(fixture, messages))).toBe('id/invalid');
  });
});

import { describe, expect, test } from 'vitest';
import { assertOptionNames, findNearestName } from '../decode.ts';
import { isAppError } from '../errors.ts';
import { nodeId, treeId } from '../ids.ts';
import { run } from '../run.ts';
import { assistant, createTestClock, ReferenceStore, TestTree, testKit, testUuid, user } from '../testing/index.ts';
import { readPage, readPath, readTopology, readTree, readTreeAsOf } from '../tree-reads.ts';
import { parseCommandInput } from './command-input.ts';

// Values of every JSON type, and some that JSON cannot represent.
const values: readonly unknown[] = [null, 5, -1.5, '', 'message', true, {}, [], [null], [5], 5n, Symbol('s'), () => 1];

/** Valid commands of every type with most of their fields. The test makes one field at a time invalid. */
function commands(id: string, a: string, b: string): readonly Record<string, unknown>[] {
  const message = user('hello');
  const here = { treeId: id, nodeId: a };
  const replies = [{ message: assistant('again') }];
  return [
    { type: 'create', treeId: testUuid(900), attributes: { title: 't', systemPrompt: 's' }, messages: [{ message }] },
    { type: 'append', treeId: id, parentId: a, messages: [{ message }], merge: false, select: true },
    { type: 'edit', ...here, content: 'new', mode: 'branch' },
    { type: 'split', ...here, position: 1 },
    { type: 'reply', treeId: id, parentId: a, replies, join: 1 },
    { type: 'regenerate', ...here, replies },
    { type: 'finish', ...here, status: 'success', message, meta: {} },
    { type: 'select', ...here },
    { type: 'navigate', ...here, direction: 'next' },
    { type: 'delete', treeId: id, nodeIds: [a], mode: 'cascade' },
    { type: 'move', ...here, parentId: b, before: b },
    { type: 'graft', treeId: id, from: { treeId: id, nodeId: a }, parentId: b },
    { type: 'cherry-pick', ...here, to: b, from: id },
    { type: 'merge', ...here, mode: 'summary', summary: 's', parentId: b },
    { type: 'branch', ...here, summary: 's', from: b, details: {} },
    { type: 'compact', ...here, summary: 's', firstKept: a, tokensBefore: 1 },
    { type: 'mark', treeId: id, kind: 'injected', message, details: {} },
    { type: 'duplicate', treeId: testUuid(901), from: id, nodeId: a, attributes: { title: 't' } },
    {
      type: 'import',
      treeId: testUuid(902),
      nodes: [{ id: testUuid(903), parentId: null, order: 0, message, bookmark: {} }],
    },
    { type: 'bookmark', ...here, title: 't' },
    { type: 'tag', ...here, tags: ['t'] },
    { type: 'annotate', ...here, set: { title: 't' } },
    { type: 'group', treeId: id, nodeIds: [a, b] },
    { type: 'attributes', treeId: id, set: { title: 't' } },
    { type: 'restore', ...here },
    { type: 'restore-version', treeId: id, version: 1 },
    { type: 'undo', treeId: id, force: false, actId: testUuid(904) },
  ];
}

/** Yields variations of the command in which one part, at any depth, is replaced or missing. */
function* spoilt(whole: unknown): Generator<unknown> {
  for (const value of values) yield value;
  yield undefined;
  if (typeof whole !== 'object' || whole === null) return;
  for (const [name, part] of Object.entries(whole))
    for (const other of spoilt(part))
      yield Array.isArray(whole) ? [...whole.slice(0, Number(name)), other] : { ...whole, [name]: other };
}

test('[N22] a command with a field of the wrong type is run or refused with a code', async () => {
  const store = new ReferenceStore();
  const fixture = await TestTree.make({ store });
  const [a = '', b = ''] = await fixture.addMessages(['a', 'b']);
  // The expected version is in the past. Every valid command is refused at the end, so the next command finds the tree
  // unchanged.
  const context = { actor: 'me', kit: testKit, ...createTestClock(700), expectedVersion: 0 };
  const codes = new Set<string>();
  let bare = 0;
  for (const command of commands(fixture.treeId, a, b))
    for (const wrong of spoilt(command))
      try {
        await Reflect.apply(run, undefined, [store, wrong, context]);
      } catch (error) {
        if (isAppError(error)) codes.add(error.code);
        else bare += 1;
      }
  expect(bare).toBe(0);
  for (const code of ['command/invalid', 'id/invalid', 'message/invalid', 'tree/unknown-node', 'tree/unknown-tree'])
    expect(codes).toContain(code);
});

test('[N22] valid commands are not changed', () => {
  for (const command of commands(testUuid(1), testUuid(2), testUuid(3)))
    expect(parseCommandInput(command)).toBe(command);
});

test('[N22] a refusal names the field', () => {
  const message = user('x');
  const cases: readonly (readonly [object, string])[] = [
    [{ type: 'append', treeId: testUuid(1), messages: [{ message }, null] }, 'append.messages[1] must be a message.'],
    [{ type: 'mark', treeId: testUuid(1), kind: 'message', message }, 'mark.kind must be one of injected, state.'],
    [
      { type: 'delete', treeId: testUuid(1), nodeIds: [testUuid(2)], mode: 'Cascade' },
      'delete.mode must be one of splice, cascade.',
    ],
    [{ type: 'append', treeId: testUuid(1), messages: [], select: 0 }, 'append.select must be true or false.'],
    [{ type: 'select', treeId: testUuid(1), nodeId: 5 }, 'There is no message 5.'],
  ];
  for (const [command, sentence] of cases) expect(() => parseCommandInput(command)).toThrow(sentence);
});

/** Returns the error code of a refused promise. */
async function refusalOf(work: Promise<unknown>): Promise<string | null> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return isAppError(error) ? error.code : null;
}

describe('unknown fields', () => {
  const here = { treeId: testUuid(1), nodeId: testUuid(2) };
  const message = user('x');

  test.each<[string, object]>([
    ['parentID', { type: 'append', treeId: testUuid(1), messages: [{ message }], parentID: testUuid(2) }],
    ['selct', { type: 'append', treeId: testUuid(1), messages: [{ message }], selct: false }],
    ['Id', { type: 'append', treeId: testUuid(1), messages: [{ message, Id: testUuid(3) }] }],
    ['name', { type: 'append', treeId: testUuid(1), messages: [{ message: { ...message, name: 'ann' } }] }],
    ['name', { type: 'append', treeId: testUuid(1), messages: [{ role: 'user', content: 'x', name: 'ann' }] }],
    ['forced', { type: 'undo', treeId: testUuid(1), forced: true }],
    ['modus', { type: 'edit', ...here, content: 'x', modus: 'in-place' }],
    ['state', { type: 'reply', treeId: testUuid(1), parentId: testUuid(2), replies: [{ message, state: 'error' }] }],
    [
      'tree',
      {
        type: 'graft',
        treeId: testUuid(1),
        parentId: testUuid(2),
        from: { treeId: testUuid(1), nodeId: testUuid(2), tree: 1 },
      },
    ],
    [
      'parent',
      {
        type: 'import',
        treeId: testUuid(1),
        nodes: [{ id: testUuid(2), parentId: null, order: 1, message, parent: 1 }],
      },
    ],
  ])('[N23] %s is refused by name', (field, command) => {
    expect(() => parseCommandInput(command)).toThrow(`has no field "${field}"`);
    const codeOf = () => {
      try {
        parseCommandInput(command);
      } catch (error) {
        return isAppError(error) ? error.code : null;
      }
      return null;
    };
    expect(codeOf()).toBe('command/invalid');
  });

  test('[N23] of blocks, metadata and attributes are kept', async () => {
    const fixture = await TestTree.make();
    const block = { type: 'text', text: 'a', extra: 1 };
    const meta = { anything: { goes: true } };
    const messages = [{ message: { role: 'user' as const, content: [block] }, meta }];
    const { result } = await fixture.run({ type: 'append', treeId: fixture.treeId, messages });
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { colour: 'green' } });
    expect(fixture.node(result.nodeId)).toMatchObject({ message: { content: [block] }, meta });
    expect(fixture.tree.attributes.colour).toBe('green');
  });

  test('[N23] of the context and of requests are refused by name', async () => {
    const fixture = await TestTree.make();
    const { treeId: id, store } = fixture;
    const context = { actor: 'me', kit: testKit, ...createTestClock(8), expectedVerson: 1 };
    const command = { type: 'append', treeId: id, messages: ['x'] } as const;
    await expect(run(store, command, context)).rejects.toThrow('has no field "expectedVerson"');
    const reading = (name: unknown, options: object) => () =>
      Reflect.apply(name as typeof readPage, undefined, [id, options]);
    await expect(store.read(id, reading(readPage, { befor: 'x' }))).rejects.toThrow('has no field "befor"');
    await expect(store.read(id, reading(readTopology, { dept: 1 }))).rejects.toThrow('has no field "dept"');
    const path = () => Reflect.apply(readPath, undefined, [{ to: fixture.rootId, form: fixture.rootId }]);
    await expect(store.read(id, path)).rejects.toThrow('has no field "form"');
  });

  test.each([
    ['onDisconect', 'onDisconnect'],
    ['maxstep', 'maxSteps'],
    ['MODEL', 'model'],
    ['mdoel', 'model'],
    ['max', 'maxSteps'],
    ['to', undefined],
    ['__proto__', undefined],
    ['x'.repeat(100_000), undefined],
  ])('[N31] of a misspelt name %s the nearest one is %s', (name, nearest) => {
    const names = { model: true, maxSteps: true, onDisconnect: true };
    expect(findNearestName(name, Object.keys(names))).toBe(nearest);
    const hint = nearest === undefined ? 'has no option' : `Did you mean "${nearest}"?`;
    expect(() => assertOptionNames('openChat', { [name]: 1 }, names)).toThrow(hint);
    expect(() => assertOptionNames('openChat', { [name]: undefined }, names)).not.toThrow();
  });

  test('[N31] options that are no object are refused', () => {
    for (const options of [null, 5, 'a', []])
      expect(() => Reflect.apply(assertOptionNames, undefined, ['openChat', options, {}])).toThrow(
        'openChat takes its options as an object.',
      );
  });
});

describe('one tree per read program', () => {
  test('[N24] a read program for another tree than the store was asked for is refused', async () => {
    const fixture = await TestTree.make();
    const other = await TestTree.make({ store: fixture.store, treeId: treeId(testUuid(2)) });
    const { store } = fixture;
    for (const reading of [
      () => readPage(other.treeId),
      () => readTopology(other.treeId),
      () => readTree(other.treeId),
      () => readTreeAsOf(other.treeId, 1),
    ])
      expect(
        await refusalOf(
          store.read(fixture.treeId, function* () {
            yield* reading();
          }),
        ),
      ).toBe('command/invalid');
    expect((await store.read(other.treeId, () => readPage(other.treeId))).version).toBe(1);
  });

  test('[T30] a limit below one is refused', async () => {
    const fixture = await TestTree.make();
    for (const limit of [0, -1, 1.5, Number.NaN])
      expect(await refusalOf(fixture.store.read(fixture.treeId, () => readPage(fixture.treeId, { limit })))).toBe(
        'command/invalid',
      );
  });
});

describe('short forms of a message', () => {
  test('[N25] a string, and a string as content, are accepted wherever a message is', async () => {
    const fixture = await TestTree.make();
    const { treeId: id } = fixture;
    const short = ['plain', { role: 'assistant', content: 'flat', id: testUuid(31), meta: { tags: ['t'] } }] as const;
    const { result } = await fixture.run({
      type: 'append',
      treeId: id,
      messages: [...short, { message: 'again' }, { message: { role: 'assistant', content: 'more' } }],
    });
    expect(fixture.thread()).toEqual(['plain', 'flat', 'again', 'more']);
    expect(fixture.node(testUuid(31))).toMatchObject({ role: 'assistant', meta: { tags: ['t'] } });
    const { result: replied } = await fixture.run({
      type: 'reply',
      treeId: id,
      parentId: result.nodeId,
      replies: [{ message: 'a reply' }, {}],
    });
    const [first = nodeId(''), second = nodeId('')] = replied.added;
    await fixture.run({ type: 'finish', treeId: id, nodeId: second, status: 'success', message: 'done' });
    expect([first, second].map((each) => fixture.node(each).message)).toEqual([
      assistant('a reply'),
      assistant('done'),
    ]);
    await fixture.run({ type: 'mark', treeId: id, kind: 'injected', message: 'noted' });
    expect(fixture.node(fixture.active ?? '').message).toEqual(user('noted'));
    const other = new TestTree(fixture.store, treeId(testUuid(3)));
    const nodes = [{ id: testUuid(30), parentId: null, order: 1, message: 'brought' }];
    await fixture.run({ type: 'import', treeId: other.treeId, nodes });
    expect(other.thread()).toEqual(['brought']);
    const made = new TestTree(fixture.store, treeId(testUuid(4)));
    await fixture.run({
      type: 'create',
      treeId: made.treeId,
      messages: ['first', { role: 'assistant', content: 'second' }],
    });
    expect(made.thread()).toEqual(['first', 'second']);
  });

  test('[N25] a tool result keeps the id of the call that it answers', async () => {
    const fixture = await TestTree.make();
    const messages = [
      'look',
      { role: 'assistant' as const, content: [{ type: 'tool-use', id: 'k', name: 'look', parameters: {} }] },
      { role: 'tool' as const, content: 'found', tool_call_id: 'k' },
    ];
    await fixture.run({ type: 'append', treeId: fixture.treeId, messages });
    expect(fixture.node(fixture.active ?? '').message).toMatchObject({ role: 'tool', tool_call_id: 'k' });
  });
});

describe('a tree that is created with messages', () => {
  test('[P114] gets them in the same act, and undo removes them', async () => {
    const fixture = new TestTree();
    const { treeId: id } = fixture;
    const command = { type: 'create', treeId: id, messages: [{ message: user('a'), id: testUuid(40) }, 'b'] } as const;
    const outcome = await fixture.run(command);
    expect(outcome).toMatchObject({ version: 2, result: { created: true, added: [testUuid(40), expect.any(String)] } });
    expect(fixture.thread()).toEqual(['a', 'b']);
    const acts = new Set(fixture.reference?.commits.get(id)?.map((commit) => commit.actId));
    expect([...acts]).toEqual([outcome.actId]);
    const again = await fixture.run(command);
    expect(again).toMatchObject({ commit: null, version: 2, result: { created: false } });
    await fixture.run({ type: 'undo', treeId: id });
    expect(fixture.thread()).toEqual([]);
  });

  test('[P114] gets the missing ones when it is created again after a crash', async () => {
    const fixture = await TestTree.make();
    await fixture.run({ type: 'create', treeId: fixture.treeId, messages: ['a'] });
    expect(fixture.thread()).toEqual(['a']);
  });

  test('[P114] is not created if one of them is refused', async () => {
    const fixture = new TestTree();
    const messages = [{ message: user('a'), id: 'no uuid' }];
    expect(await fixture.refusal({ type: 'create', treeId: fixture.treeId, messages })).toBe('id/invalid');
    expect(fixture.reference?.tree(fixture.treeId)).toBeUndefined();
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { type Message, textOf } from '../message.ts';
import { path } from '../path.ts';
import {
  assistant,
  ReferenceStore,
  refusalOf,
  runAndCheck,
  stepTypesOf,
  TestTree,
  testUuid,
  toolCallMessage,
  toolResultMessage,
  user,
} from '../testing/index.ts';
import { bookmarkOn, childIds, findNode } from '../tree.ts';
import { readTreeAsOf } from '../tree-reads.ts';
import type { EditCommand } from './edit-types.ts';

const modes = ['branch', 'in-place', 'prefix'] as const;

function editing(
  fixture: TestTree,
  id: NodeId,
  content: EditCommand['content'],
  rest: Partial<EditCommand> = {},
): EditCommand {
  return { type: 'edit', treeId: fixture.treeId, nodeId: id, content, ...rest };
}

/** Builds a tree with a question, its answer and a follow-up. */
async function conversation(
  question: string | Message = 'question',
): Promise<{ fixture: TestTree; ids: [NodeId, NodeId, NodeId] }> {
  const fixture = await TestTree.make();
  const [one, two, three] = await fixture.addMessages([
    typeof question === 'string' ? user(question) : question,
    assistant('answer'),
    user('more'),
  ]);
  if (one === undefined || two === undefined || three === undefined) throw new Error('Nothing grew.');
  return { fixture, ids: [one, two, three] };
}

describe('an edit', () => {
  test('[P20] adds a new last variant of the same role, in one group with the original, and selects it', async () => {
    const { fixture, ids } = await conversation();
    const { result: made, commit } = await runAndCheck(fixture, editing(fixture, ids[0], 'better'));
    expect(stepTypesOf({ commit })).toEqual(['regroup', 'insert', 'select']);
    expect(made.added).toEqual([made.nodeId]);
    expect(fixture.drawing()).toEqual(['question', '  answer', '    more', 'better *']);
    const [old, fresh] = [fixture.node(ids[0]), fixture.node(made.nodeId)];
    expect(fresh.role).toBe('user');
    expect(old.groupId).toBeGreaterThan(0);
    expect(fresh.groupId).toBe(old.groupId);
    expect(fixture.active).toBe(made.nodeId);
  });

  test('[P20] of a variant joins its group, or makes a new group with a higher number', async () => {
    const { fixture, ids } = await conversation();
    const first = await fixture.run(editing(fixture, ids[0], 'b'));
    const second = await runAndCheck(fixture, editing(fixture, first.result.nodeId, 'c'));
    expect(stepTypesOf(second)).toEqual(['insert', 'select']);
    expect(fixture.node(second.result.nodeId).groupId).toBe(fixture.node(ids[0]).groupId);
    const alone = await fixture.variant(user('alone'), fixture.rootId);
    const third = await runAndCheck(fixture, editing(fixture, alone, 'd'));
    expect(fixture.node(third.result.nodeId).groupId).toBe(fixture.node(ids[0]).groupId + 1);
  });

  test('[P21] of an assistant message has the user as its source', async () => {
    const { fixture, ids } = await conversation();
    const { result: made } = await runAndCheck(fixture, editing(fixture, ids[1], 'my words'));
    expect(fixture.node(made.nodeId).role).toBe('assistant');
    expect(fixture.node(made.nodeId).meta.source).toEqual({ type: 'user' });
  });

  test('[P21] takes blocks as well as text, an image and a tool call included', async () => {
    const { fixture, ids } = await conversation();
    const content = [...toolCallMessage('c1', 'date').content, { type: 'image', data: 'x' }];
    const { result: made } = await runAndCheck(fixture, editing(fixture, ids[1], content));
    expect(fixture.node(made.nodeId).message).toEqual({ role: 'assistant', content });
  });

  test('[P22] to equal content commits nothing and returns the node', async () => {
    const { fixture, ids } = await conversation();
    const before = fixture.tree;
    for (const mode of ['branch', 'prefix'] as const)
      for (const text of ['question', ' question\n']) {
        const { result: same, commit } = await fixture.run(editing(fixture, ids[0], text, { mode, id: testUuid(70) }));
        expect(same).toEqual({ nodeId: ids[0], added: [] });
        expect(commit).toBeNull();
      }
    expect(fixture.tree).toBe(before);
  });

  test('[P22] of a marker to equal content commits nothing, to other content makes a marker', async () => {
    const { fixture, ids } = await conversation();
    const made = await fixture.run({ type: 'branch', treeId: fixture.treeId, nodeId: ids[0], summary: 'so far' });
    expect((await fixture.run(editing(fixture, made.result.nodeId, 'so far'))).commit).toBeNull();
    const { result: other } = await runAndCheck(
      fixture,
      editing(fixture, made.result.nodeId, 'in short', { id: testUuid(71) }),
    );
    expect(fixture.node(other.nodeId)).toMatchObject({ kind: 'branch-summary', key: null, marker: { from: ids[2] } });
    expect(
      (await fixture.run(editing(fixture, made.result.nodeId, 'in short', { id: testUuid(71) }))).commit,
    ).toBeNull();
  });

  test('[P23] changes the active node only on request', async () => {
    const { fixture, ids } = await conversation();
    for (const mode of modes) {
      const command = editing(fixture, ids[2], `more ${mode}`, { mode, select: false });
      await runAndCheck(fixture, command);
      expect(fixture.active).toBe(ids[2]);
    }
  });

  test.each(modes)(
    '[P24] by %s refuses the root, a tool message, a pending reply and an unknown node',
    async (mode) => {
      const store = new ReferenceStore();
      const fixture = await TestTree.make({ store });
      await fixture.addMessages([user('q'), toolCallMessage('c1', 'date')]);
      const [tool] = await fixture.addMessages([toolResultMessage('c1', 'today')]);
      const beside = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
      const [foreign] = await beside.addMessages(['x']);
      const [gone] = await fixture.addMessages([assistant('gone')]);
      await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [gone ?? fixture.rootId], mode: 'cascade' });
      const { result: reply } = await fixture.run({
        type: 'reply',
        treeId: fixture.treeId,
        parentId: tool ?? fixture.rootId,
        replies: [{}],
      });
      const code = (id: NodeId | undefined) =>
        refusalOf(fixture, editing(fixture, id ?? fixture.rootId, 'new', { mode }));
      expect(await code(fixture.rootId)).toBe('tree/root-protected');
      expect(await code(nodeId(testUuid(99)))).toBe('tree/unknown-node');
      expect(await code(nodeId('__proto__'))).toBe('tree/unknown-node');
      expect(await code(gone)).toBe('tree/unknown-node');
      expect(await code(foreign)).toBe('tree/foreign-parent');
      expect(await code(tool)).toBe('message/is-tool');
      expect(await code(reply.added[0])).toBe('tree/pending');
    },
  );

  test.each(modes)('[P24] by %s refuses blank and malformed content', async (mode) => {
    const { fixture, ids } = await conversation();
    const bad: unknown[] = ['', ' \n\t', [], [{ type: 'text', text: ' ' }]];
    for (const content of bad)
      expect(await refusalOf(fixture, editing(fixture, ids[0], content as string, { mode }))).toBe('message/blank');
    const use = toolCallMessage('c', 'date').content;
    expect(await refusalOf(fixture, editing(fixture, ids[0], use, { mode }))).toBe('message/invalid');
    const malformed: unknown = [{ type: 'text' }];
    expect(await refusalOf(fixture, editing(fixture, ids[0], malformed as string, { mode }))).toBe('message/invalid');
  });

  test('[P25] repeated with the same id finds its own variant; the id of another node is taken', async () => {
    const { fixture, ids } = await conversation();
    const command = editing(fixture, ids[0], 'better', { id: testUuid(80) });
    expect((await runAndCheck(fixture, command)).result).toEqual({ nodeId: testUuid(80), added: [testUuid(80)] });
    const again = await fixture.run(command);
    expect(again.result).toEqual({ nodeId: testUuid(80), added: [] });
    expect(again.commit).toBeNull();
    expect(await refusalOf(fixture, { ...command, content: 'other' })).toBe('id/taken');
    expect(await refusalOf(fixture, editing(fixture, ids[1], 'better', { id: testUuid(80) }))).toBe('id/taken');
    expect(await refusalOf(fixture, editing(fixture, ids[1], 'x', { id: ids[0] }))).toBe('id/taken');
    expect(await refusalOf(fixture, editing(fixture, ids[1], 'x', { id: 'mine' }))).toBe('id/invalid');
  });

  test('[P26] moves the bookmark to the new variant on request, unless the target has one', async () => {
    const { fixture, ids } = await conversation();
    await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: ids[0], title: 'here' });
    const left = await fixture.run(editing(fixture, ids[0], 'b'));
    expect(bookmarkOn(fixture.tree, ids[0])?.title).toBe('here');
    expect(bookmarkOn(fixture.tree, left.result.nodeId)).toBeUndefined();
    const created = bookmarkOn(fixture.tree, ids[0])?.createdAt;
    const taken = await runAndCheck(fixture, editing(fixture, ids[0], 'c', { moveBookmark: true }));
    expect(bookmarkOn(fixture.tree, ids[0])).toBeUndefined();
    expect(bookmarkOn(fixture.tree, taken.result.nodeId)).toMatchObject({ title: 'here', createdAt: created });
    const [suffix] = await fixture.addMessages([user(' and more')], ids[0]);
    for (const [id, title] of [
      [ids[0], 'old'],
      [suffix ?? ids[0], 'own'],
    ] as const)
      await fixture.run({ type: 'bookmark', treeId: fixture.treeId, nodeId: id, title });
    const onto = await runAndCheck(
      fixture,
      editing(fixture, ids[0], 'question and more', { mode: 'prefix', moveBookmark: true }),
    );
    expect(onto.result.nodeId).toBe(suffix);
    expect(bookmarkOn(fixture.tree, suffix ?? '')?.title).toBe('own');
    expect(bookmarkOn(fixture.tree, ids[0])?.title).toBe('old');
  });

  test('[P27] by a writer with a stale version is kept as a variant, in every mode', async () => {
    for (const mode of modes) {
      const { fixture, ids } = await conversation();
      const expectedVersion = fixture.tree.version;
      await fixture.run(editing(fixture, ids[0], 'theirs', { mode: 'in-place' }), { actor: 'you' });
      const mine = editing(fixture, ids[0], 'mine', { mode });
      expect(await refusalOf(fixture, mine, { expectedVersion })).toBe('tree/version-conflict');
      await fixture.run(mine, { expectedVersion, onConflict: 'branch' });
      expect(fixture.texts()).toEqual(['theirs', 'mine']);
    }
  });
});

describe('an edit in place', () => {
  test('[P28] keeps the node, its position and its replies, and undo restores the old text', async () => {
    const { fixture, ids } = await conversation();
    const before = fixture.node(ids[0]);
    const { result: made, commit } = await runAndCheck(
      fixture,
      editing(fixture, ids[0], 'better', { mode: 'in-place' }),
    );
    expect(stepTypesOf({ commit })).toEqual(['replace']);
    expect(made).toEqual({ nodeId: ids[0], added: [] });
    expect(fixture.node(ids[0])).toMatchObject({ text: 'better', seq: before.seq, position: before.position });
    expect(fixture.node(ids[0]).key).not.toBe(before.key);
    await fixture.run({ type: 'undo', treeId: fixture.treeId });
    expect(fixture.node(ids[0]).message).toEqual(before.message);
  });

  test('[P113] makes the user the source of a reply, and undo and restoring a version bring back its old source', async () => {
    const fixture = await TestTree.make();
    const { treeId, rootId } = fixture;
    const source = { type: 'model', model_name: 'm', usage: { inputTokens: 1, outputTokens: 1 } };
    const replies = [{ message: assistant('said'), meta: { source } }];
    const { result } = await fixture.run({ type: 'reply', treeId, parentId: rootId, replies });
    const [id = rootId] = result.added;
    const { version } = fixture.tree;
    for (const mode of ['in-place', 'prefix'] as const) {
      await fixture.run({ type: 'edit', treeId, nodeId: id, content: `edited ${mode}`, mode });
      expect([fixture.node(id).text, fixture.node(id).meta.source]).toEqual([`edited ${mode}`, { type: 'user' }]);
      const then = await fixture.store.read(treeId, () => readTreeAsOf(treeId, version));
      expect(findNode(then, id)?.meta.source).toEqual(source);
      await fixture.run({ type: 'undo', treeId });
      expect([fixture.node(id).text, fixture.node(id).meta.source]).toEqual(['said', source]);
    }
  });

  test('[P28] leaves the active node unchanged unless requested', async () => {
    const { fixture, ids } = await conversation();
    const was = fixture.active;
    await runAndCheck(fixture, editing(fixture, ids[0], 'better', { mode: 'in-place' }));
    expect(fixture.active).toBe(was);
    await runAndCheck(fixture, editing(fixture, ids[0], 'best', { mode: 'in-place', select: true }));
    expect(fixture.active).toBe(ids[0]);
  });

  test('[P28] to exactly the same text changes nothing; white space counts as text', async () => {
    const { fixture, ids } = await conversation();
    expect((await fixture.run(editing(fixture, ids[0], 'question', { mode: 'in-place' }))).commit).toBeNull();
    await runAndCheck(fixture, editing(fixture, ids[0], 'question ', { mode: 'in-place' }));
    expect(textOf(fixture.node(ids[0]).message ?? user(''))).toBe('question ');
  });

  const signed: Message = {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 'abc' } as Message['content'][number],
      { type: 'text', text: 'one' } as Message['content'][number],
      { type: 'image', data: 'x' } as Message['content'][number],
      { type: 'text', text: 'two' } as Message['content'][number],
    ],
  };

  test('[P29] changes text alone: other blocks stay in place, signatures are removed', async () => {
    const fixture = await TestTree.make();
    const [, reply] = await fixture.addMessages([user('q'), signed]);
    await runAndCheck(fixture, editing(fixture, reply ?? fixture.rootId, 'new', { mode: 'in-place' }));
    expect(fixture.node(reply ?? '').message?.content).toEqual([
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'new' },
      { type: 'image', data: 'x' },
    ]);
  });

  test('[P29] with blocks refuses to change, add or remove a block that is not text', async () => {
    const fixture = await TestTree.make();
    const [, reply] = await fixture.addMessages([user('q'), signed]);
    const inPlace = (content: Message['content']) =>
      editing(fixture, reply ?? fixture.rootId, content, { mode: 'in-place' });
    expect(await refusalOf(fixture, inPlace(signed.content.slice(1)))).toBe('message/invalid');
    expect(await refusalOf(fixture, inPlace([...signed.content, { type: 'image' }]))).toBe('message/invalid');
    const content = signed.content.map((block) => (block.type === 'text' ? { ...block, text: 'x' } : block));
    await runAndCheck(fixture, inPlace(content));
    expect(fixture.node(reply ?? '').message?.content.map((block) => block.type)).toEqual([
      'thinking',
      'text',
      'image',
      'text',
    ]);
  });

  test('[P29] of a message that calls a tool is refused', async () => {
    const fixture = await TestTree.make();
    const [, reply] = await fixture.addMessages([user('q'), toolCallMessage('c1', 'date', {}, 'let me see')]);
    const command = editing(fixture, reply ?? fixture.rootId, 'new', { mode: 'in-place' });
    expect(await refusalOf(fixture, command)).toBe('message/has-tool-use');
    const [, plain] = await fixture.addMessages([user('r'), assistant('plain')]);
    const calling = editing(fixture, plain ?? fixture.rootId, toolCallMessage('c2', 'date').content, {
      mode: 'in-place',
    });
    expect(await refusalOf(fixture, calling)).toBe('message/has-tool-use');
  });
});

describe('an edit by longest common prefix', () => {
  async function prefix(old: string | Message, text: string, rest: Partial<EditCommand> = {}) {
    const { fixture, ids } = await conversation(old);
    const outcome = await runAndCheck(fixture, editing(fixture, ids[0], text, { mode: 'prefix', ...rest }));
    return { fixture, ids, ...outcome };
  }

  test('[P30] of a leaf is done in place', async () => {
    const { fixture, ids } = await conversation();
    const { result: made } = await runAndCheck(fixture, editing(fixture, ids[2], 'other', { mode: 'prefix' }));
    expect(made).toEqual({ nodeId: ids[2], added: [] });
    expect(fixture.thread()).toEqual(['question', 'answer', 'other']);
  });

  test('[P30] of a message with other blocks than text makes a variant', async () => {
    const image: Message = { role: 'user', content: [...user('look').content, { type: 'image' }] };
    const { fixture } = await prefix(image, 'looking');
    expect(fixture.texts().map((text) => text.trim())).toEqual(['look', 'looking']);
  });

  test('[P31] without a common prefix makes a variant', async () => {
    const { fixture, result: made } = await prefix('abc', 'xbc');
    expect(fixture.drawing()).toEqual(['abc', '  answer', '    more', 'xbc *']);
    expect(made.added).toEqual([made.nodeId]);
  });

  test('[P31] with a common beginning splits there and adds the new rest as a sibling of the old one', async () => {
    const { fixture, ids, result: made } = await prefix('hello world', 'hello there');
    expect(fixture.drawing()).toEqual(['hello ', '  world', '    answer', '      more', '  there *']);
    expect(fixture.texts(fixture.node(ids[0]).parentId ?? fixture.rootId)).toEqual(['world', 'there']);
    expect(made.added).toEqual([fixture.node(ids[0]).parentId, made.nodeId]);
  });

  test('[P31] that only appends adds the rest below the node, beside its replies', async () => {
    const { fixture, ids, result: made } = await prefix('hello', 'hello world');
    expect(fixture.drawing()).toEqual(['hello', '  answer', '    more', '   world *']);
    expect(fixture.node(made.nodeId).parentId).toBe(ids[0]);
    expect(fixture.node(made.nodeId).role).toBe('user');
  });

  test('[P31] that appends an existing child selects it', async () => {
    const { fixture, ids } = await conversation('hello');
    const [world] = await fixture.addMessages([user('world')], ids[0]);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: ids[2] });
    const { result: made, commit } = await runAndCheck(
      fixture,
      editing(fixture, ids[0], 'hello world', { mode: 'prefix' }),
    );
    expect(made).toEqual({ nodeId: world, added: [] });
    expect(stepTypesOf({ commit })).toEqual(['select']);
  });

  test('[P31] that only removes text splits the message and returns the left part', async () => {
    const { fixture, ids, result: made } = await prefix('hello world', 'hello');
    expect(fixture.drawing()).toEqual(['hello *', '   world', '    answer', '      more']);
    expect(made.nodeId).toBe(fixture.node(ids[0]).parentId ?? '');
  });

  test('[P31] to the same text in other blocks returns the node itself', async () => {
    const blocks: Message = { role: 'user', content: [...user('a ').content, ...user('b').content] };
    const { ids, result: made, commit } = await prefix(blocks, 'a b ');
    expect(made.nodeId).toBe(ids[0]);
    expect(commit).toBeNull();
  });

  test.each([
    ['a half that is blank, at the beginning', '  x', '  y', ['  x', '  y']],
    ['a half that is blank, of the old text', 'ab  ', 'ab c', ['a', 'b c']],
    ['a half that is blank, of the new text', 'ab c', 'ab  ', ['a', 'b  ']],
    ['half a character', '😀a', '😁a', ['😀a', '😁a']],
    ['half an accent', 'xe', 'xe\u0301', ['x', 'e\u0301']],
    ['half a family', 'x👩‍👧', 'x👩‍👦', ['x', '👩‍👦']],
  ])('[P32] a split never leaves %s', async (_what, old, text, expected) => {
    const { fixture, result: made } = await prefix(old, text);
    const siblings = childIds(fixture.tree, fixture.node(made.nodeId).parentId ?? fixture.rootId);
    const above = fixture.node(made.nodeId).parentId;
    const texts =
      above === fixture.rootId
        ? siblings.map((id) => fixture.node(id).text)
        : [fixture.node(above ?? '').text, fixture.node(made.nodeId).text];
    expect(texts).toEqual(expected);
  });

  test('[P32] an edit of an empty reply makes a variant', async () => {
    const { fixture, ids } = await conversation();
    const replies = [{ message: assistant('  '), status: 'error' }] as const;
    const { result: made } = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: ids[0], replies });
    const [silent] = made.added;
    await fixture.addMessages([user('well?')], silent);
    await runAndCheck(fixture, editing(fixture, silent ?? fixture.rootId, '  x', { mode: 'prefix' }));
    expect(fixture.texts(ids[0])).toEqual(['answer', '  ', '  x']);
  });

  test('[P32] a very long run of white space is not walked back character by character', async () => {
    const space = ' '.repeat(200_000);
    const { fixture } = await prefix(`a${space}b`, `a${space}`);
    expect(fixture.texts()).toHaveLength(1);
    const { fixture: other } = await prefix(`${space}x`, `${space}y`);
    expect(other.texts()).toHaveLength(2);
  });

  test('[P31, P32] the old texts and the new text can each be read along a path', async () => {
    const word = fc.constantFrom('a', 'b', ' ', '\n', '😀', 'e\u0301', '\u0301', '🇩🇪', 'é');
    const text = fc
      .array(word, { minLength: 1, maxLength: 8 })
      .map((list) => list.join(''))
      .filter((one) => one.trim() !== '');
    await fc.assert(
      fc.asyncProperty(text, fc.array(text, { maxLength: 4 }), async (old, edits) => {
        const { fixture, ids } = await conversation(old);
        for (const next of edits) {
          const before = fixture.thread(ids[2]).join('');
          const target = fixture.node(ids[0]);
          const above = fixture.thread(ids[0]).slice(0, -1).join('');
          const { result: made } = await runAndCheck(fixture, editing(fixture, ids[0], next, { mode: 'prefix' }));
          expect(fixture.thread(ids[2]).join('')).toBe(before);
          const read = fixture.thread(made.nodeId).join('');
          if (made.nodeId === ids[0]) expect(read.trim()).toBe((above + target.text).trim());
          else expect(read).toBe(above + next);
          const found = path(fixture.tree, { to: made.nodeId });
          for (const node of found.ok ? found.value : []) expect(node.text.trim()).not.toBe('');
        }
      }),
    );
  });

  test.each([
    ['no prefix', 'abc', 'xyz'],
    ['a common part', 'hello world', 'hello there'],
    ['more at the end', 'hello', 'hello world'],
    ['less at the end', 'hello world', 'hello'],
    ['one block more', 'a b', 'a b c'],
  ])('[P25] a retry by prefix with %s finds the nodes that it made', async (_what, old, text) => {
    const { fixture, ids, result: made } = await prefix(old, text, { id: testUuid(90) });
    expect(made.nodeId).toBe(testUuid(90));
    const again = await fixture.run(editing(fixture, ids[0], text, { mode: 'prefix', id: testUuid(90) }));
    expect(again.commit).toBeNull();
    expect(again.result.nodeId).toBe(testUuid(90));
    expect(await refusalOf(fixture, editing(fixture, ids[0], 'unlike', { mode: 'prefix', id: testUuid(90) }))).toBe(
      'id/taken',
    );
  });

  test('[P25] a chosen id of a text on another path is taken', async () => {
    const { fixture, ids } = await conversation('hello world');
    expect(await refusalOf(fixture, editing(fixture, ids[0], 'hello you', { mode: 'prefix', id: ids[2] }))).toBe(
      'id/taken',
    );
  });
});

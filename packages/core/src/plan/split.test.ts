import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCharacterBoundary } from '../graphemes.ts';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { type Block, isText, type Message, textMessage, textOf } from '../message.ts';
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
import { childIds } from '../tree.ts';
import type { SplitCommand } from './split.ts';

function splitting(fixture: TestTree, id: NodeId | undefined, position: number, chosen?: string): SplitCommand {
  const command: SplitCommand = { type: 'split', treeId: fixture.treeId, nodeId: id ?? fixture.rootId, position };
  return chosen === undefined ? command : { ...command, id: chosen };
}

function text(words: string, further: object = {}): Block {
  return { type: 'text', text: words, ...further } as Block;
}

describe('a split', () => {
  test('[P33] puts the left half in the old position, and the old node below it with the rest and all replies', async () => {
    const fixture = await TestTree.make();
    const [a] = await fixture.addMessages(['before'], fixture.rootId);
    const [one] = await fixture.addMessages(['hello world', 'yes', 'and'], fixture.rootId);
    await fixture.variant(assistant('no'), one ?? fixture.rootId);
    const [c] = await fixture.addMessages(['after'], fixture.rootId);
    const { result: made, commit } = await runAndCheck(fixture, splitting(fixture, one, 6));
    expect(stepTypesOf({ commit })).toEqual(['insert', 'move', 'replace']);
    expect(made.right).toBe(one);
    expect(childIds(fixture.tree, fixture.rootId)).toEqual([a, made.nodeId, c]);
    expect(fixture.drawing()).toEqual(['before', 'hello ', '  world', '    yes', '      and', '    no', 'after *']);
    expect(fixture.active).toBe(c);
  });

  test('[P33] keeps the group of the variants, and the active node', async () => {
    const fixture = await TestTree.make();
    const [one] = await fixture.addMessages(['hello world']);
    const edited = await fixture.run({
      type: 'edit',
      treeId: fixture.treeId,
      nodeId: one ?? fixture.rootId,
      content: 'other',
    });
    const { groupId } = fixture.node(edited.result.nodeId);
    const { result: made } = await runAndCheck(fixture, splitting(fixture, one, 5));
    expect(fixture.node(made.nodeId).groupId).toBe(groupId);
    expect(fixture.node(made.right).groupId).toBe(0);
    expect(fixture.active).toBe(edited.result.nodeId);
    expect(childIds(fixture.tree, fixture.rootId)).toEqual([made.nodeId, edited.result.nodeId]);
  });

  test('[P33] keeps the visit marks on the path to the active node', async () => {
    const fixture = await TestTree.make();
    const [one, yes] = await fixture.addMessages(['hello world', 'yes']);
    const last = await fixture.variant(assistant('last'), one ?? fixture.rootId);
    await fixture.run({ type: 'select', treeId: fixture.treeId, nodeId: yes ?? last });
    await fixture.run(splitting(fixture, one, 5));
    const other = await fixture.addMessages(['beside'], fixture.rootId);
    const { result: back } = await fixture.run({
      type: 'navigate',
      treeId: fixture.treeId,
      nodeId: other[0] ?? fixture.rootId,
      direction: 'next',
    });
    expect(back.nodeId).toBe(yes);
  });

  test('[P34] gives the left half tags, custom data, source and the node it was split from, and no title', async () => {
    const fixture = await TestTree.make();
    const meta = { tags: ['t'], customData: { a: 1 }, source: { type: 'user' }, title: 'mine', excluded: true };
    const { result: added } = await fixture.run({
      type: 'append',
      treeId: fixture.treeId,
      messages: [{ message: user('hello world'), meta, createdAt: 77 }],
    });
    const { result: made } = await runAndCheck(fixture, splitting(fixture, added.nodeId, 5));
    const { tags, customData, source } = meta;
    expect(fixture.node(made.nodeId).meta).toEqual({ tags, customData, source, splitSource: added.nodeId });
    expect(fixture.node(made.nodeId).createdAt).toBe(77);
    expect(fixture.node(added.nodeId).meta).toEqual(meta);
  });

  test('[P35] keeps block boundaries outside the cut, and the other fields of a block', async () => {
    const blocks = [text('one '), text(''), text('two ', { mark: 1 }), text('three')];
    const cases: [number, Block[], Block[]][] = [
      [2, [text('on')], [text('e '), text(''), text('two ', { mark: 1 }), text('three')]],
      [4, [text('one ')], [text(''), text('two ', { mark: 1 }), text('three')]],
      [6, [text('one '), text(''), text('tw', { mark: 1 })], [text('o ', { mark: 1 }), text('three')]],
      [8, [text('one '), text(''), text('two ', { mark: 1 })], [text('three')]],
    ];
    for (const [at, left, right] of cases) {
      const fixture = await TestTree.make();
      const [id] = await fixture.addMessages([{ role: 'user', content: blocks }]);
      const { result: made } = await runAndCheck(fixture, splitting(fixture, id, at));
      expect(fixture.node(made.nodeId).message?.content).toEqual(left);
      expect(fixture.node(made.right).message?.content).toEqual(right);
    }
  });

  test('[P36] between two characters gives two halves that together are the whole text', async () => {
    const piece = fc.constantFrom('a', 'b ', ' ', '\n', '😀', 'e\u0301', '🇩🇪', '\r\n');
    const block = fc.array(piece, { maxLength: 5 }).map((list) => text(list.join('')));
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 1, maxLength: 4 }), fc.nat(30), async (content, position) => {
        const message: Message = { role: 'assistant', content };
        const whole = textOf(message);
        fc.pre(whole.trim() !== '');
        const fixture = await TestTree.make();
        const [id] = await fixture.addMessages([message]);
        const said = (part: string) => part.trim() !== '';
        const fits =
          position >= 1 &&
          position < whole.length &&
          isCharacterBoundary(whole, position) &&
          said(whole.slice(0, position)) &&
          said(whole.slice(position));
        if (!fits) {
          expect(await refusalOf(fixture, splitting(fixture, id, position))).toBe('message/bad-position');
          return;
        }
        const { result: made } = await runAndCheck(fixture, splitting(fixture, id, position));
        const halves = [made.nodeId, made.right].map((one) => fixture.node(one).message?.content.filter(isText) ?? []);
        expect(halves.map((half) => half.map((one) => one.text).join(''))).toEqual([
          whole.slice(0, position),
          whole.slice(position),
        ]);
      }),
    );
  });

  test.each([0, -1, 11, 12, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    '[P36] at %d of eleven characters is refused',
    async (position) => {
      const fixture = await TestTree.make();
      const [id] = await fixture.addMessages(['hello world']);
      expect(await refusalOf(fixture, splitting(fixture, id, position))).toBe('message/bad-position');
    },
  );

  test('[P36] inside a surrogate pair, an accented letter or a family emoji, or with a blank half, is refused', async () => {
    const fixture = await TestTree.make();
    for (const [words, at] of [
      ['a😀b', 2],
      ['ae\u0301b', 2],
      ['a👩‍👧b', 3],
      ['a\r\nb', 2],
      ['  a', 2],
      ['a  ', 1],
    ] as const) {
      const [id] = await fixture.addMessages([user(words)], fixture.rootId);
      expect(await refusalOf(fixture, splitting(fixture, id, at))).toBe('message/bad-position');
    }
  });

  test('[P37] of the root, a tool or system message, a marker, other blocks than text, or a pending reply is refused', async () => {
    const store = new ReferenceStore();
    const fixture = await TestTree.make({ store });
    const [system, call] = await fixture.addMessages([
      textMessage('system', 'be brief'),
      toolCallMessage('c1', 'date', {}, 'let me see'),
    ]);
    const [tool] = await fixture.addMessages([toolResultMessage('c1', 'the day')]);
    const image: Message = { role: 'user', content: [...user('look here').content, { type: 'image' }] };
    const [picture] = await fixture.addMessages([image]);
    const marker = await fixture.run({ type: 'compact', treeId: fixture.treeId, summary: 'in short' });
    const replies = [{ message: assistant('so far'), status: 'pending' }] as const;
    const parentId = picture ?? fixture.rootId;
    const reply = await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId, replies });
    const beside = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
    const [foreign] = await beside.addMessages(['hello']);
    const code = (id: NodeId | undefined) => refusalOf(fixture, splitting(fixture, id, 3));
    for (const id of [system, call, tool, picture, marker.result.nodeId])
      expect(await code(id)).toBe('message/not-splittable');
    expect(await code(fixture.rootId)).toBe('tree/root-protected');
    expect(await code(nodeId(testUuid(99)))).toBe('tree/unknown-node');
    expect(await code(foreign)).toBe('tree/foreign-parent');
    expect(await code(reply.result.added[0])).toBe('tree/pending');
  });

  test('[P38] repeated with the same id finds its own left half; any other use of that id is refused', async () => {
    const fixture = await TestTree.make();
    const [id, reply] = await fixture.addMessages(['hello world', 'yes sir']);
    const command = splitting(fixture, id, 6, testUuid(90));
    expect((await runAndCheck(fixture, command)).result).toEqual({ nodeId: testUuid(90), right: id });
    const again = await fixture.run(command);
    expect(again.commit).toBeNull();
    expect(again.result).toEqual({ nodeId: testUuid(90), right: id });
    expect(await refusalOf(fixture, splitting(fixture, id, 2, testUuid(90)))).toBe('id/taken');
    expect(await refusalOf(fixture, splitting(fixture, reply, 4, testUuid(90)))).toBe('id/taken');
    expect(await refusalOf(fixture, splitting(fixture, reply, 5, id))).toBe('id/taken');
    expect(await refusalOf(fixture, splitting(fixture, reply, 4, 'left'))).toBe('id/invalid');
  });

  test('[P39] of a node with 50,000 replies moves one node', async () => {
    const fixture = await TestTree.make();
    const [id] = await fixture.addMessages(['hello world']);
    const replies = Array.from({ length: 50_000 }, (_, at) => ({ message: assistant(`r${at}`) }));
    await fixture.run({ type: 'reply', treeId: fixture.treeId, parentId: id ?? fixture.rootId, replies });
    const { commit } = await fixture.run(splitting(fixture, id, 6));
    expect(stepTypesOf({ commit })).toEqual(['insert', 'move', 'replace']);
    expect(childIds(fixture.tree, id ?? '')).toHaveLength(50_000);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCharacterBoundary } from '../graphemes.ts';
import { type NodeId, nodeId } from '../ids.ts';
import { type Block, type Message, textOf } from '../message.ts';
import {
  assistant,
  refusalOf,
  runAndCheck,
  TestTree,
  testUuid,
  toolCallMessage,
  toolResultMessage,
  user,
} from '../testing/index.ts';
import { allBookmarks, bookmarkOn, childIds } from '../tree.ts';
import type { JoinCommand } from './join.ts';

function joining(fixture: TestTree, id: NodeId | undefined): JoinCommand {
  return { type: 'join', treeId: fixture.treeId, nodeId: id ?? fixture.rootId };
}

describe('a join', () => {
  test('[P41] keeps the id and the replies of the child, at the position and in the group of the upper message', async () => {
    const fixture = await TestTree.make();
    const [before] = await fixture.addMessages(['before'], fixture.rootId);
    const [upper] = await fixture.addMessages([user('one ')], fixture.rootId);
    const [lower, reply] = await fixture.addMessages([user('two'), assistant('yes')], upper);
    await fixture.variant(assistant('no'), lower ?? fixture.rootId);
    const edited = await fixture.run({
      type: 'edit',
      treeId: fixture.treeId,
      nodeId: upper ?? fixture.rootId,
      content: 'other',
    });
    const { groupId } = fixture.node(edited.result.nodeId);
    const { result: made } = await runAndCheck(fixture, joining(fixture, upper));
    expect(made).toEqual({ nodeId: lower, removed: upper });
    expect(childIds(fixture.tree, fixture.rootId)).toEqual([before, lower, edited.result.nodeId]);
    expect(fixture.node(made.nodeId).groupId).toBe(groupId);
    expect(fixture.node(made.nodeId).text).toBe('one two');
    expect(childIds(fixture.tree, made.nodeId)[0]).toBe(reply);
    expect(fixture.drawing()).toEqual(['before', 'one two', '  yes', '  no', 'other *']);
  });

  test('[P42] of the halves of a split gives the message that was split', async () => {
    const piece = fc.constantFrom('a', 'b ', ' ', '\n', '😀', 'e\u0301');
    const words = fc.array(piece, { minLength: 2, maxLength: 12 }).map((list) => list.join(''));
    await fc.assert(
      fc.asyncProperty(words, fc.nat(14), async (text, position) => {
        fc.pre(position >= 1 && position < text.length && isCharacterBoundary(text, position));
        fc.pre(text.slice(0, position).trim() !== '' && text.slice(position).trim() !== '');
        const fixture = await TestTree.make();
        const [whole, reply] = await fixture.addMessages([user(text), assistant('yes')]);
        const old = fixture.node(whole ?? fixture.rootId);
        const split = await fixture.run({ type: 'split', treeId: fixture.treeId, nodeId: old.id, position });
        await runAndCheck(fixture, joining(fixture, split.result.nodeId));
        const now = fixture.node(old.id);
        expect(now.message).toEqual(old.message);
        expect(now.key).toBe(old.key);
        expect(now.aliases).toEqual(old.aliases);
        const again = await fixture.run({
          type: 'append',
          treeId: fixture.treeId,
          parentId: fixture.rootId,
          messages: [{ message: user(text) }, { message: assistant('yes') }],
        });
        expect(again.result.nodeId).toBe(reply);
      }),
    );
  });

  test('[P42] keeps both blocks where the texts meet if they differ in more than their text', async () => {
    const block = (text: string, mark: number): Block => ({ type: 'text', text, mark }) as Block;
    const message = (...content: Block[]): Message => ({ role: 'assistant', content });
    for (const [left, right, count] of [
      [block('a', 1), block('b', 1), 1],
      [block('a', 1), block('b', 2), 2],
    ] as const) {
      const fixture = await TestTree.make();
      const [upper, lower] = await fixture.addMessages([message(left), message(right)]);
      await runAndCheck(fixture, joining(fixture, upper));
      const joined = fixture.node(lower ?? fixture.rootId).message;
      expect(joined?.content).toHaveLength(count);
      expect(joined === null ? '' : textOf(joined)).toBe('ab');
    }
  });

  test('[P43] merges tags and custom data, and keeps title, bookmark and active node', async () => {
    const fixture = await TestTree.make();
    const [upper, lower] = await fixture.addMessages([user('one '), user('two')]);
    const { treeId } = fixture;
    const [above, below] = [upper ?? fixture.rootId, lower ?? fixture.rootId];
    await fixture.run({
      type: 'annotate',
      treeId,
      nodeId: above,
      set: { tags: ['a', 'b'], customData: { x: 1, y: 1 } },
    });
    await fixture.run({ type: 'annotate', treeId, nodeId: below, set: { tags: ['b', 'c'], customData: { y: 2 } } });
    await fixture.run({ type: 'title', treeId, nodeId: above, title: 'mine' });
    await fixture.run({ type: 'bookmark', treeId, nodeId: above, title: 'here' });
    await fixture.run({ type: 'select', treeId, nodeId: above });
    await runAndCheck(fixture, joining(fixture, upper));
    expect(fixture.node(below).meta).toMatchObject({
      tags: ['a', 'b', 'c'],
      customData: { x: 1, y: 2 },
      title: 'mine',
    });
    expect(bookmarkOn(fixture.tree, below)?.title).toBe('here');
    expect(fixture.active).toBe(below);
  });

  test('[P43] keeps the bookmark of the joined message where both have one', async () => {
    const fixture = await TestTree.make();
    const [upper, lower] = await fixture.addMessages([user('one '), user('two')]);
    const { treeId } = fixture;
    await fixture.run({ type: 'bookmark', treeId, nodeId: upper ?? fixture.rootId, title: 'first' });
    await fixture.run({ type: 'bookmark', treeId, nodeId: lower ?? fixture.rootId, title: 'second' });
    await runAndCheck(fixture, joining(fixture, upper));
    expect(allBookmarks(fixture.tree).map((one) => one.title)).toEqual(['second']);
  });

  test('[P44] is refused for anything but plain text with exactly one child of the same role', async () => {
    const fixture = await TestTree.make();
    const { treeId } = fixture;
    const code = (id: NodeId | undefined) => refusalOf(fixture, joining(fixture, id));
    const [leaf] = await fixture.addMessages([user('alone')], fixture.rootId);
    expect(await code(leaf)).toBe('message/not-joinable');
    const [question] = await fixture.addMessages([user('question'), assistant('answer')], fixture.rootId);
    expect(await code(question)).toBe('message/not-joinable');
    const [fork] = await fixture.addMessages([user('fork '), user('one')], fixture.rootId);
    await fixture.variant(user('two'), fork ?? fixture.rootId);
    expect(await code(fork)).toBe('message/not-joinable');
    const [, call, reported] = await fixture.addMessages(
      [user('call'), toolCallMessage('call', 't1'), toolResultMessage('call', 'done')],
      fixture.rootId,
    );
    expect(await code(call)).toBe('message/not-joinable');
    expect(await code(reported)).toBe('message/not-joinable');
    const [first] = await fixture.addMessages([user('marked ')], fixture.rootId);
    await fixture.run({
      type: 'mark',
      treeId,
      kind: 'state',
      message: user('state'),
      parentId: first ?? fixture.rootId,
    });
    expect(await code(first)).toBe('message/not-joinable');
    const [half] = await fixture.addMessages([assistant('half ')], fixture.rootId);
    await fixture.run({ type: 'reply', treeId, parentId: half ?? fixture.rootId, replies: [{ id: testUuid(900) }] });
    expect(await code(half)).toBe('tree/pending');
    expect(await code(fixture.rootId)).toBe('tree/root-protected');
    expect(await code(nodeId(testUuid(901)))).toBe('tree/unknown-node');
  });

  test('[P45] is reversed by undo', async () => {
    const fixture = await TestTree.make();
    const { treeId } = fixture;
    const [upper, lower] = await fixture.addMessages([user('one '), user('two'), assistant('yes')]);
    await fixture.run({ type: 'bookmark', treeId, nodeId: upper ?? fixture.rootId, title: 'here' });
    await fixture.run({ type: 'select', treeId, nodeId: upper ?? fixture.rootId });
    const before = fixture.drawing();
    await fixture.run(joining(fixture, upper));
    await fixture.run({ type: 'undo', treeId });
    expect(fixture.drawing()).toEqual(before);
    expect(fixture.node(lower ?? fixture.rootId).parentId).toBe(upper);
    expect(bookmarkOn(fixture.tree, upper ?? fixture.rootId)?.title).toBe('here');
    await fixture.run({ type: 'redo', treeId });
    expect(fixture.drawing()).toEqual(['one two *', '  yes']);
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBoundary } from '../graphemes.ts';
import { type NodeId, nodeId } from '../ids.ts';
import { type Block, type Message, textOf } from '../message.ts';
import { assistant, Bed, calls, carry, refusalOf, result, user, uuid } from '../testing/index.ts';
import { allBookmarks, bookmarkOn, childIds } from '../tree.ts';
import type { JoinCommand } from './join.ts';

function joining(bed: Bed, id: NodeId | undefined): JoinCommand {
  return { type: 'join', treeId: bed.treeId, nodeId: id ?? bed.rootId };
}

describe('a join', () => {
  test('[P41] keeps the id and the replies of the child, at the place and in the group of the upper message', async () => {
    const bed = await Bed.make();
    const [before] = await bed.grow(['before'], bed.rootId);
    const [upper] = await bed.grow([user('one ')], bed.rootId);
    const [lower, reply] = await bed.grow([user('two'), assistant('yes')], upper);
    await bed.variant(assistant('no'), lower ?? bed.rootId);
    const edited = await bed.run({ type: 'edit', treeId: bed.treeId, nodeId: upper ?? bed.rootId, content: 'other' });
    const { groupId } = bed.node(edited.result.nodeId);
    const { result: made } = await carry(bed, joining(bed, upper));
    expect(made).toEqual({ nodeId: lower, removed: upper });
    expect(childIds(bed.tree, bed.rootId)).toEqual([before, lower, edited.result.nodeId]);
    expect(bed.node(made.nodeId).groupId).toBe(groupId);
    expect(bed.node(made.nodeId).text).toBe('one two');
    expect(childIds(bed.tree, made.nodeId)[0]).toBe(reply);
    expect(bed.drawing()).toEqual(['before', 'one two', '  yes', '  no', 'other *']);
  });

  test('[P42] of the halves of a split gives the message that was split', async () => {
    const piece = fc.constantFrom('a', 'b ', ' ', '\n', '😀', 'e\u0301');
    const words = fc.array(piece, { minLength: 2, maxLength: 12 }).map((list) => list.join(''));
    await fc.assert(
      fc.asyncProperty(words, fc.nat(14), async (text, position) => {
        fc.pre(position >= 1 && position < text.length && isBoundary(text, position));
        fc.pre(text.slice(0, position).trim() !== '' && text.slice(position).trim() !== '');
        const bed = await Bed.make();
        const [whole, reply] = await bed.grow([user(text), assistant('yes')]);
        const old = bed.node(whole ?? bed.rootId);
        const split = await bed.run({ type: 'split', treeId: bed.treeId, nodeId: old.id, position });
        await carry(bed, joining(bed, split.result.nodeId));
        const now = bed.node(old.id);
        expect(now.message).toEqual(old.message);
        expect(now.key).toBe(old.key);
        expect(now.aliases).toEqual(old.aliases);
        const again = await bed.run({
          type: 'append',
          treeId: bed.treeId,
          parentId: bed.rootId,
          messages: [{ message: user(text) }, { message: assistant('yes') }],
        });
        expect(again.result.nodeId).toBe(reply);
      }),
    );
  });

  test('[P42] keeps both blocks at the seam where they differ in more than their text', async () => {
    const block = (text: string, mark: number): Block => ({ type: 'text', text, mark }) as Block;
    const message = (...content: Block[]): Message => ({ role: 'assistant', content });
    for (const [left, right, count] of [
      [block('a', 1), block('b', 1), 1],
      [block('a', 1), block('b', 2), 2],
    ] as const) {
      const bed = await Bed.make();
      const [upper, lower] = await bed.grow([message(left), message(right)]);
      await carry(bed, joining(bed, upper));
      const joined = bed.node(lower ?? bed.rootId).message;
      expect(joined?.content).toHaveLength(count);
      expect(joined === null ? '' : textOf(joined)).toBe('ab');
    }
  });

  test('[P43] unites tags and custom data, and keeps title, bookmark and pointer', async () => {
    const bed = await Bed.make();
    const [upper, lower] = await bed.grow([user('one '), user('two')]);
    const { treeId } = bed;
    const [above, below] = [upper ?? bed.rootId, lower ?? bed.rootId];
    await bed.run({ type: 'annotate', treeId, nodeId: above, set: { tags: ['a', 'b'], customData: { x: 1, y: 1 } } });
    await bed.run({ type: 'annotate', treeId, nodeId: below, set: { tags: ['b', 'c'], customData: { y: 2 } } });
    await bed.run({ type: 'title', treeId, nodeId: above, title: 'mine' });
    await bed.run({ type: 'bookmark', treeId, nodeId: above, title: 'here' });
    await bed.run({ type: 'select', treeId, nodeId: above });
    await carry(bed, joining(bed, upper));
    expect(bed.node(below).meta).toMatchObject({ tags: ['a', 'b', 'c'], customData: { x: 1, y: 2 }, title: 'mine' });
    expect(bookmarkOn(bed.tree, below)?.title).toBe('here');
    expect(bed.active).toBe(below);
  });

  test('[P43] keeps the bookmark of the joined message where both have one', async () => {
    const bed = await Bed.make();
    const [upper, lower] = await bed.grow([user('one '), user('two')]);
    const { treeId } = bed;
    await bed.run({ type: 'bookmark', treeId, nodeId: upper ?? bed.rootId, title: 'first' });
    await bed.run({ type: 'bookmark', treeId, nodeId: lower ?? bed.rootId, title: 'second' });
    await carry(bed, joining(bed, upper));
    expect(allBookmarks(bed.tree).map((one) => one.title)).toEqual(['second']);
  });

  test('[P44] is refused for anything but plain text with exactly one child of the same role', async () => {
    const bed = await Bed.make();
    const { treeId } = bed;
    const code = (id: NodeId | undefined) => refusalOf(bed, joining(bed, id));
    const [leaf] = await bed.grow([user('alone')], bed.rootId);
    expect(await code(leaf)).toBe('message/not-joinable');
    const [question] = await bed.grow([user('question'), assistant('answer')], bed.rootId);
    expect(await code(question)).toBe('message/not-joinable');
    const [fork] = await bed.grow([user('fork '), user('one')], bed.rootId);
    await bed.variant(user('two'), fork ?? bed.rootId);
    expect(await code(fork)).toBe('message/not-joinable');
    const [, call, told] = await bed.grow([user('call'), calls('call', 't1'), result('call', 'done')], bed.rootId);
    expect(await code(call)).toBe('message/not-joinable');
    expect(await code(told)).toBe('message/not-joinable');
    const [first] = await bed.grow([user('marked ')], bed.rootId);
    await bed.run({ type: 'mark', treeId, kind: 'state', message: user('state'), parentId: first ?? bed.rootId });
    expect(await code(first)).toBe('message/not-joinable');
    const [half] = await bed.grow([assistant('half ')], bed.rootId);
    await bed.run({ type: 'reply', treeId, parentId: half ?? bed.rootId, replies: [{ id: uuid(900) }] });
    expect(await code(half)).toBe('tree/pending');
    expect(await code(bed.rootId)).toBe('tree/root-protected');
    expect(await code(nodeId(uuid(901)))).toBe('tree/unknown-node');
  });

  test('[P45] comes apart again by undo', async () => {
    const bed = await Bed.make();
    const { treeId } = bed;
    const [upper, lower] = await bed.grow([user('one '), user('two'), assistant('yes')]);
    await bed.run({ type: 'bookmark', treeId, nodeId: upper ?? bed.rootId, title: 'here' });
    await bed.run({ type: 'select', treeId, nodeId: upper ?? bed.rootId });
    const before = bed.drawing();
    await bed.run(joining(bed, upper));
    await bed.run({ type: 'undo', treeId });
    expect(bed.drawing()).toEqual(before);
    expect(bed.node(lower ?? bed.rootId).parentId).toBe(upper);
    expect(bookmarkOn(bed.tree, upper ?? bed.rootId)?.title).toBe('here');
    await bed.run({ type: 'redo', treeId });
    expect(bed.drawing()).toEqual(['one two *', '  yes']);
  });
});

import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { previewOf } from '../path.ts';
import { assistant, refusalOf, runAndCheck, TestTree, testUuid, user } from '../testing/index.ts';
import { bookmarkOn, childIds } from '../tree.ts';
import type { Command } from './index.ts';

async function fixtureOf(): Promise<{ fixture: TestTree; id: NodeId }> {
  const fixture = await TestTree.make();
  const [id] = await fixture.addMessages(['hello']);
  return { fixture, id: id ?? fixture.rootId };
}

function title(fixture: TestTree, id: NodeId, text: string | null, auto = false): Command {
  const command = { type: 'title', treeId: fixture.treeId, nodeId: id, title: text } as const;
  return auto ? { ...command, auto } : command;
}

function bookmark(fixture: TestTree, id: NodeId, text: string | null): Command {
  return { type: 'bookmark', treeId: fixture.treeId, nodeId: id, title: text };
}

describe('metadata', () => {
  test('[V32] changing metadata changes neither the active node nor the messages, and makes no other write stale', async () => {
    const { fixture, id } = await fixtureOf();
    const other = await fixture.variant(user('other'), fixture.rootId);
    const { structureVersion } = fixture.tree;
    const before = childIds(fixture.tree, fixture.rootId).map((child) => fixture.node(child).message);
    const commands: readonly Command[] = [
      title(fixture, id, 'title'),
      bookmark(fixture, id, 'mark'),
      { type: 'tag', treeId: fixture.treeId, nodeId: id, tags: ['x'] },
      { type: 'annotate', treeId: fixture.treeId, nodeId: id, set: { note: 1 } },
      { type: 'group', treeId: fixture.treeId, nodeIds: [id, other] },
    ];
    for (const command of commands) {
      const { commit } = await runAndCheck(fixture, command);
      expect(commit?.structural).toBe(false);
    }
    expect(fixture.tree.structureVersion).toBe(structureVersion);
    expect(fixture.active).toBe(other);
    expect(childIds(fixture.tree, fixture.rootId).map((child) => fixture.node(child).message)).toEqual(before);
  });

  test('[V33] a title stays until the user changes or removes it', async () => {
    const { fixture, id } = await fixtureOf();
    await runAndCheck(fixture, title(fixture, id, 'mine'));
    await runAndCheck(fixture, title(fixture, id, 'machine', true));
    expect(fixture.node(id).meta).toEqual({ title: 'mine' });
    await runAndCheck(fixture, title(fixture, id, 'other'));
    expect(fixture.node(id).meta.title).toBe('other');
    for (const nothing of [null, '', '  ']) {
      await runAndCheck(fixture, title(fixture, id, 'again'));
      await runAndCheck(fixture, title(fixture, id, nothing));
      expect(fixture.node(id).meta).toEqual({});
    }
  });

  test('[V33] [V34] metadata that is set together follows the rules of titles and tags, in one commit', async () => {
    const { fixture, id } = await fixtureOf();
    const { treeId: tree } = fixture;
    const before = fixture.tree.version;
    const set = { title: 'mine', autoTitle: 'machine', tags: [' x ', 'x', ''], customData: { k: 1 } };
    await runAndCheck(fixture, { type: 'annotate', treeId: tree, nodeId: id, set });
    expect(fixture.node(id).meta).toEqual({ title: 'mine', tags: ['x'], customData: { k: 1 } });
    await runAndCheck(fixture, {
      type: 'annotate',
      treeId: tree,
      nodeId: id,
      set: { title: ' ', tags: [' '], autoTitle: 'machine' },
    });
    expect(fixture.node(id).meta).toEqual({ autoTitle: 'machine', customData: { k: 1 } });
    await fixture.addMessages(['below'], id);
    await runAndCheck(fixture, { type: 'annotate', treeId: tree, nodeId: id, set: { autoTitle: 'later' } });
    expect(fixture.node(id).meta.autoTitle).toBe('machine');
    expect(fixture.tree.version).toBe(before + 3);
  });

  test('[V33] a generated title is accepted while the node has neither a title nor children, and hidden later', async () => {
    const { fixture, id } = await fixtureOf();
    await runAndCheck(fixture, title(fixture, id, 'machine', true));
    await runAndCheck(fixture, title(fixture, id, 'machine again', true));
    expect(previewOf(fixture.node(id), 0)).toBe('machine again');
    await fixture.variant(assistant('reply'), id);
    expect((await runAndCheck(fixture, title(fixture, id, 'late', true))).commit).toBeNull();
    expect(previewOf(fixture.node(id), 1)).toBe('hello');
  });

  test('[V34] tags are trimmed, deduplicated and kept in order; an empty list removes them', async () => {
    const { fixture, id } = await fixtureOf();
    const tags = (words: readonly string[]): Command => ({
      type: 'tag',
      treeId: fixture.treeId,
      nodeId: id,
      tags: words,
    });
    await runAndCheck(fixture, tags([' b ', 'a', '', 'b', '  ']));
    expect(fixture.node(id).meta.tags).toEqual(['b', 'a']);
    expect((await runAndCheck(fixture, tags(['b', 'a', 'a']))).commit).toBeNull();
    await runAndCheck(fixture, tags([' ']));
    expect(fixture.node(id).meta).toEqual({});
  });

  test('[V35] a bookmark that is set again gets the new title and keeps its time; null removes it', async () => {
    const { fixture, id } = await fixtureOf();
    await runAndCheck(fixture, bookmark(fixture, id, 'one'));
    const first = bookmarkOn(fixture.tree, id);
    await runAndCheck(fixture, bookmark(fixture, id, 'two'));
    const second = bookmarkOn(fixture.tree, id);
    expect(second).toMatchObject({ title: 'two', createdAt: first?.createdAt });
    expect(second?.updatedAt).toBeGreaterThan(first?.updatedAt ?? 0);
    expect((await runAndCheck(fixture, bookmark(fixture, id, 'two'))).commit).toBeNull();
    await runAndCheck(fixture, bookmark(fixture, id, null));
    expect(bookmarkOn(fixture.tree, id)).toBeUndefined();
    expect((await runAndCheck(fixture, bookmark(fixture, id, null))).commit).toBeNull();
  });

  test('[V36] a group is made of variants of one parent, with a number never used there before', async () => {
    const { fixture, id } = await fixtureOf();
    const [b, c] = [await fixture.variant(user('b'), fixture.rootId), await fixture.variant(user('c'), fixture.rootId)];
    const group = (...nodeIds: NodeId[]): Command => ({ type: 'group', treeId: fixture.treeId, nodeIds });
    await runAndCheck(fixture, group(id, b));
    expect([id, b, c].map((one) => fixture.node(one).groupId)).toEqual([1, 1, 0]);
    await runAndCheck(fixture, group(b, c, b));
    expect([id, b, c].map((one) => fixture.node(one).groupId)).toEqual([1, 2, 2]);
    await runAndCheck(fixture, group(b));
    expect(fixture.node(b).groupId).toBe(0);
    const below = await fixture.variant(assistant('below'), id);
    expect(await refusalOf(fixture, group(id, below))).toBe('command/invalid');
    expect(await refusalOf(fixture, group())).toBe('command/invalid');
  });

  test('[V37] a change without effect commits nothing: the order of keys does not count, nor does an existing group', async () => {
    const { fixture, id } = await fixtureOf();
    const other = await fixture.variant(user('other'), fixture.rootId);
    const note = (customData: { readonly [key: string]: number }): Command => ({
      type: 'annotate',
      treeId: fixture.treeId,
      nodeId: id,
      set: { customData },
    });
    await runAndCheck(fixture, note({ a: 1, b: 2 }));
    expect((await runAndCheck(fixture, note({ b: 2, a: 1 }))).commit).toBeNull();
    expect((await runAndCheck(fixture, note({ b: 2 }))).commit).not.toBeNull();
    const group: Command = { type: 'group', treeId: fixture.treeId, nodeIds: [id, other] };
    await runAndCheck(fixture, group);
    const again = await runAndCheck(fixture, { ...group, nodeIds: [other, id] });
    expect(again).toMatchObject({ commit: null, result: { groupId: 1 } });
  });

  test('[V38] metadata that only Coppice sets is refused, and __proto__ is an ordinary key', async () => {
    const { fixture, id } = await fixtureOf();
    for (const key of ['copiedFrom', 'pickedFrom', 'splitSource'])
      expect(
        await refusalOf(fixture, { type: 'annotate', treeId: fixture.treeId, nodeId: id, set: { [key]: null } }),
      ).toBe('command/invalid');
    const set = Object.fromEntries([['__proto__', 'x']]);
    await runAndCheck(fixture, { type: 'annotate', treeId: fixture.treeId, nodeId: id, set });
    expect(Object.entries(fixture.node(id).meta)).toEqual([['__proto__', 'x']]);
    expect(Object.getPrototypeOf(fixture.node(id).meta)).toBe(Object.prototype);
  });

  test('[V39] the root, unknown nodes and nodes of other trees cannot be annotated', async () => {
    const { fixture } = await fixtureOf();
    const other = await TestTree.make({ store: fixture.store, treeId: treeId(testUuid(2)) });
    const foreign = await other.variant(user('x'), other.rootId);
    const on = (id: NodeId): readonly Command[] => [
      title(fixture, id, 'x'),
      bookmark(fixture, id, 'x'),
      { type: 'tag', treeId: fixture.treeId, nodeId: id, tags: ['x'] },
      { type: 'annotate', treeId: fixture.treeId, nodeId: id, set: { note: 'x' } },
      { type: 'group', treeId: fixture.treeId, nodeIds: [id] },
    ];
    for (const command of on(fixture.rootId)) expect(await refusalOf(fixture, command)).toBe('tree/root-protected');
    for (const command of on(nodeId(testUuid(77)))) expect(await refusalOf(fixture, command)).toBe('tree/unknown-node');
    for (const command of on(foreign)) expect(await refusalOf(fixture, command)).toBe('tree/foreign-parent');
  });
});

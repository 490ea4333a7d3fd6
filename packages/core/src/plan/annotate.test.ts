import { describe, expect, test } from 'vitest';
import { type NodeId, nodeId, treeId } from '../ids.ts';
import { previewOf } from '../path.ts';
import { assistant, Bed, carry, refusalOf, user, uuid } from '../testing/index.ts';
import { bookmarkOn, childIds } from '../tree.ts';
import type { Command } from './index.ts';

async function bedOf(): Promise<{ bed: Bed; id: NodeId }> {
  const bed = await Bed.make();
  const [id] = await bed.grow(['hello']);
  return { bed, id: id ?? bed.rootId };
}

function title(bed: Bed, id: NodeId, text: string | null, auto = false): Command {
  const command = { type: 'title', treeId: bed.treeId, nodeId: id, title: text } as const;
  return auto ? { ...command, auto } : command;
}

function bookmark(bed: Bed, id: NodeId, text: string | null): Command {
  return { type: 'bookmark', treeId: bed.treeId, nodeId: id, title: text };
}

describe('notes', () => {
  test('[V32] change neither the pointer, nor the messages, nor what makes a write stale', async () => {
    const { bed, id } = await bedOf();
    const other = await bed.variant(user('other'), bed.rootId);
    const { structureVersion } = bed.tree;
    const before = childIds(bed.tree, bed.rootId).map((child) => bed.node(child).message);
    const commands: readonly Command[] = [
      title(bed, id, 'title'),
      bookmark(bed, id, 'mark'),
      { type: 'tag', treeId: bed.treeId, nodeId: id, tags: ['x'] },
      { type: 'annotate', treeId: bed.treeId, nodeId: id, set: { note: 1 } },
      { type: 'group', treeId: bed.treeId, nodeIds: [id, other] },
    ];
    for (const command of commands) {
      const { commit } = await carry(bed, command);
      expect(commit?.structural).toBe(false);
    }
    expect(bed.tree.structureVersion).toBe(structureVersion);
    expect(bed.active).toBe(other);
    expect(childIds(bed.tree, bed.rootId).map((child) => bed.node(child).message)).toEqual(before);
  });

  test('[V33] a title stays until the user gives another or takes it away', async () => {
    const { bed, id } = await bedOf();
    await carry(bed, title(bed, id, 'mine'));
    await carry(bed, title(bed, id, 'machine', true));
    expect(bed.node(id).meta).toEqual({ title: 'mine' });
    await carry(bed, title(bed, id, 'other'));
    expect(bed.node(id).meta.title).toBe('other');
    for (const nothing of [null, '', '  ']) {
      await carry(bed, title(bed, id, 'again'));
      await carry(bed, title(bed, id, nothing));
      expect(bed.node(id).meta).toEqual({});
    }
  });

  test('[V33] [V34] notes that are set together follow the rules of titles and tags, in one commit', async () => {
    const { bed, id } = await bedOf();
    const { treeId: tree } = bed;
    const before = bed.tree.version;
    const set = { title: 'mine', autoTitle: 'machine', tags: [' x ', 'x', ''], customData: { k: 1 } };
    await carry(bed, { type: 'annotate', treeId: tree, nodeId: id, set });
    expect(bed.node(id).meta).toEqual({ title: 'mine', tags: ['x'], customData: { k: 1 } });
    await carry(bed, {
      type: 'annotate',
      treeId: tree,
      nodeId: id,
      set: { title: ' ', tags: [' '], autoTitle: 'machine' },
    });
    expect(bed.node(id).meta).toEqual({ autoTitle: 'machine', customData: { k: 1 } });
    await bed.grow(['below'], id);
    await carry(bed, { type: 'annotate', treeId: tree, nodeId: id, set: { autoTitle: 'later' } });
    expect(bed.node(id).meta.autoTitle).toBe('machine');
    expect(bed.tree.version).toBe(before + 3);
  });

  test("[V33] a machine's title is taken while the node has neither a title nor children, and not shown after", async () => {
    const { bed, id } = await bedOf();
    await carry(bed, title(bed, id, 'machine', true));
    await carry(bed, title(bed, id, 'machine again', true));
    expect(previewOf(bed.node(id), 0)).toBe('machine again');
    await bed.variant(assistant('reply'), id);
    expect((await carry(bed, title(bed, id, 'late', true))).commit).toBeNull();
    expect(previewOf(bed.node(id), 1)).toBe('hello');
  });

  test('[V34] tags are trimmed, each once, in order; none takes them away', async () => {
    const { bed, id } = await bedOf();
    const tags = (words: readonly string[]): Command => ({ type: 'tag', treeId: bed.treeId, nodeId: id, tags: words });
    await carry(bed, tags([' b ', 'a', '', 'b', '  ']));
    expect(bed.node(id).meta.tags).toEqual(['b', 'a']);
    expect((await carry(bed, tags(['b', 'a', 'a']))).commit).toBeNull();
    await carry(bed, tags([' ']));
    expect(bed.node(id).meta).toEqual({});
  });

  test('[V35] a bookmark that is set again is retitled and keeps its time; null takes it away', async () => {
    const { bed, id } = await bedOf();
    await carry(bed, bookmark(bed, id, 'one'));
    const first = bookmarkOn(bed.tree, id);
    await carry(bed, bookmark(bed, id, 'two'));
    const second = bookmarkOn(bed.tree, id);
    expect(second).toMatchObject({ title: 'two', createdAt: first?.createdAt });
    expect(second?.updatedAt).toBeGreaterThan(first?.updatedAt ?? 0);
    expect((await carry(bed, bookmark(bed, id, 'two'))).commit).toBeNull();
    await carry(bed, bookmark(bed, id, null));
    expect(bookmarkOn(bed.tree, id)).toBeUndefined();
    expect((await carry(bed, bookmark(bed, id, null))).commit).toBeNull();
  });

  test('[V36] a group is made of variants of one parent, under a number that was never given there', async () => {
    const { bed, id } = await bedOf();
    const [b, c] = [await bed.variant(user('b'), bed.rootId), await bed.variant(user('c'), bed.rootId)];
    const group = (...nodeIds: NodeId[]): Command => ({ type: 'group', treeId: bed.treeId, nodeIds });
    await carry(bed, group(id, b));
    expect([id, b, c].map((one) => bed.node(one).groupId)).toEqual([1, 1, 0]);
    await carry(bed, group(b, c, b));
    expect([id, b, c].map((one) => bed.node(one).groupId)).toEqual([1, 2, 2]);
    await carry(bed, group(b));
    expect(bed.node(b).groupId).toBe(0);
    const below = await bed.variant(assistant('below'), id);
    expect(await refusalOf(bed, group(id, below))).toBe('command/invalid');
    expect(await refusalOf(bed, group())).toBe('command/invalid');
  });

  test('[V37] what changes nothing commits nothing: the order of keys does not count, and a group that is one stays it', async () => {
    const { bed, id } = await bedOf();
    const other = await bed.variant(user('other'), bed.rootId);
    const note = (customData: { readonly [key: string]: number }): Command => ({
      type: 'annotate',
      treeId: bed.treeId,
      nodeId: id,
      set: { customData },
    });
    await carry(bed, note({ a: 1, b: 2 }));
    expect((await carry(bed, note({ b: 2, a: 1 }))).commit).toBeNull();
    expect((await carry(bed, note({ b: 2 }))).commit).not.toBeNull();
    const group: Command = { type: 'group', treeId: bed.treeId, nodeIds: [id, other] };
    await carry(bed, group);
    const again = await carry(bed, { ...group, nodeIds: [other, id] });
    expect(again).toMatchObject({ commit: null, result: { groupId: 1 } });
  });

  test('[V38] notes that the tree keeps itself are refused, and __proto__ is a note like any other', async () => {
    const { bed, id } = await bedOf();
    for (const key of ['copiedFrom', 'pickedFrom', 'splitSource'])
      expect(await refusalOf(bed, { type: 'annotate', treeId: bed.treeId, nodeId: id, set: { [key]: null } })).toBe(
        'command/invalid',
      );
    const set = Object.fromEntries([['__proto__', 'x']]);
    await carry(bed, { type: 'annotate', treeId: bed.treeId, nodeId: id, set });
    expect(Object.entries(bed.node(id).meta)).toEqual([['__proto__', 'x']]);
    expect(Object.getPrototypeOf(bed.node(id).meta)).toBe(Object.prototype);
  });

  test('[V39] the root, and what is not there or elsewhere, cannot be noted on', async () => {
    const { bed } = await bedOf();
    const other = await Bed.make({ store: bed.store, treeId: treeId(uuid(2)) });
    const foreign = await other.variant(user('x'), other.rootId);
    const on = (id: NodeId): readonly Command[] => [
      title(bed, id, 'x'),
      bookmark(bed, id, 'x'),
      { type: 'tag', treeId: bed.treeId, nodeId: id, tags: ['x'] },
      { type: 'annotate', treeId: bed.treeId, nodeId: id, set: { note: 'x' } },
      { type: 'group', treeId: bed.treeId, nodeIds: [id] },
    ];
    for (const command of on(bed.rootId)) expect(await refusalOf(bed, command)).toBe('tree/root-protected');
    for (const command of on(nodeId(uuid(77)))) expect(await refusalOf(bed, command)).toBe('tree/unknown-node');
    for (const command of on(foreign)) expect(await refusalOf(bed, command)).toBe('tree/foreign-parent');
  });
});

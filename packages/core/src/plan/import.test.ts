import { describe, expect, test } from 'vitest';
import { nodeId, treeId } from '../ids.ts';
import { assistant, Bed, carry, refusalOf, stepTypesOf, user, uuid } from '../testing/index.ts';
import { allBookmarks, findAnyNode, seedling } from '../tree.ts';
import type { ImportCommand, ImportNode } from './import.ts';

const q: ImportNode = { id: uuid(11), parentId: null, order: 0, message: user('q'), createdAt: 5 };
const a1: ImportNode = { id: uuid(12), parentId: uuid(11), order: 1, message: assistant('a1'), group: 3 };
const a2: ImportNode = { id: uuid(13), parentId: uuid(11), order: 0, message: assistant('a2'), group: 3 };

function importing(nodes: readonly ImportNode[], rest: Partial<ImportCommand> = {}): ImportCommand {
  return { type: 'import', treeId: treeId(uuid(1)), nodes, ...rest };
}

async function imported(nodes: readonly ImportNode[], rest: Partial<ImportCommand> = {}): Promise<Bed> {
  const bed = new Bed();
  await bed.run(importing(nodes, rest));
  return bed;
}

describe('an import', () => {
  test('[P85] makes the whole tree in one commit', async () => {
    const bed = new Bed();
    const state: ImportNode = { id: uuid(14), parentId: uuid(13), order: 0, message: user(' '), kind: 'state' };
    const command = importing(
      [q, { ...a1, bookmark: { title: 'good', createdAt: 3 } }, { ...a2, status: 'pending' }, state],
      {
        attributes: { title: 't', systemPrompt: 'p' },
        activeId: uuid(12),
      },
    );
    const { commit, result } = await bed.run(command);
    expect(result).toEqual({
      treeId: uuid(1),
      created: true,
      added: [uuid(11), uuid(12), uuid(13), uuid(14)],
      present: [],
      left: [],
    });
    expect(commit?.version).toBe(1);
    expect(bed.drawing()).toEqual(['q', '  a2', '     ', '  a1 *']);
    expect(bed.tree.attributes).toMatchObject({ title: 't', systemPrompt: 'p' });
    expect(bed.node(uuid(11)).createdAt).toBe(5);
    expect([bed.node(uuid(12)).groupId, bed.node(uuid(13)).groupId]).toEqual([3, 3]);
    expect(bed.node(uuid(13)).status).toBe('error');
    expect(bed.node(uuid(14))).toMatchObject({ kind: 'state', key: null, matchParent: uuid(13) });
    expect(allBookmarks(bed.tree)).toMatchObject([{ nodeId: uuid(12), title: 'good', createdAt: 3, updatedAt: 3 }]);
  });

  test('[P85] has the newest node active where none is named, and none where there is none', async () => {
    expect((await imported([q, a1])).active).toBe(uuid(12));
    expect((await imported([])).active).toBeNull();
    expect(seedling(treeId(uuid(1))).version).toBe(0);
  });

  test('[P86] again commits nothing, whatever the user did meanwhile', async () => {
    const bed = await imported([q, a1, a2]);
    await bed.run({ type: 'edit', treeId: bed.treeId, nodeId: nodeId(uuid(12)), content: 'mine', mode: 'in-place' });
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [nodeId(uuid(13))] });
    const before = bed.tree;
    const { commit, result } = await bed.run(importing([q, a1, a2], { attributes: { title: 'theirs' } }));
    expect(commit).toBeNull();
    expect(result).toMatchObject({ created: false, added: [], present: [uuid(11), uuid(12), uuid(13)] });
    expect(bed.tree).toBe(before);
  });

  test('[P86] adds only what is new, and leaves the user where they are', async () => {
    const bed = await imported([q, a1, a2], { activeId: uuid(12) });
    const [mine] = await bed.grow(['mine']);
    const more: ImportNode = { id: uuid(15), parentId: uuid(13), order: 0, message: user('more') };
    const outcome = await carry(bed, importing([q, a1, a2, more], { activeId: uuid(15) }));
    expect(stepTypesOf(outcome)).toEqual(['insert']);
    expect(bed.active).toBe(mine);
    expect(bed.drawing()).toEqual(['q', '  a2', '    more', '  a1', '    mine *']);
  });

  test('[P86] goes on where the part before it left the pointer, unless the user went elsewhere', async () => {
    const bed = await imported([q, a1, a2], { activeId: uuid(12) });
    const more = (id: string): ImportNode => ({ id, parentId: uuid(12), order: 0, message: user(id) });
    await bed.run(importing([q, a1, more(uuid(15))], { activeId: uuid(15), follows: uuid(12) }));
    expect(bed.active).toBe(uuid(15));
    await bed.run({ type: 'select', treeId: bed.treeId, nodeId: nodeId(uuid(13)) });
    await bed.run(importing([q, a1, more(uuid(16))], { activeId: uuid(16), follows: uuid(15) }));
    expect(bed.active).toBe(uuid(13));
    await bed.run(importing([q, a1], { activeId: uuid(12), follows: uuid(13) }));
    expect(bed.active).toBe(uuid(13));
  });

  test('[P87] puts a new variant into the group of its fellows', async () => {
    const bed = await imported([q, a1, a2]);
    const a3: ImportNode = { id: uuid(16), parentId: uuid(11), order: 2, message: assistant('a3'), group: 3 };
    const other: ImportNode = { id: uuid(17), parentId: uuid(11), order: 3, message: assistant('x'), group: 9 };
    await carry(bed, importing([q, a1, a2, a3, other]));
    expect(bed.node(uuid(16)).groupId).toBe(bed.node(uuid(12)).groupId);
    expect(bed.node(uuid(17)).groupId).toBe(4);
  });

  test('[P88] leaves out what hangs on something that the user removed', async () => {
    const bed = await imported([q, a1]);
    await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [nodeId(uuid(12))], mode: 'cascade' });
    const more: ImportNode = { id: uuid(15), parentId: uuid(12), order: 0, message: user('more') };
    const below: ImportNode = { id: uuid(16), parentId: uuid(15), order: 0, message: assistant('below') };
    const { result, commit } = await bed.run(importing([q, a1, more, below]));
    expect(commit).toBeNull();
    expect(result.left).toEqual([uuid(15), uuid(16)]);
  });

  test('[P89] brings nodes into the trash, from where they can be restored', async () => {
    const below: ImportNode = { id: uuid(15), parentId: uuid(13), order: 0, message: user('below') };
    const bed = await imported([q, a1, { ...a2, removed: true }, below]);
    expect(bed.drawing()).toEqual(['q', '  a1 *']);
    expect(findAnyNode(bed.tree, uuid(15))?.removedIn).toBe(1);
    await bed.run({ type: 'restore', treeId: bed.treeId, nodeId: nodeId(uuid(13)) });
    expect(bed.drawing()).toEqual(['q', '  a2', '    below', '  a1 *']);
  });

  test('[P90] that cannot be is refused whole', async () => {
    const bed = await Bed.make();
    const bad = (node: Partial<ImportNode>) => refusalOf(bed, importing([q, { ...a1, ...node }]));
    expect(await bad({ message: user(' ') })).toBe('message/blank');
    expect(await bad({ message: { role: 'tool', content: [] } })).toBe('message/blank');
    expect(await bad({ parentId: uuid(99) })).toBe('tree/broken-path');
    expect(await bad({ id: uuid(11) })).toBe('id/taken');
    expect(await bad({ id: 'msg-1' })).toBe('id/invalid');
    expect(await refusalOf(bed, importing([q], { attributes: { trashedAt: 1 } }))).toBe('tree/root-protected');
    const elsewhere = { treeId: treeId(uuid(2)), rootId: uuid(11) };
    expect(await refusalOf(bed, importing([q], elsewhere))).toBe('id/taken');
  });
});

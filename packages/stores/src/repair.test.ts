import { type Node, nodeId, treeId } from '@coppice/core';
import { arbitraryCommands, ReferenceStore, runCommands, testUuid } from '@coppice/core/testing';
import { allBookmarks, allNodes, checkRows } from '@coppice/core/tree';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { repairRows, type TreeRows } from './repair.ts';

async function grown(seed: number): Promise<TreeRows> {
  const [commands = []] = fc.sample(arbitraryCommands({ minLength: 30, maxLength: 30 }), { seed, numRuns: 1 });
  const store = new ReferenceStore();
  for await (const _ of runCommands(store, commands));
  const tree = store.trees.get(treeId(testUuid(1)));
  if (tree === undefined) throw new Error('Nothing grew.');
  return { row: tree, nodes: allNodes(tree), bookmarks: allBookmarks(tree) };
}

function errors({ row, nodes, bookmarks }: TreeRows): string[] {
  return checkRows(row, nodes, bookmarks).flatMap(({ severity, code, id }) =>
    severity === 'error' ? [`${code} ${id}`] : [],
  );
}

/** Damages the rows of a tree at a live node that is not the root. */
type Fault = (rows: TreeRows, at: Node) => TreeRows;

function changed(rows: TreeRows, at: Node, change: Partial<Node>): TreeRows {
  return { ...rows, nodes: rows.nodes.map((node) => (node.id === at.id ? { ...node, ...change } : node)) };
}

const removed = { id: nodeId(testUuid(0xdead)), seq: 100_000, removedIn: 1, aliases: [] };

const faults: Readonly<Record<string, Fault>> = {
  'a second physical root': (rows, at) => changed(rows, at, { parentId: null }),
  'a second root that has children': (rows, at) => {
    const root = rows.nodes.find((node) => node.kind === 'root') ?? at;
    const second = { ...root, id: nodeId(testUuid(0x2007)), seq: rows.row.nextSeq };
    const row = { ...rows.row, nextSeq: rows.row.nextSeq + 1 };
    return changed({ ...rows, row, nodes: [...rows.nodes, second] }, at, { parentId: second.id });
  },
  'a parent that is missing': (rows, at) => changed(rows, at, { parentId: nodeId(testUuid(0xbad)) }),
  'life below a removed parent': (rows, at) =>
    changed({ ...rows, nodes: [...rows.nodes, { ...at, ...removed }] }, at, { parentId: removed.id }),
  'a circle': (rows, at) => changed(rows, at, { parentId: at.id }),
  'a match parent that is wrong': (rows, at) => changed(rows, at, { matchParent: at.id }),
  'a number twice': (rows, at) => changed(rows, at, { seq: 0 }),
  'a pointer at nothing': (rows) => ({ ...rows, row: { ...rows.row, activeNodeId: nodeId(testUuid(0xbad)) } }),
  'a pointer at the root': (rows) => ({ ...rows, row: { ...rows.row, activeNodeId: rows.row.rootId } }),
  'no pointer': (rows) => ({ ...rows, row: { ...rows.row, activeNodeId: null } }),
  'a number that would be given again': (rows) => ({ ...rows, row: { ...rows.row, nextSeq: 1 } }),
  'no root': (rows) => ({ ...rows, nodes: rows.nodes.filter((node) => node.kind !== 'root') }),
  'a bookmark on nothing': (rows) => ({
    ...rows,
    bookmarks: [...rows.bookmarks, { nodeId: nodeId(testUuid(0xbad)), title: 'B', createdAt: 1, updatedAt: 1 }],
  }),
  'an invalid place': (rows, at) => changed(rows, at, { position: '[null]' }),
  'an empty place': (rows, at) => changed(rows, at, { position: '' }),
  'an invalid place twice': (rows, at) => {
    const sibling = { ...at, id: nodeId(testUuid(0xcab)), position: '~', seq: rows.row.nextSeq, aliases: [] };
    const added = { ...rows, row: { ...rows.row, nextSeq: rows.row.nextSeq + 1 }, nodes: [...rows.nodes, sibling] };
    return changed(added, at, { position: '~' });
  },
  'a place twice': (rows, at) => {
    const sibling = { ...at, id: nodeId(testUuid(0xcab)), seq: rows.row.nextSeq, aliases: [] };
    return { ...rows, row: { ...rows.row, nextSeq: rows.row.nextSeq + 1 }, nodes: [...rows.nodes, sibling] };
  },
};

it('[K144] consistent rows stay unchanged', async () => {
  for (let seed = 1; seed <= 10; seed++) {
    const rows = await grown(seed);
    const mended = repairRows(rows);
    expect(mended.repaired).toEqual([]);
    expect(mended.nodes).toEqual(rows.nodes);
  }
});

it('[K145] every kind of damage is repaired in one run, no node is lost and no text changes', async () => {
  for (let seed = 1; seed <= 12; seed++) {
    const rows = await grown(seed);
    const live = rows.nodes.filter((node) => node.removedIn === null && node.kind !== 'root');
    for (const [name, buildSample] of Object.entries(faults))
      for (const at of live.slice(0, 4)) {
        const broken = buildSample(rows, at);
        expect([name, errors(broken).length > 0]).toEqual([name, true]);
        const mended = repairRows(broken);
        expect([name, errors(mended)]).toEqual([name, []]);
        expect(mended.repaired.length > 0 || name === 'a number that would be given again').toBe(true);
        const texts = (nodes: readonly Node[]) => new Map(nodes.map((node) => [node.id, node.text]));
        for (const [id, text] of texts(broken.nodes)) expect(texts(mended.nodes).get(id)).toBe(text);
        expect(repairRows(mended).repaired).toEqual([]);
      }
  }
});

it('[K146] several physical roots become children of the one root, in their order', async () => {
  const rows = await grown(3);
  const live = rows.nodes.filter((node) => node.removedIn === null && node.kind !== 'root');
  const tops = live.slice(0, 3);
  const former = tops.reduce((now, node) => changed(now, node, { parentId: null }), rows);
  const { nodes } = repairRows(former);
  const hung = nodes.filter((node) => tops.some((top) => top.id === node.id));
  expect(hung.every((node) => node.parentId === rows.row.rootId)).toBe(true);
  const order = [...hung].sort((a, b) => (a.position < b.position ? -1 : 1)).map((node) => node.id);
  expect(order).toEqual(tops.map((node) => node.id));
});

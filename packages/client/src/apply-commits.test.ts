import { ask, type Commit, type NodeId, nodeId, type TreeId } from '@coppice/core';
import { treeFromRows } from '@coppice/core/history';
import { arbitraryCommands, buildTree, ReferenceStore, runCommands } from '@coppice/core/testing';
import { allNodes, rowChanges, topology as shapeOf } from '@coppice/core/tree';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TreeViewData } from './api-types.ts';
import { appendReplyText, startLiveReply } from './live.ts';
import {
  applyRowChanges,
  chooseEndAfterRead,
  createEmptyBranch,
  filterUnloadedChanges,
  type LoadedBranch,
  loadedPath,
  variantPositionOf,
} from './loaded-branch.ts';
import { confirmWrite } from './overlays.ts';
import { Topology } from './topology.ts';

async function shape(store: ReferenceStore, id: TreeId) {
  const rows = await store.read(id, () => ask('rows', {}));
  if (rows === null) throw new Error('There is no such tree.');
  const tree = treeFromRows(rows.row, rows.nodes, rows.bookmarks);
  return { rootId: tree.rootId, version: tree.version, nodes: shapeOf(tree), bookmarks: rows.bookmarks };
}

function since(store: ReferenceStore, id: TreeId, version: number): Promise<readonly Commit[]> {
  return store.read(id, () => ask('log', { since: version }));
}

/** Returns the parent and the order of each node, which the map shows. */
function parentsAndOrder(topology: Topology): unknown {
  const order = (id: NodeId): unknown[] =>
    topology.children(id).map((child) => [child.id, child.groupId, child.status]);
  return [[topology.rootId, order(topology.rootId)], ...[...topology.nodes.keys()].sort().map((id) => [id, order(id)])];
}

test('[CL2] commits of every kind change the topology of a tree as they change the tree itself', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands(), async (commands) => {
      const store = new ReferenceStore();
      const known = new Map<TreeId, { topology: Topology; version: number }>();
      for await (const turn of runCommands(store, commands)) {
        for (const id of turn.treeIds) {
          const truth = await shape(store, id);
          const mine = known.get(id);
          let topology = mine?.topology;
          for (const commit of mine === undefined ? [] : await since(store, id, mine.version)) {
            const changes = rowChanges(commit.steps, { version: commit.version, seq: commit.seq, at: commit.at });
            if (topology?.applyRowChanges(changes) === false) topology = undefined;
          }
          const whole = new Topology(truth.rootId, truth.nodes, truth.bookmarks);
          topology ??= whole;
          expect(parentsAndOrder(topology)).toEqual(parentsAndOrder(whole));
          expect([...topology.bookmarks.keys()].sort()).toEqual([...whole.bookmarks.keys()].sort());
          known.set(id, { topology, version: truth.version });
        }
      }
    }),
    { numRuns: process.env['COPPICE_LONG'] === '1' ? 500 : 25 },
  );
});

function view(tree: ReturnType<typeof buildTree>): LoadedBranch {
  const row: TreeViewData = {
    id: tree.id,
    rootId: tree.rootId,
    version: tree.version,
    structureVersion: tree.structureVersion,
    activeNodeId: tree.activeNodeId,
    createdAt: 0,
    updatedAt: 0,
    title: null,
    autoTitle: null,
    project: null,
    folder: null,
    pinned: false,
    tags: [],
    metadata: {},
    copiedFrom: null,
    deletedAt: null,
    forest: false,
    temporary: false,
    conversation_format: 'tree',
  };
  const topology = new Topology(tree.rootId, shapeOf(tree));
  const nodes = new Map(allNodes(tree).map((node) => [node.id, node]));
  const kids = new Map([...nodes.keys()].map((id) => [id, topology.children(id).map((child) => child.id)]));
  return { ...createEmptyBranch(row), nodes, childrenByParent: kids, leaf: tree.activeNodeId };
}

test('[CL1] a removed branch moves the view to its parent, and its index among the variants is free again', () => {
  const part = view(buildTree('a\n  b\n    c\n    d'));
  const path = loadedPath(part).map((node) => node.id);
  const last = part.nodes.get(path.at(-1) ?? nodeId(''));
  if (last === undefined || last.parentId === null) throw new Error('The tree has no end.');
  expect(variantPositionOf(part, last).ids).toHaveLength(2);
  const changes = rowChanges([{ type: 'remove', nodeId: last.id }], { version: part.tree.version + 1, seq: 99, at: 0 });
  const after = applyRowChanges(part, changes, part.tree.version + 1);
  expect(loadedPath(after).map((node) => node.id)).toEqual(path.slice(0, -1));
  expect(after.childrenByParent.get(last.parentId)).toHaveLength(1);
  // Row changes must not mutate the branch to which they are applied.
  expect(loadedPath(part).map((node) => node.id)).toEqual(path);
});

test('[CL4] a view that followed new messages while its branch was read again is not moved back', () => {
  const now = view(buildTree('a\n  b\n    c\n      d'));
  const [, a, b, c, d] = loadedPath(now).map((node) => node.id);
  if (a === undefined || b === undefined || c === undefined || d === undefined) throw new Error('The tree has no end.');
  const before = { ...now, leaf: b, nodes: new Map([...now.nodes].filter(([id]) => id !== c && id !== d)) };
  expect(chooseEndAfterRead(before, now, b)).toBe(d);
  expect(chooseEndAfterRead({ ...before, leaf: null, nodes: new Map() }, now, null)).toBe(d);
  // After the user has moved the view, new messages must not move it.
  expect(chooseEndAfterRead(before, now, a)).toBe(a);
  expect(chooseEndAfterRead(now, now, b)).toBe(b);
  expect(chooseEndAfterRead(before, { ...now, leaf: null }, b)).toBe(b);
});

test('[B11] the active node in a response counts before the feed reports it, and older events are ignored', () => {
  const part = view(buildTree('a\n  b\n    c'));
  const [, a] = loadedPath(part).map((node) => node.id);
  if (a === undefined) throw new Error('The tree has no messages.');
  const { version, activeNodeId } = part.tree;
  const answer = { version: version + 1, activeNodeId: a, result: {}, nodes: [] };
  expect(confirmWrite(part, null, answer).tree).toMatchObject({ version, activeNodeId: a });
  expect(confirmWrite(part, null, { ...answer, version }).tree).toMatchObject({ version, activeNodeId });
});

test('[CL6] commits newer than a loaded page are applied from the feed, older ones are ignored', () => {
  const whole = view(buildTree('a\n  b\n    c'));
  const [, a, b, c] = loadedPath(whole).map((node) => node.id);
  if (a === undefined || b === undefined || c === undefined) throw new Error('The tree has no end.');
  const read = { ...whole, leaf: b, nodes: new Map([...whole.nodes].filter(([id]) => id !== c)) };
  const late = [...whole.nodes.values()].flatMap((node) =>
    node.parentId === null ? [] : [{ op: 'added', node } as const],
  );
  expect(filterUnloadedChanges(read, late)).toEqual([{ op: 'added', node: whole.nodes.get(c) }]);
  const first = whole.nodes.get(a);
  if (first?.message == null) throw new Error('The first message is none.');
  const { contentIn, message, text } = first;
  const wrote = (version: number) =>
    ({ op: 'updated', nodeIds: [a], set: { message, text, contentIn: version } }) as const;
  expect(filterUnloadedChanges(read, [wrote(contentIn), wrote(contentIn + 1)])).toEqual([wrote(contentIn + 1)]);
});

test('[CL6] a message whose replies have started stays visible before the feed reports it, and is not shown twice', () => {
  const part = view(buildTree('a\n  b'));
  const [, , b] = loadedPath(part).map((node) => node.id);
  const whole = view(buildTree('a\n  b\n    c'));
  const said = [...whole.nodes.values()].at(-1);
  if (b === undefined || said === undefined) throw new Error('The tree has no end.');
  const node = { ...said, id: nodeId('new'), parentId: b };
  const overlay = { id: 1, steps: [{ type: 'insert', node } as const], leaf: node.id };
  const begun = (parentId: NodeId) => ({
    nodes: [{ nodeId: nodeId('reply'), parentId, runId: null }],
    version: part.tree.version + 1,
  });
  const shown = confirmWrite(part, overlay, begun(node.id));
  expect(loadedPath(shown).at(-1)?.id).toBe(node.id);
  expect(confirmWrite(part, overlay, begun(b)).nodes.has(node.id)).toBe(false);
});

test('[CL3] overlapping pieces of a reply are not doubled, and a gap is noticed', () => {
  const reply = startLiveReply(0);
  const one = appendReplyText(reply, 0, 'Hello');
  expect(one?.text).toBe('Hello');
  expect(appendReplyText(one ?? reply, 3, 'lo there')?.text).toBe('Hello there');
  expect(appendReplyText(one ?? reply, 0, 'Hel')).toBe(one);
  expect(appendReplyText(one ?? reply, 9, 'x')).toBeNull();
});

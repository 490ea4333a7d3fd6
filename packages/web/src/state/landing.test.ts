import {
  allNodes,
  ask,
  type Commit,
  fromRows,
  type NodeId,
  nodeId,
  rowChanges,
  topology as shapeOf,
  type TreeId,
} from '@coppice/core';
import { arbitraryCommands, play, ReferenceStore, treeOf } from '@coppice/core/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newReply, withText } from './live.ts';
import { emptyPart, type Loaded, landed, pathOf, variantOf } from './loaded.ts';
import { Topology } from './topology.ts';
import type { TreeView } from './wire.ts';

async function shape(store: ReferenceStore, id: TreeId) {
  const rows = await store.read(id, () => ask('rows', {}));
  if (rows === null) throw new Error('There is no such tree.');
  const tree = fromRows(rows.row, rows.nodes, rows.bookmarks);
  return { rootId: tree.rootId, version: tree.version, nodes: shapeOf(tree), bookmarks: rows.bookmarks };
}

function since(store: ReferenceStore, id: TreeId, version: number): Promise<readonly Commit[]> {
  return store.read(id, () => ask('log', { since: version }));
}

/** What a map draws of a tree: who hangs where, in which order. */
function drawn(topology: Topology): unknown {
  const order = (id: NodeId): unknown[] =>
    topology.children(id).map((child) => [child.id, child.groupId, child.status]);
  return [[topology.rootId, order(topology.rootId)], ...[...topology.nodes.keys()].sort().map((id) => [id, order(id)])];
}

test('[B7] commits of every kind land on the shape of a tree as on the tree itself', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryCommands(), async (commands) => {
      const store = new ReferenceStore();
      const known = new Map<TreeId, { topology: Topology; version: number }>();
      for await (const turn of play(store, commands)) {
        for (const id of turn.treeIds) {
          const truth = await shape(store, id);
          const mine = known.get(id);
          let topology = mine?.topology;
          for (const commit of mine === undefined ? [] : await since(store, id, mine.version)) {
            const changes = rowChanges(commit.steps, { version: commit.version, seq: commit.seq, at: commit.at });
            if (topology?.land(changes) === false) topology = undefined;
          }
          const whole = new Topology(truth.rootId, truth.nodes, truth.bookmarks);
          topology ??= whole;
          expect(drawn(topology)).toEqual(drawn(whole));
          expect([...topology.bookmarks.keys()].sort()).toEqual([...whole.bookmarks.keys()].sort());
          known.set(id, { topology, version: truth.version });
        }
      }
    }),
    { numRuns: process.env.COPPICE_LONG === undefined ? 25 : 500 },
  );
});

function view(tree: ReturnType<typeof treeOf>): Loaded {
  const row: TreeView = {
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
  return { ...emptyPart(row), nodes, kids, leaf: tree.activeNodeId };
}

test('[B6] a removed branch takes the view back to what is above it, and its place among the variants is free', () => {
  const part = view(treeOf('a\n  b\n    c\n    d'));
  const path = pathOf(part).map((node) => node.id);
  const last = part.nodes.get(path.at(-1) ?? nodeId(''));
  if (last === undefined || last.parentId === null) throw new Error('The tree has no end.');
  expect(variantOf(part, last).ids).toHaveLength(2);
  const changes = rowChanges([{ type: 'remove', nodeId: last.id }], { version: part.tree.version + 1, seq: 99, at: 0 });
  const after = landed(part, changes, part.tree.version + 1);
  expect(pathOf(after).map((node) => node.id)).toEqual(path.slice(0, -1));
  expect(after.kids.get(last.parentId)).toHaveLength(1);
  // The value before is as it was.
  expect(pathOf(part).map((node) => node.id)).toEqual(path);
});

test('[B8] pieces of a reply overlap without doubling, and a gap is noticed', () => {
  const reply = newReply(0);
  const one = withText(reply, 0, 'Hello');
  expect(one?.text).toBe('Hello');
  expect(withText(one ?? reply, 3, 'lo there')?.text).toBe('Hello there');
  expect(withText(one ?? reply, 0, 'Hel')).toBe(one);
  expect(withText(one ?? reply, 9, 'x')).toBeNull();
});

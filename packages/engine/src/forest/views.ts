/** Forest's reads, as read programs that every store runs on one snapshot. */
import {
  ask,
  type Message,
  type Node,
  type NodeId,
  nodeId,
  type ReadProgram,
  readPath,
  refuse,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import {
  groupChildrenByParent,
  idsOfNodes,
  rootOutlineOf,
  toBookmarkData,
  toNodeData,
  toNodeStructure,
  toRootConfig,
  toRootData,
  toRootMessage,
} from './render.ts';
import type {
  BookmarkData,
  ForestNode,
  NodeData,
  NodeStructure,
  RootConfig,
  RootData,
  SerializedTree,
} from './shapes.ts';

/** Returns a tree's row; null if the tree does not exist or is in the trash. */
function* readLiveTree(treeId?: TreeId): ReadProgram<TreeRow | null> {
  const row = yield* ask('tree', treeId === undefined ? {} : { treeId });
  return row === null || row.attributes.trashedAt !== undefined ? null : row;
}

function* requireForestTree(treeId: TreeId): ReadProgram<TreeRow> {
  return (yield* readLiveTree()) ?? refuse('tree/unknown-tree', `There is no root ${treeId}.`, { treeId });
}

function* requireForestNode(id: NodeId): ReadProgram<Node> {
  return (yield* ask('node', { id })) ?? refuse('tree/unknown-node', `There is no message ${id}.`, { nodeId: id });
}

function* readChildIds(id: NodeId): ReadProgram<NodeId[]> {
  return idsOfNodes(yield* ask('children', { of: id }));
}

function* toNodeWithChildren(row: TreeRow, node: Node): ReadProgram<NodeData> {
  return toNodeData(row, node, yield* readChildIds(node.id));
}

/** Builds nodes with their children, in one read for any number of nodes. */
function* toNodesWithChildren(row: TreeRow, nodes: readonly Node[]): ReadProgram<NodeData[]> {
  if (nodes.length === 0) return [];
  const children = yield* ask('childIds', { of: idsOfNodes(nodes) });
  return nodes.map((node, at) => toNodeData(row, node, children[at] ?? []));
}

/** Returns the root of a tree; null if the tree does not exist. */
export function* viewRoot(): ReadProgram<RootData | null> {
  const row = yield* readLiveTree();
  return row === null ? null : toRootData(row, yield* readChildIds(row.rootId));
}

/** Returns a node, or the root; null if the id is unknown. */
export function* viewNode(id: NodeId): ReadProgram<ForestNode | null> {
  const row = yield* readLiveTree();
  if (row === null) return null;
  if (id === row.rootId) return toRootData(row, yield* readChildIds(row.rootId));
  const node = yield* ask('node', { id });
  return node === null ? null : yield* toNodeWithChildren(row, node);
}

/** Returns the path down to `ends.to`. */
export function* viewPath(
  treeId: TreeId,
  ends: { readonly from?: string; readonly to: string },
): ReadProgram<{ root: RootData; path: NodeData[] }> {
  const row = yield* requireForestTree(treeId);
  const inside = (id: string) => (id === row.id ? row.rootId : id);
  const nodes = yield* readPath({
    to: inside(ends.to),
    ...(ends.from === undefined ? {} : { from: inside(ends.from) }),
  });
  return { root: toRootData(row, yield* readChildIds(row.rootId)), path: yield* toNodesWithChildren(row, nodes) };
}

/** Returns the messages on the path to a node, without markers, so that appending them again leads to the same node. */
export function* viewMessages(treeId: TreeId, to: NodeId): ReadProgram<{ root: RootConfig; messages: Message[] }> {
  const row = yield* requireForestTree(treeId);
  const messages: Message[] = [];
  for (const { kind, message } of yield* readPath({ to }))
    if (kind === 'message' && message !== null) messages.push(message);
  return { root: toRootConfig(row), messages };
}

/** Returns the children of a node in order, except `without`. */
export function* viewChildren(treeId: TreeId, of: NodeId, without?: NodeId): ReadProgram<NodeData[]> {
  const row = yield* requireForestTree(treeId);
  const found: Node[] = [];
  yield* requireForestNode(of);
  for (const node of yield* ask('subtree', { of, depth: 1 }))
    if (node.id !== of && node.id !== without) found.push(node);
  return yield* toNodesWithChildren(row, found);
}

/** Returns the other children of the node's parent; a root has none. */
export function* viewSiblings(treeId: TreeId, id: NodeId): ReadProgram<NodeData[]> {
  const { parentId } = yield* requireForestNode(id);
  return parentId === null ? [] : yield* viewChildren(treeId, parentId, id);
}

/** Returns a node and its descendants, breadth first. */
export function* viewSubtree(treeId: TreeId, of: NodeId, depth: number | undefined): ReadProgram<ForestNode[]> {
  const row = yield* requireForestTree(treeId);
  yield* requireForestNode(of);
  const nodes = yield* ask('subtree', depth === undefined ? { of } : { of, depth });
  // Reads one more level without contents, which holds the children of the last level.
  const levels = depth === undefined ? nodes : yield* ask('topology', { of, depth: depth + 1 });
  const children = groupChildrenByParent(levels);
  return nodes.map((node) => {
    const below = children.get(node.id) ?? [];
    return node.id === row.rootId ? toRootData(row, below) : toNodeData(row, node, below);
  });
}

/** Returns the whole tree as flat lists. */
export function* viewTree(treeId: TreeId): ReadProgram<SerializedTree> {
  const row = yield* requireForestTree(treeId);
  const all = yield* ask('subtree', { of: row.rootId });
  const children = groupChildrenByParent(all);
  const nodes: NodeData[] = [];
  for (const node of all) if (node.id !== row.rootId) nodes.push(toNodeData(row, node, children.get(node.id) ?? []));
  return { root: { ...toRootData(row, children.get(row.rootId) ?? []), message: toRootMessage(row) }, nodes };
}

/** Returns the whole tree without message contents, the root first. */
export function* viewStructures(treeId: TreeId): ReadProgram<NodeStructure[]> {
  const row = yield* requireForestTree(treeId);
  const all = yield* ask('topology', { of: row.rootId });
  const children = groupChildrenByParent([...all].sort((a, b) => (a.position < b.position ? -1 : 1)));
  const nodes = new Map(all.map((node) => [node.id, node]));
  const structures = [toNodeStructure(row, rootOutlineOf(row), children.get(row.rootId) ?? [])];
  const open: (readonly NodeId[])[] = [children.get(row.rootId) ?? []];
  // Visits level by level; the list grows during the iteration.
  for (const siblings of open)
    for (const id of siblings) {
      const node = nodes.get(id);
      if (node === undefined) continue;
      const below = children.get(id) ?? [];
      structures.push(toNodeStructure(row, node, below));
      open.push(below);
    }
  return structures;
}

/** Returns the newest leaves, newest first, each with its time as a number. */
export function* viewLeaves(limit: number): ReadProgram<{ at: number; node: NodeData }[]> {
  const row = yield* readLiveTree();
  if (row === null) return [];
  const found: { at: number; node: NodeData }[] = [];
  for (const leaf of yield* ask('leaves', { limit }))
    found.push({ at: leaf.createdAt, node: toNodeData(row, leaf, []) });
  return found;
}

/** Returns the bookmarks of a tree, oldest first. */
export function* viewBookmarks(): ReadProgram<BookmarkData[]> {
  const row = yield* readLiveTree();
  if (row === null) return [];
  const { bookmarks } = yield* ask('subtreeInfo', { of: row.rootId });
  return [...bookmarks].sort((a, b) => a.createdAt - b.createdAt).map((bookmark) => toBookmarkData(row, bookmark));
}

/** Returns the bookmark on a node; null if the node has none. */
export function* viewBookmark(on: NodeId): ReadProgram<BookmarkData | null> {
  const row = yield* readLiveTree();
  const bookmark = row === null ? null : yield* ask('bookmark', { on: nodeId(on) });
  return row === null || bookmark === null ? null : toBookmarkData(row, bookmark);
}

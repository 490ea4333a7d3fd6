import { type ChildList, childListIds, childListSize, emptyChildList } from './child-list.ts';
import type { NodeId, TreeId } from './ids.ts';
import { type Bookmark, isMessageKind, type Node, type TreeAttributes } from './node.ts';
import { emptyMap, type MapEntry, mapEntries, mapGet, type PersistentMap } from './persistent-map.ts';

/** The fields of a tree that a store keeps besides the nodes. */
export interface TreeRow {
  readonly id: TreeId;
  readonly owner: string;
  /** The id of the root, the one node without content; the empty text only in an {@link emptyTree}. */
  readonly rootId: NodeId;
  /** The version of the tree. Each commit raises it by one; the insertion of the root is version 1. */
  readonly version: number;
  /** The last version that changed structure or content; a write with an older expected version is stale. */
  readonly structureVersion: number;
  /** The active node; null exactly while the tree is empty. */
  readonly activeNodeId: NodeId | null;
  /** The creation number that the next inserted node gets. */
  readonly nextSeq: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly attributes: TreeAttributes;
}

/**
 * A node in the tree value, with its children in order. It stores the hash of its parent's key, and the same string
 * object that the parent uses as its key. So a walk up computes no hash and compares strings by identity.
 */
export interface TreeEntry extends MapEntry {
  readonly key: NodeId;
  readonly node: Node;
  readonly children: ChildList;
  /** Children that were removed while this node stayed, by {@link removedChildKey}. Their positions are not reused. */
  readonly removedChildren: ChildList;
  readonly parentHash: number;
  readonly parentKey: NodeId | null;
}

/** A bookmark in the map of a tree value; its key is the node id. */
export interface BookmarkEntry extends MapEntry {
  readonly bookmark: Bookmark;
}

/**
 * One conversation with all its branches, as an immutable value. A change creates a new value that shares structure
 * with the old one. Removed nodes stay in the value, marked as removed, until they are purged.
 */
export interface Tree extends TreeRow {
  /** The number of live nodes without the root. */
  readonly size: number;
  readonly nodes: PersistentMap<TreeEntry>;
  readonly bookmarks: PersistentMap<BookmarkEntry>;
}

const noNode = '' as NodeId;

/** Returns the tree value before the first commit: no root, version 0. */
export function emptyTree(id: TreeId, owner = 'local', at = 0): Tree {
  return {
    id,
    owner,
    rootId: noNode,
    version: 0,
    structureVersion: 0,
    activeNodeId: null,
    nextSeq: 0,
    createdAt: at,
    updatedAt: at,
    attributes: {},
    size: 0,
    nodes: emptyMap(),
    bookmarks: emptyMap(),
  };
}

/** Returns only the fields of the tree row; the argument may be a whole tree value. */
export function rowOf(row: TreeRow): TreeRow {
  const { id, owner, rootId, version, structureVersion, activeNodeId, nextSeq, createdAt, updatedAt, attributes } = row;
  return { id, owner, rootId, version, structureVersion, activeNodeId, nextSeq, createdAt, updatedAt, attributes };
}

/** Returns the live node with this id; undefined if it is unknown or removed. */
export function findNode(tree: Tree, id: string): Node | undefined {
  const node = mapGet(tree.nodes, id)?.node;
  return node?.removedIn === null ? node : undefined;
}

/** Returns the node with this id, whether it is removed or not. */
export function findAnyNode(tree: Tree, id: string): Node | undefined {
  return mapGet(tree.nodes, id)?.node;
}

/** Returns the ids of a node's live children in stored order. */
export function childIds(tree: Tree, id: string): NodeId[] {
  return [...childListIds(childListOf(tree, id))];
}

/** Returns a node's live children in stored order. */
export function childrenOf(tree: Tree, id: string): Node[] {
  const children: Node[] = [];
  for (const child of childListIds(childListOf(tree, id))) {
    const node = findNode(tree, child);
    if (node !== undefined) children.push(node);
  }
  return children;
}

/** Returns the number of live children of a node. */
export function childCount(tree: Tree, id: string): number {
  return childListSize(childListOf(tree, id));
}

/**
 * Returns the key of a removed child. The position is not enough, because two removed children may have had the same
 * position at different times.
 */
export function removedChildKey(node: Pick<Node, 'position' | 'id'>): string {
  return `${node.position} ${node.id}`;
}

/** Returns the live children of a node as a list ordered by position. */
export function childListOf(tree: Tree, id: string): ChildList {
  return mapGet(tree.nodes, id)?.children ?? emptyChildList;
}

/** Returns the entry of the parent; undefined for the root, or if the parent is missing. */
export function parentEntry(tree: Tree, entry: TreeEntry): TreeEntry | undefined {
  const { parentKey, parentHash } = entry;
  return parentKey === null ? undefined : mapGet(tree.nodes, parentKey, parentHash);
}

/** Returns the deepest node that is an ancestor of both nodes or one of them. The nodes may be removed. */
export function commonAncestorId(tree: Tree, a: string, b: string): NodeId | undefined {
  const heads = [mapGet(tree.nodes, a), mapGet(tree.nodes, b)];
  const passed = new Map<string, number>();
  // The two walks alternate, so that the cost depends on the distance to the fork and not on the depth of the tree.
  for (let turn = 0; heads[0] !== undefined || heads[1] !== undefined; turn ^= 1) {
    const head = heads[turn];
    if (head === undefined) continue;
    const by = passed.get(head.key);
    // The same walk visits the node again, so the rows contain a cycle.
    if (by !== undefined) return by === turn ? undefined : head.key;
    passed.set(head.key, turn);
    heads[turn] = parentEntry(tree, head);
  }
  return undefined;
}

/** Returns a node and its ancestors, nearest first, at most `limit`. Removed nodes are included. */
export function ancestorsOf(tree: Tree, of: string, limit: number): Node[] {
  const nodes: Node[] = [];
  for (
    let entry = mapGet(tree.nodes, of);
    entry !== undefined && nodes.length < limit;
    entry = parentEntry(tree, entry)
  )
    nodes.push(entry.node);
  return nodes;
}

/**
 * Returns a node and, below a marker, the markers and first messages with the same match parent. Removed nodes are
 * included.
 */
export function findNodesSharingMatchParent(tree: Tree, of: NodeId): NodeId[] {
  const found: NodeId[] = [];
  const open: NodeId[] = [of];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entry = mapGet(tree.nodes, at);
    if (entry === undefined) continue;
    found.push(at);
    if (isMessageKind(entry.node.kind)) continue;
    for (const child of childListIds(entry.children)) open.push(child);
    for (const child of childListIds(entry.removedChildren)) open.push(child);
  }
  return found;
}

/** Returns every node in creation order, including the root and removed nodes. */
export function allNodes(tree: Tree): Node[] {
  const nodes: Node[] = [];
  for (const entry of mapEntries(tree.nodes)) nodes.push(entry.node);
  return nodes.sort((a, b) => a.seq - b.seq);
}

/** Returns every bookmark, oldest first. */
export function allBookmarks(tree: Tree): Bookmark[] {
  const found: Bookmark[] = [];
  for (const entry of mapEntries(tree.bookmarks)) found.push(entry.bookmark);
  return found.sort((a, b) => a.createdAt - b.createdAt || (a.nodeId < b.nodeId ? -1 : 1));
}

/** Returns the bookmark on a node; undefined without one. */
export function bookmarkOn(tree: Tree, id: string): Bookmark | undefined {
  return mapGet(tree.bookmarks, id)?.bookmark;
}

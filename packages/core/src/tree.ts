import { type ChildList, childListIds, childListSize, emptyChildList } from './child-list.ts';
import type { NodeId, TreeId } from './ids.ts';
import type { Bookmark, Node, TreeAttributes } from './node.ts';
import { emptyMap, type MapEntry, mapEntries, mapGet, type PersistentMap } from './persistent-map.ts';

/** What a store keeps of a tree beside its nodes. */
export interface TreeRow {
  readonly id: TreeId;
  readonly owner: string;
  /** The one content-less node; the empty text only in a {@link emptyTree}. */
  readonly rootId: NodeId;
  /** Rises by exactly one per commit; the root's insertion is version 1. */
  readonly version: number;
  /** The last version that changed structure or content: a write that expects an older one is stale. */
  readonly structureVersion: number;
  /** Where the user is; null exactly while the tree is empty. */
  readonly activeNodeId: NodeId | null;
  /** The creation number that the next inserted node gets. */
  readonly nextSeq: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly attributes: TreeAttributes;
}

/**
 * A node in the tree value, with its children in order. Its parent is kept by hash and by the very text that the
 * parent's entry has as its key, so that a walk up hashes nothing and compares no characters.
 */
export interface TreeEntry extends MapEntry {
  readonly key: NodeId;
  readonly node: Node;
  readonly children: ChildList;
  /** Children that were removed while this node stayed, by {@link removedChildKey}: their places are not given again. */
  readonly removedChildren: ChildList;
  readonly parentHash: number;
  readonly parentKey: NodeId | null;
}

/** A bookmark in the tree value. */
export interface BookmarkEntry extends MapEntry {
  readonly bookmark: Bookmark;
}

/**
 * One conversation with all its branches, as an immutable value. A change makes a new value that shares structure
 * with the old one. Removed nodes stay in it, marked, until they are purged.
 */
export interface Tree extends TreeRow {
  /** Live nodes, the root not counted. */
  readonly size: number;
  readonly nodes: PersistentMap<TreeEntry>;
  readonly bookmarks: PersistentMap<BookmarkEntry>;
}

const noNode = '' as NodeId;

/** The value before the first commit: no root yet, version 0. */
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

/** The live node of an id. */
export function findNode(tree: Tree, id: string): Node | undefined {
  const node = mapGet(tree.nodes, id)?.node;
  return node?.removedIn === null ? node : undefined;
}

/** The node of an id, also a removed one. */
export function findAnyNode(tree: Tree, id: string): Node | undefined {
  return mapGet(tree.nodes, id)?.node;
}

/** The ids of a node's live children in stored order. */
export function childIds(tree: Tree, id: string): NodeId[] {
  return [...childListIds(childListOf(tree, id))];
}

/** A node's live children in stored order. */
export function childrenOf(tree: Tree, id: string): Node[] {
  const children: Node[] = [];
  for (const child of childListIds(childListOf(tree, id))) {
    const node = findNode(tree, child);
    if (node !== undefined) children.push(node);
  }
  return children;
}

/** How many live children a node has. */
export function childCount(tree: Tree, id: string): number {
  return childListSize(childListOf(tree, id));
}

/** The key of a removed child among its parent's graves. Two of them may have had the same place at different times. */
export function removedChildKey(node: Pick<Node, 'position' | 'id'>): string {
  return `${node.position} ${node.id}`;
}

/** The live children of a node as an ordered set. */
export function childListOf(tree: Tree, id: string): ChildList {
  return mapGet(tree.nodes, id)?.children ?? emptyChildList;
}

/** The entry of the node that one hangs on; undefined for the root, and where it is missing. */
export function parentEntry(tree: Tree, entry: TreeEntry): TreeEntry | undefined {
  const { parentKey, parentHash } = entry;
  return parentKey === null ? undefined : mapGet(tree.nodes, parentKey, parentHash);
}

/** The deepest node above or equal to both, also where they are removed. */
export function commonAncestorId(tree: Tree, a: string, b: string): NodeId | undefined {
  const heads = [mapGet(tree.nodes, a), mapGet(tree.nodes, b)];
  const passed = new Map<string, number>();
  // Both walks go up in turns: the cost follows the distance to the fork, not the depth of the tree.
  for (let turn = 0; heads[0] !== undefined || heads[1] !== undefined; turn ^= 1) {
    const head = heads[turn];
    if (head === undefined) continue;
    const by = passed.get(head.key);
    // Met before on the same way: rows that run in a circle.
    if (by !== undefined) return by === turn ? undefined : head.key;
    passed.set(head.key, turn);
    heads[turn] = parentEntry(tree, head);
  }
  return undefined;
}

/** Every node, the root and removed ones included, in the order of their creation. */
export function allNodes(tree: Tree): Node[] {
  const nodes: Node[] = [];
  for (const entry of mapEntries(tree.nodes)) nodes.push(entry.node);
  return nodes.sort((a, b) => a.seq - b.seq);
}

/** Every bookmark, oldest first. */
export function allBookmarks(tree: Tree): Bookmark[] {
  const found: Bookmark[] = [];
  for (const entry of mapEntries(tree.bookmarks)) found.push(entry.bookmark);
  return found.sort((a, b) => a.createdAt - b.createdAt || (a.nodeId < b.nodeId ? -1 : 1));
}

/** The bookmark on a node. */
export function bookmarkOn(tree: Tree, id: string): Bookmark | undefined {
  return mapGet(tree.bookmarks, id)?.bookmark;
}

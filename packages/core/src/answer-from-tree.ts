/** Answers a planner's reads from tree values: in memory, on the page, and as the reference for testing stores. */

import { childAtPosition, childListIds, emptyChildList, lastPosition, neighbourPositions } from './child-list.ts';
import type { NodeId, TreeId } from './ids.ts';
import { treeId } from './ids.ts';
import { isMessageKind, matchParentOfChildren, type Node, type NodeHead } from './node.ts';
import { isAncestorOrSelf, lastVisitedLeaf, path, recentLeaves, subtree, topology } from './path.ts';
import { mapGet } from './persistent-map.ts';
import type { Answer, ParentLink, PathMetaPart, PathPart, Read, Reads } from './reads.ts';
import {
  allBookmarks,
  allNodes,
  ancestorsOf,
  bookmarkOn,
  childListOf,
  childrenOf,
  emptyTree,
  findAnyNode,
  findNode,
  findNodesSharingMatchParent,
  parentEntry,
  type Tree,
} from './tree.ts';

/** Answers the reads that need more than one tree, such as whether an id is taken. */
export interface CrossTreeAnswers {
  /** Returns another tree of the same owner. */
  tree(id: TreeId): Tree | undefined;
  taken(ids: readonly NodeId[]): readonly NodeId[];
  home(id: NodeId): TreeId | null;
  forest(key: string, project: string): TreeId | null;
  undoable(actor: string, actId: Reads['undoable']['args']['actId']): Reads['undoable']['answer'];
  redoable(actor: string, actId: Reads['redoable']['args']['actId']): Reads['redoable']['answer'];
  log(since: number, limit?: number): Reads['log']['answer'];
  /**
   * Returns nodes by match parent and key, in stored order; undefined without an index, and then the children are
   * searched.
   */
  nodesByKey?(matchParent: NodeId, key: string): readonly NodeId[] | undefined;
  /**
   * Returns the nodes with this alias, oldest first; undefined without an index, and then split sources are followed.
   */
  nodesByAlias?(matchParent: NodeId, key: string): readonly NodeId[] | undefined;
}

// Reads of a missing tree get the same answers as reads of an empty tree.
const noTree = emptyTree(treeId(''));

/**
 * Answers one read from a tree, or from other trees of the owner. `tree` is undefined if the tree does not exist yet.
 */
export function answerFromTree(tree: Tree | undefined, read: Read, around: CrossTreeAnswers): Answer {
  switch (read.ask) {
    case 'taken':
      return around.taken(read.ids);
    case 'home':
      return around.home(read.id);
    case 'forest':
      return around.forest(read.key, read.project);
    case 'undoable':
    case 'redoable':
      return around[read.ask](read.actor, read.actId);
    case 'log':
      return around.log(read.since, read.limit);
    default: {
      const other = 'treeId' in read ? read.treeId : undefined;
      return answerFromOneTree((other === undefined ? tree : around.tree(other)) ?? noTree, read, around);
    }
  }
}

type SingleTreeRead = Exclude<Read, { ask: 'taken' | 'home' | 'forest' | 'undoable' | 'redoable' | 'log' }>;

function answerFromOneTree(tree: Tree, read: SingleTreeRead, around: CrossTreeAnswers): Answer {
  switch (read.ask) {
    case 'tree':
      return tree.version === 0 ? null : tree;
    case 'rows':
      return tree.version === 0 ? null : { row: tree, nodes: allNodes(tree), bookmarks: allBookmarks(tree) };
    case 'head':
    case 'node':
      return findNode(tree, read.id) ?? null;
    case 'anyNode':
      return findAnyNode(tree, read.id) ?? null;
    case 'nodes':
      return read.ids.flatMap((id) => findNode(tree, id) ?? []);
    case 'pause':
      return null;
    case 'path':
      return pathPart(tree, read);
    case 'pathMeta':
      return pathMetaOf(pathPart(tree, read));
    case 'ancestors':
      return ancestorsOf(tree, read.of, read.limit);
    case 'sharedMatch':
      return findNodesSharingMatchParent(tree, read.of);
    case 'isAncestorOrSelf':
      return isAncestorOrSelf(tree, read.id, read.below);
    case 'withoutDescendants':
      return withoutDescendants(tree, read.ids);
    case 'children':
      return childrenOf(tree, read.of);
    case 'childIds':
      return read.of.map((id) => childrenOf(tree, id).map((child) => child.id));
    case 'subtree':
      return subtree(tree, read.of, read.depth);
    case 'topology':
      return topology(tree, { from: read.of, depth: read.depth });
    case 'leaves':
      return recentLeaves(tree, read.limit);
    case 'count':
      return subtree(tree, read.of).length;
    case 'subtreeInfo':
      return subtreeInfoOf(tree, read.of);
    case 'addedByOthers':
      return addedByOthers(tree, read);
    case 'newestLeaf':
      return newestLeaf(tree, read.below, read.without);
    case 'lastVisited':
      return lastVisitedLeaf(tree, read.from) ?? read.from;
    case 'match':
      return match(tree, read.from, read.keys, around);
    default:
      return answerPositions(tree, read);
  }
}

type PositionRead = Extract<
  Read,
  { ask: 'lastPosition' | 'groupMax' | 'neighbourPositions' | 'childAt' | 'bookmark' | 'bookmarks' | 'links' }
>;

function answerPositions(tree: Tree, read: PositionRead): Answer {
  switch (read.ask) {
    case 'lastPosition':
      return lastChildPosition(tree, read.of);
    case 'groupMax':
      return groupMax(tree, read.of);
    case 'neighbourPositions':
      return findPositionsAround(tree, read.of, read.position);
    case 'childAt':
      return childAtPosition(childListOf(tree, read.of), read.position) ?? null;
    case 'bookmark':
      return bookmarkOn(tree, read.on) ?? null;
    case 'bookmarks':
      return read.on?.flatMap((id) => bookmarkOn(tree, id) ?? []) ?? allBookmarks(tree);
    case 'links':
      return links(tree);
  }
}

function pathPart(tree: Tree, { to, limit = Number.POSITIVE_INFINITY, until }: Reads['path']['args']): PathPart {
  if (limit === Number.POSITIVE_INFINITY && until === undefined) {
    const all = path(tree, { to });
    return { nodes: all.ok ? all.value : [], complete: true };
  }
  const nodes: Node[] = [];
  let entry = findNode(tree, to) === undefined ? undefined : mapGet(tree.nodes, to);
  while (entry !== undefined && entry.node.parentId !== null && nodes.length < limit) {
    nodes.push(entry.node);
    const isEnd = entry.key === until;
    entry = parentEntry(tree, entry);
    if (isEnd) break;
  }
  return { nodes: nodes.reverse(), complete: entry === undefined || entry.node.parentId === null };
}

function links(tree: Tree): ParentLink[] {
  return allNodes(tree).flatMap(({ id, parentId, removedIn }) =>
    parentId === null || removedIn !== null ? [] : [{ id, parentId }],
  );
}

function pathMetaOf({ nodes, complete }: PathPart): PathMetaPart {
  const notes = nodes.map(({ id, parentId, kind, role, status, key, tokens, addedIn, contentIn, meta, marker }) => ({
    id,
    parentId,
    kind,
    role,
    status,
    key,
    tokens,
    addedIn,
    contentIn,
    meta,
    marker,
  }));
  return { entries: notes, complete };
}

function withoutDescendants(tree: Tree, ids: readonly NodeId[]): NodeId[] {
  if (tree === noTree) return [];
  const named = new Set<string>(ids);
  // Caches for each visited node whether it is below one of the given nodes, so that a thousand leaves of one deep
  // branch share one walk.
  const passed = new Map<string, boolean>();
  return ids.filter((id) => {
    const visited: string[] = [];
    let below = false;
    let entry = mapGet(tree.nodes, id);
    while (entry !== undefined && visited.length <= tree.nodes.size) {
      const known = passed.get(entry.key);
      below = known ?? (entry.parentKey !== null && named.has(entry.parentKey));
      if (known !== undefined || below) break;
      visited.push(entry.key);
      entry = parentEntry(tree, entry);
    }
    for (const key of visited) passed.set(key, below);
    return !below;
  });
}

function subtreeInfoOf(tree: Tree, of: NodeId): Reads['subtreeInfo']['answer'] {
  const nodes = subtree(tree, of);
  const within = new Set<string>(nodes.map((node) => node.id));
  return {
    pending: nodes.filter((node) => node.status === 'pending').map((node) => node.id),
    bookmarks: allBookmarks(tree).filter((mark) => within.has(mark.nodeId)),
    active: tree.activeNodeId !== null && within.has(tree.activeNodeId),
  };
}

const fewAdditions = 10;

function addedByOthers(
  tree: Tree,
  read: {
    readonly of: NodeId;
    readonly versions: readonly number[];
    readonly since: number;
    readonly without: readonly NodeId[];
  },
): NodeHead[] {
  const own = new Set(read.versions);
  return withoutSubtrees(tree, read.of, read.without)
    .filter((node) => !own.has(node.addedIn) && node.addedIn > read.since)
    .sort((a, b) => a.seq - b.seq)
    .slice(0, fewAdditions);
}

function withoutSubtrees(tree: Tree, of: NodeId, left: readonly NodeId[]): Node[] {
  const skipped = new Set<string>(left);
  const nodes: Node[] = [];
  const open: NodeId[] = [of];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const node = skipped.has(at) ? undefined : findNode(tree, at);
    if (node === undefined) continue;
    nodes.push(node);
    for (const child of childListIds(childListOf(tree, at))) open.push(child);
  }
  return nodes;
}

function newestLeaf(tree: Tree, below: NodeId, left: readonly NodeId[]): NodeId | null {
  const skipped = new Set<string>(left);
  let newest: Node | null = null;
  for (const node of withoutSubtrees(tree, below, left)) {
    if (node.id === below || (newest !== null && node.seq < newest.seq)) continue;
    // A node counts as a leaf if all its children are excluded from the read.
    let hasRemaining = false;
    for (const child of childListIds(childListOf(tree, node.id))) if (!skipped.has(child)) hasRemaining = true;
    if (!hasRemaining) newest = node;
  }
  return newest?.id ?? null;
}

function match(tree: Tree, from: NodeId, keys: readonly string[], around: CrossTreeAnswers): Reads['match']['answer'] {
  const nodes: NodeId[] = [];
  let at = findNode(tree, from);
  for (const key of keys) {
    if (at === undefined) break;
    const next: NodeId | undefined = childWith(tree, at, key, around);
    if (next === undefined) return { nodes, aliases: aliasesOf(tree, at, key, around) };
    nodes.push(next);
    at = findNode(tree, next);
  }
  return { nodes, aliases: [] };
}

/** Returns the first message with a key below a node. Markers are skipped. */
function childWith(tree: Tree, from: Node, key: string, around: CrossTreeAnswers): NodeId | undefined {
  const matchParent = matchParentOfChildren(from);
  const nodes =
    around
      .nodesByKey?.(matchParent, key)
      ?.flatMap((id) =>
        matchParent === from.id || isAncestorOrSelf(tree, from.id, id) ? (findNode(tree, id) ?? []) : [],
      ) ?? messagesBelow(tree, from.id).filter((node) => node.key === key);
  return nodes.sort((a, b) => (a.position === b.position ? a.seq - b.seq : a.position < b.position ? -1 : 1))[0]?.id;
}

/** Returns the nearest messages below a node. Markers are skipped. */
function messagesBelow(tree: Tree, from: NodeId): Node[] {
  const messages: Node[] = [];
  const open: NodeId[] = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const node of childrenOf(tree, at))
      if (isMessageKind(node.kind)) messages.push(node);
      else open.push(node.id);
  return messages;
}

/** Follows split sources from left halves to the nodes that complete a text, without scanning the whole tree. */
function aliasesOf(tree: Tree, from: Node, key: string, around: CrossTreeAnswers): readonly NodeId[] {
  const matchParent = matchParentOfChildren(from);
  const indexed = around.nodesByAlias?.(matchParent, key);
  if (indexed !== undefined) return indexed;
  const found = new Map<NodeId, Node>();
  const seen = new Set<string>();
  for (const top of messagesBelow(tree, from.id))
    for (let id = top.meta.splitSource; id !== undefined && !seen.has(id); ) {
      seen.add(id);
      const node = findNode(tree, id);
      if (node?.aliases.some((alias) => alias.matchParent === matchParent && alias.key === key) === true)
        found.set(node.id, node);
      id = node?.meta.splitSource;
    }
  return [...found.values()].sort((a, b) => a.seq - b.seq).map((node) => node.id);
}

const childless = { children: emptyChildList, removedChildren: emptyChildList };

function lastChildPosition(tree: Tree, of: NodeId): Reads['lastPosition']['answer'] {
  const { children: order, removedChildren } = mapGet(tree.nodes, of) ?? childless;
  return laterPosition(lastPosition(order), removedAt(lastPosition(removedChildren)));
}

function laterPosition(one: string | null, other: string | null): string | null {
  return one === null || (other !== null && other > one) ? other : one;
}

/** Returns the position part of a removed child's key. */
function removedAt(key: string | null): string | null {
  return key === null ? null : key.slice(0, key.indexOf(' '));
}

/** Returns the nearest positions before and after a position under a parent, removed children included. */
export function findPositionsAround(tree: Tree, of: NodeId, position: string): Reads['neighbourPositions']['answer'] {
  const { children: order, removedChildren } = mapGet(tree.nodes, of) ?? childless;
  const { before, after } = neighbourPositions(order, position);
  // Keys of children removed at this position sort after the bare position and before any longer one.
  const above = removedAt(neighbourPositions(removedChildren, `${position}!`).after);
  return {
    before: laterPosition(before, removedAt(neighbourPositions(removedChildren, position).before)),
    after: after === null || (above !== null && above < after) ? above : after,
  };
}

function groupMax(tree: Tree, of: NodeId): number {
  const { children: order, removedChildren } = mapGet(tree.nodes, of) ?? childless;
  let highest = 0;
  for (const children of [order, removedChildren])
    for (const id of childListIds(children)) highest = Math.max(highest, findAnyNode(tree, id)?.groupId ?? 0);
  return highest;
}

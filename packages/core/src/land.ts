/** Carries row changes out on the tree value: the in-memory counterpart of a store's statements. */
import type { NodeId } from './ids.ts';
import { isMessageKind, matchParentBelow, type Node } from './node.ts';
import { emptyOrder, type Order, orderDelete, orderGet, orderIds, orderInsert } from './order.ts';
import { hashOf, mapDelete, mapGet, mapPut, type Owner } from './persistent-map.ts';
import { patched, type RowChange } from './rows.ts';
import type { Place } from './steps/types.ts';
import { entryAbove, forkOf, graveKey, type Tree, type TreeEntry } from './tree.ts';

/** A tree value under construction: its fields may be reassigned, the maps behind them stay persistent. */
export type Draft = { -readonly [K in keyof Tree]: Tree[K] } & { readonly pass: Owner };

/** A draft of the next value. Branches of the maps that it makes itself are changed in place. */
export function draftOf(tree: Tree): Draft {
  return {
    id: tree.id,
    owner: tree.owner,
    rootId: tree.rootId,
    version: tree.version,
    structureVersion: tree.structureVersion,
    activeNodeId: tree.activeNodeId,
    nextSeq: tree.nextSeq,
    createdAt: tree.createdAt,
    updatedAt: tree.updatedAt,
    attributes: tree.attributes,
    size: tree.size,
    nodes: tree.nodes,
    bookmarks: tree.bookmarks,
    pass: { owner: true },
  };
}

/** The finished value. */
export function finished(draft: Tree): Tree {
  // Spelt out: an object made of the rest of another one is a slow one, and every append makes a tree.
  return {
    id: draft.id,
    owner: draft.owner,
    rootId: draft.rootId,
    version: draft.version,
    structureVersion: draft.structureVersion,
    activeNodeId: draft.activeNodeId,
    nextSeq: draft.nextSeq,
    createdAt: draft.createdAt,
    updatedAt: draft.updatedAt,
    attributes: draft.attributes,
    size: draft.size,
    nodes: draft.nodes,
    bookmarks: draft.bookmarks,
  };
}

function entryOf(draft: Draft, id: string): TreeEntry {
  const entry = mapGet(draft.nodes, id);
  if (entry === undefined) throw new Error(`There is no node ${id}.`);
  return entry;
}

function put(draft: Draft, entry: TreeEntry): void {
  draft.nodes = mapPut(draft.nodes, entry, draft.pass);
}

// Spelt out, not spread: these run for every row that a commit touches.
function withNode(entry: TreeEntry, node: Node): TreeEntry {
  const { key, hash, order, graves, parentHash, parentKey } = entry;
  return { key, hash, node, order, graves, parentHash, parentKey };
}

function withOrder(entry: TreeEntry, order: Order, graves: Order = entry.graves): TreeEntry {
  const { key, hash, node, parentHash, parentKey } = entry;
  return { key, hash, node, order, graves, parentHash, parentKey };
}

/** Applies one row change that has been checked. */
export function land(draft: Draft, change: RowChange): void {
  switch (change.op) {
    case 'added':
      return added(draft, change.node);
    case 'placed':
      return placed(draft, change.nodeId, change.to, change.from);
    case 'removed':
      return removed(draft, change.nodeId, change.version);
    case 'restored':
      return restored(draft, change.nodeId, change.position);
    case 'pointed':
      return pointed(draft, change.nodeId);
    case 'written': {
      const entry = entryOf(draft, change.nodeId);
      return put(draft, withNode(entry, { ...entry.node, ...change.content, contentIn: change.version }));
    }
    case 'grouped': {
      const entry = entryOf(draft, change.nodeId);
      return put(draft, withNode(entry, { ...entry.node, groupId: change.groupId }));
    }
    case 'annotated': {
      const entry = entryOf(draft, change.nodeId);
      return put(draft, withNode(entry, { ...entry.node, meta: patched(entry.node.meta, change.set) }));
    }
    case 'bookmarked': {
      const { nodeId, bookmark } = change;
      draft.bookmarks =
        bookmark === null
          ? mapDelete(draft.bookmarks, nodeId)
          : mapPut(draft.bookmarks, { key: nodeId, hash: hashOf(nodeId), bookmark }, draft.pass);
      return;
    }
    case 'attributed':
      draft.attributes = patched(draft.attributes, change.set);
      return;
  }
}

/** The entry of a node without children. */
export function leafEntry(node: Node, hash: number, parentHash: number, parentKey: NodeId | null): TreeEntry {
  return { key: node.id, hash, node, order: emptyOrder, graves: emptyOrder, parentHash, parentKey };
}

function added(draft: Draft, node: Node): void {
  const hash = hashOf(node.id);
  draft.nextSeq = node.seq + 1;
  if (node.parentId === null) {
    draft.rootId = node.id;
    return put(draft, leafEntry(node, hash, 0, null));
  }
  const parent = entryOf(draft, node.parentId);
  draft.size++;
  put(draft, leafEntry(node, hash, parent.hash, parent.key));
  put(draft, withOrder(parent, orderInsert(parent.order, node.position, node.id)));
}

function detach(draft: Draft, node: Node): void {
  if (node.parentId === null) return;
  const parent = entryOf(draft, node.parentId);
  put(draft, withOrder(parent, orderDelete(parent.order, node.position)));
}

function placed(draft: Draft, id: NodeId, to: Place, from: NodeId): void {
  const entry = entryOf(draft, id);
  detach(draft, entry.node);
  const { parentId, position, groupId } = to;
  const parent = entryOf(draft, parentId);
  put(draft, {
    key: entry.key,
    hash: entry.hash,
    node: { ...entry.node, parentId, position, groupId },
    order: entry.order,
    graves: entry.graves,
    parentHash: parent.hash,
    parentKey: parent.key,
  });
  put(draft, withOrder(parent, orderInsert(parent.order, position, id)));
  rematch(draft, id, matchParentBelow(parent.node));
  carryMark(draft, id, from, to.parentId);
}

/** Keeps the way down to the active node marked when a node on it moves one level, as splices and splits make it. */
function carryMark(draft: Draft, id: NodeId, from: NodeId, to: NodeId): void {
  const old = entryOf(draft, from);
  if (from === to || old.node.lastChildId !== id) return;
  const parent = entryOf(draft, to);
  put(draft, withNode(old, { ...old.node, lastChildId: parent.node.parentId === from ? to : null }));
  const { lastChildId } = parent.node;
  if (lastChildId === null || lastChildId === from) put(draft, withNode(parent, { ...parent.node, lastChildId: id }));
}

/**
 * Below a marker the first messages match under what is above it: all of them follow when it moves, those in the
 * trash too, so that they are right when they come back.
 */
function rematch(draft: Draft, id: NodeId, matchParent: NodeId): void {
  const open: NodeId[] = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entry = entryOf(draft, at);
    put(draft, withNode(entry, { ...entry.node, matchParent }));
    if (isMessageKind(entry.node.kind)) continue;
    for (const child of orderIds(entry.order)) open.push(child);
    for (const child of orderIds(entry.graves)) open.push(child);
  }
}

/** Sets the mark of a subtree. Nested subtrees that went earlier hang on no list any more and keep their own mark. */
function mark(draft: Draft, id: NodeId, removedIn: number | null): number {
  let count = 0;
  const open: NodeId[] = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entry = entryOf(draft, at);
    put(draft, withNode(entry, { ...entry.node, removedIn }));
    for (const child of orderIds(entry.order)) open.push(child);
    count++;
  }
  return count;
}

function removed(draft: Draft, id: NodeId, version: number): void {
  const { node } = entryOf(draft, id);
  if (node.parentId !== null) {
    const parent = entryOf(draft, node.parentId);
    const graves = orderInsert(parent.graves, graveKey(node), id);
    put(draft, withOrder(parent, orderDelete(parent.order, node.position), graves));
  }
  draft.size -= mark(draft, id, version);
}

/**
 * Lists a removed node with its parent if both went under one version: they have one mark and come back together.
 * False if its place there was taken by another child meanwhile.
 */
export function joinRemoved(draft: Draft, id: NodeId, version: number): boolean {
  const { node } = entryOf(draft, id);
  const parent = node.removedIn === version ? mapGet(draft.nodes, node.parentId ?? '') : undefined;
  if (parent?.node.removedIn !== version) return true;
  const there = orderGet(parent.order, node.position);
  if (there !== undefined) return there === id;
  const graves = orderDelete(parent.graves, graveKey(node));
  put(draft, withOrder(parent, orderInsert(parent.order, node.position, id), graves));
  return true;
}

// Children lists hold what shares its parent's fate, so all of the list came under the mark that is lifted.
function restored(draft: Draft, id: NodeId, position: string | null): void {
  if (entryOf(draft, id).node.removedIn === null) return;
  draft.size += mark(draft, id, null);
  const entry = entryOf(draft, id);
  const { parentId } = entry.node;
  if (parentId === null) return;
  const place = position ?? entry.node.position;
  put(draft, withNode(entry, { ...entry.node, position: place }));
  const parent = entryOf(draft, parentId);
  put(draft, withOrder(parent, orderInsert(parent.order, place, id), orderDelete(parent.graves, graveKey(entry.node))));
}

function pointed(draft: Draft, id: NodeId | null): void {
  const before = draft.activeNodeId;
  draft.activeNodeId = id;
  if (id === null || id === before) return;
  // Above the fork every visit mark is right already: a reply under a 100,000-deep leaf costs one mark.
  const fork = before === null ? undefined : forkOf(draft, id, before);
  for (let at = mapGet(draft.nodes, id); at !== undefined && at.key !== fork; ) {
    const parent: TreeEntry | undefined = entryAbove(draft, at);
    if (parent !== undefined && parent.node.lastChildId !== at.key)
      put(draft, withNode(parent, { ...parent.node, lastChildId: at.key }));
    at = parent;
  }
}

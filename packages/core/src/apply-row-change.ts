/** Carries row changes out on the tree value: the in-memory counterpart of a store's statements. */

import {
  type ChildList,
  childAtPosition,
  childListIds,
  deleteChild,
  emptyChildList,
  insertChild,
} from './child-list.ts';
import type { NodeId } from './ids.ts';
import { isMessageKind, matchParentBelow, type Node } from './node.ts';
import { hashOf, mapDelete, mapGet, mapPut, type Owner } from './persistent-map.ts';
import { applyPatch, type RowChange } from './rows.ts';
import type { TreePosition } from './steps/types.ts';
import { commonAncestorId, parentEntry, removedChildKey, type Tree, type TreeEntry } from './tree.ts';

/** A tree value under construction: its fields may be reassigned, the maps behind them stay persistent. */
export type TreeDraft = { -readonly [K in keyof Tree]: Tree[K] } & { readonly pass: Owner };

/** A draft of the next value. Branches of the maps that it makes itself are changed in place. */
export function startDraft(tree: Tree): TreeDraft {
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
export function toTree(draft: Tree): Tree {
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

function draftEntry(draft: TreeDraft, id: string): TreeEntry {
  const entry = mapGet(draft.nodes, id);
  if (entry === undefined) throw new Error(`There is no node ${id}.`);
  return entry;
}

function put(draft: TreeDraft, entry: TreeEntry): void {
  draft.nodes = mapPut(draft.nodes, entry, draft.pass);
}

// Spelt out, not spread: these run for every row that a commit touches.
function withNode(entry: TreeEntry, node: Node): TreeEntry {
  const { key, hash, children: order, removedChildren, parentHash, parentKey } = entry;
  return { key, hash, node, children: order, removedChildren, parentHash, parentKey };
}

function withOrder(entry: TreeEntry, order: ChildList, removedChildren: ChildList = entry.removedChildren): TreeEntry {
  const { key, hash, node, parentHash, parentKey } = entry;
  return { key, hash, node, children: order, removedChildren, parentHash, parentKey };
}

/** Applies one row change that has been checked. */
export function applyRowChange(draft: TreeDraft, change: RowChange): void {
  switch (change.op) {
    case 'added':
      return insertNode(draft, change.node);
    case 'placed':
      return moveNode(draft, change.nodeId, change.to, change.from);
    case 'removed':
      return removeNode(draft, change.nodeId, change.version);
    case 'restored':
      return restoreRemoved(draft, change.nodeId, change.position);
    case 'pointed':
      return setActive(draft, change.nodeId);
    case 'written': {
      const entry = draftEntry(draft, change.nodeId);
      return put(draft, withNode(entry, { ...entry.node, ...change.content, contentIn: change.version }));
    }
    case 'grouped': {
      const entry = draftEntry(draft, change.nodeId);
      return put(draft, withNode(entry, { ...entry.node, groupId: change.groupId }));
    }
    case 'annotated': {
      const entry = draftEntry(draft, change.nodeId);
      return put(draft, withNode(entry, { ...entry.node, meta: applyPatch(entry.node.meta, change.set) }));
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
      draft.attributes = applyPatch(draft.attributes, change.set);
      return;
  }
}

/** The entry of a node without children. */
export function childlessEntry(node: Node, hash: number, parentHash: number, parentKey: NodeId | null): TreeEntry {
  return { key: node.id, hash, node, children: emptyChildList, removedChildren: emptyChildList, parentHash, parentKey };
}

function insertNode(draft: TreeDraft, node: Node): void {
  const hash = hashOf(node.id);
  draft.nextSeq = node.seq + 1;
  if (node.parentId === null) {
    draft.rootId = node.id;
    return put(draft, childlessEntry(node, hash, 0, null));
  }
  const parent = draftEntry(draft, node.parentId);
  draft.size++;
  put(draft, childlessEntry(node, hash, parent.hash, parent.key));
  put(draft, withOrder(parent, insertChild(parent.children, node.position, node.id)));
}

function detach(draft: TreeDraft, node: Node): void {
  if (node.parentId === null) return;
  const parent = draftEntry(draft, node.parentId);
  put(draft, withOrder(parent, deleteChild(parent.children, node.position)));
}

function moveNode(draft: TreeDraft, id: NodeId, to: TreePosition, from: NodeId): void {
  const entry = draftEntry(draft, id);
  detach(draft, entry.node);
  const { parentId, position, groupId } = to;
  const parent = draftEntry(draft, parentId);
  put(draft, {
    key: entry.key,
    hash: entry.hash,
    node: { ...entry.node, parentId, position, groupId },
    children: entry.children,
    removedChildren: entry.removedChildren,
    parentHash: parent.hash,
    parentKey: parent.key,
  });
  put(draft, withOrder(parent, insertChild(parent.children, position, id)));
  rematch(draft, id, matchParentBelow(parent.node));
  moveMark(draft, id, from, to.parentId);
}

/** Keeps the way down to the active node marked when a node on it moves one level, as splices and splits make it. */
function moveMark(draft: TreeDraft, id: NodeId, from: NodeId, to: NodeId): void {
  const old = draftEntry(draft, from);
  if (from === to || old.node.lastChildId !== id) return;
  const parent = draftEntry(draft, to);
  put(draft, withNode(old, { ...old.node, lastChildId: parent.node.parentId === from ? to : null }));
  const { lastChildId } = parent.node;
  if (lastChildId === null || lastChildId === from) put(draft, withNode(parent, { ...parent.node, lastChildId: id }));
}

/**
 * Below a marker the first messages match under what is above it: all of them follow when it moves, those in the
 * trash too, so that they are right when they come back.
 */
function rematch(draft: TreeDraft, id: NodeId, matchParent: NodeId): void {
  const open: NodeId[] = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entry = draftEntry(draft, at);
    put(draft, withNode(entry, { ...entry.node, matchParent }));
    if (isMessageKind(entry.node.kind)) continue;
    for (const child of childListIds(entry.children)) open.push(child);
    for (const child of childListIds(entry.removedChildren)) open.push(child);
  }
}

/** Sets the mark of a subtree. Nested subtrees that went earlier hang on no list any more and keep their own mark. */
function setMark(draft: TreeDraft, id: NodeId, removedIn: number | null): number {
  let count = 0;
  const open: NodeId[] = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const entry = draftEntry(draft, at);
    put(draft, withNode(entry, { ...entry.node, removedIn }));
    for (const child of childListIds(entry.children)) open.push(child);
    count++;
  }
  return count;
}

function removeNode(draft: TreeDraft, id: NodeId, version: number): void {
  const { node } = draftEntry(draft, id);
  if (node.parentId !== null) {
    const parent = draftEntry(draft, node.parentId);
    const removedChildren = insertChild(parent.removedChildren, removedChildKey(node), id);
    put(draft, withOrder(parent, deleteChild(parent.children, node.position), removedChildren));
  }
  draft.size -= setMark(draft, id, version);
}

/**
 * Lists a removed node with its parent if both went under one version: they have one mark and come back together.
 * False if its place there was taken by another child meanwhile.
 */
export function regroupRemoved(draft: TreeDraft, id: NodeId, version: number): boolean {
  const { node } = draftEntry(draft, id);
  const parent = node.removedIn === version ? mapGet(draft.nodes, node.parentId ?? '') : undefined;
  if (parent?.node.removedIn !== version) return true;
  const there = childAtPosition(parent.children, node.position);
  if (there !== undefined) return there === id;
  const removedChildren = deleteChild(parent.removedChildren, removedChildKey(node));
  put(draft, withOrder(parent, insertChild(parent.children, node.position, id), removedChildren));
  return true;
}

// Children lists hold what shares its parent's fate, so all of the list came under the mark that is lifted.
function restoreRemoved(draft: TreeDraft, id: NodeId, position: string | null): void {
  if (draftEntry(draft, id).node.removedIn === null) return;
  draft.size += setMark(draft, id, null);
  const entry = draftEntry(draft, id);
  const { parentId } = entry.node;
  if (parentId === null) return;
  const place = position ?? entry.node.position;
  put(draft, withNode(entry, { ...entry.node, position: place }));
  const parent = draftEntry(draft, parentId);
  put(
    draft,
    withOrder(
      parent,
      insertChild(parent.children, place, id),
      deleteChild(parent.removedChildren, removedChildKey(entry.node)),
    ),
  );
}

function setActive(draft: TreeDraft, id: NodeId | null): void {
  const before = draft.activeNodeId;
  draft.activeNodeId = id;
  if (id === null || id === before) return;
  // Above the fork every visit mark is right already: a reply under a 100,000-deep leaf costs one mark.
  const fork = before === null ? undefined : commonAncestorId(draft, id, before);
  for (let at = mapGet(draft.nodes, id); at !== undefined && at.key !== fork; ) {
    const parent: TreeEntry | undefined = parentEntry(draft, at);
    if (parent !== undefined && parent.node.lastChildId !== at.key)
      put(draft, withNode(parent, { ...parent.node, lastChildId: at.key }));
    at = parent;
  }
}

/** Applies row changes to the tree value: the in-memory counterpart of a store's statements. */

import {
  type ChildList,
  childAtPosition,
  childListIds,
  deleteChild,
  emptyChildList,
  insertChild,
} from './child-list.ts';
import type { NodeId } from './ids.ts';
import type { Node } from './node.ts';
import { hashText, type MutationToken, mapDelete, mapGet, mapPut } from './persistent-map.ts';
import { runReads } from './reads.ts';
import { applyPatch, type RowChange } from './rows.ts';
import type { StepRows } from './steps/kinds.ts';
import { ancestorsOf, findNodesSharingMatchParent, removedChildKey, type Tree, type TreeEntry } from './tree.ts';

/**
 * A tree value under construction. Its fields may be reassigned; the maps in these fields are still immutable for
 * others.
 */
export type TreeDraft = { -readonly [K in keyof Tree]: Tree[K] } & { readonly pass: MutationToken };

/** Starts a draft from a tree. Only map branches that this draft creates are changed in place. */
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

/** Returns the draft as a tree value, without the draft's mutation token. */
export function finishDraft(draft: Tree): Tree {
  // Lists the fields explicitly: a rest copy is a slow object in V8, and every append creates a tree value.
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
  if (entry === undefined) throw new Error(`There is no message ${id}.`);
  return entry;
}

function put(draft: TreeDraft, entry: TreeEntry): void {
  draft.nodes = mapPut(draft.nodes, entry, draft.pass);
}

// Lists the fields explicitly instead of spreading them, for speed: this function runs for every row of a commit.
function withNode(entry: TreeEntry, node: Node): TreeEntry {
  const { key, hash, children: order, removedChildren, parentHash, parentKey } = entry;
  return { key, hash, node, children: order, removedChildren, parentHash, parentKey };
}

function withOrder(entry: TreeEntry, order: ChildList, removedChildren: ChildList = entry.removedChildren): TreeEntry {
  const { key, hash, node, parentHash, parentKey } = entry;
  return { key, hash, node, children: order, removedChildren, parentHash, parentKey };
}

/** Applies one row change. The caller must have validated the change. */
export function applyRowChange(draft: TreeDraft, change: RowChange): void {
  switch (change.op) {
    case 'added':
      return insertNode(draft, change.node);
    case 'updated':
      for (const id of change.nodeIds) updateNode(draft, id, change);
      return;
    case 'marked':
      return change.to === null ? restoreRemoved(draft, change.nodeId) : removeNode(draft, change.nodeId, change.to);
    case 'bookmarked': {
      const { nodeId, bookmark } = change;
      draft.bookmarks =
        bookmark === null
          ? mapDelete(draft.bookmarks, nodeId)
          : mapPut(draft.bookmarks, { key: nodeId, hash: hashText(nodeId), bookmark }, draft.pass);
      return;
    }
    case 'tree':
      if (change.activeNodeId !== undefined) draft.activeNodeId = change.activeNodeId;
      if (change.attributes !== undefined) draft.attributes = applyPatch(draft.attributes, change.attributes);
  }
}

/** Applies all row changes of a step, and returns them. */
export function applyStepRows(draft: TreeDraft, { rows, follow }: StepRows): readonly RowChange[] {
  for (const change of rows) applyRowChange(draft, change);
  if (follow === null) return rows;
  const more = runReads(follow, (read) => {
    if (read.ask === 'ancestors') return ancestorsOf(draft, read.of, read.limit);
    if (read.ask === 'sharedMatch') return findNodesSharingMatchParent(draft, read.of);
    throw new Error(`Rows of a step do not depend on ${read.ask}.`);
  });
  for (const change of more) applyRowChange(draft, change);
  return [...rows, ...more];
}

/** Builds the entry of a node that has no children yet; the caller computes the hashes. */
export function buildChildlessEntry(node: Node, hash: number, parentHash: number, parentKey: NodeId | null): TreeEntry {
  return { key: node.id, hash, node, children: emptyChildList, removedChildren: emptyChildList, parentHash, parentKey };
}

function insertNode(draft: TreeDraft, node: Node): void {
  const hash = hashText(node.id);
  draft.nextSeq = node.seq + 1;
  if (node.parentId === null) {
    draft.rootId = node.id;
    return put(draft, buildChildlessEntry(node, hash, 0, null));
  }
  const parent = draftEntry(draft, node.parentId);
  draft.size++;
  put(draft, buildChildlessEntry(node, hash, parent.hash, parent.key));
  put(draft, withOrder(parent, insertChild(parent.children, node.position, node.id)));
}

function updateNode(draft: TreeDraft, id: NodeId, { set, meta }: Extract<RowChange, { op: 'updated' }>): void {
  const entry = draftEntry(draft, id);
  const node: Node = { ...entry.node, ...set };
  const noted = meta === undefined ? node : { ...node, meta: applyPatch(node.meta, meta) };
  if (set.parentId === undefined && set.position === undefined) return put(draft, withNode(entry, noted));
  removeFromChildLists(draft, entry.node);
  const parent = mapGet(draft.nodes, node.parentId ?? '');
  const { key, hash, children, removedChildren } = draftEntry(draft, id);
  put(draft, {
    key,
    hash,
    node: noted,
    children,
    removedChildren,
    parentHash: parent?.hash ?? 0,
    parentKey: parent?.key ?? null,
  });
  addToChildLists(draft, noted);
}

/** Adds a node to its parent's child list if both have the same removal mark, else to the list of removed children. */
export function addToChildLists(draft: TreeDraft, node: Node): void {
  const parent = mapGet(draft.nodes, node.parentId ?? '');
  if (parent === undefined) return;
  if (parent.node.removedIn === node.removedIn)
    put(draft, withOrder(parent, insertChild(parent.children, node.position, node.id)));
  else
    put(draft, withOrder(parent, parent.children, insertChild(parent.removedChildren, removedChildKey(node), node.id)));
}

/** Removes a node from its parent's lists of children and removed children. */
export function removeFromChildLists(draft: TreeDraft, node: Node): void {
  const parent = mapGet(draft.nodes, node.parentId ?? '');
  if (parent === undefined) return;
  const listed = childAtPosition(parent.children, node.position) === node.id;
  put(
    draft,
    listed
      ? withOrder(parent, deleteChild(parent.children, node.position))
      : withOrder(parent, parent.children, deleteChild(parent.removedChildren, removedChildKey(node))),
  );
}

/**
 * Sets the removal mark of a subtree. Subtrees that were removed earlier are in no child list and keep their own mark.
 */
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
  removeFromChildLists(draft, draftEntry(draft, id).node);
  draft.size -= setMark(draft, id, version);
  addToChildLists(draft, draftEntry(draft, id).node);
}

/**
 * Returns a removed node to its parent's child list if the same version removed both, because they are restored
 * together. Returns false if another child has the same position now.
 */
export function returnToChildList(draft: TreeDraft, id: NodeId, version: number): boolean {
  const { node } = draftEntry(draft, id);
  const parent = node.removedIn === version ? mapGet(draft.nodes, node.parentId ?? '') : undefined;
  if (parent?.node.removedIn !== version) return true;
  const there = childAtPosition(parent.children, node.position);
  if (there !== undefined) return there === id;
  const removedChildren = deleteChild(parent.removedChildren, removedChildKey(node));
  put(draft, withOrder(parent, insertChild(parent.children, node.position, id), removedChildren));
  return true;
}

// A child list contains only nodes with the same removal mark as the parent, so the whole list is restored.
function restoreRemoved(draft: TreeDraft, id: NodeId): void {
  const { node } = draftEntry(draft, id);
  if (node.removedIn === null) return;
  removeFromChildLists(draft, node);
  draft.size += setMark(draft, id, null);
  addToChildLists(draft, draftEntry(draft, id).node);
}

import { applyRowChange, childlessEntry, startDraft, type TreeDraft, toTree } from './apply-row-change.ts';
import { childAtPosition, deleteChild, insertChild } from './child-list.ts';
import type { NodeId } from './ids.ts';
import type { Bookmark, Node } from './node.ts';
import { hashOf, mapDelete, mapGet, mapPut } from './persistent-map.ts';
import type { Commit } from './reads.ts';
import { stepKind } from './steps/kinds.ts';
import type { Step } from './steps/types.ts';
import { emptyTree, findAnyNode, removedChildKey, type Tree, type TreeRow } from './tree.ts';

/** A tree value from a store's rows, removed ones included, in any order. Links that do not fit are left for the check to name. */
export function fromRows(row: TreeRow, nodes: readonly Node[], bookmarks: readonly Bookmark[]): Tree {
  const draft = startDraft({ ...emptyTree(row.id, row.owner), ...rowOf(row) });
  const keys = new Map<string, NodeId>(nodes.map(({ id }) => [id, id]));
  for (const node of nodes) {
    const { parentId } = node;
    const parentKey = parentId === null ? null : (keys.get(parentId) ?? parentId);
    const entry = childlessEntry(node, hashOf(node.id), parentId === null ? 0 : hashOf(parentId), parentKey);
    draft.nodes = mapPut(draft.nodes, entry, draft.pass);
    if (node.removedIn === null && node.parentId !== null) draft.size++;
  }
  for (const node of nodes) attachChild(draft, node);
  for (const bookmark of bookmarks)
    draft.bookmarks = mapPut(
      draft.bookmarks,
      { key: bookmark.nodeId, hash: hashOf(bookmark.nodeId), bookmark },
      draft.pass,
    );
  return toTree(draft);
}

/** The row alone of what may be a tree value, too: its own nodes do not come along. */
export function rowOf(row: TreeRow): TreeRow {
  const { id, owner, rootId, version, structureVersion, activeNodeId, nextSeq, createdAt, updatedAt, attributes } = row;
  return { id, owner, rootId, version, structureVersion, activeNodeId, nextSeq, createdAt, updatedAt, attributes };
}

/** Children lists hold what shares its parent's fate: live below live, and below a removed node what went with it. */
function attachChild(draft: TreeDraft, node: Node): void {
  if (node.parentId === null) return;
  const parent = mapGet(draft.nodes, node.parentId);
  if (parent === undefined) return;
  const together = parent.node.removedIn === node.removedIn;
  const order = together ? insertChild(parent.children, node.position, node.id) : parent.children;
  const removedChildren = together
    ? parent.removedChildren
    : insertChild(parent.removedChildren, removedChildKey(node), node.id);
  draft.nodes = mapPut(draft.nodes, { ...parent, children: order, removedChildren }, draft.pass);
}

/**
 * The tree as it was after a version, by taking the commits since then back, newest first. Nodes added later are not
 * in it, not even as removed ones. Visit marks are today's: they have no history.
 */
export function rewind(tree: Tree, commits: readonly Commit[], version: number): Tree {
  const draft = startDraft(tree);
  const since = commits.filter((commit) => commit.version > version).sort((a, b) => b.version - a.version);
  for (const commit of since) {
    for (const step of [...commit.steps].reverse()) revertCommit(draft, step, commit);
    draft.nextSeq = commit.seq;
  }
  draft.version = version;
  draft.structureVersion = Math.min(tree.structureVersion, version);
  return toTree(draft);
}

function revertCommit(draft: TreeDraft, step: Step, commit: Commit): void {
  if (step.type === 'insert') return forgetNode(draft, step.node.id);
  // The mark that a later restore lifted goes back to the version that had set it.
  if (step.type === 'restore') {
    const old = findAnyNode(draft, step.nodeId);
    if (old !== undefined) applyRowChange(draft, { op: 'removed', nodeId: step.nodeId, version: step.version });
    return;
  }
  const inverse = stepKind(step).invert(step, commit.version);
  const contentIn = step.type === 'replace' ? step.since : commit.version;
  for (const change of stepKind(inverse).rows(inverse, { version: contentIn, seq: 0, at: commit.at }))
    applyRowChange(draft, change);
}

function forgetNode(draft: TreeDraft, id: string): void {
  const entry = mapGet(draft.nodes, id);
  if (entry === undefined) return;
  const { parentId, removedIn } = entry.node;
  const parent = parentId === null ? undefined : mapGet(draft.nodes, parentId);
  if (parent !== undefined) {
    const listed = childAtPosition(parent.children, entry.node.position) === entry.key;
    const order = listed ? deleteChild(parent.children, entry.node.position) : parent.children;
    draft.nodes = mapPut(
      draft.nodes,
      { ...parent, children: order, removedChildren: deleteChild(parent.removedChildren, removedChildKey(entry.node)) },
      draft.pass,
    );
  }
  draft.nodes = mapDelete(draft.nodes, id, entry.hash);
  if (removedIn === null && parentId !== null) draft.size--;
}

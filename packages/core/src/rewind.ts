import {
  addToChildLists,
  applyRowChange,
  applyStepRows,
  buildChildlessEntry,
  finishDraft,
  removeFromChildLists,
  startDraft,
  type TreeDraft,
} from './apply-row-change.ts';
import type { NodeId } from './ids.ts';
import type { Bookmark, Node } from './node.ts';
import { hashText, mapDelete, mapGet, mapPut } from './persistent-map.ts';
import type { Commit } from './reads.ts';
import { CommitRows, stepKindOf } from './steps/kinds.ts';
import type { Step } from './steps/types.ts';
import { emptyTree, findAnyNode, rowOf, type Tree, type TreeRow } from './tree.ts';

/**
 * Builds a tree value from a store's rows, in any order, removed rows included. Invalid links are kept, so that the
 * check can report them.
 */
export function treeFromRows(row: TreeRow, nodes: readonly Node[], bookmarks: readonly Bookmark[]): Tree {
  const draft = startDraft({ ...emptyTree(row.id, row.owner), ...rowOf(row) });
  const keys = new Map<string, NodeId>(nodes.map(({ id }) => [id, id]));
  for (const node of nodes) {
    const { parentId } = node;
    const parentKey = parentId === null ? null : (keys.get(parentId) ?? parentId);
    const entry = buildChildlessEntry(node, hashText(node.id), parentId === null ? 0 : hashText(parentId), parentKey);
    draft.nodes = mapPut(draft.nodes, entry, draft.pass);
    if (node.removedIn === null && node.parentId !== null) draft.size++;
  }
  for (const node of nodes) addToChildLists(draft, node);
  for (const bookmark of bookmarks)
    draft.bookmarks = mapPut(
      draft.bookmarks,
      { key: bookmark.nodeId, hash: hashText(bookmark.nodeId), bookmark },
      draft.pass,
    );
  return finishDraft(draft);
}

/**
 * Returns the tree at an earlier version by inverting the later commits, newest first. Nodes that were added later are
 * missing, not just removed. Visit marks are the current ones, because they have no history.
 */
export function rewindTree(tree: Tree, commits: readonly Commit[], version: number): Tree {
  const draft = startDraft(tree);
  const since = commits.filter((commit) => commit.version > version).sort((a, b) => b.version - a.version);
  for (const commit of since) {
    for (const step of [...commit.steps].reverse()) revertStep(draft, step, commit);
    draft.nextSeq = commit.seq;
  }
  draft.version = version;
  draft.structureVersion = Math.min(tree.structureVersion, version);
  return finishDraft(draft);
}

function revertStep(draft: TreeDraft, step: Step, commit: Commit): void {
  if (step.type === 'insert') return forgetNode(draft, step.node.id);
  // The node gets back the removal mark that the restore step cleared.
  if (step.type === 'restore') {
    const old = findAnyNode(draft, step.nodeId);
    if (old !== undefined) applyRowChange(draft, { op: 'marked', nodeId: step.nodeId, from: null, to: step.version });
    return;
  }
  const inverse = stepKindOf(step).invert(step, commit.version);
  const version = step.type === 'replace' ? step.since : commit.version;
  const rows = new CommitRows({ version, seq: 0, at: commit.at, steps: [inverse] }, draft.activeNodeId);
  applyStepRows(draft, rows.take(inverse));
}

function forgetNode(draft: TreeDraft, id: string): void {
  const entry = mapGet(draft.nodes, id);
  if (entry === undefined) return;
  removeFromChildLists(draft, entry.node);
  draft.nodes = mapDelete(draft.nodes, id, entry.hash);
  if (entry.node.removedIn === null && entry.node.parentId !== null) draft.size--;
}

/**
 * Keeps removed messages removed when a damaged file is read again, even if a lost line had put them under the wrong
 * parent.
 */
import type { Commit, MoveStep, NodeId, Tree } from '@coppice/core';
import { findNode, subtree } from '@coppice/core/tree';

/**
 * Returns a commit as it is written to a damaged file. A removal is preceded by moves of the misplaced nodes in the
 * removed subtree, each to the place that it has already. Without these moves, reading the file again would take the
 * nodes out of the subtree, because they could be in it only because a line is lost.
 */
export function addMovesBeforeRemovals(commit: Commit, before: Tree, misplaced: ReadonlySet<NodeId>): Commit {
  const moves = new Map<NodeId, MoveStep>();
  for (const step of commit.steps) {
    if (step.type !== 'remove' || findNode(before, step.nodeId) === undefined) continue;
    for (const { id, parentId, position, groupId, matchParent } of subtree(before, step.nodeId)) {
      if (parentId === null || !misplaced.has(id)) continue;
      const place = { parentId, position, groupId, matchParent: matchParent ?? parentId };
      moves.set(id, { type: 'move', nodeId: id, to: place, from: place });
    }
  }
  return moves.size === 0 ? commit : { ...commit, steps: [...moves.values(), ...commit.steps] };
}

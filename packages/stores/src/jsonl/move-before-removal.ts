/**
 * Keeps removed messages removed when a damaged file is read again, even if a lost line had put them under the wrong
 * parent.
 */
import type { Commit, MoveStep, NodeId, Tree } from '@coppice/core';
import { findNode, subtree } from '@coppice/core/tree';

/**
 * Returns a commit as it is written to a damaged file. Misplaced nodes in a removed subtree are first moved to where they
 * are. Reading the file again would else take them out of the subtree, because a lost line could be the reason why they
 * are in it.
 */
export function moveBeforeRemoval(commit: Commit, before: Tree, misplaced: ReadonlySet<NodeId>): Commit {
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

import { childAtPosition } from '../child-list.ts';
import { type Refusal, refusal } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import { matchParentBelow } from '../node.ts';
import { mapGet } from '../persistent-map.ts';
import { childListOf, findNode, parentEntry, type Tree } from '../tree.ts';
import { matchParentMismatch } from './match.ts';
import type { MoveStep, StepCheck, StepKind } from './types.ts';

/** Hangs a node with all below it under another parent, or at another place under the same one. */
export const move: StepKind<MoveStep> = {
  type: 'move',
  structural: true,
  rows: ({ nodeId, to, from }) => [{ op: 'placed', nodeId, to, from: from.parentId }],
  invert: ({ nodeId, to, from }) => ({ type: 'move', nodeId, to: from, from: to }),
};

/** Why such a step cannot be applied. */
export const checkMove: StepCheck<MoveStep> = (tree, { nodeId, to, from }) => {
  const node = findNode(tree, nodeId);
  if (node === undefined) return refusal('tree/unknown-node', `There is no node ${nodeId} to move.`, { nodeId });
  if (node.parentId === null) return refusal('tree/root-protected', 'The root cannot be moved.', { nodeId });
  // The place it leaves carries its visit mark along and is where the inverse puts it back.
  if (node.parentId !== from.parentId || node.position !== from.position)
    return refusal('step/invalid', `The node ${nodeId} is not at ${from.position} under ${from.parentId}.`, {
      nodeId,
    });
  const parent = findNode(tree, to.parentId);
  if (parent === undefined)
    return refusal('tree/unknown-node', `There is no node ${to.parentId} to move ${nodeId} to.`, {
      nodeId: to.parentId,
    });
  if (to.matchParent !== matchParentBelow(parent)) return matchParentMismatch(nodeId, parent);
  const there = childAtPosition(childListOf(tree, to.parentId), to.position);
  if (there !== undefined && there !== nodeId)
    return refusal('tree/position-taken', `The place ${to.position} under ${to.parentId} is taken.`, { nodeId });
  return cycleProblem(tree, nodeId, node.parentId, to.parentId);
};

function cycleProblem(tree: Tree, nodeId: NodeId, from: NodeId, to: NodeId): Refusal | null {
  // A new parent that is the old one or the old one's parent is no descendant. Splicing 50,000 children out moves
  // each of them one level up, and must not walk to the root for each.
  if (to === from || to === findNode(tree, from)?.parentId) return null;
  let at = mapGet(tree.nodes, to);
  for (let steps = 0; at !== undefined && steps <= tree.nodes.size; steps++) {
    if (at.key === nodeId)
      return refusal('tree/cycle', `The node ${nodeId} cannot hang below itself.`, { nodeId, parentId: to });
    at = parentEntry(tree, at);
  }
  return null;
}

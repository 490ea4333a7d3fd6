import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { matchParentOfChildren, type Node } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { MoveStep } from '../steps/types.ts';
import { nextGroupId, type Planner, positionAfterLast, requireMessage, requireNode, toPlan } from './context.ts';
import { treePositionOf } from './delete.ts';

/** Moves a branch to another parent of the same tree. */
export interface MoveCommand {
  readonly type: 'move';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  /** The sibling before which the node is inserted; by default the node becomes the last child. */
  readonly before?: NodeId;
}

/** The moved node and its former parent. */
export interface MoveResult {
  readonly nodeId: NodeId;
  readonly from: NodeId;
}

/**
 * Moves a subtree and keeps all ids. Refuses a cycle and a parent of another tree. A reply that is being generated in
 * the subtree continues, because its run finds the node by id.
 */
export const planMove: Planner<MoveCommand, MoveResult> = function* (command) {
  const node = yield* requireMessage(command.nodeId, 'moved');
  const parent = yield* requireNode(command.parentId);
  if (yield* ask('isAncestorOrSelf', { id: node.id, below: parent.id }))
    refuse('tree/cycle', `The message ${node.id} cannot be moved below itself.`, {
      nodeId: node.id,
      parentId: parent.id,
    });
  const position = yield* positionFor(command, node);
  if (position === null) return toPlan([], { nodeId: node.id, from: node.parentId });
  const from = treePositionOf(node);
  const stays = from.parentId === parent.id;
  const groupId = stays || node.groupId === 0 ? node.groupId : yield* nextGroupId(parent.id);
  const step: MoveStep = {
    type: 'move',
    nodeId: node.id,
    to: { parentId: parent.id, position, groupId, matchParent: matchParentOfChildren(parent) },
    from,
  };
  return toPlan([step], { nodeId: node.id, from: node.parentId });
};

/** Returns the new position; null if the node is already there. */
function* positionFor({ parentId, before }: MoveCommand, node: Node): ReadProgram<string | null> {
  const sibling = before === undefined ? null : yield* requireNode(before);
  if (sibling !== null && sibling.parentId !== parentId)
    refuse('command/invalid', `The message ${before} is not a child of ${parentId}.`, { nodeId: before, parentId });
  if (sibling?.id === node.id) return null;
  if (node.parentId === parentId) {
    const variants = yield* ask('children', { of: parentId });
    const next = variants[variants.findIndex((variant) => variant.id === node.id) + 1];
    if (next?.id === sibling?.id) return null;
  }
  if (sibling === null) return yield* positionAfterLast(parentId);
  const gap = yield* ask('neighbourPositions', { of: parentId, position: sibling.position });
  return positionBetween(gap.before, sibling.position);
}

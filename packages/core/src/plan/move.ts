import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { matchParentBelow } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type Reading } from '../reads.ts';
import type { MoveStep } from '../steps/types.ts';
import { type Planner, plan, settled, theMessage, theNode } from './context.ts';
import { placeOf } from './delete.ts';

/** Hangs a branch elsewhere in its tree. */
export interface MoveCommand {
  readonly type: 'move';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  /** The sibling it comes to stand before; last if not given. */
  readonly before?: NodeId;
}

/** Where it was and where it is. */
export interface Moved {
  readonly nodeId: NodeId;
  readonly from: NodeId;
}

/** Moves a subtree, ids kept. Refuses a cycle, and a parent of another tree. */
export const move: Planner<MoveCommand, Moved> = function* (command, context) {
  const node = yield* theMessage(command.nodeId, 'moved');
  const parent = yield* theNode(command.parentId);
  settled(node);
  if (yield* ask('above', { id: node.id, below: parent.id }))
    refuse('tree/cycle', `The node ${node.id} cannot hang below itself.`, { nodeId: node.id, parentId: parent.id });
  const position = yield* placeFor(command, context.treeId);
  if (position === null) return plan([], { nodeId: node.id, from: node.parentId });
  const from = placeOf(node);
  const stays = from.parentId === parent.id;
  const groupId = stays || node.groupId === 0 ? node.groupId : (yield* ask('groupMax', { of: parent.id })) + 1;
  const step: MoveStep = {
    type: 'move',
    nodeId: node.id,
    to: { parentId: parent.id, position, groupId, matchParent: matchParentBelow(parent) },
    from,
  };
  return plan([step], { nodeId: node.id, from: node.parentId });
};

/** The place it goes to, or null where it stands there already. */
function* placeFor(command: MoveCommand, treeId: TreeId): Reading<string | null> {
  const { parentId, before } = command;
  if (before === command.nodeId) return null;
  if (before === undefined) {
    const siblings = yield* ask('children', { of: parentId });
    if (siblings[siblings.length - 1]?.id === command.nodeId) return null;
    return positionBetween(yield* ask('edge', { of: parentId }), null);
  }
  const sibling = yield* theNode(before);
  if (sibling.parentId !== parentId)
    refuse('command/invalid', `The node ${before} is no child of ${parentId} in ${treeId}.`, {
      nodeId: before,
      parentId,
    });
  const gap = yield* ask('gap', { of: parentId, position: sibling.position });
  if (gap.before !== null && (yield* ask('at', { of: parentId, position: gap.before })) === command.nodeId) return null;
  return positionBetween(gap.before, sibling.position);
}

import { childAtPosition } from '../child-list.ts';
import { type Refusal, refusal } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import { isMessageKind, matchParentOfChildren } from '../node.ts';
import { mapGet } from '../persistent-map.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { buildRowUpdate, type RowChange } from '../rows.ts';
import { childListOf, findNode, parentEntry, type Tree } from '../tree.ts';
import { makeMatchParentRefusal } from './match.ts';
import { isOnPathTo, readVisitMarks } from './select.ts';
import type { CommitNumbers, MoveStep, StepCheck, StepKind } from './types.ts';

/** Moves a subtree to another parent, or to another position under the same parent. */
export const moveStepKind: StepKind<MoveStep> = {
  type: 'move',
  structural: true,
  rows: ({ nodeId, to: { parentId, position, groupId, matchParent } }) => [
    buildRowUpdate(nodeId, { parentId, position, groupId, matchParent }),
  ],
  follow: moveLinks,
  invert: ({ nodeId, to, from }) => ({ type: 'move', nodeId, to: from, from: to }),
};

/**
 * Updates the match parent of markers and first messages below a moved marker, removed nodes included. If the visit
 * mark of the old parent was on the node, it is set on the new parent, provided that the new parent is a child of the
 * old parent; otherwise it is cleared. The new parent gets a mark on the node if it had no mark, or if its mark was on
 * the old parent and the old parent is not active. If the moved node is on the active path, all marks of the new path
 * are set, because later commits rely on them.
 */
function* moveLinks(
  { nodeId, to, from }: MoveStep,
  { active = null }: Pick<CommitNumbers, 'active'>,
): ReadProgram<RowChange[]> {
  const changes: RowChange[] = [];
  const [node, parent, above] = yield* ask('ancestors', { of: nodeId, limit: 3 });
  if (node === undefined || parent === undefined) return changes;
  if (!isMessageKind(node.kind)) {
    const nodeIds = yield* ask('sharedMatch', { of: nodeId });
    changes.push({ op: 'updated', nodeIds, set: { matchParent: to.matchParent } });
  }
  if (from.parentId === parent.id) return changes;
  const old = above?.id === from.parentId ? above : (yield* ask('ancestors', { of: from.parentId, limit: 1 }))[0];
  if (old?.lastChildId !== nodeId) return changes;
  // When a node moves by one level, as in a splice or split, the visit marks above it stay correct and no path is read.
  const isNear = old.parentId === parent.id || (parent.parentId === old.id && parent.lastChildId === null);
  // A planner that runs before the tree is locked can read half of another move, whose links form a cycle. The marks
  // are left out then, and the commit fails because the version has changed.
  const isOnActivePath = !isNear && active !== null && (yield* isOnPathTo(active, nodeId));
  const marks = isOnActivePath ? yield* readVisitMarks(old.id, nodeId) : null;
  if (marks !== null) {
    if (!marks.some((mark) => mark.op === 'updated' && mark.nodeIds.includes(old.id)))
      changes.push(buildRowUpdate(old.id, { lastChildId: null }));
    changes.push(...marks);
    return changes;
  }
  changes.push(buildRowUpdate(old.id, { lastChildId: parent.parentId === old.id ? parent.id : null }));
  if (parent.lastChildId === null || (parent.lastChildId === old.id && old.id !== active))
    changes.push(buildRowUpdate(parent.id, { lastChildId: nodeId }));
  return changes;
}

/** Returns why the step cannot be applied, or null. */
export const checkMove: StepCheck<MoveStep> = (tree, { nodeId, to, from }) => {
  const node = findNode(tree, nodeId);
  if (node === undefined) return refusal('tree/unknown-node', `There is no message ${nodeId} to move.`, { nodeId });
  if (node.parentId === null)
    return refusal('tree/root-protected', 'The beginning of a chat cannot be moved: choose a message.', { nodeId });
  // The old parent and position must match, because the visit marks depend on it and the inverse moves the node back to
  // it.
  if (node.parentId !== from.parentId || node.position !== from.position)
    return refusal('step/invalid', `The node ${nodeId} is not at ${from.position} under ${from.parentId}.`, {
      nodeId,
    });
  const parent = findNode(tree, to.parentId);
  if (parent === undefined)
    return refusal('tree/unknown-node', `There is no message ${to.parentId} to move ${nodeId} to.`, {
      nodeId: to.parentId,
    });
  if (to.matchParent !== matchParentOfChildren(parent)) return makeMatchParentRefusal(nodeId, parent);
  const there = childAtPosition(childListOf(tree, to.parentId), to.position);
  if (there !== undefined && there !== nodeId)
    return refusal('tree/position-taken', `The position ${to.position} under ${to.parentId} is taken.`, { nodeId });
  return cycleProblem(tree, nodeId, node.parentId, to.parentId);
};

function cycleProblem(tree: Tree, nodeId: NodeId, from: NodeId, to: NodeId): Refusal | null {
  // A new parent that is the old parent or grandparent cannot be a descendant. This check saves a walk to the root for
  // each of 50,000 children that a splice moves up.
  if (to === from || to === findNode(tree, from)?.parentId) return null;
  let at = mapGet(tree.nodes, to);
  for (let steps = 0; at !== undefined && steps <= tree.nodes.size; steps++) {
    if (at.key === nodeId)
      return refusal('tree/cycle', `The message ${nodeId} cannot be moved below itself.`, { nodeId, parentId: to });
    at = parentEntry(tree, at);
  }
  return null;
}

import { childAtPosition } from '../child-list.ts';
import { refusal } from '../errors.ts';
import { buildRowUpdate } from '../rows.ts';
import { childListOf, findAnyNode, findNode } from '../tree.ts';
import type { RestoreStep, StepCheck, StepKind } from './types.ts';

/** Restores exactly the rows that one commit removed with this node. */
export const restoreStepKind: StepKind<RestoreStep> = {
  type: 'restore',
  structural: true,
  rows: ({ nodeId, version, position }) => [
    ...(position === undefined ? [] : [buildRowUpdate(nodeId, { position })]),
    { op: 'marked', nodeId, from: version, to: null },
  ],
  invert: ({ nodeId }) => ({ type: 'remove', nodeId }),
};

/** Returns why the step cannot be applied, or null. */
export const checkRestore: StepCheck<RestoreStep> = (tree, step, numbers) => {
  const { nodeId, version } = step;
  if (version === numbers.version)
    return refusal('step/invalid', `A commit cannot restore the node ${nodeId}, which it removes.`, { nodeId });
  const node = findAnyNode(tree, nodeId);
  if (node === undefined || node.parentId === null || node.removedIn !== version)
    return refusal('tree/unknown-node', `The message ${nodeId} was not removed by version ${version}.`, {
      nodeId,
      version,
    });
  if (findNode(tree, node.parentId) === undefined)
    return refusal('tree/unknown-node', `The parent ${node.parentId} of ${nodeId} is removed: restore it first.`, {
      nodeId: node.parentId,
    });
  const position = step.position ?? node.position;
  if (childAtPosition(childListOf(tree, node.parentId), position) !== undefined)
    return refusal('tree/position-taken', `The position ${position} under ${node.parentId} is taken.`, { nodeId });
  return null;
};

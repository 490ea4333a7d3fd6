import { refusal } from '../errors.ts';
import { buildRowUpdate } from '../rows.ts';
import { findNode } from '../tree.ts';
import type { RegroupStep, StepCheck, StepKind } from './types.ts';

/** Adds a node to a group of variants under its parent, or removes it from its group. */
export const regroupStepKind: StepKind<RegroupStep> = {
  type: 'regroup',
  // Groups only affect how variants are shown, so this step does not make the expected versions of other writers stale.
  structural: false,
  rows: ({ nodeId, after }) => [buildRowUpdate(nodeId, { groupId: after })],
  invert: ({ nodeId, after, before }) => ({ type: 'regroup', nodeId, after: before, before: after }),
};

/** Returns why the step cannot be applied, or null. */
export const checkRegroup: StepCheck<RegroupStep> = (tree, { nodeId, after }) => {
  const node = findNode(tree, nodeId);
  if (node === undefined) return refusal('tree/unknown-node', `There is no message ${nodeId} to group.`, { nodeId });
  if (node.parentId === null && after !== 0)
    return refusal('tree/root-protected', 'The beginning of a chat is in no group of versions.', { nodeId });
  return null;
};

import { refusal } from '../errors.ts';
import { findNode } from '../tree.ts';
import type { RegroupStep, StepCheck, StepKind } from './types.ts';

/** Puts a node into a group of variants under its parent, or into none. */
export const regroup: StepKind<RegroupStep> = {
  type: 'regroup',
  // Grouping is how variants are shown; it neither moves nor rewrites anything another writer relied on.
  structural: false,
  rows: ({ nodeId, after }) => [{ op: 'grouped', nodeId, groupId: after }],
  invert: ({ nodeId, after, before }) => ({ type: 'regroup', nodeId, after: before, before: after }),
};

/** Why such a step cannot be applied. */
export const checkRegroup: StepCheck<RegroupStep> = (tree, { nodeId, after }) => {
  const node = findNode(tree, nodeId);
  if (node === undefined) return refusal('tree/unknown-node', `There is no node ${nodeId} to group.`, { nodeId });
  if (node.parentId === null && after !== 0)
    return refusal('tree/root-protected', 'The root is in no group.', { nodeId });
  return null;
};

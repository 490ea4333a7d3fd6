import { refusal } from '../errors.ts';
import { findAnyNode } from '../tree.ts';
import type { SelectStep, StepCheck, StepKind } from './types.ts';

/**
 * Moves the active node. Null only in a tree that is empty, or is about to be in the same commit; a removed node only
 * if the same commit brings it back, as the inverse of a delete does.
 */
export const select: StepKind<SelectStep> = {
  type: 'select',
  structural: false,
  rows: ({ after }) => [{ op: 'pointed', nodeId: after }],
  invert: ({ after, before }) => ({ type: 'select', after: before, before: after }),
};

/** Why such a step cannot be applied. */
export const checkSelect: StepCheck<SelectStep> = (tree, { after }) => {
  if (after === null) return null;
  const node = findAnyNode(tree, after);
  if (node === undefined) return refusal('tree/unknown-node', `There is no node ${after} to go to.`, { nodeId: after });
  if (node.kind === 'root')
    return refusal('tree/root-protected', 'The root cannot be the active node.', { nodeId: after });
  return null;
};

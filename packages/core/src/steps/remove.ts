import { refusal } from '../errors.ts';
import { findNode } from '../tree.ts';
import type { RemoveStep, StepCheck, StepKind } from './types.ts';

/** Marks a live subtree with the commit's version. It stores no content: the marked rows are the trash. */
export const removeStepKind: StepKind<RemoveStep> = {
  type: 'remove',
  structural: true,
  rows: ({ nodeId }, { version }) => [{ op: 'marked', nodeId, from: null, to: version }],
  invert: ({ nodeId }, version) => ({ type: 'restore', nodeId, version }),
};

/** Returns why the step cannot be applied, or null. */
export const checkRemove: StepCheck<RemoveStep> = (tree, { nodeId }) => {
  const node = findNode(tree, nodeId);
  if (node === undefined) return refusal('tree/unknown-node', `There is no message ${nodeId} to remove.`, { nodeId });
  if (node.kind === 'root')
    return refusal('tree/root-protected', `The beginning of the chat ${tree.id} can only be deleted with the chat.`, {
      nodeId,
    });
  return null;
};

import { refusal } from '../errors.ts';
import { findNode } from '../tree.ts';
import type { AnnotateStep, StepCheck, StepKind } from './types.ts';

/** Changes titles, tags, source and custom data of a node: nothing that the tree's shape or its messages depend on. */
export const annotate: StepKind<AnnotateStep> = {
  type: 'annotate',
  structural: false,
  rows: ({ nodeId, after }) => [{ op: 'annotated', nodeId, set: after }],
  invert: ({ nodeId, after, before }) => ({ type: 'annotate', nodeId, after: before, before: after }),
};

/** Why such a step cannot be applied. */
export const checkAnnotate: StepCheck<AnnotateStep> = (tree, { nodeId }) =>
  findNode(tree, nodeId) === undefined
    ? refusal('tree/unknown-node', `There is no node ${nodeId} to annotate.`, { nodeId })
    : null;

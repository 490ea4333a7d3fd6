import { refusal } from '../errors.ts';
import { findNode } from '../tree.ts';
import { assertPatch, assertPlainJson, metadataReaders } from './fields.ts';
import type { AnnotateStep, StepCheck, StepKind } from './types.ts';

/**
 * Changes title, tags, source and custom data of a node. Neither the shape of the tree nor its messages depend on these
 * fields.
 */
export const annotateStepKind: StepKind<AnnotateStep> = {
  type: 'annotate',
  structural: false,
  rows: ({ nodeId, after }) => [{ op: 'updated', nodeIds: [nodeId], set: {}, meta: after }],
  invert: ({ nodeId, after, before }) => ({ type: 'annotate', nodeId, after: before, before: after }),
};

/** Throws `MalformedError` if the step contains a value that some store cannot write or read. */
export function assertAnnotateData({ after }: AnnotateStep): void {
  assertPatch(after, metadataReaders);
  assertPlainJson(after);
}

/** Returns why the step cannot be applied, or null. */
export const checkAnnotate: StepCheck<AnnotateStep> = (tree, { nodeId }) =>
  findNode(tree, nodeId) === undefined
    ? refusal('tree/unknown-node', `There is no message ${nodeId} to annotate.`, { nodeId })
    : null;

import { refusal } from '../errors.ts';
import { isBlank } from '../message.ts';
import { isMessageKind } from '../node.ts';
import { buildRowUpdate } from '../rows.ts';
import { findNode } from '../tree.ts';
import { assertMessageData, nodeStatusField } from './fields.ts';
import type { ReplaceStep, StepCheck, StepKind } from './types.ts';

/** Replaces the content of a node, for an edit in place, the end of a reply, or the right half of a split. */
export const replaceStepKind: StepKind<ReplaceStep> = {
  type: 'replace',
  structural: true,
  rows: ({ nodeId, after }, { version }) => [buildRowUpdate(nodeId, { ...after, contentIn: version })],
  invert: ({ nodeId, after, before }, version) => ({
    type: 'replace',
    nodeId,
    after: before,
    before: after,
    since: version,
  }),
};

/** Throws `MalformedError` if the step contains a value that some store cannot write or read. */
export function assertReplaceData({ nodeId, after: { status, message } }: ReplaceStep): void {
  nodeStatusField({ status }, 'status');
  assertMessageData(message, nodeId);
}

/** Returns why the step cannot be applied, or null. */
export const checkReplace: StepCheck<ReplaceStep> = (tree, { nodeId, after }) => {
  const node = findNode(tree, nodeId);
  if (node === undefined) return refusal('tree/unknown-node', `There is no message ${nodeId} to change.`, { nodeId });
  if (node.message === null)
    return refusal('tree/root-protected', 'The beginning of a chat cannot be changed: choose a message.', { nodeId });
  if (node.message.role !== after.message.role || node.message.tool_call_id !== after.message.tool_call_id)
    return refusal('step/invalid', `The role and the call of ${nodeId} cannot change.`, { nodeId });
  if ((after.key === null) === isMessageKind(node.kind))
    return refusal('step/invalid', `The node ${nodeId} must have an equality key if and only if it is a message.`, {
      nodeId,
    });
  if (after.status === 'success' && isMessageKind(node.kind) && isBlank(after.message))
    return refusal('message/blank', `The message ${nodeId} is empty.`, { nodeId });
  return null;
};

import { ask, type ErrorKind, isBlank, type NodeId, refuse, type TreeId } from '@coppice/core';
import { fieldsOrEmpty, getText } from '@coppice/core/decode';
import type { WrittenReply } from './contract.ts';
import type { ReplyError } from './errors.ts';
import type { TurnServices } from './turn-services.ts';

/** Reads a reply from the store. Throws if the node does not exist. */
export async function readReply(services: TurnServices, treeId: TreeId, nodeId: NodeId): Promise<WrittenReply> {
  const node = await services.store.read(treeId, () => ask('node', { id: nodeId }));
  if (node === null || node.parentId === null)
    return refuse('tree/unknown-node', `There is no message ${nodeId}.`, { nodeId });
  const { message, status, parentId, meta } = node;
  const failed = status !== 'success' && status !== 'pending';
  return {
    nodeId,
    parentId,
    status,
    message: message === null || isBlank(message) ? null : message,
    finishReason: null,
    error: failed ? errorOfReply(meta.error, status) : null,
    tokens: null,
  };
}

const kinds: readonly ErrorKind[] = [
  'invalid',
  'not-found',
  'conflict',
  'refused',
  'unavailable',
  'aborted',
  'internal',
];

function errorOfReply(noted: unknown, status: string): ReplyError {
  const fields = fieldsOrEmpty(noted);
  return {
    code: getText(fields, 'code') ?? `generate/${status === 'aborted' ? 'aborted' : 'lost'}`,
    kind: kinds.find((kind) => kind === fields['kind']) ?? (status === 'aborted' ? 'aborted' : 'unavailable'),
    message: getText(fields, 'message') ?? `The reply ended as ${status}.`,
    retryable: fields['retryable'] === true,
  };
}

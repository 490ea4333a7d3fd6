import { childAtPosition } from '../child-list.ts';
import { finiteNumberField, integerField, objectField, throwMalformed } from '../decode.ts';
import { refusal } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import { isBlank } from '../message.ts';
import { isMessageKind, matchParentOfChildren, type NewNode, type Node, roleOf } from '../node.ts';
import { mapGet } from '../persistent-map.ts';
import { findAnyNode } from '../tree.ts';
import {
  assertMessageData,
  assertPatch,
  assertPlainJson,
  markerReaders,
  metadataReaders,
  nodeKindField,
  nodeStatusField,
} from './fields.ts';
import { makeMatchParentRefusal } from './match.ts';
import type { InsertStep, StepCheck, StepKind } from './types.ts';

/** Adds one node below a live parent, or a root to a tree without a root. */
export const insertStepKind: StepKind<InsertStep> = {
  type: 'insert',
  structural: true,
  rows: ({ node }, { seq, version, marks }) => [
    { op: 'added', node: toStoredNode(node, seq, version, version, null, marks?.children.get(node.id) ?? null) },
  ],
  invert: ({ node }) => ({ type: 'remove', nodeId: node.id }),
};

/** Throws `MalformedError` if the step contains a value that some store cannot write or read. */
export function assertInsertData({
  node: { id, message, meta, marker, createdAt, kind, status, groupId },
}: InsertStep): void {
  const plain = { createdAt, kind, status, groupId };
  finiteNumberField(plain, 'createdAt');
  nodeKindField(plain, 'kind');
  nodeStatusField(plain, 'status');
  integerField(plain, 'groupId');
  if (message !== null) assertMessageData(message, id);
  assertPatch(meta, metadataReaders);
  assertPlainJson(meta);
  if (marker !== null) checkMarker(marker);
}

/** Throws if a marker is malformed. Unknown fields are refused, because readers of a journal would drop them. */
function checkMarker(marker: unknown): void {
  const parts = objectField({ marker }, 'marker');
  assertPlainJson(parts);
  for (const name of Object.keys(parts)) {
    const read = markerReaders.get(name) ?? throwMalformed(name, 'no part of a marker');
    if (parts[name] !== undefined) read(parts, name);
  }
}

/** Returns why the step cannot be applied, or null. */
export const checkInsert: StepCheck<InsertStep> = (tree, { node }) => {
  if (findAnyNode(tree, node.id) !== undefined)
    return refusal('id/taken', `The id ${node.id} is taken by another node.`, { nodeId: node.id });
  if ((node.kind === 'root') !== (node.parentId === null) || (node.kind === 'root') !== (node.message === null))
    return refusal('step/invalid', `The node ${node.id} must be the root, or have a parent and a message.`, {
      nodeId: node.id,
    });
  if (node.parentId === null) {
    if (tree.nodes.size > 0)
      return refusal('tree/exists', `The chat ${tree.id} has its beginning already.`, { treeId: tree.id });
    return node.groupId === 0
      ? null
      : refusal('step/invalid', 'The beginning of a chat is in no group of versions.', { nodeId: node.id });
  }
  const parent = mapGet(tree.nodes, node.parentId);
  if (parent?.node.removedIn !== null)
    return refusal('tree/unknown-node', `There is no message ${node.parentId} to add below.`, {
      nodeId: node.parentId,
    });
  if (node.matchParent !== matchParentOfChildren(parent.node)) return makeMatchParentRefusal(node.id, parent.node);
  if (childAtPosition(parent.children, node.position) !== undefined)
    return refusal('tree/position-taken', `The position ${node.position} under ${node.parentId} is taken.`, {
      nodeId: node.id,
    });
  if ((node.key === null) === isMessageKind(node.kind))
    return refusal('step/invalid', `The node ${node.id} must have an equality key if and only if it is a message.`, {
      nodeId: node.id,
    });
  if (node.message !== null && node.status === 'success' && isMessageKind(node.kind) && isBlank(node.message))
    return refusal('message/blank', `The message ${node.id} is empty.`, { nodeId: node.id });
  return null;
};

/**
 * Converts a new node to a stored node. Fields are listed instead of spread for speed: this function runs once per
 * imported message.
 */
export function toStoredNode(
  node: NewNode,
  seq: number,
  addedIn: number,
  contentIn: number = addedIn,
  removedIn: number | null = null,
  lastChildId: NodeId | null = null,
): Node {
  return {
    id: node.id,
    parentId: node.parentId,
    position: node.position,
    seq,
    kind: node.kind,
    role: roleOf(node.message),
    status: node.status,
    groupId: node.groupId,
    createdAt: node.createdAt,
    matchParent: node.matchParent,
    key: node.key,
    tokens: node.tokens,
    addedIn,
    contentIn,
    removedIn,
    lastChildId,
    message: node.message,
    text: node.text,
    meta: node.meta,
    marker: node.marker,
    aliases: node.aliases,
  };
}

/** Decodes the lines of side files: lists of messages, external ids, runs, attachments, users, tokens and shares. */
import {
  type ApiToken,
  type BlobInfo,
  checkMessage,
  type ExternalId,
  type FieldMap,
  type FieldReader,
  type Message,
  type NodeMeta,
  type Provenance,
  type Run,
  type RunChunk,
  type ShareLink,
  type StoredLinearConversation,
  type User,
} from '@coppice/core';
import {
  createFieldReader,
  finiteNumberField,
  isFieldMap,
  isJsonObject,
  oneOfField,
  optionalField,
  ownField,
  requiredText,
  shapeListField,
  shapeReader,
  textListField,
} from '@coppice/core/decode';
import { applyPatch, metadataField } from '@coppice/core/tree';
import {
  decodeNodeIds,
  nodeIdField,
  nullableNodeIdField,
  nullableNumberField,
  nullableTextField,
  treeIdField,
  UnreadableValueError,
} from './decode.ts';

/**
 * Decodes a message. A list may contain messages without content; they are left out when the list is read as a tree.
 */
const recordMessage: FieldReader<Message> = (fields, key) => {
  const json = ownField(fields, key);
  if (isFieldMap(json) && Array.isArray(json.content) && json.content.length === 0) {
    const filled = checkMessage({ ...json, content: [{ type: 'text', text: '' }] });
    if (filled.ok) return { ...filled.value, content: [] };
  }
  const message = checkMessage(json);
  if (!message.ok) throw new UnreadableValueError(`has a message that cannot be read (${message.refusal.message})`);
  return message.value;
};

/** Decodes a conversation that is stored as a list. */
export const decodeLinearConversation: (json: FieldMap) => StoredLinearConversation =
  shapeReader<StoredLinearConversation>({
    treeId: treeIdField,
    title: optionalField(requiredText),
    systemPrompt: optionalField(requiredText),
    createdAt: finiteNumberField,
    messages: shapeListField(
      shapeReader<StoredLinearConversation['messages'][number]>({
        id: optionalField(requiredText),
        message: recordMessage,
        createdAt: optionalField(finiteNumberField),
        meta: optionalField((fields, key) => applyPatch<NodeMeta>({}, metadataField(fields, key))),
      }),
    ),
  });

export const decodeExternalId: (json: FieldMap) => ExternalId = shapeReader<ExternalId>({
  treeId: treeIdField,
  nodeId: nullableNodeIdField,
  format: requiredText,
  scope: requiredText,
  id: requiredText,
});

/** Decodes a provenance record, which says which nodes an appended history reused. */
export const decodeProvenance: (json: FieldMap) => Provenance = shapeReader<Provenance>({
  treeId: treeIdField,
  source: requiredText,
  firstNodeId: nodeIdField,
  lastNodeId: nodeIdField,
  count: finiteNumberField,
  at: finiteNumberField,
});

export const decodeRun: (json: FieldMap) => Run = shapeReader<Run>({
  id: requiredText,
  treeId: treeIdField,
  nodeId: nodeIdField,
  process: requiredText,
  startedAt: finiteNumberField,
  beatAt: finiteNumberField,
  data: createFieldReader(isJsonObject, 'an object'),
});

export const decodeRunChunk: (json: FieldMap) => RunChunk = shapeReader<RunChunk>({
  offset: finiteNumberField,
  text: requiredText,
});

const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** Decodes the hash, the size and the media type of an attachment. */
export const decodeBlobInfo: (json: FieldMap) => BlobInfo = shapeReader<BlobInfo>({
  hash: createFieldReader(isHash, 'a SHA-256 in hex'),
  size: finiteNumberField,
  mediaType: requiredText,
});

export const decodeUser: (json: FieldMap) => User = shapeReader<User>({
  id: requiredText,
  name: requiredText,
  role: oneOfField<User['role']>(['admin', 'member', 'viewer']),
  createdAt: finiteNumberField,
  disabledAt: nullableNumberField,
});

export const decodeToken: (json: FieldMap) => ApiToken = shapeReader<ApiToken>({
  id: requiredText,
  userId: requiredText,
  name: requiredText,
  hash: requiredText,
  createdAt: finiteNumberField,
  expiresAt: nullableNumberField,
  revokedAt: nullableNumberField,
  usedAt: nullableNumberField,
});

export const decodeShare: (json: FieldMap) => ShareLink = shapeReader<ShareLink>({
  id: requiredText,
  owner: requiredText,
  treeId: treeIdField,
  version: nullableNumberField,
  nodeIds: decodeNodeIds,
  fields: textListField,
  title: nullableTextField,
  hash: requiredText,
  createdAt: finiteNumberField,
  expiresAt: nullableNumberField,
  revokedAt: nullableNumberField,
});

/** What lies beside the trees, from JSON that was read from a file. */
import {
  type BlobInfo,
  checkMessage,
  type ExternalId,
  type LinearRecord,
  type Message,
  type NodeMeta,
  nodeId,
  type Provenance,
  parseStep,
  patched,
  type Run,
  type RunChunk,
  type Share,
  type Token,
  treeId,
  type User,
} from '@coppice/core';
import {
  type Fields,
  field,
  isFields,
  isJsonObject,
  list,
  number,
  text,
  textOrNull,
  texts,
  Unreadable,
} from './decode.ts';

function numberOrNull(json: Fields, key: string): number | null {
  return field(json, key) === null || field(json, key) === undefined ? null : number(json, key);
}

function metaOf(json: unknown): NodeMeta {
  const step = parseStep({ type: 'annotate', nodeId: 'x', after: json, before: {} });
  if (!step.ok || step.value.type !== 'annotate') throw new Unreadable('has notes that cannot be read');
  return patched<NodeMeta>({}, step.value.after);
}

function messageOf(json: unknown): Message {
  // A list may hold messages without content, which say nothing and are left out when it is read as a tree.
  if (isFields(json) && Array.isArray(json.content) && json.content.length === 0) {
    const filled = checkMessage({ ...json, content: [{ type: 'text', text: '' }] });
    if (filled.ok) return { ...filled.value, content: [] };
  }
  const message = checkMessage(json);
  if (!message.ok) throw new Unreadable(`has a message that cannot be read (${message.refusal.message})`);
  return message.value;
}

/** A list of messages. */
export function readRecord(json: Fields): LinearRecord {
  const title = textOrNull(json, 'title');
  const systemPrompt = textOrNull(json, 'systemPrompt');
  return {
    treeId: treeId(text(json, 'treeId')),
    ...(title === null ? {} : { title }),
    ...(systemPrompt === null ? {} : { systemPrompt }),
    createdAt: number(json, 'createdAt'),
    messages: list(json, 'messages').map((item) => {
      if (!isFields(item)) throw new Unreadable('has something else than messages in its list');
      const id = textOrNull(item, 'id');
      const createdAt = numberOrNull(item, 'createdAt');
      const meta = field(item, 'meta');
      return {
        ...(id === null ? {} : { id }),
        message: messageOf(field(item, 'message')),
        ...(createdAt === null ? {} : { createdAt }),
        ...(meta === undefined ? {} : { meta: metaOf(meta) }),
      };
    }),
  };
}

/** The other name of a tree or node. */
export function readExternalId(json: Fields): ExternalId {
  const node = textOrNull(json, 'nodeId');
  return {
    treeId: treeId(text(json, 'treeId')),
    nodeId: node === null ? null : nodeId(node),
    format: text(json, 'format'),
    scope: text(json, 'scope'),
    id: text(json, 'id'),
  };
}

/** A reuse of a prefix. */
export function readProvenance(json: Fields): Provenance {
  return {
    treeId: treeId(text(json, 'treeId')),
    source: text(json, 'source'),
    firstNodeId: nodeId(text(json, 'firstNodeId')),
    lastNodeId: nodeId(text(json, 'lastNodeId')),
    count: number(json, 'count'),
    at: number(json, 'at'),
  };
}

/** A generation on its way. */
export function readRun(json: Fields): Run {
  const data = field(json, 'data');
  if (!isJsonObject(data)) throw new Unreadable('has a run without data');
  return {
    id: text(json, 'id'),
    treeId: treeId(text(json, 'treeId')),
    nodeId: nodeId(text(json, 'nodeId')),
    process: text(json, 'process'),
    startedAt: number(json, 'startedAt'),
    beatAt: number(json, 'beatAt'),
    data,
  };
}

/** A piece of a reply. */
export function readChunk(json: Fields): RunChunk {
  return { offset: number(json, 'offset'), text: text(json, 'text') };
}

/** What an attachment is. */
export function readBlobInfo(json: Fields): BlobInfo {
  const hash = text(json, 'hash');
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Unreadable('has an attachment without a hash');
  return { hash, size: number(json, 'size'), mediaType: text(json, 'mediaType') };
}

const userRoles: readonly User['role'][] = ['admin', 'member', 'viewer'];

/** A user. */
export function readUser(json: Fields): User {
  const role = userRoles.find((one) => one === field(json, 'role'));
  if (role === undefined) throw new Unreadable('has a user without a role');
  return {
    id: text(json, 'id'),
    name: text(json, 'name'),
    role,
    createdAt: number(json, 'createdAt'),
    disabledAt: numberOrNull(json, 'disabledAt'),
  };
}

/** A token. */
export function readToken(json: Fields): Token {
  return {
    id: text(json, 'id'),
    userId: text(json, 'userId'),
    name: text(json, 'name'),
    hash: text(json, 'hash'),
    createdAt: number(json, 'createdAt'),
    expiresAt: numberOrNull(json, 'expiresAt'),
    revokedAt: numberOrNull(json, 'revokedAt'),
    usedAt: numberOrNull(json, 'usedAt'),
  };
}

/** A share. */
export function readShare(json: Fields): Share {
  return {
    id: text(json, 'id'),
    owner: text(json, 'owner'),
    treeId: treeId(text(json, 'treeId')),
    version: numberOrNull(json, 'version'),
    nodeIds: texts(json, 'nodeIds').map(nodeId),
    fields: texts(json, 'fields'),
    title: textOrNull(json, 'title'),
    hash: text(json, 'hash'),
    createdAt: number(json, 'createdAt'),
    expiresAt: numberOrNull(json, 'expiresAt'),
    revokedAt: numberOrNull(json, 'revokedAt'),
  };
}

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
  type Run,
  type RunChunk,
  type Share,
  type Token,
  treeId,
  type User,
} from '@coppice/core';
import { applyPatch, parseStep } from '@coppice/core/tree';
import {
  type DiskFields,
  diskField,
  diskList,
  diskNumber,
  diskText,
  diskTextOrNull,
  diskTexts,
  isDiskFields,
  isJsonRecord,
  Unreadable,
} from './decode.ts';

function recordNumberOrNull(json: DiskFields, key: string): number | null {
  return diskField(json, key) === null || diskField(json, key) === undefined ? null : diskNumber(json, key);
}

function recordMeta(json: unknown): NodeMeta {
  const step = parseStep({ type: 'annotate', nodeId: 'x', after: json, before: {} });
  if (!step.ok || step.value.type !== 'annotate') throw new Unreadable('has notes that cannot be read');
  return applyPatch<NodeMeta>({}, step.value.after);
}

function recordMessage(json: unknown): Message {
  // A list may hold messages without content, which say nothing and are left out when it is read as a tree.
  if (isDiskFields(json) && Array.isArray(json.content) && json.content.length === 0) {
    const filled = checkMessage({ ...json, content: [{ type: 'text', text: '' }] });
    if (filled.ok) return { ...filled.value, content: [] };
  }
  const message = checkMessage(json);
  if (!message.ok) throw new Unreadable(`has a message that cannot be read (${message.refusal.message})`);
  return message.value;
}

/** A list of messages. */
export function readRecord(json: DiskFields): LinearRecord {
  const title = diskTextOrNull(json, 'title');
  const systemPrompt = diskTextOrNull(json, 'systemPrompt');
  return {
    treeId: treeId(diskText(json, 'treeId')),
    ...(title === null ? {} : { title }),
    ...(systemPrompt === null ? {} : { systemPrompt }),
    createdAt: diskNumber(json, 'createdAt'),
    messages: diskList(json, 'messages').map((item) => {
      if (!isDiskFields(item)) throw new Unreadable('has something else than messages in its list');
      const id = diskTextOrNull(item, 'id');
      const createdAt = recordNumberOrNull(item, 'createdAt');
      const meta = diskField(item, 'meta');
      return {
        ...(id === null ? {} : { id }),
        message: recordMessage(diskField(item, 'message')),
        ...(createdAt === null ? {} : { createdAt }),
        ...(meta === undefined ? {} : { meta: recordMeta(meta) }),
      };
    }),
  };
}

/** The other name of a tree or node. */
export function readExternalId(json: DiskFields): ExternalId {
  const node = diskTextOrNull(json, 'nodeId');
  return {
    treeId: treeId(diskText(json, 'treeId')),
    nodeId: node === null ? null : nodeId(node),
    format: diskText(json, 'format'),
    scope: diskText(json, 'scope'),
    id: diskText(json, 'id'),
  };
}

/** A reuse of a prefix. */
export function readProvenance(json: DiskFields): Provenance {
  return {
    treeId: treeId(diskText(json, 'treeId')),
    source: diskText(json, 'source'),
    firstNodeId: nodeId(diskText(json, 'firstNodeId')),
    lastNodeId: nodeId(diskText(json, 'lastNodeId')),
    count: diskNumber(json, 'count'),
    at: diskNumber(json, 'at'),
  };
}

/** A generation on its way. */
export function readRun(json: DiskFields): Run {
  const data = diskField(json, 'data');
  if (!isJsonRecord(data)) throw new Unreadable('has a run without data');
  return {
    id: diskText(json, 'id'),
    treeId: treeId(diskText(json, 'treeId')),
    nodeId: nodeId(diskText(json, 'nodeId')),
    process: diskText(json, 'process'),
    startedAt: diskNumber(json, 'startedAt'),
    beatAt: diskNumber(json, 'beatAt'),
    data,
  };
}

/** A piece of a reply. */
export function readChunk(json: DiskFields): RunChunk {
  return { offset: diskNumber(json, 'offset'), text: diskText(json, 'text') };
}

/** What an attachment is. */
export function readBlobInfo(json: DiskFields): BlobInfo {
  const hash = diskText(json, 'hash');
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Unreadable('has an attachment without a hash');
  return { hash, size: diskNumber(json, 'size'), mediaType: diskText(json, 'mediaType') };
}

const userRoles: readonly User['role'][] = ['admin', 'member', 'viewer'];

/** A user. */
export function readUser(json: DiskFields): User {
  const role = userRoles.find((one) => one === diskField(json, 'role'));
  if (role === undefined) throw new Unreadable('has a user without a role');
  return {
    id: diskText(json, 'id'),
    name: diskText(json, 'name'),
    role,
    createdAt: diskNumber(json, 'createdAt'),
    disabledAt: recordNumberOrNull(json, 'disabledAt'),
  };
}

/** A token. */
export function readToken(json: DiskFields): Token {
  return {
    id: diskText(json, 'id'),
    userId: diskText(json, 'userId'),
    name: diskText(json, 'name'),
    hash: diskText(json, 'hash'),
    createdAt: diskNumber(json, 'createdAt'),
    expiresAt: recordNumberOrNull(json, 'expiresAt'),
    revokedAt: recordNumberOrNull(json, 'revokedAt'),
    usedAt: recordNumberOrNull(json, 'usedAt'),
  };
}

/** A share. */
export function readShare(json: DiskFields): Share {
  return {
    id: diskText(json, 'id'),
    owner: diskText(json, 'owner'),
    treeId: treeId(diskText(json, 'treeId')),
    version: recordNumberOrNull(json, 'version'),
    nodeIds: diskTexts(json, 'nodeIds').map(nodeId),
    fields: diskTexts(json, 'fields'),
    title: diskTextOrNull(json, 'title'),
    hash: diskText(json, 'hash'),
    createdAt: diskNumber(json, 'createdAt'),
    expiresAt: recordNumberOrNull(json, 'expiresAt'),
    revokedAt: recordNumberOrNull(json, 'revokedAt'),
  };
}

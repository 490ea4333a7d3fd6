/** Rows and commits from JSON that was read from a file. What does not fit throws {@link Unreadable}. */
import {
  actId,
  type Bookmark,
  type Commit,
  type CommitKind,
  type Json,
  type JsonObject,
  type Node,
  type NodeId,
  nodeId,
  roleOf,
  type TreeAttributes,
  type TreeId,
  type TreeRow,
  treeId,
} from '@coppice/core';
import { applyPatch, parseStep, parseSteps } from '@coppice/core/tree';

/** An object whose fields are still unknown. */
export type DiskFields = { readonly [key: string]: unknown };

/** A value in a file that is not what it should be; the sentence says what is wrong, the caller names the file. */
export class Unreadable extends Error {}

/** Whether a value is a plain object. */
export function isDiskFields(value: unknown): value is DiskFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field, never one of the prototype's. */
export function diskField(fields: DiskFields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** A text field. */
export function diskText(fields: DiskFields, key: string): string {
  const value = diskField(fields, key);
  if (typeof value !== 'string') throw new Unreadable(`has no text ${key}`);
  return value;
}

/** A number field. */
export function diskNumber(fields: DiskFields, key: string): number {
  const value = diskField(fields, key);
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Unreadable(`has no number ${key}`);
  return value;
}

/** A text field, or null. */
export function diskTextOrNull(fields: DiskFields, key: string): string | null {
  return diskField(fields, key) === null || diskField(fields, key) === undefined ? null : diskText(fields, key);
}

/** An object field. */
export function diskObject(fields: DiskFields, key: string): DiskFields {
  const value = diskField(fields, key);
  if (!isDiskFields(value)) throw new Unreadable(`has no object ${key}`);
  return value;
}

/** A list field. */
export function diskList(fields: DiskFields, key: string): readonly unknown[] {
  const value = diskField(fields, key);
  if (!Array.isArray(value)) throw new Unreadable(`has no list ${key}`);
  return value;
}

/** A list of texts. */
export function diskTexts(fields: DiskFields, key: string): readonly string[] {
  return diskList(fields, key).map((item) => {
    if (typeof item !== 'string') throw new Unreadable(`has something else than texts in ${key}`);
    return item;
  });
}

/** A value as the JSON that it is; what came from a file is nothing else. */
export function isJsonData(value: unknown): value is Json {
  return value === null || ['string', 'number', 'boolean', 'object'].includes(typeof value);
}

/** An object as the JSON that it is. */
export function isJsonRecord(value: unknown): value is JsonObject {
  return isDiskFields(value);
}

const kinds: readonly CommitKind[] = ['do', 'undo', 'redo'];

/** A commit as it stands in a journal. */
export function decodeCommit(json: DiskFields, of: TreeId): Commit {
  const kind = kinds.find((one) => one === diskField(json, 'kind'));
  if (kind === undefined) throw new Unreadable('has no kind of commit');
  const steps = parseSteps(diskField(json, 'steps'));
  if (!steps.ok) throw new Unreadable(`has steps that cannot be read (${steps.refusal.message})`);
  return {
    treeId: of,
    version: diskNumber(json, 'version'),
    actId: actId(diskText(json, 'actId')),
    actor: diskText(json, 'actor'),
    at: diskNumber(json, 'at'),
    kind,
    seq: diskNumber(json, 'seq'),
    structural: diskField(json, 'structural') === true,
    steps: steps.value,
  };
}

/** A node row. The step that would insert it is read, so that one decoder of core's says what a node is. */
export function decodeNode(json: DiskFields): Node {
  const step = parseStep({ type: 'insert', node: json });
  if (!step.ok) throw new Unreadable(`has a node that cannot be read (${step.refusal.message})`);
  if (step.value.type !== 'insert') throw new Unreadable('has no node');
  const { node } = step.value;
  const removedIn = diskField(json, 'removedIn');
  const lastChildId = diskTextOrNull(json, 'lastChildId');
  const { id, parentId, position, kind, message, status, groupId, createdAt, matchParent, key, tokens } = node;
  // In the order in which a commit makes them, so that rows print alike wherever they were read from.
  return {
    id,
    parentId,
    position,
    seq: diskNumber(json, 'seq'),
    kind,
    role: roleOf(message),
    status,
    groupId,
    createdAt,
    matchParent,
    key,
    tokens,
    addedIn: diskNumber(json, 'addedIn'),
    contentIn: diskNumber(json, 'contentIn'),
    removedIn: removedIn === null || removedIn === undefined ? null : diskNumber(json, 'removedIn'),
    lastChildId: lastChildId === null ? null : nodeId(lastChildId),
    message,
    text: node.text,
    meta: node.meta,
    marker: node.marker,
    aliases: node.aliases,
  };
}

/** The row of a tree. */
export function decodeRow(json: DiskFields): TreeRow {
  const active = diskTextOrNull(json, 'activeNodeId');
  const row = {
    id: treeId(diskText(json, 'id')),
    owner: diskText(json, 'owner'),
    rootId: nodeId(diskText(json, 'rootId')),
    version: diskNumber(json, 'version'),
    structureVersion: diskNumber(json, 'structureVersion'),
    activeNodeId: active === null ? null : nodeId(active),
    nextSeq: diskNumber(json, 'nextSeq'),
    createdAt: diskNumber(json, 'createdAt'),
    updatedAt: diskNumber(json, 'updatedAt'),
  };
  const step = parseStep({ type: 'attributes', after: diskObject(json, 'attributes'), before: {} });
  if (!step.ok || step.value.type !== 'attributes') throw new Unreadable('has attributes that cannot be read');
  return { ...row, attributes: applyPatch<TreeAttributes>({}, step.value.after) };
}

/** The row of a tree alone, also where a whole value is given. */
export function diskRow(row: TreeRow): TreeRow {
  const { id, owner, rootId, version, structureVersion, activeNodeId, nextSeq, createdAt, updatedAt, attributes } = row;
  return { id, owner, rootId, version, structureVersion, activeNodeId, nextSeq, createdAt, updatedAt, attributes };
}

/** Bookmarks from a list. */
export function decodeBookmarks(json: DiskFields, key: string): Bookmark[] {
  return diskList(json, key).map((after) => {
    const id = isDiskFields(after) ? diskField(after, 'nodeId') : null;
    const step = parseStep({ type: 'bookmark', nodeId: id, after, before: null });
    if (!step.ok || step.value.type !== 'bookmark' || step.value.after === null)
      throw new Unreadable('has a bookmark that cannot be read');
    return step.value.after;
  });
}

/** Node ids from a list. */
export function decodeIds(json: DiskFields, key: string): NodeId[] {
  return diskTexts(json, key).map(nodeId);
}

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
  parseStep,
  parseSteps,
  patched,
  roleOf,
  type TreeAttributes,
  type TreeId,
  type TreeRow,
  treeId,
} from '@coppice/core';

/** An object whose fields are still unknown. */
export type Fields = { readonly [key: string]: unknown };

/** A value in a file that is not what it should be; the sentence says what is wrong, the caller names the file. */
export class Unreadable extends Error {}

/** Whether a value is a plain object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field, never one of the prototype's. */
export function field(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** A text field. */
export function text(fields: Fields, key: string): string {
  const value = field(fields, key);
  if (typeof value !== 'string') throw new Unreadable(`has no text ${key}`);
  return value;
}

/** A number field. */
export function number(fields: Fields, key: string): number {
  const value = field(fields, key);
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Unreadable(`has no number ${key}`);
  return value;
}

/** A text field, or null. */
export function textOrNull(fields: Fields, key: string): string | null {
  return field(fields, key) === null || field(fields, key) === undefined ? null : text(fields, key);
}

/** An object field. */
export function object(fields: Fields, key: string): Fields {
  const value = field(fields, key);
  if (!isFields(value)) throw new Unreadable(`has no object ${key}`);
  return value;
}

/** A list field. */
export function list(fields: Fields, key: string): readonly unknown[] {
  const value = field(fields, key);
  if (!Array.isArray(value)) throw new Unreadable(`has no list ${key}`);
  return value;
}

/** A list of texts. */
export function texts(fields: Fields, key: string): readonly string[] {
  return list(fields, key).map((item) => {
    if (typeof item !== 'string') throw new Unreadable(`has something else than texts in ${key}`);
    return item;
  });
}

/** A value as the JSON that it is; what came from a file is nothing else. */
export function isJson(value: unknown): value is Json {
  return value === null || ['string', 'number', 'boolean', 'object'].includes(typeof value);
}

/** An object as the JSON that it is. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isFields(value);
}

const kinds: readonly CommitKind[] = ['do', 'undo', 'redo'];

/** A commit as it stands in a journal. */
export function readCommit(json: Fields, of: TreeId): Commit {
  const kind = kinds.find((one) => one === field(json, 'kind'));
  if (kind === undefined) throw new Unreadable('has no kind of commit');
  const steps = parseSteps(field(json, 'steps'));
  if (!steps.ok) throw new Unreadable(`has steps that cannot be read (${steps.refusal.message})`);
  return {
    treeId: of,
    version: number(json, 'version'),
    actId: actId(text(json, 'actId')),
    actor: text(json, 'actor'),
    at: number(json, 'at'),
    kind,
    seq: number(json, 'seq'),
    structural: field(json, 'structural') === true,
    steps: steps.value,
  };
}

/** A node row. The step that would insert it is read, so that one decoder of core's says what a node is. */
export function readNode(json: Fields): Node {
  const step = parseStep({ type: 'insert', node: json });
  if (!step.ok) throw new Unreadable(`has a node that cannot be read (${step.refusal.message})`);
  if (step.value.type !== 'insert') throw new Unreadable('has no node');
  const { node } = step.value;
  const removedIn = field(json, 'removedIn');
  const lastChildId = textOrNull(json, 'lastChildId');
  const { id, parentId, position, kind, message, status, groupId, createdAt, matchParent, key, tokens } = node;
  // In the order in which a commit makes them, so that rows print alike wherever they were read from.
  return {
    id,
    parentId,
    position,
    seq: number(json, 'seq'),
    kind,
    role: roleOf(message),
    status,
    groupId,
    createdAt,
    matchParent,
    key,
    tokens,
    addedIn: number(json, 'addedIn'),
    contentIn: number(json, 'contentIn'),
    removedIn: removedIn === null || removedIn === undefined ? null : number(json, 'removedIn'),
    lastChildId: lastChildId === null ? null : nodeId(lastChildId),
    message,
    text: node.text,
    meta: node.meta,
    marker: node.marker,
    aliases: node.aliases,
  };
}

/** The row of a tree. */
export function readRow(json: Fields): TreeRow {
  const active = textOrNull(json, 'activeNodeId');
  const row = {
    id: treeId(text(json, 'id')),
    owner: text(json, 'owner'),
    rootId: nodeId(text(json, 'rootId')),
    version: number(json, 'version'),
    structureVersion: number(json, 'structureVersion'),
    activeNodeId: active === null ? null : nodeId(active),
    nextSeq: number(json, 'nextSeq'),
    createdAt: number(json, 'createdAt'),
    updatedAt: number(json, 'updatedAt'),
  };
  const step = parseStep({ type: 'attributes', after: object(json, 'attributes'), before: {} });
  if (!step.ok || step.value.type !== 'attributes') throw new Unreadable('has attributes that cannot be read');
  return { ...row, attributes: patched<TreeAttributes>({}, step.value.after) };
}

/** The row of a tree alone, also where a whole value is given. */
export function rowOf(row: TreeRow): TreeRow {
  const { id, owner, rootId, version, structureVersion, activeNodeId, nextSeq, createdAt, updatedAt, attributes } = row;
  return { id, owner, rootId, version, structureVersion, activeNodeId, nextSeq, createdAt, updatedAt, attributes };
}

/** Bookmarks from a list. */
export function readBookmarks(json: Fields, key: string): Bookmark[] {
  return list(json, key).map((after) => {
    const id = isFields(after) ? field(after, 'nodeId') : null;
    const step = parseStep({ type: 'bookmark', nodeId: id, after, before: null });
    if (!step.ok || step.value.type !== 'bookmark' || step.value.after === null)
      throw new Unreadable('has a bookmark that cannot be read');
    return step.value.after;
  });
}

/** Node ids from a list. */
export function readIds(json: Fields, key: string): NodeId[] {
  return texts(json, key).map(nodeId);
}

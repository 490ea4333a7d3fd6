/**
 * Decodes rows and commits from the JSON of a file. Throws a `MalformedError`, usually an {@link UnreadableValueError}.
 */
import {
  actId,
  type Bookmark,
  type Commit,
  type CommitKind,
  type FieldMap,
  type FieldReader,
  isAppError,
  type Json,
  type NewNode,
  type Node,
  type NodeId,
  nodeId,
  roleOf,
  type TreeAttributes,
  type TreeId,
  type TreeRow,
  treeId,
} from '@coppice/core';
import {
  finiteNumberField,
  listField,
  MalformedError,
  nullableField,
  oneOfField,
  ownField,
  requiredText,
  shapeListField,
  shapeReader,
  textListField,
} from '@coppice/core/decode';
import { applyPatch, attributesField, bookmarkShape, parseSteps, readNewNode } from '@coppice/core/tree';

/** The error for a wrong value in a file. Its message says what is wrong; the caller adds the name of the file. */
export class UnreadableValueError extends MalformedError {
  constructor(says: string) {
    super('', says);
  }
}

/** Describes what is wrong with a record, as the end of a sentence about that record. */
export function describeUnreadable(error: MalformedError): string {
  return error.where === '' ? error.message : `cannot be read: ${error.message}`;
}

export const nullableTextField: FieldReader<string | null> = nullableField(requiredText);
export const nullableNumberField: FieldReader<number | null> = nullableField(finiteNumberField);
export const treeIdField: FieldReader<TreeId> = (fields, key) => treeId(requiredText(fields, key));
export const nodeIdField: FieldReader<NodeId> = (fields, key) => nodeId(requiredText(fields, key));
export const nullableNodeIdField: FieldReader<NodeId | null> = nullableField(nodeIdField);

/** Whether a value is valid JSON data. False for undefined, which is the value of a missing field. */
export function isJsonData(value: unknown): value is Json {
  return value === null || ['string', 'number', 'boolean', 'object'].includes(typeof value);
}

const commitKind = oneOfField<CommitKind>(['do', 'undo', 'redo']);

/** Decodes a commit of a journal. `of` is the tree that the journal belongs to. */
export function decodeCommit(json: FieldMap, of: TreeId): Commit {
  const steps = parseSteps(listField(json, 'steps'));
  if (!steps.ok) throw new UnreadableValueError(`has steps that cannot be read (${steps.refusal.message})`);
  return {
    treeId: of,
    version: finiteNumberField(json, 'version'),
    actId: actId(requiredText(json, 'actId')),
    actor: requiredText(json, 'actor'),
    at: finiteNumberField(json, 'at'),
    kind: commitKind(json, 'kind'),
    seq: finiteNumberField(json, 'seq'),
    structural: ownField(json, 'structural') === true,
    steps: steps.value,
  };
}

export function decodeNode(json: FieldMap): Node {
  const { id, parentId, position, kind, message, status, groupId, createdAt, matchParent, key, tokens, ...rest } =
    newNodeOf(json);
  // The fields have the order in which a commit writes them, so that rows from files and from commits serialise
  // alike.
  return {
    id,
    parentId,
    position,
    seq: finiteNumberField(json, 'seq'),
    kind,
    role: roleOf(message),
    status,
    groupId,
    createdAt,
    matchParent,
    key,
    tokens,
    addedIn: finiteNumberField(json, 'addedIn'),
    contentIn: finiteNumberField(json, 'contentIn'),
    removedIn: nullableNumberField(json, 'removedIn'),
    lastChildId: nullableNodeIdField(json, 'lastChildId'),
    message,
    ...rest,
  };
}

function newNodeOf(json: FieldMap): NewNode {
  try {
    return readNewNode(json);
  } catch (error) {
    if (isAppError(error)) throw new UnreadableValueError(`has a node that cannot be read (${error.message})`);
    throw error;
  }
}

export const decodeTreeRow: (json: FieldMap) => TreeRow = shapeReader<TreeRow>({
  id: treeIdField,
  owner: requiredText,
  rootId: nodeIdField,
  version: finiteNumberField,
  structureVersion: finiteNumberField,
  activeNodeId: nullableNodeIdField,
  nextSeq: finiteNumberField,
  createdAt: finiteNumberField,
  updatedAt: finiteNumberField,
  attributes: (fields, key) => applyPatch<TreeAttributes>({}, attributesField(fields, key)),
});

export const decodeBookmarks: FieldReader<readonly Bookmark[]> = shapeListField(shapeReader<Bookmark>(bookmarkShape));

export function decodeNodeIds(json: FieldMap, key: string): NodeId[] {
  return textListField(json, key).map(nodeId);
}

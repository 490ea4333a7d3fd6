import { makeRefusedResult, ok, type Result } from './errors.ts';

declare const brand: unique symbol;
/** A string type to which a plain string can be assigned only after parsing or by a cast. */
export type Brand<Name extends string> = string & { readonly [brand]: Name };

/** Identifies a tree of any owner in a store. */
export type TreeId = Brand<'TreeId'>;
/** Identifies a node in all trees of a store. */
export type NodeId = Brand<'NodeId'>;
/** Identifies an act: all commits of one user action, in one tree or several. */
export type ActId = Brand<'ActId'>;

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a lower-case UUID, the only form of id that a client may choose. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && text.length === 36 && uuidPattern.test(text);
}

function parseId<Id extends string>(value: unknown, what: string): Result<Id> {
  if (isUuid(value)) return ok(value as Id);
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : typeof value;
  return makeRefusedResult('id/invalid', `A ${what} is a UUID in lower case, not ${shown}.`, { what });
}

/** Parses a node id that a client chose; refuses everything but a UUID in lower case. */
export function parseNodeId(value: unknown): Result<NodeId> {
  return parseId<NodeId>(value, 'node id');
}

/** Parses a tree id that a client chose; refuses everything but a UUID in lower case. */
export function parseTreeId(value: unknown): Result<TreeId> {
  return parseId<TreeId>(value, 'tree id');
}

/** Parses an act id that a client chose; refuses everything but a UUID in lower case. */
export function parseActId(value: unknown): Result<ActId> {
  return parseId<ActId>(value, 'act id');
}

/** Casts a text to a node id without a check, for ids from Coppice's own rows and for foreign ids that are kept. */
export function nodeId(text: string): NodeId {
  return text as NodeId;
}

/** Casts a text to a tree id without a check. */
export function treeId(text: string): TreeId {
  return text as TreeId;
}

/** Casts a text to an act id without a check. */
export function actId(text: string): ActId {
  return text as ActId;
}

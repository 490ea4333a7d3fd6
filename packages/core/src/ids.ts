import { ok, type Result, refusedResult } from './errors.ts';

declare const brand: unique symbol;
/** A string that only its own parser makes. */
export type Brand<Name extends string> = string & { readonly [brand]: Name };

/** Names one tree. */
export type TreeId = Brand<'TreeId'>;
/** Names one node of one tree. */
export type NodeId = Brand<'NodeId'>;
/** Names one user action: all commits that belong together. */
export type ActId = Brand<'ActId'>;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text is a bare, lower-case UUID, the only form of id that a client may choose. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && text.length === 36 && uuid.test(text);
}

function parseId<Id extends string>(value: unknown, what: string): Result<Id> {
  if (isUuid(value)) return ok(value as Id);
  const shown = typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : typeof value;
  return refusedResult('id/invalid', `A ${what} is a UUID in lower case, not ${shown}.`, { what });
}

/** Reads a node id chosen by a client. */
export function parseNodeId(value: unknown): Result<NodeId> {
  return parseId<NodeId>(value, 'node id');
}

/** Reads a tree id chosen by a client. */
export function parseTreeId(value: unknown): Result<TreeId> {
  return parseId<TreeId>(value, 'tree id');
}

/** Reads an act id chosen by a client. */
export function parseActId(value: unknown): Result<ActId> {
  return parseId<ActId>(value, 'act id');
}

/** Takes a text as a node id without looking: for ids read from our own rows and for foreign shapes that keep their own ids. */
export function nodeId(text: string): NodeId {
  return text as NodeId;
}

/** Takes a text as a tree id without looking. */
export function treeId(text: string): TreeId {
  return text as TreeId;
}

/** Takes a text as an act id without looking. */
export function actId(text: string): ActId {
  return text as ActId;
}

/** Decoders for steps and trees that come from outside. They throw {@link Malformed}, which their callers turn into a refusal. */
import { valueOf } from '../errors.ts';
import { type NodeId, nodeId, type TreeId, treeId } from '../ids.ts';
import { checkMessage, type Message } from '../message.ts';
import {
  type Alias,
  type Bookmark,
  type Content,
  type Marker,
  type NewNode,
  type NodeKind,
  type NodeOrigin,
  type NodeStatus,
  nodeKinds,
  nodeStatuses,
  type TreeAttributes,
} from '../node.ts';
import { isPosition } from '../position.ts';
import type { Place } from './types.ts';

/** A value that is not what was asked for; the sentence names the field. */
export class Malformed extends Error {}

/** An object whose fields are still unknown. */
export type Fields = { readonly [key: string]: unknown };

/** Whether a value is a plain object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

function wrong(key: string, wanted: string): never {
  throw new Malformed(`${key} must be ${wanted}`);
}

/** A text field. */
export function text(fields: Fields, key: string): string {
  const value = own(fields, key);
  return typeof value === 'string' ? value : wrong(key, 'a text');
}

/** A whole number of at least `least`. */
export function whole(fields: Fields, key: string, least = 0): number {
  const value = own(fields, key);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
    ? value
    : wrong(key, `a whole number from ${least}`);
}

/** A finite number. */
export function finite(fields: Fields, key: string): number {
  const value = own(fields, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : wrong(key, 'a number');
}

/** A non-empty id. Tree values take any text, so that foreign shapes keep their own ids. */
export function id(fields: Fields, key: string): NodeId {
  const value = text(fields, key);
  return value === '' ? wrong(key, 'an id') : nodeId(value);
}

/** The id of a tree. */
export function ofTree(fields: Fields, key: string): TreeId {
  const value = text(fields, key);
  return value === '' ? wrong(key, 'an id') : treeId(value);
}

/** A field, or null. */
export function orNull<T>(fields: Fields, key: string, read: (fields: Fields, key: string) => T): T | null {
  const value = own(fields, key);
  return value === null || value === undefined ? null : read(fields, key);
}

/** An object field. */
export function object(fields: Fields, key: string): Fields {
  const value = own(fields, key);
  return isFields(value) ? value : wrong(key, 'an object');
}

/** A list field, each element an object. */
export function objects(fields: Fields, key: string): readonly Fields[] {
  const value = own(fields, key);
  if (!Array.isArray(value)) return wrong(key, 'a list');
  return value.map((item: unknown, index) => (isFields(item) ? item : wrong(`${key}[${index}]`, 'an object')));
}

/** A field that is one of a few words. */
export function oneOf<T extends string>(fields: Fields, key: string, words: readonly T[]): T {
  const value = own(fields, key);
  return words.find((word) => word === value) ?? wrong(key, `one of ${words.join(', ')}`);
}

/** An order key. */
export function position(fields: Fields, key: string): string {
  const value = own(fields, key);
  return isPosition(value) ? value : wrong(key, 'an order key');
}

type Reader = (fields: Fields, key: string) => unknown;

// What core itself reads of a patch has its type checked; every other key is kept as it is.
const noteReaders: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['title', text],
  ['autoTitle', text],
  ['tags', texts],
  ['customData', object],
  ['source', object],
  ['excluded', flag],
  ['splitSource', text],
  ['pickedFrom', origin],
  ['copiedFrom', origin],
]);
const attributeReaders: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['title', text],
  ['autoTitle', text],
  ['systemPrompt', text],
  ['project', text],
  ['folder', text],
  ['pinned', flag],
  ['tags', texts],
  ['metadata', object],
  ['copiedFrom', lineage],
  ['trashedAt', finite],
]);

function patch(fields: Fields, key: string, readers: ReadonlyMap<string, Reader>): Fields {
  const entries = Object.entries(object(fields, key));
  const values = Object.fromEntries(entries);
  for (const [name, value] of entries) if (value !== null) readers.get(name)?.(values, name);
  return values;
}

function checkPatch(values: Fields, readers: ReadonlyMap<string, Reader>): void {
  for (const name of Object.keys(values)) {
    const value = values[name];
    if (value !== null && value !== undefined) readers.get(name)?.(values, name);
  }
}

/** Throws {@link Malformed} where a note that core itself reads is not of its type. */
export function checkNotes(values: Fields): void {
  checkPatch(values, noteReaders);
}

/** Throws {@link Malformed} where an attribute that core itself reads is not of its type. */
export function checkAttributes(values: Fields): void {
  checkPatch(values, attributeReaders);
}

/** A patch of a node's notes: values by key, null takes away. */
export function notes(fields: Fields, key: string): Fields {
  return patch(fields, key, noteReaders);
}

/** A patch of a tree's attributes: values by key, null takes away. */
export function attributes(fields: Fields, key: string): Fields {
  return patch(fields, key, attributeReaders);
}

function texts(fields: Fields, key: string): readonly string[] {
  const value = own(fields, key);
  if (!Array.isArray(value) || value.some((item: unknown) => typeof item !== 'string'))
    return wrong(key, 'a list of texts');
  return value;
}

function flag(fields: Fields, key: string): boolean {
  const value = own(fields, key);
  return typeof value === 'boolean' ? value : wrong(key, 'true or false');
}

function lineage(fields: Fields, key: string): TreeAttributes['copiedFrom'] {
  const from = object(fields, key);
  const node = orNull(from, 'nodeId', id);
  return node === null ? { treeId: ofTree(from, 'treeId') } : { treeId: ofTree(from, 'treeId'), nodeId: node };
}

function message(fields: Fields, key: string): Message {
  return valueOf(checkMessage(own(fields, key), key));
}

function alias(fields: Fields): Alias {
  return { matchParent: id(fields, 'matchParent'), key: text(fields, 'key') };
}

function origin(fields: Fields, key: string): NodeOrigin {
  const from = object(fields, key);
  return { treeId: ofTree(from, 'treeId'), nodeId: id(from, 'nodeId') };
}

function marker(fields: Fields, key: string): Marker {
  const from = object(fields, key);
  const firstKept = orNull(from, 'firstKept', id);
  const tokensBefore = orNull(from, 'tokensBefore', finite);
  const left = orNull(from, 'from', id);
  const mergedFrom = orNull(from, 'mergedFrom', origin);
  const details = orNull(from, 'details', object);
  return {
    ...(firstKept === null ? {} : { firstKept }),
    ...(tokensBefore === null ? {} : { tokensBefore }),
    ...(left === null ? {} : { from: left }),
    ...(mergedFrom === null ? {} : { mergedFrom }),
    ...(details === null ? {} : { details: details as NonNullable<Marker['details']> }),
  };
}

/** The place of a move step. */
export function place(fields: Fields, key: string): Place {
  const at = object(fields, key);
  return {
    parentId: id(at, 'parentId'),
    position: position(at, 'position'),
    groupId: whole(at, 'groupId'),
    matchParent: id(at, 'matchParent'),
  };
}

/** The content of a replace step. */
export function content(fields: Fields, key: string): Content {
  const at = object(fields, key);
  return {
    message: message(at, 'message'),
    status: oneOf<NodeStatus>(at, 'status', nodeStatuses),
    key: orNull(at, 'key', text),
    text: text(at, 'text'),
    tokens: finite(at, 'tokens'),
    aliases: objects(at, 'aliases').map(alias),
  };
}

/** A bookmark. */
export function bookmark(fields: Fields, key: string): Bookmark {
  const at = object(fields, key);
  return {
    nodeId: id(at, 'nodeId'),
    title: text(at, 'title'),
    createdAt: finite(at, 'createdAt'),
    updatedAt: finite(at, 'updatedAt'),
  };
}

/** The node of an insert step. */
export function newNode(at: Fields): NewNode {
  const kind = oneOf<NodeKind>(at, 'kind', nodeKinds);
  return {
    id: id(at, 'id'),
    parentId: orNull(at, 'parentId', id),
    position: position(at, 'position'),
    kind,
    message: kind === 'root' ? null : message(at, 'message'),
    status: oneOf<NodeStatus>(at, 'status', nodeStatuses),
    groupId: whole(at, 'groupId'),
    createdAt: finite(at, 'createdAt'),
    matchParent: orNull(at, 'matchParent', id),
    key: orNull(at, 'key', text),
    text: text(at, 'text'),
    tokens: finite(at, 'tokens'),
    meta: notes(at, 'meta'),
    marker: orNull(at, 'marker', marker),
    aliases: objects(at, 'aliases').map(alias),
  };
}

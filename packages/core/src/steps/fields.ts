/** Readers of fields that come from outside. They throw {@link Malformed}, which their callers turn into a refusal. */
import { type NodeId, nodeId, type TreeId, treeId } from '../ids.ts';
import { nodeKinds, nodeStatuses } from '../node.ts';

/** A value that is not what was asked for; the sentence names the field. */
export class Malformed extends Error {}

/** An object whose fields are still unknown. */
export type Fields = { readonly [key: string]: unknown };

/** Reads one field of an object. */
export type Reader<T> = (fields: Fields, key: string) => T;

/** Whether a value is a plain object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a field; what is inherited does not count. */
export function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** Refuses a field. */
export function wrong(key: string, wanted: string): never {
  throw new Malformed(`${key} must be ${wanted}`);
}

/**
 * A reader of fields that pass a test. Marked, so that a bundle takes those readers along that it uses.
 * @__NO_SIDE_EFFECTS__
 */
export function field<T>(fits: (value: unknown) => value is T, wanted: string): Reader<T> {
  return (fields, key) => {
    const value = own(fields, key);
    return fits(value) ? value : wrong(key, wanted);
  };
}

const isString = (value: unknown): value is string => typeof value === 'string';

/** A text field. */
export function text(fields: Fields, key: string): string {
  const value = own(fields, key);
  return typeof value === 'string' ? value : wrong(key, 'a text');
}

/** A finite number. */
export const finite = field((value): value is number => Number.isFinite(value), 'a number');

/** An object field. */
export const object = field(isFields, 'an object');

const flag = field((value): value is boolean => typeof value === 'boolean', 'true or false');
const texts = field((value): value is string[] => Array.isArray(value) && value.every(isString), 'a list of texts');

/** A whole number from a least one on. @__NO_SIDE_EFFECTS__ */
export function wholeFrom(least: number): Reader<number> {
  return field(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= least,
    `a whole number from ${least}`,
  );
}

/** A whole number. */
export const whole = wholeFrom(0);

/** A field that is one of a few words. @__NO_SIDE_EFFECTS__ */
function oneOf<T extends string>(words: readonly T[]): Reader<T> {
  return field((value): value is T => words.some((word) => word === value), `one of ${words.join(', ')}`);
}

/** What a node is. */
export const kind = oneOf(nodeKinds);
/** How a node came out. */
export const status = oneOf(nodeStatuses);

/** A non-empty id. Tree values take any text, so that foreign shapes keep their own ids. */
export function id(fields: Fields, key: string): NodeId {
  return nodeId(text(fields, key) || wrong(key, 'an id'));
}

/** The id of a tree. */
export function ofTree(fields: Fields, key: string): TreeId {
  return treeId(id(fields, key));
}

function origin(fields: Fields, key: string): void {
  lineage(fields, key);
  id(object(fields, key), 'nodeId');
}

function lineage(fields: Fields, key: string): void {
  const from = object(fields, key);
  id(from, 'treeId');
  if (own(from, 'nodeId') != null) id(from, 'nodeId');
}

/** What core itself reads of a patch; every other key is kept as it is. */
export type PatchReaders = ReadonlyMap<string, Reader<unknown>>;

const everywhere = { title: text, autoTitle: text, tags: texts };

/** What core reads of a node's notes. */
export const noteReaders: PatchReaders = new Map<string, Reader<unknown>>(
  Object.entries({
    ...everywhere,
    customData: object,
    source: object,
    excluded: flag,
    splitSource: text,
    continues: text,
    measuredOver: text,
    pickedFrom: origin,
    copiedFrom: origin,
  }),
);

/** What core reads of a marker. */
export const markerReaders: PatchReaders = new Map<string, Reader<unknown>>(
  Object.entries({ firstKept: id, tokensBefore: finite, from: id, mergedFrom: origin, details: object }),
);

/** What core reads of a tree's attributes. */
export const attributeReaders: PatchReaders = new Map<string, Reader<unknown>>(
  Object.entries({
    ...everywhere,
    systemPrompt: text,
    project: text,
    folder: text,
    pinned: flag,
    metadata: object,
    copiedFrom: lineage,
    trashedAt: finite,
  }),
);

/** Throws {@link Malformed} where something that core itself reads is not of its type. Null takes a key away. */
export function checkPatch(values: unknown, readers: PatchReaders): void {
  if (!isFields(values)) return wrong('what is noted', 'an object');
  for (const name of Object.keys(values)) if (values[name] != null) readers.get(name)?.(values, name);
}

/** Decoders for steps and trees that come from outside: what each is made of, as tables of readers. */
import { isAppError, ok, type Result, refused, valueOf } from '../errors.ts';
import { checkMessage, type JsonObject, type Message } from '../message.ts';
import {
  type Alias,
  type Bookmark,
  type Content,
  type Marker,
  type NewNode,
  type NodeOrigin,
  nodeKinds,
  nodeStatuses,
} from '../node.ts';
import { isPosition } from '../position.ts';
import {
  attributeReaders,
  checkPatch,
  type Fields,
  field,
  finite,
  id,
  isFields,
  Malformed,
  noteReaders,
  object,
  ofTree,
  own,
  type PatchReaders,
  type Reader,
  text,
  wrong,
} from './fields.ts';
import type { Place, Step, StepType } from './types.ts';

/** A reader for each field; a field that may be missing is left out where its reader gives nothing. */
export type Shape<T> = {
  readonly [K in keyof T]-?: undefined extends T[K] ? Reader<T[K] | undefined> : Reader<T[K]>;
};

/** Reads an object by the readers of its fields. */
export function shaped<T>(fields: Fields, shape: Shape<T>): T {
  const made: { [key: string]: unknown } = {};
  for (const key in shape) {
    const value = shape[key](fields, key);
    if (value !== undefined) made[key] = value;
  }
  // Each field is what its reader says, which the loop over them cannot show the compiler.
  return made as T;
}

/** An object field of a shape. @__NO_SIDE_EFFECTS__ */
function inside<T>(shape: Shape<T>): Reader<T> {
  return (fields, key) => shaped(object(fields, key), shape);
}

/** A list field, each element an object of a shape. @__NO_SIDE_EFFECTS__ */
export function listOf<T>(shape: Shape<T>): Reader<readonly T[]> {
  return (fields, key) => {
    const value = own(fields, key);
    if (!Array.isArray(value)) return wrong(key, 'a list');
    return value.map((item, index) => (isFields(item) ? shaped(item, shape) : wrong(`${key}[${index}]`, 'an object')));
  };
}

/** A field, or null. @__NO_SIDE_EFFECTS__ */
export function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (fields, key) => (own(fields, key) == null ? null : read(fields, key));
}

/** A field that may be missing. @__NO_SIDE_EFFECTS__ */
function optional<T>(read: Reader<T>): Reader<T | undefined> {
  return (fields, key) => (own(fields, key) == null ? undefined : read(fields, key));
}

/** A whole number from a least one on. @__NO_SIDE_EFFECTS__ */
function wholeFrom(least: number): Reader<number> {
  return field(
    (value): value is number => Number.isSafeInteger(value) && Number(value) >= least,
    `a whole number from ${least}`,
  );
}

/** A field that is one of a few words. @__NO_SIDE_EFFECTS__ */
function oneOf<T extends string>(words: readonly T[]): Reader<T> {
  return field((value): value is T => words.some((word) => word === value), `one of ${words.join(', ')}`);
}

/** A patch: values by key, null takes away. @__NO_SIDE_EFFECTS__ */
function patch(readers: PatchReaders): Reader<Fields> {
  return (fields, key) => {
    // By entries: `__proto__` is an ordinary key.
    const values = Object.fromEntries(Object.entries(object(fields, key)));
    checkPatch(values, readers);
    return values;
  };
}

function message(fields: Fields, key: string): Message {
  return valueOf(checkMessage(own(fields, key), key));
}

/** A whole number. */
export const whole = wholeFrom(0);
/** A version, or another number that counts from one. */
export const counted = wholeFrom(1);
/** A patch of a tree's attributes. */
export const attributes = patch(attributeReaders);
const notes = patch(noteReaders);
const position = field(isPosition, 'an order key');
const json = object as Reader<JsonObject>;

/** The parts of a bookmark. */
export const bookmarkShape: Shape<Bookmark> = { nodeId: id, title: text, createdAt: finite, updatedAt: finite };
const bookmark = orNull(inside(bookmarkShape));
const place = inside<Place>({ parentId: id, position, groupId: whole, matchParent: id });
const marker = inside<Marker>({
  firstKept: optional(id),
  tokensBefore: optional(finite),
  from: optional(id),
  mergedFrom: optional(inside<NodeOrigin>({ treeId: ofTree, nodeId: id })),
  details: optional(json),
});
const status = oneOf(nodeStatuses);
const key = orNull(text);
const aliases = listOf<Alias>({ matchParent: id, key: text });
const content = inside<Content>({ message, status, key, text, tokens: finite, aliases });

/** The parts of a node as an insert step carries it. */
export const nodeShape: Shape<NewNode> = {
  id,
  parentId: orNull(id),
  position,
  kind: oneOf(nodeKinds),
  message: (fields, name) => (fields.kind === 'root' ? null : message(fields, name)),
  status,
  groupId: whole,
  createdAt: finite,
  matchParent: orNull(id),
  key,
  text,
  tokens: finite,
  meta: notes,
  marker: orNull(marker),
  aliases,
};

const shapes: { readonly [T in StepType]: Shape<Omit<Extract<Step, { type: T }>, 'type'>> } = {
  insert: { node: inside(nodeShape) },
  remove: { nodeId: id },
  restore: { nodeId: id, version: counted, position: optional(position) },
  move: { nodeId: id, to: place, from: place },
  replace: { nodeId: id, after: content, before: content, since: counted },
  annotate: { nodeId: id, after: notes, before: notes },
  regroup: { nodeId: id, after: whole, before: whole },
  select: { after: orNull(id), before: orNull(id) },
  bookmark: { nodeId: id, after: bookmark, before: bookmark },
  attributes: { after: attributes, before: attributes },
};

/** The names of the ten kinds of step. */
export const stepTypes = Object.keys(shapes) as readonly StepType[];

/** Reads something from untrusted JSON; what is malformed is refused with a sentence that says where. */
export function reading<T>(
  code: 'step/invalid' | 'tree/invalid',
  where: string,
  data: object,
  read: () => T,
): Result<T> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof Malformed) return refused(code, `In a ${where}: ${error.message}.`, { ...data });
    if (isAppError(error)) return { ok: false, refusal: error.toJSON() };
    throw error;
  }
}

/** Reads one step from untrusted JSON. */
export function parseStep(step: unknown): Result<Step> {
  const type = isFields(step) ? stepTypes.find((known) => known === own(step, 'type')) : undefined;
  if (type === undefined || !isFields(step))
    return refused('step/invalid', `A step has one of the types ${stepTypes.join(', ')}.`);
  return reading(
    'step/invalid',
    `step of type ${type}`,
    { type },
    () => ({ type, ...shaped<object>(step, shapes[type]) }) as Step,
  );
}

/** Reads a list of steps from untrusted JSON; the refusal names the first bad one by its index. */
export function parseSteps(list: unknown): Result<Step[]> {
  if (!Array.isArray(list)) return refused('step/invalid', 'Steps are a list.');
  const steps: Step[] = [];
  for (const [index, item] of list.entries()) {
    const step = parseStep(item);
    if (!step.ok) return { ok: false, refusal: { ...step.refusal, data: { ...step.refusal.data, index } } };
    steps.push(step.value);
  }
  return ok(steps);
}

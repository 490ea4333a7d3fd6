/** Decoders for steps and trees that come from outside: what each is made of, as tables of readers. */
import {
  type Fields,
  field,
  finite,
  inside,
  isFields,
  listOf,
  Malformed,
  object,
  optional,
  orNull,
  own,
  type Reader,
  type Shape,
  shaped,
  text,
  whole,
  wholeFrom,
} from '../decode.ts';
import { isAppError, ok, type Refusal, type Result, refused, valueOf } from '../errors.ts';
import { checkMessage, type JsonObject, type Message } from '../message.ts';
import type { Alias, Bookmark, Content, Marker, NewNode, NodeOrigin } from '../node.ts';
import { isPosition } from '../position.ts';
import {
  attributeReaders,
  checkPatch,
  id,
  kind as kindOf,
  noteReaders,
  ofTree,
  type PatchReaders,
  status,
} from './fields.ts';
import type { Place, Step, StepType } from './types.ts';

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
const markerOrNull = orNull(
  inside<Marker>({
    firstKept: optional(id),
    tokensBefore: optional(finite),
    from: optional(id),
    mergedFrom: optional(inside<NodeOrigin>({ treeId: ofTree, nodeId: id })),
    details: optional(json),
  }),
);
const idOrNull = orNull(id);
const key = orNull(text);
const aliases = listOf(shaped<Alias>({ matchParent: id, key: text }));
const content = inside<Content>({ message, status, key, text, tokens: finite, aliases });

/** The node of an insert step. Spelt out, not by its shape: this runs for every node of every file that is read. */
export function newNode(at: Fields): NewNode {
  const kind = kindOf(at, 'kind');
  return {
    id: id(at, 'id'),
    parentId: idOrNull(at, 'parentId'),
    position: position(at, 'position'),
    kind,
    message: kind === 'root' ? null : message(at, 'message'),
    status: status(at, 'status'),
    groupId: whole(at, 'groupId'),
    createdAt: finite(at, 'createdAt'),
    matchParent: idOrNull(at, 'matchParent'),
    key: key(at, 'key'),
    text: text(at, 'text'),
    tokens: finite(at, 'tokens'),
    meta: notes(at, 'meta'),
    marker: markerOrNull(at, 'marker'),
    aliases: aliases(at, 'aliases'),
  };
}

const shapes: { readonly [T in StepType]: Shape<Omit<Extract<Step, { type: T }>, 'type'>> } = {
  insert: { node: (fields, name) => newNode(object(fields, name)) },
  remove: { nodeId: id },
  restore: { nodeId: id, version: counted, position: optional(position) },
  move: { nodeId: id, to: place, from: place },
  replace: { nodeId: id, after: content, before: content, since: counted },
  annotate: { nodeId: id, after: notes, before: notes },
  regroup: { nodeId: id, after: whole, before: whole },
  select: { after: idOrNull, before: idOrNull },
  bookmark: { nodeId: id, after: bookmark, before: bookmark },
  attributes: { after: attributes, before: attributes },
};

const stepReaders = new Map<unknown, (fields: Fields) => object>(
  Object.entries(shapes).map(([type, shape]) => [type, shaped<object>({ type: text, ...shape })]),
);

/** The names of the ten kinds of step. */
export const stepTypes = Object.keys(shapes) as readonly StepType[];

/** What reading something from untrusted JSON comes to where that threw: a refusal, with a sentence that says where. */
export function malformed(
  error: unknown,
  code: 'step/invalid' | 'tree/invalid',
  where: string,
  data: Refusal['data'] = {},
): Result<never> {
  if (error instanceof Malformed) return refused(code, `In a ${where}: ${error.message}.`, data);
  if (isAppError(error)) return { ok: false, refusal: error.toJSON() };
  throw error;
}

/** Reads one step from untrusted JSON. */
export function parseStep(step: unknown): Result<Step> {
  const type = isFields(step) ? own(step, 'type') : undefined;
  const read = stepReaders.get(type);
  if (read === undefined || !isFields(step))
    return refused('step/invalid', `A step has one of the types ${stepTypes.join(', ')}.`);
  try {
    return ok(read(step) as Step);
  } catch (error) {
    return malformed(error, 'step/invalid', `step of type ${type}`, { type });
  }
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

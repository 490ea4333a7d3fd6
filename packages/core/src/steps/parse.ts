/** Decodes steps and trees from outside, by tables of field readers. */
import {
  type FieldMap,
  type FieldReader,
  type FieldShapes,
  fieldReader,
  finite,
  integer,
  integerFrom,
  isFieldMap,
  listOfShapes,
  Malformed,
  nestedShape,
  nullOr,
  object,
  optionalField,
  ownField,
  requiredText,
  shapeReader,
} from '../decode.ts';
import { isAppError, ok, type Refusal, type Result, refusedResult, valueOf } from '../errors.ts';
import { checkMessage, type JsonObject, type Message } from '../message.ts';
import type { Alias, Bookmark, Content, Marker, NewNode, NodeOrigin } from '../node.ts';
import { isPosition } from '../position.ts';
import {
  attributeReaders,
  checkPatch,
  kind as kindOf,
  noteReaders,
  type PatchReaders,
  readId,
  readTreeId,
  status,
} from './fields.ts';
import type { Step, StepType, TreePosition } from './types.ts';

/** A patch: values by key, null removes a key. @__NO_SIDE_EFFECTS__ */
function patch(readers: PatchReaders): FieldReader<FieldMap> {
  return (fields, key) => {
    // Via entries, because `__proto__` must be an ordinary key.
    const values = Object.fromEntries(Object.entries(object(fields, key)));
    checkPatch(values, readers);
    return values;
  };
}

function readStepMessage(fields: FieldMap, key: string): Message {
  return valueOf(checkMessage(ownField(fields, key), key));
}

/** A version, or another number that counts from one. */
export const countField = integerFrom(1);
/** A patch of a tree's attributes. */
export const attributesField = patch(attributeReaders);
/** A patch of a node's metadata. */
export const notesField = patch(noteReaders);
const position = fieldReader(isPosition, 'an order key');
const json = object as FieldReader<JsonObject>;

/** The field readers of a bookmark. */
export const bookmarkShape: FieldShapes<Bookmark> = {
  nodeId: readId,
  title: requiredText,
  createdAt: finite,
  updatedAt: finite,
};
const bookmark = nullOr(nestedShape(bookmarkShape));
const place = nestedShape<TreePosition>({ parentId: readId, position, groupId: integer, matchParent: readId });
const markerOrNull = nullOr(
  nestedShape<Marker>({
    firstKept: optionalField(readId),
    tokensBefore: optionalField(finite),
    from: optionalField(readId),
    mergedFrom: optionalField(nestedShape<NodeOrigin>({ treeId: readTreeId, nodeId: readId })),
    details: optionalField(json),
  }),
);
const idOrNull = nullOr(readId);
const key = nullOr(requiredText);
const aliases = listOfShapes(shapeReader<Alias>({ matchParent: readId, key: requiredText }));
const content = nestedShape<Content>({
  message: readStepMessage,
  status,
  key,
  text: requiredText,
  tokens: finite,
  aliases,
});

/**
 * Reads the node of an insert step. Written out instead of using a shape for speed: this runs for every node of every
 * file.
 */
export function readNewNode(at: FieldMap): NewNode {
  const kind = kindOf(at, 'kind');
  return {
    id: readId(at, 'id'),
    parentId: idOrNull(at, 'parentId'),
    position: position(at, 'position'),
    kind,
    message: kind === 'root' ? null : readStepMessage(at, 'message'),
    status: status(at, 'status'),
    groupId: integer(at, 'groupId'),
    createdAt: finite(at, 'createdAt'),
    matchParent: idOrNull(at, 'matchParent'),
    key: key(at, 'key'),
    text: requiredText(at, 'text'),
    tokens: finite(at, 'tokens'),
    meta: notesField(at, 'meta'),
    marker: markerOrNull(at, 'marker'),
    aliases: aliases(at, 'aliases'),
  };
}

const shapes: { readonly [T in StepType]: FieldShapes<Omit<Extract<Step, { type: T }>, 'type'>> } = {
  insert: { node: (fields, name) => readNewNode(object(fields, name)) },
  remove: { nodeId: readId },
  restore: { nodeId: readId, version: countField, position: optionalField(position) },
  move: { nodeId: readId, to: place, from: place },
  replace: { nodeId: readId, after: content, before: content, since: countField },
  annotate: { nodeId: readId, after: notesField, before: notesField },
  regroup: { nodeId: readId, after: integer, before: integer },
  select: { after: idOrNull, before: idOrNull },
  bookmark: { nodeId: readId, after: bookmark, before: bookmark },
  attributes: { after: attributesField, before: attributesField },
};

const stepReaders = new Map<unknown, (fields: FieldMap) => object>(
  Object.entries(shapes).map(([type, shape]) => [type, shapeReader<object>({ type: requiredText, ...shape })]),
);

/** The names of the ten kinds of step. */
export const stepTypes = Object.keys(shapes) as readonly StepType[];

/** Turns the error of a reader of untrusted JSON into a refusal whose message names the place. */
export function malformed(
  error: unknown,
  code: 'step/invalid' | 'tree/invalid',
  where: string,
  data: Refusal['data'] = {},
): Result<never> {
  if (error instanceof Malformed) return refusedResult(code, `In a ${where}: ${error.message}.`, data);
  if (isAppError(error)) return { ok: false, refusal: error.toJSON() };
  throw error;
}

/** Parses one step from untrusted JSON. */
export function parseStep(step: unknown): Result<Step> {
  const type = isFieldMap(step) ? ownField(step, 'type') : undefined;
  const read = stepReaders.get(type);
  if (read === undefined || !isFieldMap(step))
    return refusedResult('step/invalid', `A step has one of the types ${stepTypes.join(', ')}.`);
  try {
    return ok(read(step) as Step);
  } catch (error) {
    return malformed(error, 'step/invalid', `step of type ${type}`, { type });
  }
}

/** Parses a list of steps from untrusted JSON; the refusal names the first malformed one by its index. */
export function parseSteps(list: unknown): Result<Step[]> {
  if (!Array.isArray(list)) return refusedResult('step/invalid', 'Steps are a list.');
  const steps: Step[] = [];
  for (const [index, item] of list.entries()) {
    const step = parseStep(item);
    if (!step.ok) return { ok: false, refusal: { ...step.refusal, data: { ...step.refusal.data, index } } };
    steps.push(step.value);
  }
  return ok(steps);
}

/** Decodes steps and trees from untrusted JSON, with tables of field readers. */
import {
  createFieldReader,
  type FieldMap,
  type FieldReader,
  type FieldShapes,
  finiteNumberField,
  integerField,
  integerFieldFrom,
  isFieldMap,
  MalformedError,
  nullableField,
  objectField,
  optionalField,
  ownField,
  requiredText,
  shapeField,
  shapeListField,
  shapeReader,
} from '../decode.ts';
import { isAppError, makeRefusedResult, ok, type Refusal, type Result, unwrapResult } from '../errors.ts';
import { checkMessage, type JsonObject, type Message } from '../message.ts';
import type { Alias, Bookmark, ContentFields, Marker, NewNode, NodeOrigin } from '../node.ts';
import { isPosition } from '../position.ts';
import {
  assertPatch,
  attributeReaders,
  metadataReaders,
  nodeIdField,
  nodeKindField,
  nodeStatusField,
  type PatchReaders,
  treeIdField,
} from './fields.ts';
import type { Step, StepType, TreePosition } from './types.ts';

/** Creates a reader for a patch, in which null removes a key. @__NO_SIDE_EFFECTS__ */
function patch(readers: PatchReaders): FieldReader<FieldMap> {
  return (fields, key) => {
    // Uses Object.fromEntries, because `__proto__` must be an ordinary key.
    const values = Object.fromEntries(Object.entries(objectField(fields, key)));
    assertPatch(values, readers);
    return values;
  };
}

function readStepMessage(fields: FieldMap, key: string): Message {
  return unwrapResult(checkMessage(ownField(fields, key), key));
}

/** Reads a version of a tree, a whole number from 1. */
export const versionField = integerFieldFrom(1);
/** Reads a patch of a tree's attributes. */
export const attributesField = patch(attributeReaders);
/** Reads a patch of a node's metadata. */
export const metadataField = patch(metadataReaders);
const position = createFieldReader(isPosition, 'an order key');
const json = objectField as FieldReader<JsonObject>;

/** How a bookmark is read from JSON. */
export const bookmarkShape: FieldShapes<Bookmark> = {
  nodeId: nodeIdField,
  title: requiredText,
  createdAt: finiteNumberField,
  updatedAt: finiteNumberField,
};
const bookmark = nullableField(shapeField(bookmarkShape));
const treePosition = shapeField<TreePosition>({
  parentId: nodeIdField,
  position,
  groupId: integerField,
  matchParent: nodeIdField,
});
const markerOrNull = nullableField(
  shapeField<Marker>({
    firstKept: optionalField(nodeIdField),
    tokensBefore: optionalField(finiteNumberField),
    from: optionalField(nodeIdField),
    mergedFrom: optionalField(shapeField<NodeOrigin>({ treeId: treeIdField, nodeId: nodeIdField })),
    details: optionalField(json),
  }),
);
const idOrNull = nullableField(nodeIdField);
const key = nullableField(requiredText);
const aliases = shapeListField(shapeReader<Alias>({ matchParent: nodeIdField, key: requiredText }));
const content = shapeField<ContentFields>({
  message: readStepMessage,
  status: nodeStatusField,
  key,
  text: requiredText,
  tokens: finiteNumberField,
  aliases,
});

/**
 * Reads the node of an insert step. Does not use a shape, for speed: this function runs for every node of every file.
 */
export function readNewNode(at: FieldMap): NewNode {
  const kind = nodeKindField(at, 'kind');
  return {
    id: nodeIdField(at, 'id'),
    parentId: idOrNull(at, 'parentId'),
    position: position(at, 'position'),
    kind,
    message: kind === 'root' ? null : readStepMessage(at, 'message'),
    status: nodeStatusField(at, 'status'),
    groupId: integerField(at, 'groupId'),
    createdAt: finiteNumberField(at, 'createdAt'),
    matchParent: idOrNull(at, 'matchParent'),
    key: key(at, 'key'),
    text: requiredText(at, 'text'),
    tokens: finiteNumberField(at, 'tokens'),
    meta: metadataField(at, 'meta'),
    marker: markerOrNull(at, 'marker'),
    aliases: aliases(at, 'aliases'),
  };
}

const shapes: { readonly [T in StepType]: FieldShapes<Omit<Extract<Step, { type: T }>, 'type'>> } = {
  insert: { node: (fields, name) => readNewNode(objectField(fields, name)) },
  remove: { nodeId: nodeIdField },
  restore: { nodeId: nodeIdField, version: versionField, position: optionalField(position) },
  move: { nodeId: nodeIdField, to: treePosition, from: treePosition },
  replace: { nodeId: nodeIdField, after: content, before: content, since: versionField },
  annotate: { nodeId: nodeIdField, after: metadataField, before: metadataField },
  regroup: { nodeId: nodeIdField, after: integerField, before: integerField },
  select: { after: idOrNull, before: idOrNull },
  bookmark: { nodeId: nodeIdField, after: bookmark, before: bookmark },
  attributes: { after: attributesField, before: attributesField },
};

const stepReaders = new Map<unknown, (fields: FieldMap) => object>(
  Object.entries(shapes).map(([type, shape]) => [type, shapeReader<object>({ type: requiredText, ...shape })]),
);

/** The types of steps, for validation and messages. */
export const stepTypes = Object.keys(shapes) as readonly StepType[];

/** Converts the error of a field reader to a refusal whose message starts with `In a` and `where`. */
export function toMalformedResult(
  error: unknown,
  code: 'step/invalid' | 'tree/invalid',
  where: string,
  data: Refusal['data'] = {},
): Result<never> {
  if (error instanceof MalformedError) return makeRefusedResult(code, `In a ${where}: ${error.message}.`, data);
  if (isAppError(error)) return { ok: false, refusal: error.toJSON() };
  throw error;
}

/** Parses one step from untrusted JSON. Refuses unknown types and malformed fields. */
export function parseStep(step: unknown): Result<Step> {
  const type = isFieldMap(step) ? ownField(step, 'type') : undefined;
  const read = stepReaders.get(type);
  if (read === undefined || !isFieldMap(step))
    return makeRefusedResult('step/invalid', `A step has one of the types ${stepTypes.join(', ')}.`);
  try {
    return ok(read(step) as Step);
  } catch (error) {
    return toMalformedResult(error, 'step/invalid', `step of type ${type}`, { type });
  }
}

/** Parses a list of steps from untrusted JSON. The refusal names the first malformed step by its index. */
export function parseSteps(list: unknown): Result<Step[]> {
  if (!Array.isArray(list)) return makeRefusedResult('step/invalid', 'Steps are a list.');
  const steps: Step[] = [];
  for (const [index, item] of list.entries()) {
    const step = parseStep(item);
    if (!step.ok) return { ok: false, refusal: { ...step.refusal, data: { ...step.refusal.data, index } } };
    steps.push(step.value);
  }
  return ok(steps);
}

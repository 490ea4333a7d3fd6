/** Field readers for steps and trees, and a check for plain JSON, which every store can write and read. */
import {
  booleanField,
  type FieldMap,
  type FieldReader,
  finiteNumberField,
  isFieldMap,
  MalformedError,
  objectField,
  oneOfField,
  ownField,
  requiredText,
  textListField,
  throwMalformed,
} from '../decode.ts';
import { refuse } from '../errors.ts';
import { type NodeId, nodeId, type TreeId, treeId } from '../ids.ts';
import type { Message } from '../message.ts';
import { nodeKinds, nodeStatuses } from '../node.ts';

/** Reads one of {@link nodeKinds}. */
export const nodeKindField = oneOfField(nodeKinds);
/** Reads one of {@link nodeStatuses}. */
export const nodeStatusField = oneOfField(nodeStatuses);

/** Reads a non-empty id. Tree values accept any text, so that foreign ids can be kept. */
export function nodeIdField(fields: FieldMap, key: string): NodeId {
  return nodeId(requiredText(fields, key) || throwMalformed(key, 'an id'));
}

/** Reads a non-empty tree id, in any form. */
export function treeIdField(fields: FieldMap, key: string): TreeId {
  return treeId(nodeIdField(fields, key));
}

function checkOrigin(fields: FieldMap, key: string): void {
  checkLineage(fields, key);
  nodeIdField(objectField(fields, key), 'nodeId');
}

function checkLineage(fields: FieldMap, key: string): void {
  const from = objectField(fields, key);
  nodeIdField(from, 'treeId');
  if (ownField(from, 'nodeId') != null) nodeIdField(from, 'nodeId');
}

/** Readers for the known keys of a patch; other keys are kept unchanged. */
export type PatchReaders = ReadonlyMap<string, FieldReader<unknown>>;

const everywhere = { title: requiredText, autoTitle: requiredText, tags: textListField };

/** Readers for the known keys of a node's metadata. */
export const metadataReaders: PatchReaders = new Map<string, FieldReader<unknown>>(
  Object.entries({
    ...everywhere,
    customData: objectField,
    source: objectField,
    excluded: booleanField,
    splitSource: requiredText,
    continues: requiredText,
    measuredOver: requiredText,
    recordedPrompt: requiredText,
    pickedFrom: checkOrigin,
    copiedFrom: checkOrigin,
  }),
);

/** Readers for the known keys of a marker. */
export const markerReaders: PatchReaders = new Map<string, FieldReader<unknown>>(
  Object.entries({
    firstKept: nodeIdField,
    tokensBefore: finiteNumberField,
    from: nodeIdField,
    mergedFrom: checkOrigin,
    details: objectField,
  }),
);

/** Readers for the known keys of a tree's attributes. */
export const attributeReaders: PatchReaders = new Map<string, FieldReader<unknown>>(
  Object.entries({
    ...everywhere,
    systemPrompt: requiredText,
    project: requiredText,
    folder: requiredText,
    pinned: booleanField,
    metadata: objectField,
    copiedFrom: checkLineage,
    trashedAt: finiteNumberField,
  }),
);

/** Throws {@link MalformedError} if a known key has the wrong type. Null removes a key. */
export function assertPatch(values: unknown, readers: PatchReaders): void {
  if (!isFieldMap(values)) return throwMalformed('the patch', 'an object');
  for (const name of Object.keys(values)) if (values[name] != null) readers.get(name)?.(values, name);
}

// JSON.stringify overflows the stack at a few thousand levels, and other programs that read the journal may have lower
// limits.
const deepest = 1000;

/** Throws if a message has a block that is not plain JSON. */
export function assertMessageData({ content }: Message, nodeId: string): void {
  for (const block of content) {
    const problem = plainProblem(block);
    if (problem !== null) refuse('message/invalid', `A block of ${nodeId} cannot be stored: ${problem}.`, { nodeId });
  }
}

/** Throws {@link MalformedError} if a value is not plain JSON. */
export function assertPlainJson(value: object): void {
  const problem = plainProblem(value);
  if (problem !== null) throw new MalformedError(problem, '');
}

// Most messages have few values and levels and pass the quick check; all others get the full check.
const [ordinary, shallow] = [2000, 40];

/**
 * The quick check, which is enough for nearly all values. Returns how many more values may be visited, or 0 if the
 * value needs the full check. Deep or large values need it, because they may contain themselves or share parts.
 * `levels` limits the recursion.
 */
function plainLeft(value: object, levels: number, most: number): number {
  if (levels === 0) return 0;
  let left = most;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && left > 0; index++)
      left = value[index] === undefined ? 0 : leftAfter(value[index], levels, left);
    return left;
  }
  if (!isPlainFields(value)) return 0;
  // `for in` avoids creating a list of keys. It also visits inherited properties, which plain data does not have.
  for (const key in value) {
    left = leftAfter(value[key], levels, left);
    if (left <= 0) return 0;
  }
  return left;
}

function leftAfter(member: unknown, levels: number, left: number): number {
  if (typeof member === 'string') return left - 1;
  if (typeof member === 'object' && member !== null) return plainLeft(member, levels - 1, left - 1);
  return leafProblem(member) === null ? left - 1 : 0;
}

/** The state of a full check: the ancestors of the current value, and the values checked so far. */
interface PlainWalk {
  readonly above: Set<object>;
  readonly done: Set<object>;
}

const notPlain = 'has an object that is not plain data';

/** Returns why an object is not plain JSON, as the rest of a sentence; null if it is plain JSON. */
function plainProblem(value: object): string | null {
  if (plainLeft(value, shallow, ordinary) > 0) return null;
  if (!isPlain(value)) return notPlain;
  let walk: PlainWalk | undefined;
  for (const [key, member] of Object.entries(value)) {
    const simple = typeof member !== 'object' || member === null;
    walk ??= simple ? undefined : { above: new Set([value]), done: new Set() };
    const problem = simple ? leafProblem(member) : walk === undefined ? null : nestedProblem(member, walk);
    if (problem !== null) return `${key} ${problem}`;
  }
  return null;
}

function leafProblem(value: unknown): string | null {
  switch (typeof value) {
    case 'bigint':
    case 'function':
    case 'symbol':
      return `has a value of type ${typeof value}, which JSON cannot represent`;
    case 'number':
      return Number.isFinite(value) ? null : `has the number ${value}, which JSON cannot represent`;
    default:
      return null;
  }
}

// The recursion is bounded, because levels are counted and the check stops at the deepest allowed level.
function nestedProblem(value: object, walk: PlainWalk): string | null {
  const { above, done } = walk;
  if (done.has(value)) return null;
  if (above.has(value)) return 'contains itself';
  if (above.size >= deepest) return `nests deeper than ${deepest} levels`;
  if (!Array.isArray(value) && !isPlain(value)) return notPlain;
  above.add(value);
  // `includes` treats holes in a list as undefined; Object.values below skips holes.
  if (Array.isArray(value) && value.includes(undefined))
    return 'has a list with an undefined item, which JSON cannot represent';
  for (const member of Object.values(value)) {
    const problem = typeof member === 'object' && member !== null ? nestedProblem(member, walk) : leafProblem(member);
    if (problem !== null) return problem;
  }
  above.delete(value);
  done.add(value);
  return null;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Plain objects from another realm have another Object.prototype, whose own prototype is null.
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isPlainFields(value: object): value is FieldMap {
  return isPlain(value);
}

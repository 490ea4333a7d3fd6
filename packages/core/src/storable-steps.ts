/** What steps may carry: plain JSON of the right kind, so that every store can write it down and read it back. */
import { type FieldMap, finite, integer, Malformed, object, requiredText, throwMalformed } from './decode.ts';
import { refuse } from './errors.ts';
import type { Message } from './message.ts';
import {
  attributeReaders,
  checkPatch,
  kind as kindOf,
  markerReaders,
  noteReaders,
  status as statusOf,
} from './steps/fields.ts';
import type { Step } from './steps/types.ts';

// JSON.stringify gives up somewhere past two thousand levels, and whoever reads the line again must not.
const deepest = 1000;

/**
 * Refuses steps whose messages, notes or attributes are no plain JSON or not of the type that their name asks for. What
 * one store would keep by reference another would lose or choke on, and a journal with such a line cannot be read again.
 */
export function assertStorable(steps: readonly Step[]): void {
  for (const step of steps) {
    try {
      checkStep(step);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      refuse('command/invalid', `This cannot be kept: ${error.message}.`, nodeInStep(step));
    }
  }
}

function checkStep(step: Step): void {
  switch (step.type) {
    case 'insert': {
      const { id, message, meta, marker, createdAt, kind, status, groupId } = step.node;
      const plain = { createdAt, kind, status, groupId };
      finite(plain, 'createdAt');
      kindOf(plain, 'kind');
      statusOf(plain, 'status');
      integer(plain, 'groupId');
      if (message !== null) checkMessageData(message, id);
      checkPatch(meta, noteReaders);
      checkPlain(meta);
      if (marker !== null) checkMarker(marker);
      return;
    }
    case 'replace':
      statusOf({ status: step.after.status }, 'status');
      checkMessageData(step.after.message, step.nodeId);
      return;
    case 'annotate':
      checkPatch(step.after, noteReaders);
      checkPlain(step.after);
      return;
    case 'attributes':
      checkPatch(step.after, attributeReaders);
      checkPlain(step.after);
      return;
    case 'bookmark':
      if (step.after !== null) checkMark({ ...step.after });
  }
}

/** A marker has no other parts than its own: who reads a journal drops what it does not know. */
function checkMarker(marker: unknown): void {
  const parts = object({ marker }, 'marker');
  checkPlain(parts);
  for (const name of Object.keys(parts)) {
    const read = markerReaders.get(name) ?? throwMalformed(name, 'no part of a marker');
    if (parts[name] !== undefined) read(parts, name);
  }
}

function checkMark(bookmark: FieldMap): void {
  requiredText(bookmark, 'title');
  finite(bookmark, 'createdAt');
  finite(bookmark, 'updatedAt');
}

function nodeInStep(step: Step): Readonly<Record<string, unknown>> {
  if (step.type === 'insert') return { nodeId: step.node.id };
  return 'nodeId' in step ? { nodeId: step.nodeId } : {};
}

function checkMessageData({ content }: Message, nodeId: string): void {
  for (const block of content) {
    const problem = plainProblem(block);
    if (problem !== null) refuse('message/invalid', `A block of ${nodeId} cannot be kept: ${problem}.`, { nodeId });
  }
}

function checkPlain(value: object): void {
  const problem = plainProblem(value);
  if (problem !== null) throw new Malformed(problem, '');
}

// What messages and notes mostly are: some values, a few levels. More is looked at with care.
const [ordinary, shallow] = [2000, 40];

/**
 * Looks through an object without keeping book on what was met, as is enough for nearly everything that is kept: how many of
 * the values that may be met are left, and zero where one is in doubt. What is deep or large is in doubt, for it may contain
 * itself, or a part of it many times over. Recursion is bounded by `levels`.
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
  // No list of the members is made. One that is inherited, which plain data has none of, is looked at as well.
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

/** What a walk has met: what is above the value it is at, and what it has been through. */
interface PlainWalk {
  readonly above: Set<object>;
  readonly done: Set<object>;
}

const notPlain = 'has an object that is not plain data';

/** Why an object is no plain JSON, as the rest of a sentence; null if it is. */
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
      return `has a value of type ${typeof value}, which JSON cannot say`;
    case 'number':
      return Number.isFinite(value) ? null : `has the number ${value}, which JSON cannot say`;
    default:
      return null;
  }
}

// Recursion is safe here: what is above is counted, and the walk ends at the deepest level that is allowed.
function nestedProblem(value: object, walk: PlainWalk): string | null {
  const { above, done } = walk;
  if (done.has(value)) return null;
  if (above.has(value)) return 'contains itself';
  if (above.size >= deepest) return `nests deeper than ${deepest} levels`;
  if (!Array.isArray(value) && !isPlain(value)) return notPlain;
  above.add(value);
  // `includes` sees the holes of a list as undefined; Object.values below passes over them.
  if (Array.isArray(value) && value.includes(undefined))
    return 'has a list with an undefined item, which JSON cannot say';
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
  // Plain objects of another realm have another prototype, which has none itself.
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function isPlainFields(value: object): value is FieldMap {
  return isPlain(value);
}

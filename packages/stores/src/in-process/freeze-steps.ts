import type { Answer, Step } from '@coppice/core';

/**
 * Copies and freezes steps for a store that keeps objects. Otherwise a caller could change stored data without a
 * commit, by changing an object that it passed in or got back.
 */
export function freezeSteps(steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => frozenCopy(step));
}

/**
 * Copies a value like JSON would: undefined members are left out, and numbers that JSON cannot represent become null.
 */
function frozenCopy<T>(value: T): T {
  return copyValue(value) as T;
}

// Most messages have no metadata and no aliases, so all of them share these values.
const emptyObject: object = Object.freeze({});
const emptyList: readonly unknown[] = Object.freeze([]);

// The recursion is bounded, because steps are checked to be plain data of limited depth.
function copyValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.length === 0
      ? emptyList
      : Object.freeze(value.map((item: unknown) => (item === undefined ? null : copyValue(item))));
  const keys = Object.keys(value);
  if (keys.length === 0) return emptyObject;
  const copy: Record<string, unknown> = {};
  for (const key of keys) {
    const member: unknown = Reflect.get(value, key);
    if (member === undefined) continue;
    // An assignment to `__proto__` would set the prototype instead of the field.
    if (key === '__proto__')
      Object.defineProperty(copy, key, {
        value: copyValue(member),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    else copy[key] = copyValue(member);
  }
  return Object.freeze(copy);
}

/**
 * Freezes the messages and metadata of an answer. Data from a file is frozen when it is first returned, so that opening
 * a large tree stays fast.
 */
export function freezeAnswer<T extends Answer>(answer: T): T {
  if (typeof answer !== 'object' || answer === null) return answer;
  if (Array.isArray(answer)) for (const item of answer) freezeNode(item);
  else if ('nodes' in answer && Array.isArray(answer.nodes)) for (const item of answer.nodes) freezeNode(item);
  else freezeNode(answer);
  return answer;
}

function freezeNode(node: unknown): void {
  if (typeof node !== 'object' || node === null || !('message' in node) || !('meta' in node)) return;
  freeze(node.message);
  freeze(node.meta);
}

// A frozen value is frozen in depth, so it is skipped. The recursion is bounded, as in `copyValue`.
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}

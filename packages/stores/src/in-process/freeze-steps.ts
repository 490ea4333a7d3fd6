import type { Answer, Step } from '@coppice/core';

/**
 * Steps as a store keeps them that holds objects and no rows: copies that nobody can change. A caller that goes on
 * writing into what it handed over, or into what it was given, would else change what is kept, past log and version.
 */
export function freezeSteps(steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => frozenCopy(step));
}

/** As JSON would give it back: members that are undefined are left out, and what no JSON number is becomes null. */
function frozenCopy<T>(value: T): T {
  return copyValue(value) as T;
}

// Recursion is safe here: steps are plain data of bounded depth, which is checked before they come here.
function copyValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return Object.freeze(value.map((item: unknown) => (item === undefined ? null : copyValue(item))));
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (member === undefined) continue;
    // An assignment to `__proto__` would set the prototype and lose the value.
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
 * An answer whose messages and notes nobody can change. What came from a file is not frozen yet: that is done when it is
 * first given out, so that opening a large tree does not pay for it.
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

// What is frozen is so to its end. Recursion is safe as above.
function freeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const member of Object.values(value)) freeze(member);
}

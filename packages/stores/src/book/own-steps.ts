import type { Step } from '@coppice/core';

/**
 * Steps as a store keeps them that holds objects and no rows: copies that nobody can change. A caller that goes on
 * writing into what it handed over, or into what it was given, would else change what is kept, past log and version.
 */
export function ownSteps(steps: readonly Step[]): readonly Step[] {
  return steps.map((step) => frozenCopy(step));
}

/** As JSON would give it back: members that are undefined are left out, and what no JSON number is becomes null. */
function frozenCopy<T>(value: T): T {
  return copyOf(value) as T;
}

// Recursion is safe here: steps are plain data of bounded depth, which is checked before they come here.
function copyOf(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return Object.freeze(value.map((item: unknown) => (item === undefined ? null : copyOf(item))));
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key);
    if (member === undefined) continue;
    // An assignment to `__proto__` would set the prototype and lose the value.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: copyOf(member), writable: true, enumerable: true, configurable: true });
    else copy[key] = copyOf(member);
  }
  return Object.freeze(copy);
}

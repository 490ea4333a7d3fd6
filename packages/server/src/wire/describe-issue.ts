/** Says in a sentence what is wrong with a request, from the issues that its schema found. */
import type { z } from '@hono/zod-openapi';

type Issue = z.core.$ZodIssue;

/** A field of a request by its path, and what is wrong with it. */
export interface InputFault {
  readonly at: string;
  readonly message: string;
}

/** Describes an issue of a value that is called `name` in the sentence. */
export function describeIssue(name: string, value: unknown, issue: Issue | undefined): InputFault {
  const { path, reason } = issue === undefined ? { path: [], reason: 'is not valid for this route' } : closest(issue);
  const at = [name, ...path].map(String).join('.');
  if (isMissing(value, path)) return { at, message: `${at} is missing.` };
  return { at, message: `${at}: ${reason}.` };
}

/** Returns the most specific reason: that of the alternative of a union that the value matches furthest. */
function closest(issue: Issue): { readonly path: readonly PropertyKey[]; readonly reason: string } {
  let path: readonly PropertyKey[] = [];
  let current = issue;
  for (;;) {
    path = [...path, ...current.path];
    if (current.code !== 'invalid_union') return { path, reason: current.message };
    const found = current.errors.flatMap(([first]) => (first === undefined ? [] : [first]));
    const deepest = Math.max(...found.map((one) => one.path.length));
    const [next, ...others] = found.filter((one) => one.path.length === deepest);
    if (next !== undefined && (others.length === 0 || deepest > 0)) {
      current = next;
      continue;
    }
    const types = [...new Set(found.flatMap((one) => (one.code === 'invalid_type' ? [one.expected] : [])))];
    return { path, reason: types.length < 2 ? 'matches none of the allowed forms' : `must be ${types.join(' or ')}` };
  }
}

function isMissing(value: unknown, path: readonly PropertyKey[]): boolean {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return false;
    at = Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined;
  }
  return at === undefined;
}

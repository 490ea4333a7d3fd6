// Foreign values become fresh plain data before anything looks at them: no getters, no classes, no shared references
// that a caller could change later, and no key that reaches a prototype.
import { type Json, type JsonObject, ok, type Result } from '@coppice/core';
import type { Limits } from './limits.ts';
import { invalidInput, showValue } from './problem.ts';

/** Whether a JSON value is an object and not an array. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a foreign value is an object of the plain kind, also one of another realm or without a prototype. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Sets an own property whatever its name: plain assignment to `__proto__` would replace the prototype instead. */
export function setOwn(target: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** What the parts of one message may cost together. */
export interface CopyBudget {
  readonly limits: Limits;
  /** Levels of nesting that may be opened. */
  readonly depth: number;
  /** Bytes charged so far; every value is charged no more than it takes as JSON text. */
  bytes: number;
}

class Uncopyable extends Error {
  readonly ofWhole: boolean;
  constructor(what: string, ofWhole: boolean) {
    super(what);
    this.ofWhole = ofWhole;
  }
}

function charge(budget: CopyBudget, bytes: number): void {
  budget.bytes += bytes;
  if (budget.bytes > budget.limits.messageBytes) throw new Uncopyable(tooLargeProblem(budget.limits), true);
}

function openContainer(depth: number, budget: CopyBudget): number {
  if (depth === 0) throw new Uncopyable(`nests deeper than ${budget.limits.jsonDepth} levels`, true);
  return depth - 1;
}

// Recursion is safe here: `depth` bounds it at a few hundred levels, and it also ends a value that contains itself.
// The byte budget ends a value that refers to one part many times over, which would be copied each time.
// `trail` is left as it was when a copy fails, so the place costs nothing until it is needed.
function copyJsonValue(value: unknown, depth: number, budget: CopyBudget, trail: (string | number)[]): Json {
  charge(budget, typeof value === 'string' ? value.length + 2 : 1);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new Uncopyable(`is ${value}, which JSON cannot say`, false);
  }
  if (Array.isArray(value)) {
    const inner = openContainer(depth, budget);
    const items: readonly unknown[] = value;
    const list: Json[] = [];
    for (let index = 0; index < items.length; index++) {
      trail.push(index);
      list.push(copyJsonValue(items[index], inner, budget, trail));
      trail.pop();
    }
    return list;
  }
  if (isPlainObject(value)) {
    const inner = openContainer(depth, budget);
    const object: Record<string, Json> = {};
    for (const key of Object.keys(value)) {
      const member = value[key];
      if (member === undefined) continue;
      charge(budget, key.length + 3);
      trail.push(key);
      setOwn(object, key, copyJsonValue(member, inner, budget, trail));
      trail.pop();
    }
    return object;
  }
  const kind = typeof value === 'object' ? 'an object that is not plain data' : showValue(value);
  throw new Uncopyable(`is ${kind}, which JSON cannot say`, false);
}

function jsonPath(where: string, trail: readonly (string | number)[]): string {
  let place = where;
  for (const key of trail) {
    if (typeof key === 'number') place += `[${key}]`;
    else place += /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${showValue(key)}]`;
  }
  return place;
}

/** What is said of a message past its limit. */
export function tooLargeProblem(limits: Limits): string {
  return `takes more than ${limits.messageBytes} bytes as JSON`;
}

/**
 * A fresh copy of a foreign value as plain JSON data. Members that are `undefined` are left out, as JSON.stringify does;
 * whatever else JSON cannot say is refused with its place. Charges the budget and refuses when it is used up.
 */
export function copyJson(value: unknown, whole: string, part: string, budget: CopyBudget): Result<Json> {
  const trail: (string | number)[] = [];
  try {
    return ok(copyJsonValue(value, budget.depth, budget, trail));
  } catch (error) {
    if (!(error instanceof Uncopyable)) throw error;
    return invalidInput(error.ofWhole ? whole : jsonPath(`${whole}${part}`, trail), error.message);
  }
}

// Copies foreign values to new plain data before they are used. The copy has no getters, no classes, no shared
// references that a caller could change later, and no key that reaches a prototype.
import { type Json, ok, type Result } from '@coppice/core';
import { isFieldMap, isJsonObject } from '@coppice/core/decode';
import type { MessageLimits } from './limits.ts';
import { refuseInvalidInput, showValue } from './problem.ts';

export { isJsonObject };

/** Whether a foreign value is a plain object, even if it comes from another realm or has no prototype. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isFieldMap(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Sets an own property with any name. A plain assignment to `__proto__` would replace the prototype. */
export function setOwnProperty(target: Record<string, Json>, key: string, value: Json): void {
  if (key !== '__proto__') target[key] = value;
  else Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** The limits that the parts of one message share. */
export interface JsonCopyBudget {
  readonly limits: MessageLimits;
  /** The number of nesting levels that are left. */
  readonly depth: number;
  /** The number of bytes counted so far. Each value counts at most its size as JSON text. */
  bytes: number;
}

class Uncopyable extends Error {
  readonly ofWhole: boolean;
  constructor(what: string, ofWhole: boolean) {
    super(what);
    this.ofWhole = ofWhole;
  }
}

function chargeBudget(budget: JsonCopyBudget, bytes: number): void {
  budget.bytes += bytes;
  if (budget.bytes > budget.limits.messageBytes) throw new Uncopyable(describeSizeProblem(budget.limits), true);
}

function openContainer(depth: number, budget: JsonCopyBudget): number {
  if (depth === 0) throw new Uncopyable(`nests deeper than ${budget.limits.jsonDepth} levels`, true);
  return depth - 1;
}

// The recursion is limited: `depth` allows a few hundred levels and also stops a value that contains itself. The byte
// budget stops a value that refers to one part many times, because each reference is copied. `trail` keeps its state
// when a copy fails, so that the place is formatted only for an error.
function copyJsonValue(value: unknown, depth: number, budget: JsonCopyBudget, trail: (string | number)[]): Json {
  chargeBudget(budget, typeof value === 'string' ? value.length + 2 : 1);
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw new Uncopyable(`is ${value}, which JSON cannot represent`, false);
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
      chargeBudget(budget, key.length + 3);
      trail.push(key);
      setOwnProperty(object, key, copyJsonValue(member, inner, budget, trail));
      trail.pop();
    }
    return object;
  }
  const kind = typeof value === 'object' ? 'an object that is not plain data' : showValue(value);
  throw new Uncopyable(`is ${kind}, which JSON cannot represent`, false);
}

function jsonPath(where: string, trail: readonly (string | number)[]): string {
  let place = where;
  for (const key of trail) {
    if (typeof key === 'number') place += `[${key}]`;
    else place += /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${showValue(key)}]`;
  }
  return place;
}

/** Returns the problem of a message that exceeds its limit, as the rest of a sentence. */
export function describeSizeProblem(limits: MessageLimits): string {
  return `takes more than ${limits.messageBytes} bytes as JSON`;
}

/**
 * Copies a foreign value to new plain JSON. `undefined` members are left out like in JSON.stringify; other values that
 * JSON cannot represent are refused with their path. The copy counts against the budget and is refused when the budget
 * is used up.
 */
export function copyJson(value: unknown, whole: string, part: string, budget: JsonCopyBudget): Result<Json> {
  const trail: (string | number)[] = [];
  try {
    return ok(copyJsonValue(value, budget.depth, budget, trail));
  } catch (error) {
    if (!(error instanceof Uncopyable)) throw error;
    return refuseInvalidInput(error.ofWhole ? whole : jsonPath(`${whole}${part}`, trail), error.message);
  }
}

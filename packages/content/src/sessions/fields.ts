// Reading fields of lines that others wrote.
import { type Json, type JsonObject, ok, type Result } from '@coppice/core';
import { copyJson } from '../json-copy.ts';
import { defaultLimits } from '../limits.ts';
import { invalidInput } from '../problem.ts';

/** An object whose fields are still unknown. */
export type SessionFields = { readonly [key: string]: unknown };

/** Whether a value is an object and not a list. */
export function isSessionFields(value: unknown): value is SessionFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A field of its own, never one of the prototype's. */
export function ownSessionField(fields: SessionFields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** A text field; undefined where there is none. */
export function textField(fields: SessionFields, key: string): string | undefined {
  const value = ownSessionField(fields, key);
  return typeof value === 'string' ? value : undefined;
}

/** A number field; undefined where there is none. */
export function numberField(fields: SessionFields, key: string): number | undefined {
  const value = ownSessionField(fields, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** An object field; undefined where there is none. What comes from a line is JSON and nothing else. */
export function objectField(fields: SessionFields, key: string): JsonObject | undefined {
  const value = ownSessionField(fields, key);
  return isJsonObject(value) ? value : undefined;
}

function isJsonObject(value: unknown): value is JsonObject {
  return isSessionFields(value);
}

/** Whether a value is JSON; what was parsed from a line is. */
export function isJsonValueOf(value: unknown): value is Json {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint';
}

/** The fields of an object without some of them. */
export function omitSessionFields(fields: SessionFields, keys: ReadonlySet<string>): SessionFields {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.has(key)));
}

/** Only those entries that have a value; JSON knows no undefined. */
export function omitUndefinedFields(fields: SessionFields): JsonObject {
  const entries = Object.entries(fields).filter((entry): entry is [string, Json] => isJsonValueOf(entry[1]));
  return Object.fromEntries(entries);
}

/** A time as lines write it; undefined for what no date can say. */
export function toIsoTime(at: number): string | undefined {
  return Number.isSafeInteger(at) && Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined;
}

/** The milliseconds of a line's time: a text, or the number that some tools write. */
export function parseTime(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'string') return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * The fields of an entry that is to be saved as data of their own, of any size. Refuses what JSON cannot say, with its
 * place: else it would be left out, or be something else when it is read.
 */
export function plainFields(entry: unknown): Result<JsonObject> {
  const limits = { ...defaultLimits, messageBytes: Number.POSITIVE_INFINITY };
  const copied = copyJson(entry, 'entry', '', { limits, depth: limits.jsonDepth, bytes: 0 });
  if (!copied.ok) return copied;
  return isJsonObject(copied.value) ? ok(copied.value) : invalidInput('entry', 'is no object');
}

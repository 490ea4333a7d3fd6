// Selects, converts and copies fields of session lines.
import { type FieldMap, type Json, type JsonObject, ok, type Result } from '@coppice/core';
import { isJsonObject } from '@coppice/core/decode';
import { copyJson } from '../json-copy.ts';
import { defaultLimits } from '../limits.ts';
import { refuseInvalidInput } from '../problem.ts';

/** Whether a value is JSON. Only checks the value itself, because nested values come from parsed lines. */
export function isParsedJson(value: unknown): value is Json {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol' && typeof value !== 'bigint';
}

/** Returns an object without some of its fields. */
export function omitSessionFields(fields: FieldMap, keys: ReadonlySet<string>): FieldMap {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !keys.has(key)));
}

/** Returns the fields that JSON can represent; undefined, functions, symbols and bigints are left out. */
export function pickJsonFields(fields: FieldMap): JsonObject {
  const entries = Object.entries(fields).filter((entry): entry is [string, Json] => isParsedJson(entry[1]));
  return Object.fromEntries(entries);
}

/** Formats a time for a line; undefined for a number that is not a valid date. */
export function formatSessionTime(at: number): string | undefined {
  return Number.isSafeInteger(at) && Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : undefined;
}

/** Parses the time of a line to milliseconds. The time is a text, or with some tools a number. */
export function parseSessionTime(value: unknown): number | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'string') return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : at;
}

/**
 * Copies the fields of an entry of any size to plain JSON. Refuses values that JSON cannot represent, with their path,
 * because they would be lost or changed on reading.
 */
export function copyPlainFields(entry: unknown): Result<JsonObject> {
  const limits = { ...defaultLimits, messageBytes: Number.POSITIVE_INFINITY };
  const copied = copyJson(entry, 'entry', '', { limits, depth: limits.jsonDepth, bytes: 0 });
  if (!copied.ok) return copied;
  return isJsonObject(copied.value) ? ok(copied.value) : refuseInvalidInput('entry', 'is not an object');
}

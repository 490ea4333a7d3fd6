// Reads fields of foreign records, which may have any shape.
import type { Json, JsonObject } from '@coppice/core';
import { setOwnProperty } from '../json-copy.ts';
import { buildFinding, type ImportFinding } from './findings.ts';

export {
  getFilledText,
  getNumber as numberAt,
  getText as textAt,
  getTexts,
  listOrEmpty as listAt,
  objectOrEmpty as objectAt,
} from '@coppice/core/decode';
export { isJsonObject } from '../json-copy.ts';

/** Copies a record without some members; `__proto__` stays an ordinary key. */
export function omitKeys(record: JsonObject, ...keys: readonly string[]): JsonObject {
  const rest: Record<string, Json> = {};
  // Assigns key by key instead of building a list of pairs, for speed: this runs for every record of every import.
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (value !== undefined && !keys.includes(key)) setOwnProperty(rest, key, value);
  }
  return rest;
}

// The range of Date. Other values would throw when the time is displayed.
const farthest = 8.64e15;

function inRange(at: number): number | undefined {
  return Number.isFinite(at) && Math.abs(at) <= farthest ? at : undefined;
}

/** Converts a number of seconds to milliseconds; undefined for other values and outside the range of Date. */
export function parseSecondsTime(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? inRange(Math.round(value * 1e6) / 1e3) : undefined;
}

/** Parses an ISO time to milliseconds; undefined for other values. */
export function parseIsoTime(value: Json | undefined): number | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d/.test(value) ? inRange(Date.parse(value)) : undefined;
}

/** Returns a number of milliseconds; undefined for other values and outside the range of Date. */
export function parseMillisTime(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? inRange(value) : undefined;
}

/** Parses a time in any common form: ISO text, seconds or milliseconds. Numbers are distinguished by their size. */
export function parseAnyTime(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return Math.abs(value) < 1e11 ? parseSecondsTime(value) : parseMillisTime(value);
  return parseIsoTime(value);
}

/** Formats milliseconds as ISO text; values outside the range of Date are clamped. */
export function formatIsoTime(at: number): string {
  return new Date(Math.min(farthest, Math.max(-farthest, Math.trunc(at)))).toISOString();
}

/** Returns a finding for an unreadable time; none if the time is missing. */
export function checkTime(value: Json | undefined, read: number | undefined, place: string): ImportFinding[] {
  return value === undefined || value === null || read !== undefined
    ? []
    : [buildFinding('import/time-unreadable', 'repair', place, JSON.stringify(value).slice(0, 60))];
}

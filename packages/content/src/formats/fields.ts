// Short words for looking into foreign records, which may hold anything anywhere.
import type { Json, JsonObject } from '@coppice/core';
import { isJsonObject, setOwn } from '../json-copy.ts';
import { finding, type ImportFinding } from './findings.ts';

export { isJsonObject } from '../json-copy.ts';

/** A member that is a text. */
export function textAt(record: JsonObject, key: string): string | undefined {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** A member that is a text with something in it. */
export function filledAt(record: JsonObject, key: string): string | undefined {
  const value = textAt(record, key);
  return value === '' ? undefined : value;
}

/** A member that is a finite number. */
export function numberAt(record: JsonObject, key: string): number | undefined {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A member that is an object; an empty one where it is not. */
export function objectAt(record: JsonObject, key: string): JsonObject {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return isJsonObject(value) ? value : {};
}

/** A member that is a list; an empty one where it is not. */
export function listAt(record: JsonObject, key: string): readonly Json[] {
  const value = Object.hasOwn(record, key) ? record[key] : undefined;
  return Array.isArray(value) ? value : [];
}

/** The texts of a member that is a list. */
export function textsAt(record: JsonObject, key: string): readonly string[] {
  const list = listAt(record, key);
  const texts: string[] = [];
  for (let index = 0; index < list.length; index++) {
    const item = list[index];
    if (typeof item === 'string') texts.push(item);
  }
  return texts;
}

/** A copy without some members; `__proto__` stays an ordinary key. */
export function omitKeys(record: JsonObject, ...keys: readonly string[]): JsonObject {
  const rest: Record<string, Json> = {};
  // Key by key, not through a list of pairs: this runs for every record of every import.
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (value !== undefined && !keys.includes(key)) setOwn(rest, key, value);
  }
  return rest;
}

// What a Date holds; anything else would fail where the time is shown.
const farthest = 8.64e15;

function inRange(at: number): number | undefined {
  return Number.isFinite(at) && Math.abs(at) <= farthest ? at : undefined;
}

/** A time in seconds as milliseconds. */
export function fromSeconds(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? inRange(Math.round(value * 1e6) / 1e3) : undefined;
}

/** A time that is an ISO text, in milliseconds. */
export function fromIso(value: Json | undefined): number | undefined {
  return typeof value === 'string' && /^\d{4}-\d\d/.test(value) ? inRange(Date.parse(value)) : undefined;
}

/** A time in milliseconds. */
export function fromMillis(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? inRange(value) : undefined;
}

/** A time of any of the usual spellings: ISO text, seconds or milliseconds, told apart by size. */
export function fromAnyTime(value: Json | undefined): number | undefined {
  if (typeof value === 'number') return Math.abs(value) < 1e11 ? fromSeconds(value) : fromMillis(value);
  return fromIso(value);
}

/** Milliseconds as ISO text, whatever the clock that made them was like. */
export function toIso(at: number): string {
  return new Date(Math.min(farthest, Math.max(-farthest, Math.trunc(at)))).toISOString();
}

/** A finding for a time that is there and cannot be read; none where it is missing. */
export function timeFinding(value: Json | undefined, read: number | undefined, place: string): ImportFinding[] {
  return value === undefined || value === null || read !== undefined
    ? []
    : [finding('import/time-unreadable', 'repair', place, JSON.stringify(value).slice(0, 60))];
}

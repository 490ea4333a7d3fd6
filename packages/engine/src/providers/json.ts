/** Looking into JSON that a stranger sent: every question has an answer, whatever the shape. */
import type { Json, JsonObject } from '@coppice/core';

/** The value as an object; undefined when it is none. */
export function objectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !isList(value) ? value : undefined;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value as a list; empty when it is none. */
export function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && value !== null && isList(value) ? value : [];
}

/** The own member of an object by a path of keys; undefined where the path ends early. */
export function at(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let place = value;
  for (const key of keys) {
    const object = objectOf(place);
    place = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  }
  return place;
}

/** The value as text; undefined when it is none. */
export function textAt(value: Json | undefined, ...keys: readonly string[]): string | undefined {
  const found = at(value, ...keys);
  return typeof found === 'string' ? found : undefined;
}

/** The value as a count; undefined when it is no number from 0 up. */
export function countAt(value: Json | undefined, ...keys: readonly string[]): number | undefined {
  const found = at(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : undefined;
}

/** A data URL in its two parts; undefined when it is none that holds base64. */
export function dataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const [, mediaType, data] = /^data:([^;,]+);base64,([A-Za-z0-9+/=]+)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}

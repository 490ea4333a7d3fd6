/** Looking into JSON that a stranger sent: every question has an answer, whatever the shape. */
import type { Json, JsonObject } from '@coppice/core';

/** The value as an object; undefined when it is none. */
export function jsonObjectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !isJsonList(value) ? value : undefined;
}

function isJsonList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The value as a list; empty when it is none. */
export function jsonListOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && value !== null && isJsonList(value) ? value : [];
}

/** The own member of an object by a path of keys; undefined where the path ends early. */
export function memberAt(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let place = value;
  for (const key of keys) {
    const object = jsonObjectOf(place);
    place = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  }
  return place;
}

/** The value as text; undefined when it is none. */
export function textMember(value: Json | undefined, ...keys: readonly string[]): string | undefined {
  const found = memberAt(value, ...keys);
  return typeof found === 'string' ? found : undefined;
}

/** The value as a count; undefined when it is no number from 0 up. */
export function countMember(value: Json | undefined, ...keys: readonly string[]): number | undefined {
  const found = memberAt(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : undefined;
}

/** A data URL in its two parts; undefined when it is none that holds base64. */
export function dataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const [, mediaType, data] = /^data:([^;,]+);base64,([A-Za-z0-9+/=]+)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}

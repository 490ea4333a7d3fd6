/** Reads foreign JSON of any shape without throwing. */
import type { Json, JsonObject } from '@coppice/core';

/** Returns the value if it is an object, else undefined. */
export function objectOrUndefined(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !isJsonList(value) ? value : undefined;
}

function isJsonList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Returns the value if it is a list, else an empty list. */
export function listOrNone(value: Json | undefined): readonly Json[] {
  return value !== undefined && value !== null && isJsonList(value) ? value : [];
}

/** Returns the own member at a path of keys; undefined if the path ends early. */
export function getMember(value: Json | undefined, ...keys: readonly string[]): Json | undefined {
  let place = value;
  for (const key of keys) {
    const object = objectOrUndefined(place);
    place = object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
  }
  return place;
}

/** Returns the value at a path of keys if it is a text, else undefined. */
export function getTextMember(value: Json | undefined, ...keys: readonly string[]): string | undefined {
  const found = getMember(value, ...keys);
  return typeof found === 'string' ? found : undefined;
}

/** Returns the value at a path of keys if it is a number of at least 0, else undefined. */
export function getCountMember(value: Json | undefined, ...keys: readonly string[]): number | undefined {
  const found = getMember(value, ...keys);
  return typeof found === 'number' && Number.isFinite(found) && found >= 0 ? found : undefined;
}

/** Splits a base64 data URL into its two parts; undefined for any other URL. */
export function splitDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const [, mediaType, data] = /^data:([^;,]+);base64,([A-Za-z0-9+/=]+)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}

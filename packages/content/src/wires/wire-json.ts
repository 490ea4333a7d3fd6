/** Reads foreign JSON of any shape without throwing. */
import type { Json, JsonObject } from '@coppice/core';
import { getNumberMember, isJsonObject } from '@coppice/core/decode';

export { getMember, getTextMember } from '@coppice/core/decode';

/** Returns the value if it is an object, else undefined. */
export function objectOrUndefined(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

function isJsonList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** Returns the value if it is a list, else an empty list. */
export function listOrNone(value: Json | undefined): readonly Json[] {
  return value !== undefined && value !== null && isJsonList(value) ? value : [];
}

/** Returns the value at a path of keys if it is a number of at least 0, else undefined. */
export function getCountMember(value: Json | undefined, ...keys: readonly string[]): number | undefined {
  const found = getNumberMember(value, ...keys);
  return found !== undefined && found >= 0 ? found : undefined;
}

/** Splits a base64 data URL into its two parts; undefined for any other URL. */
export function splitDataUrl(url: string): { readonly mediaType: string; readonly data: string } | undefined {
  const [, mediaType, data] = /^data:([^;,]+);base64,([A-Za-z0-9+/=]+)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? undefined : { mediaType, data };
}

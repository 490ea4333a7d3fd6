/**
 * Escapes invisible characters in texts of MCP servers and limits their length, so that users see everything that
 * models see.
 */
import type { Json, JsonObject } from '@coppice/core';

// Control, zero-width, direction, tag, filler and private-use characters can hide instructions from a reader, and so
// can variation selectors. The selector for emoji is allowed.
const invisible =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]/gu;

/** Escapes every invisible character and truncates the text to `most` characters. */
export function escapeInvisibleCharacters(text: string, most: number): string {
  const shown = text
    .slice(0, most + 1)
    .replace(invisible, (character) =>
      character === '\n' || character === '\t'
        ? character
        : `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
    );
  return shown.length <= most && text.length <= most
    ? shown
    : `${shown.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Escapes all texts in JSON data. Keys stay unchanged, because calls use them as argument names. */
export function escapeInvisibleInJson(value: JsonObject, most: number): JsonObject {
  const copy: Record<string, Json> = {};
  const waiting: { readonly from: Readonly<Record<string, Json>> | readonly Json[]; readonly to: object }[] = [
    { from: value, to: copy },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { to } = next;
    for (const [key, child] of Object.entries(next.from)) {
      let shown: Json = child;
      if (typeof child === 'string') shown = escapeInvisibleCharacters(child, most);
      else if (typeof child === 'object' && child !== null) {
        shown = Array.isArray(child) ? [] : {};
        waiting.push({ from: child, to: shown });
      }
      // An assignment would change the prototype for the key `__proto__`.
      Object.defineProperty(to, key, { value: shown, enumerable: true, writable: true, configurable: true });
    }
  }
  return copy;
}

/** Returns whether JSON data is nested deeper than `most` levels. */
export function isJsonDeeperThan(value: unknown, most: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const each of level)
      if (typeof each === 'object' && each !== null) for (const child of Object.values(each)) next.push(child);
    if (next.length > 0 && depth >= most) return true;
    level = next;
  }
  return false;
}

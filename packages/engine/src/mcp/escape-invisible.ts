/** Texts of servers as a person and a model get to see them: nothing hidden in them, and not too long. */
import type { Json, JsonObject } from '@coppice/core';

// Controls, zero-width characters, marks of direction, tags, fillers and private use hide instructions from a reader, and
// so do selectors of variants, save for the one that every other emoji has.
const invisible =
  /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|\u034f|[\ufe00-\ufe0e]|[\u{e0100}-\u{e01ef}]/gu;

/** A text with every character that does not show written out, and cut at a length. */
export function escapeInvisible(text: string, most: number): string {
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

/** A copy of plain data with every text made visible; keys stay, since arguments go by them. */
export function escapeInvisibleJson(value: JsonObject, most: number): JsonObject {
  const copy: Record<string, Json> = {};
  const waiting: { readonly from: Readonly<Record<string, Json>> | readonly Json[]; readonly to: object }[] = [
    { from: value, to: copy },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { to } = next;
    for (const [key, child] of Object.entries(next.from)) {
      let shown: Json = child;
      if (typeof child === 'string') shown = escapeInvisible(child, most);
      else if (typeof child === 'object' && child !== null) {
        shown = Array.isArray(child) ? [] : {};
        waiting.push({ from: child, to: shown });
      }
      // Not by assignment: `__proto__` is a key like any other.
      Object.defineProperty(to, key, { value: shown, enumerable: true, writable: true, configurable: true });
    }
  }
  return copy;
}

/** How deep plain data is nested, looking no further than a depth. */
export function isDeeperThan(value: unknown, most: number): boolean {
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

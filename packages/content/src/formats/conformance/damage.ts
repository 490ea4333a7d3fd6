/** Generates random damage to files. A reader must report it or refuse the file, never crash. */
import fc from 'fast-check';
import { joinBytes } from '../bytes.ts';
import { decodeUtf8, encodeUtf8 } from '../decode.ts';

// Fragments that are likely to cause errors.
const dictionary = [
  '"__proto__":{"polluted":1},',
  '"constructor":{"prototype":{"polluted":1}},',
  'null',
  '[]',
  '{}',
  '""',
  '1e400',
  '-0',
  '9007199254740993',
  '\\ud800',
  '\\u0000',
  '﻿',
  '"parent":"nobody"',
  '\n',
  ',',
  '}',
  ']',
  '"',
];

// Values of another type, including objects that cannot be converted to a text.
const values = ['{"toString":1}', '[{"toString":1}]', '{}', '[]', 'null', '-1', 'true', '"\\u0000"', '"__proto__"'];

/** One damage to a file. Positions wrap around at the end of the file. */
export type FileDamage =
  | { readonly kind: 'flip'; readonly at: number; readonly bit: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'drop'; readonly at: number; readonly length: number }
  | { readonly kind: 'double'; readonly at: number; readonly length: number }
  | { readonly kind: 'value'; readonly at: number; readonly word: string }
  | { readonly kind: 'word'; readonly at: number; readonly word: string }
  | { readonly kind: 'line'; readonly from: number; readonly to: number; readonly how: 'drop' | 'double' | 'swap' };

/**
 * Generates any damage: flipped bits; bytes and lines that are dropped, duplicated or swapped; inserted fragments;
 * replaced JSON values.
 */
export const arbitraryFileDamage: fc.Arbitrary<FileDamage> = fc.oneof(
  fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('drop' as const), at: fc.nat(), length: fc.nat(40) }),
  fc.record({ kind: fc.constant('double' as const), at: fc.nat(), length: fc.nat(200) }),
  fc.record({ kind: fc.constant('word' as const), at: fc.nat(), word: fc.constantFrom(...dictionary) }),
  fc.record({ kind: fc.constant('value' as const), at: fc.nat(), word: fc.constantFrom(...values) }),
  fc.record({
    kind: fc.constant('line' as const),
    from: fc.nat(),
    to: fc.nat(),
    how: fc.constantFrom('drop' as const, 'double' as const, 'swap' as const),
  }),
);

/** Returns the bytes with the damage applied. */
export function damageBytes(bytes: Uint8Array, damage: FileDamage): Uint8Array {
  if (bytes.length === 0) return bytes;
  if (damage.kind === 'line') return damagedLines(bytes, damage);
  if (damage.kind === 'value') return replaceJsonValue(bytes, damage);
  const at = damage.at % bytes.length;
  const [before, after] = [bytes.slice(0, at), bytes.slice(at)];
  if (damage.kind === 'flip') {
    const copy = bytes.slice();
    copy[at] = (copy[at] ?? 0) ^ (1 << damage.bit);
    return copy;
  }
  if (damage.kind === 'cut') return before;
  if (damage.kind === 'drop') return joinBytes([before, after.slice(damage.length)]);
  if (damage.kind === 'double') return joinBytes([before, after.slice(0, damage.length), after]);
  return joinBytes([before, encodeUtf8(damage.word), after]);
}

function damagedLines(bytes: Uint8Array, blow: Extract<FileDamage, { kind: 'line' }>): Uint8Array {
  const lines = decodeUtf8(bytes).text.split('\n');
  const from = blow.from % lines.length;
  const to = blow.to % lines.length;
  const [line = ''] = lines.slice(from, from + 1);
  if (blow.how === 'drop') lines.splice(from, 1);
  else if (blow.how === 'double') lines.splice(to, 0, line);
  else {
    lines[from] = lines[to] ?? '';
    lines[to] = line;
  }
  return encodeUtf8(lines.join('\n'));
}

/** Replaces a text, number or word after a colon. Keys and the rest of the file stay as they are. */
function replaceJsonValue(bytes: Uint8Array, { at, word }: Extract<FileDamage, { kind: 'value' }>): Uint8Array {
  const { text } = decodeUtf8(bytes);
  const places = [...text.matchAll(/(?<=":\s*)(?:"(?:[^"\\\n]|\\.)*"|-?\d[\d.e+-]*|true|false|null)/g)];
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return bytes;
  return encodeUtf8(text.slice(0, place.index) + word + text.slice(place.index + place[0].length));
}

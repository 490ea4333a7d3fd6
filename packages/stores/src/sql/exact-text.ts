/**
 * Encodes texts that a column cannot store exactly. The text type of PostgreSQL supports neither NUL nor lone
 * surrogates, and both drivers would replace the latter by U+FFFD. JSON columns contain them as escapes. In other
 * columns such a code unit is written as U+001A and four hex digits, and so is U+001A itself. Different texts have
 * different encodings, so comparisons in the database stay correct.
 */

/** The character that marks an encoded code unit; four hex digits follow it. */
export const encodedUnitMark = '\u001a';
const mark = encodedUnitMark;
const nul = String.fromCharCode(0);
// Built from strings, because linters reject control characters in a pattern. With the flag `u` it matches only lone
// surrogates.
const unsafe = new RegExp(`[${nul}${mark}\\p{Surrogate}]`, 'gu');
const written = new RegExp(`${mark}([0-9a-f]{4})`, 'g');

/** Whether a column can store a text unchanged. The three built-in checks are ten times as fast as the pattern. */
export function isColumnSafe(text: string): boolean {
  return text.isWellFormed() && !text.includes(nul) && !text.includes(mark);
}

/** Encodes a text for a column. Nearly all texts are returned unchanged. */
export function encodeColumnText(text: string): string {
  if (isColumnSafe(text)) return text;
  return text.replace(unsafe, (unit) => mark + unit.charCodeAt(0).toString(16).padStart(4, '0'));
}

/** Decodes a text that {@link encodeColumnText} encoded. */
export function decodeColumnText(text: string): string {
  if (!text.includes(mark)) return text;
  return text.replace(written, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

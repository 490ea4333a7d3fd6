/** Makes text of models, tools and imports safe for a terminal. */
import { removeLastGrapheme, truncateToWidth, truncateWithEllipsis, widthOf } from './width.ts';

// Whole sequences are matched first, so that no parts of them remain: OSC, DCS, SOS, PM and APC up to their terminator
// (or the end), CSI up to its final byte, and two-character escapes. C1 forms count like the 7-bit ones.
const sequences = new RegExp(
  [
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
    '\\u001b[ -/]*[0-~]?',
  ].join('|'),
  'g',
);
// The remaining control characters: all except line feed and tab, DEL, the C1 range, and direction marks, which can
// make a line display a text that it does not contain.
const controls = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

// The colour sequences of this command, which are kept.
const colors = new RegExp(['(', '\\u001b\\[[0-9;]{0,16}m', ')'].join(''));

/** Removes everything that a terminal interprets, except line feeds and tabs. */
export function stripControlSequences(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(sequences, '').replace(controls, '');
}

/**
 * Like {@link stripControlSequences}, but keeps colours, for lines that were styled here. Foreign texts in them were
 * stripped before; a text that was missed can at most colour a line.
 */
export function stripExceptColors(text: string): string {
  return text
    .split(colors)
    .map((part, at) => (at % 2 === 1 ? part : stripControlSequences(part)))
    .join('');
}

/** Like {@link stripControlSequences}, on one line of at most `columns`, cut with an ellipsis. */
export function toOneLine(text: string, columns: number): string {
  if (columns < 1) return '';
  // Truncated first: the preview of ten megabytes must not process all of them.
  const from = Math.max(0, text.search(/\S/));
  const end = from + columns * 8 + 64;
  const line = stripControlSequences(text.slice(from, end)).replace(/\s+/g, ' ').trim();
  if (end >= text.length || widthOf(line) > columns) return truncateWithEllipsis(line, columns);
  // The rest of the text was not read, so the line always ends with an ellipsis.
  return `${truncateToWidth(removeLastGrapheme(line), columns - 1)}…`;
}

/** Text of models, tools and imports on its way to a terminal: it may say anything, but it must not do anything. */
import { fitWidth, truncateToWidth, widthOf, withoutLast } from './width.ts';

// Whole sequences first, so that their insides do not stay behind as litter: OSC, DCS, SOS, PM and APC up to their
// terminator (or the end), CSI up to its final byte, and two-character escapes. C1 forms count as the 7-bit ones do.
const sequences = new RegExp(
  [
    '(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
    '\\u001b[ -/]*[0-~]?',
  ].join('|'),
  'g',
);
// What is left of controls: all but line feed and tab, DEL, the C1 range, and characters that turn the reading direction
// around, with which a line can be made to show something else than it says.
const controls = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

// What the styles of this command write: the one kind of sequence that may pass.
const colors = new RegExp(['(', '\\u001b\\[[0-9;]{0,16}m', ')'].join(''));

/** The text without anything that a terminal would obey. Line feeds and tabs stay. */
export function stripControlSequences(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(sequences, '').replace(controls, '');
}

/**
 * As {@link stripControlSequences}, but colours stay: for lines that were styled here. Texts of others in them went through
 * {@link stripControlSequences} before; a path or a name that somebody forgot can then colour a line, and do nothing else.
 */
export function stripExceptColors(text: string): string {
  return text
    .split(colors)
    .map((part, at) => (at % 2 === 1 ? part : stripControlSequences(part)))
    .join('');
}

/** As {@link stripControlSequences}, on one line of at most so many columns, cut with an ellipsis. */
export function oneLine(text: string, columns: number): string {
  if (columns < 1) return '';
  // Cut first: a preview of ten megabytes must not cost ten megabytes of work.
  const from = Math.max(0, text.search(/\S/));
  const end = from + columns * 8 + 64;
  const line = stripControlSequences(text.slice(from, end)).replace(/\s+/g, ' ').trim();
  if (end >= text.length || widthOf(line) > columns) return fitWidth(line, columns);
  // Characters may be as long as they like, and a text may be full of what is not shown: there is more, and it was not looked at.
  return `${truncateToWidth(withoutLast(line), columns - 1)}…`;
}

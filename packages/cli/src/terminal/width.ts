/**
 * Measures and cuts text by terminal columns, never inside a grapheme. Characters that are text unless U+FE0F follows
 * (`▶`, `✔`, `©`) take one column. Emoji with U+FE0E (`⌚`) take two: most terminals draw them so, and overestimating
 * breaks no line. Uses the same version of string-width as Ink; otherwise lines could be wrapped twice.
 */
import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const plain = /^[ -~]*$/;

/** Returns the columns of a line, without colour sequences. */
export function widthOf(line: string): number {
  return plain.test(line) ? line.length : stringWidth(line);
}

/** Yields the graphemes of a text. */
export function* graphemesOf(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** Returns the columns of one grapheme. Cached, because measuring searches large tables. */
export function measureGraphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && plain.test(grapheme)) return 1;
  const known = measured.get(grapheme);
  if (known !== undefined) return known;
  if (measured.size >= 10_000) measured.clear();
  const width = stringWidth(grapheme);
  measured.set(grapheme, width);
  return width;
}

const measured = new Map<string, number>();

/** Returns the longest prefix of a line that fits in `columns`. The line must not contain colour sequences. */
export function truncateToWidth(line: string, columns: number): string {
  if (plain.test(line)) return line.slice(0, Math.max(0, columns));
  let taken = 0;
  let end = 0;
  for (const grapheme of graphemesOf(line)) {
    taken += measureGraphemeWidth(grapheme);
    if (taken > columns) break;
    end += grapheme.length;
  }
  return line.slice(0, end);
}

/**
 * Returns the line if it fits in `columns`, else its beginning and an ellipsis. The line must not contain colour
 * sequences.
 */
export function truncateWithEllipsis(line: string, columns: number): string {
  if (columns < 1) return '';
  return widthOf(line) <= columns ? line : `${truncateToWidth(line, columns - 1).trimEnd()}…`;
}

/** Returns the text without its last grapheme. */
export function removeLastGrapheme(text: string): string {
  // Only the end is read, because no grapheme is longer than 256 code units.
  const from = Math.max(0, text.length - 256);
  let last = from;
  for (const { index } of segmenter.segment(text.slice(from))) last = from + index;
  return text.slice(0, last);
}

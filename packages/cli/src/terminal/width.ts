/**
 * How many columns of a terminal a text takes, and cutting it by them: never in the middle of what one sees as a character.
 * Signs that are text unless U+FE0F follows (`▶`, `✔`, `©`) take one column. Pictures that U+FE0E asks to be text (`⌚`)
 * take two: some terminals draw them in one, most do not, and what is taken for too wide breaks no line. The measure is of the same version as the
 * one that Ink lays lines out with: what fits by one and not by the other would be broken twice.
 */
import stringWidth from 'string-width';

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const plain = /^[ -~]*$/;

/** The columns that a line takes. Colours take none. */
export function widthOf(line: string): number {
  return plain.test(line) ? line.length : stringWidth(line);
}

/** The characters of a text as people see them: what is joined or put on top of another belongs to it. */
export function* graphemesOf(text: string): Generator<string> {
  for (const { segment } of segmenter.segment(text)) yield segment;
}

/** The columns of one character. The same ones come again and again, and measuring looks at long tables. */
export function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1 && plain.test(grapheme)) return 1;
  const known = measured.get(grapheme);
  if (known !== undefined) return known;
  if (measured.size >= 10_000) measured.clear();
  const width = stringWidth(grapheme);
  measured.set(grapheme, width);
  return width;
}

const measured = new Map<string, number>();

/** The longest beginning of a line that takes at most so many columns. Without colours in it. */
export function truncateToWidth(line: string, columns: number): string {
  if (plain.test(line)) return line.slice(0, Math.max(0, columns));
  let taken = 0;
  let end = 0;
  for (const grapheme of graphemesOf(line)) {
    taken += graphemeWidth(grapheme);
    if (taken > columns) break;
    end += grapheme.length;
  }
  return line.slice(0, end);
}

/** The line, or its beginning and an ellipsis, in at most so many columns. Without colours in it. */
export function fitWidth(line: string, columns: number): string {
  if (columns < 1) return '';
  return widthOf(line) <= columns ? line : `${truncateToWidth(line, columns - 1).trimEnd()}…`;
}

/** The text without the last of its characters. */
export function withoutLast(text: string): string {
  // Looks at the end only: nothing that people see as one character is longer.
  const from = Math.max(0, text.length - 256);
  let last = from;
  for (const { index } of segmenter.segment(text.slice(from))) last = from + index;
  return text.slice(0, last);
}

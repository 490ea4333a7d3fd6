/** Wraps text to a width: at spaces if possible, and never inside a grapheme. */
import { graphemesOf, measureGraphemeWidth, removeLastGrapheme, widthOf } from './width.ts';

const color = new RegExp(['(', '\\u001b\\[[0-9;]*m', ')'].join(''));
const tabStop = 8;

/** One cell of the screen and its active colours. */
interface WrapCell {
  readonly text: string;
  readonly width: number;
  readonly colors: string;
}

/**
 * Wraps plain or coloured text. Colours across a break are closed before it and reopened after it. With `keepsWords` a
 * word longer than a line, such as a URL, is not broken: the terminal wraps it at its edge and copies it as one word.
 */
export function wrapLines(text: string, width: number, { keepsWords = false } = {}): string[] {
  const columns = Math.max(1, width);
  const lines: string[] = [];
  let on: readonly string[] = [];
  for (const line of text.split('\n')) {
    if (on.length === 0 && line.length <= columns && /^[ -~]*$/.test(line)) {
      lines.push(line);
      continue;
    }
    for (const piece of splitWords(line)) {
      const { cells, after } = cellsOf(piece, on);
      on = after;
      for (const row of wrapRows(cells, columns, keepsWords)) lines.push(rowText(row));
    }
  }
  return lines;
}

/** Returns a plain or coloured line if it fits in `columns`, else its beginning and an ellipsis. */
export function truncateColoredLine(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const shown: WrapCell[] = [];
  let space = columns - 1;
  for (const cell of cellsOf(line, []).cells) {
    space -= cell.width;
    if (space < 0) break;
    shown.push(cell);
  }
  return `${rowText(shown)}…`;
}

/** Wraps text for reading and copying, between words. Code blocks keep their lines. */
export function wrapMarkdown(text: string, columns: number): string {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    const isCode = fence !== null || mark !== undefined || /^(?: {4}|\t)/.test(line);
    if (fence === null) fence = mark ?? null;
    else if (mark?.startsWith(fence) === true) fence = null;
    if (isCode) lines.push(line);
    else for (const row of wrapLines(line, columns, { keepsWords: true })) lines.push(row.trimEnd());
  }
  return lines.join('\n');
}

const longest = 8192;

/**
 * Splits a very long line, so that its cells fit into memory: ten megabytes of JSON may be one line. Coloured lines are
 * never so long.
 */
function* splitWords(line: string): Generator<string> {
  let from = 0;
  if (!line.includes('\u001b'))
    while (line.length - from > longest) {
      const piece = removeLastGrapheme(line.slice(from, from + longest));
      yield piece;
      from += piece.length;
    }
  yield from === 0 ? line : line.slice(from);
}

/** Returns the active colour codes after one more code. */
function colorSwitch(on: readonly string[], code: string): readonly string[] {
  if (code === '0' || code === '') return [];
  const ended = ends.get(code);
  return ended === undefined ? [...on, code] : on.filter((each) => !ended.has(each));
}

const foreground = ['30', '31', '32', '33', '34', '35', '36', '37'];
const ends: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['22', new Set(['1', '2'])],
  ['23', new Set(['3'])],
  ['27', new Set(['7'])],
  ['39', new Set(foreground)],
]);
const endOfWord = (code: string): string => [...ends].find(([, begun]) => begun.has(code))?.[0] ?? '0';

function cellsOf(
  line: string,
  before: readonly string[],
): { readonly cells: WrapCell[]; readonly after: readonly string[] } {
  const cells: WrapCell[] = [];
  let on = before;
  let column = 0;
  for (const [at, piece] of line.split(color).entries()) {
    if (at % 2 === 1) {
      on = colorSwitch(on, piece.slice(2, -1));
      continue;
    }
    const colors = on.join(';');
    for (const grapheme of graphemesOf(piece)) {
      // A terminal would advance to its own next tab stop, wherever the line starts on the screen.
      const width = grapheme === '\t' ? tabStop - (column % tabStop) : measureGraphemeWidth(grapheme);
      const last = cells.at(-1);
      column += width;
      if (grapheme === '\t') for (let each = 0; each < width; each++) cells.push({ text: ' ', width: 1, colors });
      // A zero-width character belongs to the cell before it.
      else if (width === 0 && last !== undefined) cells[cells.length - 1] = { ...last, text: last.text + grapheme };
      else cells.push({ text: grapheme, width, colors });
    }
  }
  return { cells, after: on };
}

/** Returns the rows of a line. Spaces at a break that do not fit are dropped, unless they are styled. */
function wrapRows(cells: readonly WrapCell[], columns: number, keepsWords: boolean): WrapCell[][] {
  const rows: WrapCell[][] = [];
  let row: WrapCell[] = [];
  let taken = 0;
  // The last position where the row may be broken: before its last word, but never before its first.
  let seam = 0;
  let blank = true;
  for (const cell of cells) {
    const last = row.at(-1);
    if (last !== undefined && !blank && isBreakPoint(last, cell)) seam = row.length;
    if (taken + cell.width > columns && row.length > 0) {
      if (cell.text === ' ' && !isLit(cell)) {
        seam = row.length;
        continue;
      }
      const tail = cell.text === ' ' || seam === 0 ? [] : row.slice(seam);
      if (keepsWords && cell.text !== ' ' && seam !== row.length) {
        if (seam > 0) {
          rows.push(row.slice(0, seam));
          row = tail;
          taken = tail.reduce((sum, each) => sum + each.width, 0);
          seam = 0;
          blank = false;
        }
        row.push(cell);
        taken += cell.width;
        continue;
      }
      const width = tail.reduce((sum, each) => sum + each.width, 0);
      // A word that would also fill the next line is broken here.
      const moved = width + cell.width > columns ? [] : tail;
      rows.push(row.slice(0, row.length - moved.length));
      row = moved;
      taken = moved.length === 0 ? 0 : width;
      seam = 0;
      blank = moved.length === 0;
    }
    row.push(cell);
    taken += cell.width;
    blank &&= cell.text === ' ';
  }
  rows.push(row);
  return rows;
}

const isLit = ({ colors }: WrapCell): boolean => colors.split(';').includes('7');

// A line must not begin with closing punctuation.
const closing = /^[\p{Pe}\p{Pf}、。，．！？：；…ー]/u;

/** Words begin after spaces; scripts without spaces, and emoji, may be broken around each character. */
function isBreakPoint(last: WrapCell, next: WrapCell): boolean {
  if (next.text === ' ') return false;
  return last.text === ' ' || ((last.width > 1 || next.width > 1) && !closing.test(next.text));
}

function rowText(row: readonly WrapCell[]): string {
  let text = '';
  let on = '';
  const end = () => {
    for (const code of on === '' ? [] : on.split(';').reverse()) text += `\u001b[${endOfWord(code)}m`;
  };
  for (const cell of row) {
    if (cell.colors !== on) {
      end();
      on = cell.colors;
      for (const code of on === '' ? [] : on.split(';')) text += `\u001b[${code}m`;
    }
    text += cell.text;
  }
  end();
  return text;
}

/** A terminal screen with modern width rules: joined characters take one cell, emoji take two columns. */
import xterm, { type IUnicodeVersionProvider, type Terminal } from '@xterm/headless';

const wide =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])$/u;
const joins = /^(?:\p{M}|\u200d|[\ufe00-\ufe0f]|[\u{1f3fb}-\u{1f3ff}]|[\u1160-\u11ff])$/u;
const flag = /^\p{Regional_Indicator}$/u;
const [plain, joiner, half] = [0, 1, 2];

const graphemes: IUnicodeVersionProvider & {
  charProperties(code: number, before: number): number;
} = {
  version: 'graphemes',
  wcwidth: (code) => widthOf(String.fromCodePoint(code)),
  // The library encodes the result as one number: state, width, and whether the character joins the one before.
  charProperties(code, before) {
    const character = String.fromCodePoint(code);
    const [state, width] = [before >> 3, (before >> 1) & 3];
    const packed = (next: number, columns: number, isJoined: boolean) =>
      (next << 3) | (columns << 1) | Number(isJoined);
    if (before !== 0 && character === '\u200d') return packed(joiner, width, true);
    if (before !== 0 && character === '\ufe0f') return packed(plain, 2, true);
    if (before !== 0 && joins.test(character)) return packed(plain, width, true);
    if (state === joiner) return packed(plain, Math.max(width, widthOf(character)), true);
    if (flag.test(character)) return state === half ? packed(plain, 2, true) : packed(half, 2, false);
    return packed(plain, widthOf(character), false);
  },
};

function widthOf(character: string): 0 | 1 | 2 {
  if (wide.test(character)) return 2;
  return joins.test(character) ? 0 : 1;
}

/** Creates an empty screen. */
export function makeTestScreen(columns: number, rows: number): Terminal {
  const screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: true });
  screen.unicode.register(graphemes);
  screen.unicode.activeVersion = graphemes.version;
  return screen;
}

/** One row of a screen: its text, and whether the terminal wrapped a line there. */
export interface ScreenRow {
  readonly text: string;
  readonly broken: boolean;
  /** The column in which a text begins; -1 if the row does not contain it. */
  columnOf(text: string): number;
}

/** Returns the rows that a screen of the given width shows for a text, without empty rows at the end. */
export async function readScreenRows(text: string, columns: number): Promise<readonly ScreenRow[]> {
  const screen = makeTestScreen(columns, 200);
  await new Promise<void>((resolve) => screen.write(text, resolve));
  const rows: ScreenRow[] = [];
  for (let at = 0; at < screen.rows; at++) {
    const line = screen.buffer.active.getLine(at);
    if (line === undefined) break;
    const shown = line.translateToString(true);
    rows.push({
      text: shown,
      broken: line.isWrapped,
      columnOf(wanted) {
        const before = shown.indexOf(wanted);
        if (before === -1) return -1;
        let [column, units] = [0, 0];
        for (; units < before; column++)
          units += line.getCell(column)?.getChars().length || (line.getCell(column)?.getWidth() === 0 ? 0 : 1);
        return column;
      },
    });
  }
  while (rows.at(-1)?.text === '') rows.pop();
  return rows;
}

/** The completion menu above the input line: commands while a command is typed, files after an @. */
import type { LineCompletion } from '@coppice/engine';
import { toOneLine } from '../terminal/strip-control-sequences.ts';
import type { TextStyles } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import type { EditorDraft } from './editor.ts';
import type { MenuCommand } from './terminal-slash-commands.ts';

/** The suggestions for the word before the cursor, which begins at `from`. */
export interface InputMenu {
  readonly from: number;
  readonly items: readonly LineCompletion[];
}

const closed: InputMenu = { from: 0, items: [] };

/** Builds the menu for a draft. An exact match is first, so that Enter runs the typed command. */
export function buildInputMenu(
  { text, cursor }: EditorDraft,
  commands: readonly MenuCommand[],
  files: (typed: string) => readonly LineCompletion[],
): InputMenu {
  const before = text.slice(0, cursor);
  if (/^\/[a-z-]*$/.test(before)) {
    const typed = before.slice(1);
    const found = commands.filter(({ name }) => name.startsWith(typed));
    found.sort((a, b) => Number(b.name === typed) - Number(a.name === typed));
    const items = found.map(({ name, summary }) => ({ value: `/${name}`, label: `/${name}`, about: summary }));
    return { from: 0, items };
  }
  const [, named, quoted, bare] = /(?:^|\s)(@(?:"([^"\n]*)|([^\s@"]*)))$/.exec(before.slice(-longestPath)) ?? [];
  if (named === undefined) return closed;
  return { from: cursor - named.length, items: files(quoted ?? bare ?? '') };
}

const longestPath = 4096;

/** Replaces the word before the cursor by a suggestion. After a folder, the menu lists its content. */
export function acceptCompletion(
  { text, cursor }: EditorDraft,
  { from }: InputMenu,
  { value }: LineCompletion,
): EditorDraft {
  const end = value.endsWith('/') ? '' : ' ';
  return { text: text.slice(0, from) + value + end + text.slice(cursor), cursor: from + value.length + end.length };
}

/** Returns the lines of the menu around the selected one. Each suggestion takes one line of the screen. */
export function renderMenuLines(
  { items }: InputMenu,
  at: number,
  width: number,
  most: number,
  style: TextStyles,
): string[] {
  const from = Math.max(0, Math.min(at - most + 1, items.length - most));
  const shown = items.slice(Math.max(0, from), Math.max(0, from) + most);
  const widest = shown.reduce((space, { label }) => Math.max(space, widthOf(label)), 0);
  return shown.map(({ label, about }, index) => {
    const isAt = Math.max(0, from) + index === at;
    const name = toOneLine(label, Math.max(4, width - 2));
    const gap = ' '.repeat(Math.max(0, widest - widthOf(name)));
    const space = width - 4 - widest;
    const beside = space < 8 || about === '' ? '' : `${gap}  ${style.quiet(toOneLine(about, space))}`;
    return `${isAt ? style.active('▶ ') : '  '}${isAt ? style.active(name) : name}${beside}`;
  });
}

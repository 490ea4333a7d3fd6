/** Lays out the draft as lines of the screen. */
import type { TextStyles } from '../terminal/style.ts';
import { graphemesOf, removeLastGrapheme } from '../terminal/width.ts';
import { wrapLines } from '../terminal/wrap.ts';
import { type EditorDraft, findCharacterUnderCursor } from './editor.ts';

// A draft may contain control characters from a message or file; they are shown as placeholders.
const controls = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Returns the lines of the draft around its cursor, limited in number, with the cursor drawn as text, because the
 * terminal's own cursor is at the last drawn position. Only the visible part is laid out: a draft may be a paste of a
 * megabyte.
 */
export function renderDraftLines(draft: EditorDraft, width: number, most: number, style: TextStyles): string[] {
  const { text, cursor } = draft;
  const reach = Math.max(1, width) * most * 2;
  const top = topOf(draft, Math.max(0, cursor - reach));
  const under = findCharacterUnderCursor(draft);
  const lit = `\u001b[7m${under === '' || under === '\n' ? ' ' : maskControls(under)}\u001b[27m`;
  const end = cursor + reach;
  const rest = text.slice(under === '\n' ? cursor : cursor + under.length, end);
  const lines = wrapLines(
    maskControls(text.slice(top, cursor)) + lit + maskControls(end < text.length ? removeLastGrapheme(rest) : rest),
    width,
  );
  const at = lines.findIndex((line) => line.includes('\u001b[7m'));
  const first = Math.max(0, Math.min(lines.length - most, Math.max(0, at - most + 1)));
  return lines
    .slice(first, first + most)
    .map((line, index) => `${top + first + index === 0 ? style.active('› ') : '  '}${line}`);
}

function maskControls(text: string): string {
  return text.replace(controls, '·');
}

/**
 * Returns the offset from which the text is laid out: the start of a line if one is near, and never the middle of a
 * grapheme.
 */
function topOf({ text, cursor }: EditorDraft, far: number): number {
  if (far === 0) return 0;
  const line = text.indexOf('\n', far);
  if (line !== -1 && line < cursor) return line + 1;
  // The first grapheme of the slice may be the end of a longer one.
  const [first = ''] = graphemesOf(text.slice(far, Math.min(cursor, far + 256)));
  return far + first.length;
}

/** The draft as an immutable value. Every editing key returns a new draft. */
import { graphemesOf, removeLastGrapheme, truncateToWidth, widthOf } from '../terminal/width.ts';

/** A text and the cursor position in it, in UTF-16 code units. */
export interface EditorDraft {
  readonly text: string;
  readonly cursor: number;
}

/** An empty draft. */
export const emptyDraft: EditorDraft = { text: '', cursor: 0 };

/** Returns a draft with this text and the cursor at its end. */
export function toEditorDraft(text: string): EditorDraft {
  return { text, cursor: text.length };
}

/** Inserts text at the cursor. */
export function insertText({ text, cursor }: EditorDraft, more: string): EditorDraft {
  return { text: text.slice(0, cursor) + more + text.slice(cursor), cursor: cursor + more.length };
}

// The longest grapheme. It limits the search, so that a key press does not scan a megabyte.
const reach = 256;

function beforeCursor({ text, cursor }: EditorDraft): number {
  const from = Math.max(0, cursor - reach);
  return from + removeLastGrapheme(text.slice(from, cursor)).length;
}

function afterCursor(draft: EditorDraft): number {
  return draft.cursor + findCharacterUnderCursor(draft).length;
}

/** Returns the character under the cursor; empty at the end of the text. */
export function findCharacterUnderCursor({ text, cursor }: EditorDraft): string {
  const [first = ''] = graphemesOf(text.slice(cursor, cursor + reach));
  return first;
}

function wordBefore({ text, cursor }: EditorDraft): number {
  return cursor - (/(?:\S+\s*|\s+)$/.exec(text.slice(Math.max(0, cursor - 500), cursor))?.[0].length ?? 0);
}

function wordAfter({ text, cursor }: EditorDraft): number {
  return cursor + (/^(?:\s*\S+|\s+)/.exec(text.slice(cursor, cursor + 500))?.[0].length ?? 0);
}

function lineStart({ text, cursor }: EditorDraft): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: EditorDraft): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

function cutRange({ text }: EditorDraft, from: number, to: number): EditorDraft {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function moveVertically(draft: EditorDraft, down: boolean): EditorDraft | null {
  const { text, cursor } = draft;
  const start = lineStart(draft);
  const column = widthOf(text.slice(start, cursor));
  if (down) {
    const end = lineEnd(draft);
    if (end === text.length) return null;
    const next = { text, cursor: end + 1 };
    return { text, cursor: next.cursor + truncateToWidth(text.slice(next.cursor, lineEnd(next)), column).length };
  }
  if (start === 0) return null;
  const above = lineStart({ text, cursor: start - 1 });
  return { text, cursor: above + truncateToWidth(text.slice(above, start - 1), column).length };
}

/** What each editing key does. It returns null if the key has no effect, for example up on the first line. */
export const editsByKey = {
  left: (draft: EditorDraft): EditorDraft => ({ ...draft, cursor: beforeCursor(draft) }),
  right: (draft: EditorDraft): EditorDraft => ({ ...draft, cursor: afterCursor(draft) }),
  up: (draft: EditorDraft): EditorDraft | null => moveVertically(draft, false),
  down: (draft: EditorDraft): EditorDraft | null => moveVertically(draft, true),
  home: (draft: EditorDraft): EditorDraft => ({ ...draft, cursor: lineStart(draft) }),
  end: (draft: EditorDraft): EditorDraft => ({ ...draft, cursor: lineEnd(draft) }),
  wordLeft: (draft: EditorDraft): EditorDraft => ({ ...draft, cursor: wordBefore(draft) }),
  wordRight: (draft: EditorDraft): EditorDraft => ({ ...draft, cursor: wordAfter(draft) }),
  backspace: (draft: EditorDraft): EditorDraft => cutRange(draft, beforeCursor(draft), draft.cursor),
  delete: (draft: EditorDraft): EditorDraft => cutRange(draft, draft.cursor, afterCursor(draft)),
  cutWord: (draft: EditorDraft): EditorDraft => cutRange(draft, wordBefore(draft), draft.cursor),
  cutNextWord: (draft: EditorDraft): EditorDraft => cutRange(draft, draft.cursor, wordAfter(draft)),
  // At the edge of a line these two remove the line break, so that repeating them empties the draft.
  cutToStart: (draft: EditorDraft): EditorDraft =>
    cutRange(draft, Math.min(lineStart(draft), Math.max(0, draft.cursor - 1)), draft.cursor),
  cutToEnd: (draft: EditorDraft): EditorDraft =>
    cutRange(draft, draft.cursor, Math.max(lineEnd(draft), Math.min(draft.text.length, draft.cursor + 1))),
} as const;

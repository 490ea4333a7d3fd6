/** The text that is being written, as a value: every key gives a new one. */
import { beginningOf, graphemesOf, widthOf, withoutLast } from '../terminal/width.ts';

/** A text and where the cursor is in it, in UTF-16 code units. */
export interface Draft {
  readonly text: string;
  readonly cursor: number;
}

/** Nothing written yet. */
export const emptyDraft: Draft = { text: '', cursor: 0 };

/** A draft with this text, the cursor at its end. */
export function draftOf(text: string): Draft {
  return { text, cursor: text.length };
}

/** Puts text where the cursor is. */
export function insert({ text, cursor }: Draft, more: string): Draft {
  return { text: text.slice(0, cursor) + more + text.slice(cursor), cursor: cursor + more.length };
}

// Nothing that people see as one character is longer: a paste of a megabyte must not be looked through at every key.
const reach = 256;

function before({ text, cursor }: Draft): number {
  const from = Math.max(0, cursor - reach);
  return from + withoutLast(text.slice(from, cursor)).length;
}

function after(draft: Draft): number {
  return draft.cursor + underCursor(draft).length;
}

/** The character that the cursor is on; nothing at the end of the text. */
export function underCursor({ text, cursor }: Draft): string {
  const [first = ''] = graphemesOf(text.slice(cursor, cursor + reach));
  return first;
}

function wordBefore({ text, cursor }: Draft): number {
  return cursor - (/(?:\S+\s*|\s+)$/.exec(text.slice(Math.max(0, cursor - 500), cursor))?.[0].length ?? 0);
}

function lineStart({ text, cursor }: Draft): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: Draft): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

function cut({ text }: Draft, from: number, to: number): Draft {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function vertical(draft: Draft, down: boolean): Draft | null {
  const { text, cursor } = draft;
  const start = lineStart(draft);
  const column = widthOf(text.slice(start, cursor));
  if (down) {
    const end = lineEnd(draft);
    if (end === text.length) return null;
    const next = { text, cursor: end + 1 };
    return { text, cursor: next.cursor + beginningOf(text.slice(next.cursor, lineEnd(next)), column).length };
  }
  if (start === 0) return null;
  const above = lineStart({ text, cursor: start - 1 });
  return { text, cursor: above + beginningOf(text.slice(above, start - 1), column).length };
}

/** What an editing key does. Null where it has nothing to do there, as up on the first line. */
export const edits = {
  left: (draft: Draft): Draft => ({ ...draft, cursor: before(draft) }),
  right: (draft: Draft): Draft => ({ ...draft, cursor: after(draft) }),
  up: (draft: Draft): Draft | null => vertical(draft, false),
  down: (draft: Draft): Draft | null => vertical(draft, true),
  home: (draft: Draft): Draft => ({ ...draft, cursor: lineStart(draft) }),
  end: (draft: Draft): Draft => ({ ...draft, cursor: lineEnd(draft) }),
  wordLeft: (draft: Draft): Draft => ({ ...draft, cursor: wordBefore(draft) }),
  backspace: (draft: Draft): Draft => cut(draft, before(draft), draft.cursor),
  delete: (draft: Draft): Draft => cut(draft, draft.cursor, after(draft)),
  cutWord: (draft: Draft): Draft => cut(draft, wordBefore(draft), draft.cursor),
  cutToStart: (draft: Draft): Draft => cut(draft, lineStart(draft), draft.cursor),
  cutToEnd: (draft: Draft): Draft => cut(draft, draft.cursor, lineEnd(draft)),
} as const;

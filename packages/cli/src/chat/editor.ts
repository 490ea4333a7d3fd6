/** The text that is being written, as a value: every key gives a new one. */

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

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function before({ text, cursor }: Draft): number {
  // Looks at the line only: a paste of a megabyte must not be cut into characters at every key.
  const start = Math.max(text.lastIndexOf('\n', cursor - 2) + 1, cursor - 64);
  let last = start;
  for (const { index } of segmenter.segment(text.slice(start, cursor))) last = start + index;
  return cursor === 0 ? 0 : last;
}

function after({ text, cursor }: Draft): number {
  const [first] = segmenter.segment(text.slice(cursor, cursor + 64));
  return cursor + (first?.segment.length ?? 0);
}

function wordBefore({ text, cursor }: Draft): number {
  return cursor - (/(?:\S+\s*|\s+)$/.exec(text.slice(Math.max(0, cursor - 500), cursor))?.[0].length ?? 0);
}

function lineStart({ text, cursor }: Draft): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
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
  const column = cursor - start;
  if (down) {
    const end = lineEnd(draft);
    if (end === text.length) return null;
    const next = { text, cursor: end + 1 };
    return { text, cursor: Math.min(next.cursor + column, lineEnd(next)) };
  }
  if (start === 0) return null;
  const above = { text, cursor: start - 1 };
  return { text, cursor: Math.min(lineStart(above) + column, start - 1) };
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

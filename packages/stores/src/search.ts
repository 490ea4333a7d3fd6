/**
 * Defines search for all stores: the text must contain every
 * search term, ignoring case. No character has a special meaning.
 */

/**
 * Returns a text in lower case, for comparisons that ignore case. The lower case of a capital sigma depends on the next
 * letter, so a part of a text would differ from the same part of the whole text: every sigma becomes the same letter.
 */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

/** Splits a search text at white space into terms in lower case. */
export function splitSearchTerms(text: string): readonly string[] {
  return [...new Set(foldCase(text).split(/\s+/u))].filter((term) => term !== '');
}

/** Whether a text contains every term. */
export function containsAllTerms(text: string, terms: readonly string[]): boolean {
  const lower = foldCase(text);
  return terms.every((term) => lower.includes(term));
}

// The number of characters before the first term in a snippet.
const before = 40;
const after = 120;

/** Returns the text around the first term as one line, with an ellipsis where it is cut, never inside a character. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const lower = foldCase(text);
  const offsets = terms.map((term) => lower.indexOf(term)).filter((offset) => offset >= 0);
  return cutAround(text, offsets.length === 0 ? 0 : Math.min(...offsets));
}

/** Returns the snippet of a text that contains every term, else null. Each term is searched only once. */
export function snippetIfMatching(text: string, terms: readonly string[]): string | null {
  const lower = foldCase(text);
  let first = lower.length;
  for (const term of terms) {
    const offset = lower.indexOf(term);
    if (offset === -1) return null;
    if (offset < first) first = offset;
  }
  return cutAround(text, first);
}

function cutAround(text: string, offset: number): string {
  // The text in lower case may be longer than the text. Then the offset is slightly wrong, but within the text.
  const at = Math.min(offset, Math.max(0, text.length - 1));
  const start = startOfCharacter(text, Math.max(0, at - before));
  const end = startOfCharacter(text, Math.min(text.length, at + after));
  const line = text.slice(start, end).replace(/\s+/gu, ' ').trim();
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}

function startOfCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at;
}

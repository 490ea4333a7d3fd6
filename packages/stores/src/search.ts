/** What searching means, the same in every store: parts of texts, in any case, all of them, no character special. */

/** The terms of what a user looks for, in lower case. White space parts them; nothing else does. */
export function searchTerms(text: string): readonly string[] {
  return [...new Set(text.toLowerCase().split(/\s+/u))].filter((term) => term !== '');
}

/** Whether a text has every term in it. */
export function hasTerms(text: string, terms: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return terms.every((term) => lower.includes(term));
}

// Characters of context on each side of the first term.
const before = 40;
const after = 120;

/** The text around the first term, in one line, with an ellipsis where it was cut and never half a character. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  return cutAround(text, places.length === 0 ? 0 : Math.min(...places));
}

/** The snippet of a text that has every term in it, else null; looks for each term once. */
export function snippetWith(text: string, terms: readonly string[]): string | null {
  const lower = text.toLowerCase();
  let first = lower.length;
  for (const term of terms) {
    const place = lower.indexOf(term);
    if (place === -1) return null;
    if (place < first) first = place;
  }
  return cutAround(text, first);
}

function cutAround(text: string, place: number): string {
  // Lower case may be longer than the text itself; then the place is a little off and still inside.
  const at = Math.min(place, Math.max(0, text.length - 1));
  const start = wholeWord(text, Math.max(0, at - before));
  const end = wholeWord(text, Math.min(text.length, at + after));
  const line = text.slice(start, end).replace(/\s+/gu, ' ').trim();
  return `${start > 0 ? '…' : ''}${line}${end < text.length ? '…' : ''}`;
}

function wholeWord(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff && at > 0 ? at - 1 : at;
}

/** Finds offsets at which a text can be cut without splitting a character. Offsets are UTF-16 code units. */

let segmenter: Intl.Segmenter | undefined;

/**
 * Whether an offset is between two user-perceived characters: not inside a surrogate pair, before a combining accent or
 * between CR and LF.
 */
export function isCharacterBoundary(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return offset === 0 || offset === text.length;
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  if (before < 0x300 && after < 0x300 && before !== 0x0d) return true;
  // Clusters are short, so a window around the offset is enough. The window starts at a line feed or a space, because
  // the text before such a character does not change the boundaries after it.
  const from = windowStart(text, offset);
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  const segment = segmenter.segment(text.slice(from, offset + 64)).containing(offset - from);
  return segment === undefined || segment.index === offset - from;
}

function windowStart(text: string, offset: number): number {
  for (let at = offset - 1; at > 0 && offset - at < 256; at--) {
    const unit = text.charCodeAt(at);
    if ((unit === 0x20 || unit === 0x0a) && text.charCodeAt(at - 1) !== 0x0d) return at;
  }
  let at = Math.max(0, offset - 256);
  if (isLowSurrogate(text, at)) at--;
  // Flags are pairs of letters, so the pairs can only be found from the start of a run.
  while (at >= 2 && isFlagLetter(text, at - 2)) at -= 2;
  return at;
}

function isLowSurrogate(text: string, at: number): boolean {
  return at > 0 && (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

function isFlagLetter(text: string, at: number): boolean {
  const point = text.codePointAt(at) ?? 0;
  return point >= 0x1f1e6 && point <= 0x1f1ff;
}

/** Returns the last boundary at or before an offset. */
export function lastCharacterBoundary(text: string, offset: number): number {
  let at = Math.min(offset, text.length);
  while (at > 0 && !isCharacterBoundary(text, at)) at--;
  return at;
}

/**
 * Returns the beginning of a text as one line with single spaces, of at most `most` code units, without splitting a
 * character.
 */
export function truncateToLine(text: string, most: number): string {
  const line = text
    .slice(0, lastCharacterBoundary(text, most * 4))
    .replace(/\s+/g, ' ')
    .trim();
  return line.slice(0, lastCharacterBoundary(line, most));
}

/** Returns the length of the common prefix of two texts, ending at a character boundary of both. */
export function commonPrefixLength(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return lastSharedBoundary(a, b, at);
}

/** Returns the last offset up to the given one that is a boundary of both texts. */
export function lastSharedBoundary(a: string, b: string, offset: number): number {
  let at = Math.max(0, offset);
  for (;;) {
    const cut = lastCharacterBoundary(b, lastCharacterBoundary(a, at));
    if (cut === at) return at;
    at = cut;
  }
}

/** Where a text may be cut without leaving half a character. Offsets are UTF-16 code units. */

let segmenter: Intl.Segmenter | undefined;

/** Whether a cut at this offset falls between two characters as people count them: no surrogate pair, accent or CR LF torn. */
export function isBoundary(text: string, offset: number): boolean {
  if (offset <= 0 || offset >= text.length) return offset === 0 || offset === text.length;
  const before = text.charCodeAt(offset - 1);
  const after = text.charCodeAt(offset);
  if (before < 0x300 && after < 0x300 && before !== 0x0d) return true;
  // Characters are short, so a window around the cut decides; it starts after a line feed or space where no cluster crosses.
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
  // Flags are pairs of letters: from the middle of a run of them, which ones pair cannot be told.
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

/** The largest boundary of the text at or left of an offset. */
export function boundaryBefore(text: string, offset: number): number {
  let at = Math.min(offset, text.length);
  while (at > 0 && !isBoundary(text, at)) at--;
  return at;
}

/** The beginning of a text on one line: at most so many code units, and no character cut in two. */
export function truncate(text: string, most: number): string {
  const line = text
    .slice(0, boundaryBefore(text, most * 4))
    .replace(/\s+/g, ' ')
    .trim();
  return line.slice(0, boundaryBefore(line, most));
}

/** How many code units two texts share at their beginning, ending between characters of both. */
export function commonPrefix(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return sharedBoundary(a, b, at);
}

/** The largest offset at or left of this one that is a boundary of both texts. */
export function sharedBoundary(a: string, b: string, offset: number): number {
  let at = Math.max(0, offset);
  for (;;) {
    const cut = boundaryBefore(b, boundaryBefore(a, at));
    if (cut === at) return at;
    at = cut;
  }
}

// Encodes UTF-8 without TextEncoder, because this package compiles without DOM or Node types, and the hash needs a
// buffer that it can pad.

const replacement = 0xfffd;

/** Returns the code point at `index`; a lone surrogate is U+FFFD, as in TextEncoder and node:crypto. */
function codePointAt(text: string, index: number): number {
  const first = text.charCodeAt(index);
  if (first < 0xd800 || first > 0xdfff) return first;
  if (first > 0xdbff) return replacement;
  const second = text.charCodeAt(index + 1);
  return second >= 0xdc00 && second <= 0xdfff ? 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00) : replacement;
}

/** Writes a text as UTF-8 to the start of `into`, which must be long enough, and returns the number of bytes. */
export function writeUtf8(text: string, into: Uint8Array): number {
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      into[at++] = unit;
    } else if (unit < 0x800) {
      into[at++] = 0xc0 | (unit >> 6);
      into[at++] = 0x80 | (unit & 0x3f);
    } else {
      const point = codePointAt(text, index);
      if (point > 0xffff) {
        index++;
        into[at++] = 0xf0 | (point >> 18);
        into[at++] = 0x80 | ((point >> 12) & 0x3f);
      } else {
        into[at++] = 0xe0 | (point >> 12);
      }
      into[at++] = 0x80 | ((point >> 6) & 0x3f);
      into[at++] = 0x80 | (point & 0x3f);
    }
  }
  return at;
}

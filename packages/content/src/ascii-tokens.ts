/**
 * The estimate of tokenx for texts of plain ASCII, character by character. Every append pays for an estimate, and most
 * texts are plain: the library's split by patterns costs ten times what this loop does. A test holds the two equal.
 */

const other = 0;
const space = 1;
const mark = 2;
const digit = 3;
const lower = 4;

const classes = new Uint8Array(128);
for (const code of [9, 10, 11, 12, 13, 32]) classes[code] = space;
for (const character of '.,!?;(){}[]<>:/\\|@#$%^&*+=`~_"-') classes[character.charCodeAt(0)] = mark;
for (let code = 48; code <= 57; code++) classes[code] = digit;
for (let code = 97; code <= 122; code++) classes[code] = lower;

const lineFeed = 10;

/** The estimate, or null where the text is not plain ASCII. Every character of a word is looked at once. */
export function asciiTokens(text: string): number | null {
  const { length } = text;
  let tokens = 0;
  for (let at = 0; at < length; ) {
    const from = at;
    const first = text.charCodeAt(at);
    if (first > 127) return null;
    const kind = family(classes[first] ?? other);
    let digits = 0;
    let lowers = 0;
    for (; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code > 127) return null;
      const its = classes[code] ?? other;
      if (family(its) !== kind) break;
      if (its === lower) lowers++;
      else if (its === digit) digits++;
    }
    tokens += kind === space ? spaceTokens(text, from, at) : wordTokens(at - from, kind, digits, lowers);
  }
  return tokens;
}

function family(kind: number): number {
  return kind === space || kind === mark ? kind : other;
}

/** Spaces are free, indentation and blank lines are not, and a line feed is unless punctuation stands before it. */
function spaceTokens(text: string, from: number, end: number): number {
  let feed = false;
  for (let at = from; at < end; at++) {
    if (text.charCodeAt(at) !== lineFeed) continue;
    if (at + 1 < end) return 1;
    feed = true;
  }
  if (!feed) return 0;
  return from > 0 && classes[text.charCodeAt(from - 1)] === mark ? 0 : 1;
}

function wordTokens(length: number, kind: number, digits: number, lowers: number): number {
  if (digits === length) return Math.ceil(length / 3);
  if (length <= 3 || (length <= 8 && lowers === length)) return 1;
  return Math.ceil(length / (kind === mark ? 6 : 7));
}

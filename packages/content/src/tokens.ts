/** Estimates the tokens of texts. */
import { estimateTokenCount } from 'tokenx';

// The estimator processes about 10 MB per second. Longer texts are sampled at evenly spaced windows, so that one very
// long text does not block everything else for a second.
const wholeUpTo = 64 * 1024;
const windows = 16;
const windowLength = wholeUpTo / windows;

/** Estimates the tokens of a text. The same text always gets the same estimate. Long texts are sampled. */
export function estimateTokens(text: string): number {
  if (text === '') return 0;
  if (text.length <= wholeUpTo) return estimateText(text);
  const stride = (text.length - windowLength) / (windows - 1);
  let sampled = 0;
  for (let window = 0; window < windows; window++) {
    const start = Math.floor(window * stride);
    sampled += estimateText(text.slice(start, start + windowLength));
  }
  return Math.ceil((sampled * text.length) / wholeUpTo);
}

function estimateText(text: string): number {
  return estimateAsciiTokens(text) ?? estimateTokenCount(text);
}

const space = 0;
const mark = 1;
// Classes from this value on are word characters. One bit marks digits, and one marks lower-case letters.
const other = 2;
const digit = 3;
const lower = 4;

const classes = new Uint8Array(128).fill(other);
for (const code of [9, 10, 11, 12, 13, 32]) classes[code] = space;
for (const character of '.,!?;(){}[]<>:/\\|@#$%^&*+=`~_"-') classes[character.charCodeAt(0)] = mark;
for (let code = 48; code <= 57; code++) classes[code] = digit;
for (let code = 97; code <= 122; code++) classes[code] = lower;

const lineFeed = 10;
const beyond = -1;

/**
 * Computes the estimate of the tokenx library for plain ASCII text in one loop; null for other text. Every append needs
 * an estimate, most texts are plain ASCII, and the library's regular expressions cost ten times as much. A test checks
 * that both agree.
 */
export function estimateAsciiTokens(text: string): number | null {
  const { length } = text;
  let tokens = 0;
  for (let at = 0; at < length; ) {
    const from = at;
    const kind = classes[text.charCodeAt(at)] ?? beyond;
    if (kind === beyond) return null;
    if (kind < other) {
      do at++;
      while (at < length && classes[text.charCodeAt(at)] === kind);
      tokens += kind === space ? spaceTokens(text, from, at) : wordTokens(at - from, 6, 0, 0);
      continue;
    }
    let digits = 0;
    let lowers = 0;
    // A character beyond ASCII ends the word; the outer loop handles that character next.
    for (let its = kind; its >= other; its = at < length ? (classes[text.charCodeAt(at)] ?? beyond) : beyond) {
      digits += its & 1;
      lowers += its >> 2;
      at++;
    }
    tokens += wordTokens(at - from, 7, digits, lowers);
  }
  return tokens;
}

/**
 * Counts the tokens of white space: spaces within a line are free, indentation and blank lines are one token, and a
 * single line feed is one token unless it follows punctuation.
 */
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

/**
 * Estimates the tokens of a run: digits have three characters per token, short runs and short lower-case words are one
 * token, others have `each` characters per token (seven for words, six for punctuation).
 */
function wordTokens(length: number, each: number, digits: number, lowers: number): number {
  if (digits === length) return Math.ceil(length / 3);
  if (length <= 3 || (length <= 8 && lowers === length)) return 1;
  return Math.ceil(length / each);
}

/** Shortens texts at character boundaries, with a visible mark where text is missing. */
import { estimateTokens } from '@coppice/content';

/**
 * Returns the text. If it is longer than about `length` UTF-16 code units, returns its beginning and end with a note
 * between them.
 */
export function clipMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  const keptLength = Math.max(2, length - 48);
  const head = wholeTextOf(text, Math.ceil(keptLength * 0.7));
  const tail = wholeGraphemeFrom(text, text.length - Math.floor(keptLength * 0.3));
  return `${text.slice(0, head)}\n[… ${tail - head} characters left out …]\n${text.slice(tail)}`;
}

/** Like {@link clipMiddle}, but the limit is an estimated number of tokens. */
export function clipTokens(text: string, tokens: number): string {
  let clipped = text;
  for (let taken = estimateTokens(clipped); taken > tokens && clipped.length > 80; taken = estimateTokens(clipped)) {
    const length = Math.floor(Math.min(text.length, clipped.length) * Math.min(0.9, tokens / taken));
    clipped = clipMiddle(text, Math.max(60, length));
    if (length <= 60) break;
  }
  return clipped;
}

/** Returns the first non-blank line, cut at a word. */
export function firstLineOf(text: string, length: number): string {
  const start = text.search(/\S/);
  if (start === -1) return '';
  const [line = ''] = text.slice(start, start + 2 * length).split('\n', 1);
  return cutAtWord(line.replace(/\s+/g, ' ').trim(), length);
}

/** Shortens a line to at most `length` UTF-16 code units with an ellipsis; cuts at a word if one ends near enough. */
export function cutAtWord(line: string, length: number): string {
  if (line.length <= length) return line;
  const end = wholeTextOf(line, length - 1);
  const space = line.lastIndexOf(' ', end);
  return `${line.slice(0, space > length / 2 ? space : end).replace(/[\s,;:.…-]+$/u, '')}…`;
}

// Matches characters that belong to the preceding one, before which a text must not be cut.
const joiningCharacter = /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}])/u;

function isCutPoint(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code >= 0xdc00 && code <= 0xdfff) return false;
  return !joiningCharacter.test(text.slice(at, at + 2)) && text.charCodeAt(at - 1) !== 0x200d;
}

function wholeTextOf(text: string, end: number): number {
  let at = Math.max(0, Math.min(end, text.length));
  for (let tries = 0; at > 0 && at < text.length && tries < 32 && !isCutPoint(text, at); tries++) at--;
  return at;
}

function wholeGraphemeFrom(text: string, start: number): number {
  let at = Math.max(0, start);
  for (let tries = 0; at < text.length && at > 0 && tries < 32 && !isCutPoint(text, at); tries++) at++;
  return at;
}

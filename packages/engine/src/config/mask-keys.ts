/**
 * Replaces API keys in texts that are stored or shown. The generator and the recording proxy use the same functions,
 * so that both store equal texts for equal messages.
 */
import type { Message } from '@coppice/core';

/** Shorter values are too likely to occur in ordinary text. */
const shortestKey = 16;
/** A value of this length is masked even if it consists of plain words. */
const longestWord = 32;
const plainWords = /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+)(?:\s+(?:\p{Lu}?\p{Ll}+|\p{Lu}+))*$/u;

/**
 * Returns whether a configured value is replaced in messages: it must be long enough and not consist of plain words.
 */
export function isMaskableKey(key: string): boolean {
  return key.length >= shortestKey && (key.length >= longestWord || !plainWords.test(key));
}

/** Returns the replacement for a key. Its last four characters tell the operator which key it was. */
export function makeKeyMask(key: string): string {
  return `[key …${key.slice(-4)}]`;
}

/**
 * Selects the keys to replace, longest first: if one key starts with another, the rest of the longer one must not
 * remain.
 */
export function selectMaskableKeys(keys: Iterable<string>): readonly string[] {
  return [...new Set(keys)].filter(isMaskableKey).sort((a, b) => b.length - a.length);
}

// JSON can escape a character in several ways, and nested JSON in even more.
const escapePattern = /\\(?:\/|u00[2-7])/i;
const neverEscapedPattern = /^[!#-[\]-~]*$/;

/** Returns whether a text contains characters that JSON may have escaped, so that a plain search could miss a key. */
function mayContainEscapes(text: string): boolean {
  return escapePattern.test(text);
}

/** Returns whether JSON writes the key unchanged, so that a plain search finds it. */
export function isKeyUnescapedInJson(key: string): boolean {
  return neverEscapedPattern.test(key);
}

/** Matches a key with any JSON escaping. Runs of backslashes are bounded, so that the search time stays linear. */
function makeEscapedKeyPattern(key: string): RegExp {
  const characters = Array.from({ length: key.length }, (_, at) => {
    const code = key.charCodeAt(at).toString(16).padStart(4, '0');
    const before = /["/\\]/.test(key.charAt(at)) ? '\\\\{0,8}' : '';
    return `(?:${before}\\u${code}|\\\\{1,8}u${code})`;
  });
  return new RegExp(characters.join(''), 'gi');
}

/** Replaces every key in a text, escaped or not; returns the same text if it contains none. */
export function maskKeys(text: string, keys: readonly string[], maskOf: (key: string) => string = makeKeyMask): string {
  let clean = text;
  const odd = mayContainEscapes(text);
  for (const key of keys) {
    clean = clean.replaceAll(key, maskOf(key));
    if (odd || !isKeyUnescapedInJson(key)) clean = clean.replace(makeEscapedKeyPattern(key), maskOf(key));
  }
  return clean;
}

/** Replaces every key in a JSON value; returns the same value if it contains none. */
export function maskKeysInJson<T>(value: T, keys: readonly string[], maskOf?: (key: string) => string): T {
  if (keys.length === 0) return value;
  const text = JSON.stringify(value);
  if (text === undefined) return value;
  const clean = maskKeys(text, keys, maskOf);
  return clean === text ? value : JSON.parse(clean);
}

/** Replaces every key in a message; returns the same message if it contains none. Images are not searched. */
export function maskMessage(message: Message, keys: readonly string[]): Message {
  if (keys.length === 0) return message;
  const content = message.content.map((block) => (block.type === 'image' ? block : maskKeysInJson(block, keys)));
  return content.some((block, at) => block !== message.content[at]) ? { ...message, content } : message;
}

/** Replaces keys in a streamed text, even if a key is split between two chunks. */
export interface KeyMasker {
  /** Returns the text that can be passed on now, and retains a suffix that may be the beginning of a key. */
  push(text: string): string;
  /** Returns the retained text at the end of the stream. */
  end(): string;
}

/** Creates a filter. Without keys it passes everything on immediately. */
export function createKeyMasker(keys: readonly string[]): KeyMasker {
  let waiting = '';
  return {
    push(text) {
      if (keys.length === 0) return text;
      const clean = maskKeys(waiting + text, keys);
      const from = findPartialKey(clean, keys)?.from ?? clean.length;
      waiting = clean.slice(from);
      return clean.slice(0, from);
    },
    end() {
      const rest = maskPartialKey(waiting, keys);
      waiting = '';
      return rest;
    },
  };
}

/**
 * Replaces the beginning of a key at the end of a text, if it contains enough of the key to be useful to an attacker.
 */
export function maskPartialKey(text: string, keys: readonly string[]): string {
  const found = findPartialKey(text, keys);
  if (found === null || found.length < leastMaskedLengthOf(found.key)) return text;
  return text.slice(0, found.from) + makeKeyMask(found.key);
}

/** Returns the minimum length at which a partial key is masked. A shorter prefix may be common to many keys. */
export function leastMaskedLengthOf(key: string): number {
  return Math.min(12, Math.ceil(key.length / 2));
}

/** The beginning of a key at the end of a text. */
interface PartialKey {
  readonly key: string;
  /** The offset where the beginning of the key starts. */
  readonly from: number;
  /** How many characters of the key the text contains. */
  readonly length: number;
}

// The longest spelling of one character: eight backslashes, a u and four digits.
const longestEscape = 13;

/** Finds the longest suffix of a text that is the beginning of a key, in any spelling. */
function findPartialKey(text: string, keys: readonly string[]): PartialKey | null {
  let found: PartialKey | null = null;
  for (const key of keys) {
    const earliest = Math.max(0, text.length - key.length * longestEscape);
    for (let at = earliest; at < (found?.from ?? text.length); at++) {
      const length = matchKeyAtEnd(text, at, key, 0);
      if (length === null) continue;
      found = { key, from: at, length };
      break;
    }
  }
  return found;
}

/**
 * Returns how many characters of the key are matched when the text ends, starting with character `index` at offset
 * `from`. Null if the text does not match, or if the key is complete before the text ends.
 */
function matchKeyAtEnd(text: string, from: number, key: string, index: number): number | null {
  for (let at = from; index < key.length; index++) {
    const slashes = backslashesAt(text, at);
    const next = at + slashes;
    if (next === text.length) return index;
    const character = key.charAt(index);
    const escaped = slashes > 0 && /u/i.test(text.charAt(next)) ? matchEscape(text, next + 1, character) : null;
    if (escaped === 'cut') return index;
    if (character === '\\') return matchBackslash(text, at, slashes, escaped, key, index);
    if (escaped !== null) at = escaped;
    else if (isSpelledAt(text, next, character, slashes)) at = next + 1;
    else return null;
  }
  return null;
}

/**
 * Returns the offset after the four digits of an escape; null if the digits encode another character, `cut` if the text
 * ends within them.
 */
function matchEscape(text: string, at: number, character: string): number | 'cut' | null {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  const digits = text.slice(at, at + 4).toLowerCase();
  if (!code.startsWith(digits)) return null;
  return digits.length === 4 ? at + 4 : 'cut';
}

/**
 * Matches one backslash of the key. Some of the backslashes in the text encode it; the others belong to the next
 * character, so every split is tried.
 */
function matchBackslash(
  text: string,
  at: number,
  slashes: number,
  escaped: number | null,
  key: string,
  index: number,
): number | null {
  if (escaped !== null) return matchKeyAtEnd(text, escaped, key, index + 1);
  for (let taken = slashes; taken > 0; taken--) {
    const length = matchKeyAtEnd(text, at + taken, key, index + 1);
    if (length !== null) return length;
  }
  return null;
}

function isSpelledAt(text: string, at: number, character: string, slashes: number): boolean {
  if (slashes > 0 && character !== '"' && character !== '/') return false;
  return text.charAt(at).toLowerCase() === character.toLowerCase();
}

function backslashesAt(text: string, at: number): number {
  let count = 0;
  while (count < 9 && text.charCodeAt(at + count) === 92) count++;
  return count;
}

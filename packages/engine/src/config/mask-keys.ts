/**
 * Replaces API keys in texts that are stored or shown. The generator and the recording proxy use the same functions,
 * so that both store equal texts for equal messages.
 */

/** Shorter values are too likely to occur in ordinary text. */
const shortestKey = 16;
/** Longer than any ordinary word. */
const longestWord = 32;
const plainWords = /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+)(?:\s+(?:\p{Lu}?\p{Ll}+|\p{Lu}+))*$/u;

/** Whether a configured value is replaced in messages: it is long enough and not plain words. */
export function isMaskable(key: string): boolean {
  return key.length >= shortestKey && (key.length >= longestWord || !plainWords.test(key));
}

/** The replacement for a key. The last four characters tell the operator which key it was. */
export function keyMask(key: string): string {
  return `[key …${key.slice(-4)}]`;
}

/** The keys to replace, longest first: if one key starts with another, no rest may remain. */
export function maskableKeys(keys: Iterable<string>): readonly string[] {
  return [...new Set(keys)].filter(isMaskable).sort((a, b) => b.length - a.length);
}

// JSON can escape a character in several ways, and nested JSON in even more.
const otherSpelling = /\\(?:\/|u00[2-7])/i;
const plainSpelling = /^[!#-[\]-~]*$/;

/** Whether a text may contain escaped characters. */
export function hasOtherSpelling(text: string): boolean {
  return otherSpelling.test(text);
}

/** Whether JSON never escapes a character of the key. */
export function isSpelledPlainly(key: string): boolean {
  return plainSpelling.test(key);
}

/** Matches a key with any JSON escaping. Runs of backslashes are bounded, so that the search time stays linear. */
export function anySpelling(key: string): RegExp {
  const characters = Array.from({ length: key.length }, (_, at) => {
    const code = key.charCodeAt(at).toString(16).padStart(4, '0');
    const before = /["/\\]/.test(key.charAt(at)) ? '\\\\{0,8}' : '';
    return `(?:${before}\\u${code}|\\\\{1,8}u${code})`;
  });
  return new RegExp(characters.join(''), 'gi');
}

/** Replaces every key in a text, escaped or not; returns the same text if it contains none. */
export function replaceKeys(text: string, keys: readonly string[], maskOf: (key: string) => string = keyMask): string {
  let clean = text;
  const odd = hasOtherSpelling(text);
  for (const key of keys) {
    clean = clean.replaceAll(key, maskOf(key));
    if (odd || !isSpelledPlainly(key)) clean = clean.replace(anySpelling(key), maskOf(key));
  }
  return clean;
}

/** Replaces every key in a JSON value; returns the same value if it contains none. */
export function replaceKeysIn<T>(value: T, keys: readonly string[], maskOf?: (key: string) => string): T {
  if (keys.length === 0) return value;
  const text = JSON.stringify(value);
  if (text === undefined) return value;
  const clean = replaceKeys(text, keys, maskOf);
  return clean === text ? value : JSON.parse(clean);
}

/** Replaces keys in a streamed text, even if a key is split between two chunks. */
export interface KeyFilter {
  /** Returns the text that can be passed on now; an end that may be the beginning of a key is held back. */
  push(text: string): string;
  /** Returns the text that was held back, at the end of the stream. */
  end(): string;
}

/** Creates a filter. Without keys it passes everything on immediately. */
export function createKeyFilter(keys: readonly string[]): KeyFilter {
  let waiting = '';
  return {
    push(text) {
      if (keys.length === 0) return text;
      const clean = replaceKeys(waiting + text, keys);
      const from = startOfPartialKey(clean, keys);
      waiting = clean.slice(from);
      return clean.slice(0, from);
    },
    end() {
      const rest = waiting;
      waiting = '';
      return rest;
    },
  };
}

/** Where the longest suffix that is the beginning of a key starts; the text's length if there is none. */
function startOfPartialKey(text: string, keys: readonly string[]): number {
  let from = text.length;
  for (const key of keys) {
    const first = key.charAt(0);
    const earliest = Math.max(0, text.length - key.length + 1);
    for (let at = text.indexOf(first, earliest); at >= 0 && at < from; at = text.indexOf(first, at + 1))
      if (key.startsWith(text.slice(at))) from = at;
  }
  return from;
}

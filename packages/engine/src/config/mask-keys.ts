/**
 * Replaces API keys in texts that are stored or shown. The generator and the recording proxy use the same functions, so
 * that a text that was stored by one is found again by the other.
 */

/** Shorter values are too likely to be part of an ordinary sentence. */
const shortestKey = 16;
/** No word of a language is this long. */
const longestWord = 32;
const plainWords = /^(?:\p{Lu}?\p{Ll}+|\p{Lu}+)(?:\s+(?:\p{Lu}?\p{Ll}+|\p{Lu}+))*$/u;

/** Whether a configured value is replaced in what people and models say: long enough, and no plain word. */
export function isMaskable(key: string): boolean {
  return key.length >= shortestKey && (key.length >= longestWord || !plainWords.test(key));
}

/** What replaces a key. Its last four characters tell the operator which one it was. */
export function keyMask(key: string): string {
  return `[key …${key.slice(-4)}]`;
}

/** The keys that can be replaced, longest first: one that begins with another must not leave a rest behind. */
export function maskableKeys(keys: Iterable<string>): readonly string[] {
  return [...new Set(keys)].filter(isMaskable).sort((a, b) => b.length - a.length);
}

// JSON may spell a character in several ways, and JSON inside JSON in more of them.
const otherSpelling = /\\(?:\/|u00[2-7])/i;
const plainSpelling = /^[!#-[\]-~]*$/;

/** Whether a text may hold characters that JSON spells otherwise. */
export function hasOtherSpelling(text: string): boolean {
  return otherSpelling.test(text);
}

/** Whether JSON always spells a key as it is. */
export function isSpelledPlainly(key: string): boolean {
  return plainSpelling.test(key);
}

/** Matches a key however JSON spells it. Runs of backslashes are bounded, so that no text takes long to search. */
export function anySpelling(key: string): RegExp {
  const characters = Array.from({ length: key.length }, (_, at) => {
    const code = key.charCodeAt(at).toString(16).padStart(4, '0');
    const before = /["/\\]/.test(key.charAt(at)) ? '\\\\{0,8}' : '';
    return `(?:${before}\\u${code}|\\\\{1,8}u${code})`;
  });
  return new RegExp(characters.join(''), 'gi');
}

/** A text in which every key is replaced, also where JSON spells it otherwise; the same text where there is none. */
export function replaceKeys(text: string, keys: readonly string[], maskOf: (key: string) => string = keyMask): string {
  let clean = text;
  const odd = hasOtherSpelling(text);
  for (const key of keys) {
    clean = clean.replaceAll(key, maskOf(key));
    if (odd || !isSpelledPlainly(key)) clean = clean.replace(anySpelling(key), maskOf(key));
  }
  return clean;
}

/** A JSON value in which every key is replaced; the same value where there is none. */
export function replaceKeysIn<T>(value: T, keys: readonly string[], maskOf?: (key: string) => string): T {
  if (keys.length === 0) return value;
  const text = JSON.stringify(value);
  if (text === undefined) return value;
  const clean = replaceKeys(text, keys, maskOf);
  return clean === text ? value : JSON.parse(clean);
}

/** Replaces keys in a text that comes in pieces, also where a key is cut between two of them. */
export interface KeyFilter {
  /** What can be passed on now; an end that may be the beginning of a key waits for the next piece. */
  push(text: string): string;
  /** What still waits, when no more comes. */
  end(): string;
}

/** Makes a filter. Without keys it passes everything on at once. */
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

/** Where the longest end of a text begins that is the beginning of a key; the text's length where none is. */
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

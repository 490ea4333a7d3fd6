/** A title without a model: the first sentence, as a person would read it aloud. */
import { cutAtWord } from './clip.ts';

const longest = 60;

// Pictures and links by their words, code by what is in it, marks of emphasis, headings, lists and quotes not at all. Each
// pattern stays within a line and has one way to match, so that no paste takes long.
const markup: readonly (readonly [RegExp, string])[] = [
  [/^[ \t]*(?:```|~~~).*$/, ''],
  [/!?\[([^\][]*)\]\([^()]*\)/g, '$1'],
  [/<\/?[a-z][^<>]*>/gi, ' '],
  [/^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+|\d{1,3}[.)][ \t]+)*/, ''],
  [/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2'],
  [/(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, '$1'],
  [/(?<!\w)_(?=\S)([^_]+?)(?<=\S)_(?!\w)/g, '$1'],
  [/`+/g, ''],
];

// What moves the cursor or turns the line round has no place in a list of titles.
const unseen = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

// What colours a terminal or moves its cursor, whole: its insides would stay behind as litter.
const sequences = new RegExp(['\\u001b\\[', '[0-?]*', '[ -/]*', '[@-~]'].join(''), 'g');

// A point that ends no sentence.
const shortened = /\b(?:e\.g|i\.e|etc|vs|Dr|Mr|Mrs|No)\. /g;

/** The first sentence of a text, without markup, cut at a word; null where there is nothing to read. */
export function plainTitle(text: string): string | null {
  // A title is in the beginning; the rest of a long paste is not worth a search.
  for (const line of text.slice(0, 4_000).split(/\r\n|[\n\r\u2028\u2029]/)) {
    let plain = line.slice(0, 500).replace(sequences, '');
    for (const [pattern, words] of markup) plain = plain.replace(pattern, words);
    plain = plain.replace(unseen, ' ').replace(/\s+/g, ' ').trim();
    if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(plain)) continue;
    const marked = plain.replace(shortened, (short) => short.replace('. ', '.\u0001'));
    const sentence = /^.*?(?:[.!?…]+(?=\s)|[。！？]+)/u.exec(marked)?.[0] ?? marked;
    const ended = sentence.replaceAll('\u0001', ' ').replace(/[\s.:,;。]+$/u, '');
    return cutAtWord(ended === '' ? plain : ended, longest);
  }
  return null;
}

/** What a model gave as a title, made fit to be one; null where it gave none. */
export function tidyTitle(answer: string): string | null {
  const line = answer.split('\n').find((one) => one.trim() !== '') ?? '';
  const bare = line.trim().replace(/^(?:title|titel|titre|título)\s*:\s*/i, '');
  return plainTitle(bare.replace(/^["'“”„«»‘’]+|["'“”„«»‘’.]+$/gu, ''));
}

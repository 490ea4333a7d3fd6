/** A title without a model: the first sentence, as a person would read it aloud. */
import { cutAtWord } from './clip.ts';

const longest = 60;

// Pictures and links by their words, code by what is in it, marks of emphasis, headings, lists and quotes not at all.
const markup: readonly (readonly [RegExp, string])[] = [
  [/^\s*(?:```|~~~)[^\n]*$/gm, ''],
  [/!\[([^\]]*)\]\([^)\s]*[^)]*\)/g, '$1'],
  [/\[([^\]]+)\]\([^)\s]*[^)]*\)/g, '$1'],
  [/<\/?[a-z][^<>]*>/gi, ' '],
  [/^\s{0,3}(?:#{1,6}\s+|>\s?|[-*+]\s+|\d{1,3}[.)]\s+)+/gm, ''],
  [/^\s*(?:[-*_]\s*){3,}$/gm, ''],
  [/^\s*\|?(?:\s*:?-{3,}:?\s*\|?)+\s*$/gm, ''],
  [/(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1/g, '$2'],
  [/(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/g, '$1'],
  [/(?<!\w)_(?=\S)([^_\n]+?)(?<=\S)_(?!\w)/g, '$1'],
  [/`+([^`]*)`+/g, '$1'],
];

// What moves the cursor or turns the line round has no place in a list of titles.
const unseen = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

/** The first sentence of a text, without markup, cut at a word; null where there is nothing to read. */
export function plainTitle(text: string): string | null {
  // A title is in the beginning; the rest of a long paste is not worth a search.
  let plain = text.slice(0, 4_000);
  for (const [pattern, words] of markup) plain = plain.replace(pattern, words);
  for (const line of plain.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const words = line.replace(unseen, ' ').replace(/\s+/g, ' ').trim();
    if (!/[\p{L}\p{N}\p{S}]/u.test(words)) continue;
    const sentence =
      /^.*?(?:[.!?…]+(?=\s)|[。！？]+)/u.exec(
        words.replace(/\b(?:e\.g|i\.e|etc|vs|Dr|Mr|Mrs|No)\. /g, (short) => short.replace('. ', '.\u00a0')),
      )?.[0] ?? words;
    const ended = sentence.replaceAll('\u00a0', ' ').replace(/[\s.:,;。]+$/u, '');
    return cutAtWord(ended === '' ? words : ended, longest);
  }
  return null;
}

/** What a model gave as a title, made fit to be one; null where it gave none. */
export function tidyTitle(answer: string): string | null {
  const line = answer.split('\n').find((one) => one.trim() !== '') ?? '';
  const bare = line.trim().replace(/^(?:title|titel|titre|título)\s*:\s*/i, '');
  return plainTitle(bare.replace(/^["'“”„«»‘’]+|["'“”„«»‘’.]+$/gu, ''));
}

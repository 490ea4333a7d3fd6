/** Makes titles without a model, from the first sentence of a text. */
import { cutAtWord } from './clip.ts';

const longest = 60;

// Patterns that remove Markdown: links and images become their text, code its content. Each pattern stays within a line
// and can match in only one way, so that no input takes long.
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

// Matches control and direction characters, which could garble a list of titles.
const invisible = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]+/gu;

// Matches terminal escape sequences as a whole; removing only the control character would leave the rest visible.
const sequences = new RegExp(['\\u001b\\[', '[0-?]*', '[ -/]*', '[@-~]'].join(''), 'g');

// Abbreviations whose full stop does not end a sentence.
const shortened = /\b(?:e\.g|i\.e|etc|vs|Dr|Mr|Mrs|No)\. /g;

/** Returns the first sentence of a text, without markup and cut at a word; null if there is no text. */
export function makeTitleFromFirstSentence(text: string): string | null {
  // Only the beginning can become the title; searching the rest of a long paste would waste time.
  for (const line of text.slice(0, 4_000).split(/\r\n|[\n\r\u2028\u2029]/)) {
    let plain = line.slice(0, 500).replace(sequences, '');
    for (const [pattern, words] of markup) plain = plain.replace(pattern, words);
    plain = plain.replace(invisible, ' ').replace(/\s+/g, ' ').trim();
    if (!/[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(plain)) continue;
    const marked = plain.replace(shortened, (short) => short.replace('. ', '.\u0001'));
    const sentence = /^.*?(?:[.!?…]+(?=\s)|[。！？]+)/u.exec(marked)?.[0] ?? marked;
    const ended = sentence.replaceAll('\u0001', ' ').replace(/[\s.:,;。]+$/u, '');
    return cutAtWord(ended === '' ? plain : ended, longest);
  }
  return null;
}

/** Cleans up a title that a model wrote; null if nothing remains. */
export function cleanUpTitle(answer: string): string | null {
  const line = answer.split('\n').find((one) => one.trim() !== '') ?? '';
  const bare = line.trim().replace(/^(?:title|titel|titre|título)\s*:\s*/i, '');
  return makeTitleFromFirstSentence(bare.replace(/^["'“”„«»‘’]+|["'“”„«»‘’.]+$/gu, ''));
}

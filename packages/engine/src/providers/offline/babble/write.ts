/** Generates nonsense with a Markov chain over a book, mixed with words of the conversation. */
import { isText, type Message } from '@coppice/core';
import { pickOne, type RandomSource } from '../random.ts';
import type { WordCorpus } from './words.ts';

/** Length, temperature and topics of a generated text. */
export interface BabbleOptions {
  /** At 0 the text follows the book closely, at 2 hardly at all. */
  readonly temperature: number;
  readonly random: RandomSource;
  /** Words of the conversation that may replace others. */
  readonly topics: readonly string[];
  /** The approximate number of words. */
  readonly length: number;
}

/** Returns the long words of the last messages, each once, as a guess at the topic. */
export function guessTopicWords(messages: readonly Message[]): readonly string[] {
  const topics = new Set<string>();
  for (let at = messages.length - 1; at >= 0 && topics.size < 60; at--) {
    for (const block of messages[at]?.content ?? []) {
      if (!isText(block)) continue;
      for (const [word] of block.text.slice(-4000).matchAll(/[\p{L}][\p{L}\p{N}'-]{4,20}/gu)) {
        if (!commonWords.has(word.toLowerCase())) topics.add(word);
        if (topics.size >= 60) break;
      }
    }
  }
  return [...topics];
}

const commonWords = new Set(
  'about after again because before being could doing every their there these thing think those under until which while would should please write where'.split(
    ' ',
  ),
);

/** Returns the order of the chain: higher at a low temperature, so that the text stays closer to the book. */
function chainOrder(temperature: number): number {
  if (temperature < 0.3) return 4;
  return temperature < 0.9 ? 3 : 2;
}

/**
 * Returns the positions in the book from which the text can continue: those after the longest possible match of its
 * last words.
 */
function continuations({ text, places }: WordCorpus, written: readonly number[], order: number): readonly number[] {
  const last = written.at(-1);
  const positions = last === undefined ? undefined : places[last];
  if (positions === undefined) return [];
  for (let length = Math.min(order, written.length); length > 1; length--) {
    const found: number[] = [];
    for (const place of positions) {
      let agrees = true;
      for (let back = 1; back < length && agrees; back++) agrees = text[place - back] === written.at(-1 - back);
      if (agrees && (text[place + 1] ?? -1) >= 0) found.push(place + 1);
    }
    // A single possible next word would copy the book, so a shorter match is tried.
    if (new Set(found.map((place) => text[place])).size > 1) return found;
  }
  return [...positions].map((place) => place + 1).filter((place) => (text[place] ?? -1) >= 0);
}

function choose({ text }: WordCorpus, places: readonly number[], manner: BabbleOptions): number | undefined {
  const counts = new Map<number, number>();
  for (const place of places) {
    const number = text[place] ?? -1;
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  const { temperature, random } = manner;
  let best: number | undefined;
  let most = 0;
  let sum = 0;
  const power = 1 / Math.max(0.05, temperature);
  for (const [number, count] of counts) {
    if (count > most) [best, most] = [number, count];
  }
  if (temperature <= 0.01) return best;
  for (const count of counts.values()) sum += (count / most) ** power;
  let left = random() * sum;
  for (const [number, count] of counts) {
    left -= (count / most) ** power;
    if (left < 0) return number;
  }
  return best;
}

/** Generates about `length` words, in whole sentences and paragraphs. */
export function generateBabbleText(corpus: WordCorpus, manner: BabbleOptions): string {
  const { random, topics, length } = manner;
  const order = chainOrder(manner.temperature);
  const written: number[] = [];
  let out = '';
  let count = 0;
  let inSentence = 0;
  let inParagraph = 0;
  const begin = () => {
    const start = pickOne([...corpus.starts], random);
    if (start !== undefined) written.push(start);
    return start;
  };
  let next = begin();
  while (next !== undefined) {
    const word = corpus.words[next] ?? '';
    const ends = /^[.!?]+$/.test(word);
    if (ends) {
      out += word;
      inParagraph++;
      if (count >= length) break;
      if (inParagraph >= 3 + Math.floor(random() * 4)) {
        out += '\n\n';
        inParagraph = 0;
      }
      inSentence = 0;
    } else {
      out += (out === '' || out.endsWith('\n') ? '' : ' ') + replaceWord(word, topics, inSentence, random);
      count++;
      inSentence++;
    }
    // Ends a sentence that is too long, because the book has sentences of four hundred words.
    if (inSentence > 60 || count > length + 80) {
      out = `${out.replace(/[,;:—-]+$/, '')}.`;
      if (count >= length) break;
      inSentence = 0;
      inParagraph++;
      next = begin();
      continue;
    }
    const found = choose(corpus, continuations(corpus, written, order), manner);
    next = found === undefined ? begin() : found;
    if (found !== undefined) written.push(found);
    if (written.length > 16) written.splice(0, written.length - 8);
  }
  return out.trim();
}

/** Sometimes replaces a long word by one of the conversation; its punctuation stays. */
function replaceWord(word: string, topics: readonly string[], inSentence: number, random: RandomSource): string {
  const [, before = '', core = '', after = ''] = /^([^\p{L}]*)([\p{L}'-]+)([^\p{L}]*)$/u.exec(word) ?? [];
  if (core.length < 6 || inSentence === 0 || topics.length === 0 || random() > 0.3) return word;
  return before + (pickOne(topics, random) ?? core) + after;
}

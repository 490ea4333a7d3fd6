/** Loads the training text of the babble model, split into words and indexed. */
import { readBabbleText } from '#platform/babble-text';

/** A text as numbered words, with an index of their positions. */
export interface WordCorpus {
  readonly words: readonly string[];
  readonly numbers: ReadonlyMap<string, number>;
  /** The text as word numbers; -1 ends a paragraph. */
  readonly text: Int32Array;
  /** For each word, its positions in the text. */
  readonly places: readonly Int32Array[];
  /** The first words of all sentences, with repetitions. */
  readonly starts: Int32Array;
}

const endOfParagraph = -1;

/**
 * Splits a text into words. Punctuation that ends a sentence is a separate word; other punctuation stays with its word.
 */
function wordsIn(text: string): string[] {
  return text.match(/[.!?]+(?=\s|$)|[^\s.!?]+(?:[.!?]+(?!\s|$)[^\s.!?]*)*/g) ?? [];
}

/** Indexes a text in one pass. */
function learn(source: string): WordCorpus {
  const numbers = new Map<string, number>();
  const words: string[] = [];
  const sequence: number[] = [];
  const starts: number[] = [];
  for (const paragraph of source.split('\n')) {
    let first = true;
    for (const word of wordsIn(paragraph)) {
      let number = numbers.get(word);
      if (number === undefined) {
        number = words.length;
        numbers.set(word, number);
        words.push(word);
      }
      if (first && /^\p{Lu}/u.test(word)) starts.push(number);
      first = /^[.!?]+$/.test(word);
      sequence.push(number);
    }
    sequence.push(endOfParagraph);
  }
  const text = Int32Array.from(sequence);
  const counts = new Int32Array(words.length);
  for (const number of text) if (number >= 0) counts[number] = (counts[number] ?? 0) + 1;
  const places = Array.from(counts, (count) => new Int32Array(count));
  counts.fill(0);
  for (const [place, number] of text.entries()) {
    const list = places[number];
    if (list === undefined) continue;
    const next = counts[number] ?? 0;
    list[next] = place;
    counts[number] = next + 1;
  }
  return { words, numbers, text, places, starts: Int32Array.from(starts) };
}

let learned: WordCorpus | undefined;

/** Returns the included book, indexed on first use. */
export function loadWordCorpus(): WordCorpus {
  learned ??= learn(readBabbleText());
  return learned;
}

/** Ranked retrieval over passages: which fits a question, and how well. */
import type { Passage } from './knowledge.ts';
import { tokenize } from './tokenize.ts';

/** A passage and how well it fits. */
export interface PassageHit {
  readonly passage: Passage;
  readonly score: number;
}

/** Finds passages. */
export interface Index {
  /** The best passages for a question, best first; none when no word of it occurs. */
  search(question: string, most: number): readonly PassageHit[];
  /** How much of a question a sentence speaks of. */
  relevance(question: string, sentence: string): number;
}

// The usual constants of BM25: how soon repeating a word stops helping, and how much length counts against a passage.
const [saturation, lengthPenalty] = [1.2, 0.6];
/** A word in a heading says more than one in the text. */
const headingWeight = 3;

/** What a sentence defines, as compared; null when it defines nothing. */
function termOf(sentence: string): string | null {
  const [, term] = /^In Coppice, (.+?) means /.exec(sentence) ?? [];
  return term === undefined ? null : tokenize(term).join(' ');
}

/** An index over passages; built once, searched often. */
export function createIndex(passages: readonly Passage[]): Index {
  const documents = passages.map((passage) => {
    const counts = new Map<string, number>();
    let length = 0;
    const add = (text: string, weight: number) => {
      for (const word of tokenize(text)) {
        counts.set(word, (counts.get(word) ?? 0) + weight);
        length++;
      }
    };
    add(passage.title, headingWeight);
    for (const sentence of passage.sentences) add(sentence, 1);
    return { passage, counts, length, terms: new Set(passage.sentences.map(termOf)) };
  });
  const occurs = new Map<string, number>();
  for (const { counts } of documents) for (const word of counts.keys()) occurs.set(word, (occurs.get(word) ?? 0) + 1);
  const average = documents.reduce((sum, each) => sum + each.length, 0) / Math.max(1, documents.length);
  const rarity = (word: string) => {
    const count = occurs.get(word) ?? 0;
    return count === 0 ? 0 : Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
  };
  return {
    search(question, most) {
      const words = new Set(tokenize(question));
      const term = [...words].join(' ');
      const hits: PassageHit[] = [];
      for (const { passage, counts, length, terms } of documents) {
        // Who asks for a word and nothing else wants its definition, which scores more than any use of the word can.
        const defines = words.size > 0 && terms.has(term);
        let score = 0;
        for (const word of words) {
          const count = counts.get(word) ?? 0;
          if (count === 0) continue;
          const norm = saturation * (1 - lengthPenalty + (lengthPenalty * length) / average);
          score += (rarity(word) * count * (saturation + 1)) / (count + norm);
          if (defines) score += 2 * rarity(word) * (saturation + 1);
        }
        if (score > 0) hits.push({ passage, score });
      }
      return hits.sort((a, b) => b.score - a.score).slice(0, most);
    },
    relevance(question, sentence) {
      const asked = new Set(tokenize(question));
      let score = 0;
      for (const word of new Set(tokenize(sentence))) if (asked.has(word)) score += rarity(word);
      return termOf(sentence) === [...asked].join(' ') ? 2 * score : score;
    },
  };
}

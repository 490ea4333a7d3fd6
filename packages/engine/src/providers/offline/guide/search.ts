/**
 * Ranks passages for a question with BM25 over stems and synonyms, and by similarity to the example questions of each
 * section.
 */
import type { GuidePassage } from './knowledge.ts';
import { synonymsOf, tokenize } from './tokenize.ts';

export type { GuidePassage } from './knowledge.ts';

/** A passage and its score. */
export interface PassageHit {
  readonly passage: GuidePassage;
  readonly score: number;
  /** The similarity of the question to an example question of the passage, from 0 to 1. */
  readonly asked: number;
}

export interface PassageIndex {
  /** Returns the best passages for a question, best first; empty if most of its words occur nowhere. */
  search(question: string, most: number): readonly PassageHit[];
  /** Returns how relevant a sentence is for a question. */
  relevance(question: string, sentence: string): number;
}

// The constants of BM25: how much repeated words count, and how much long passages are penalised. These and the weights
// below were chosen with about 400 questions, and tested with others.
const [saturation, lengthPenalty] = [1.6, 0.7];
/** Weights of words by where they occur. `above` are the headings that contain the nearest one. */
const weights = { heading: 3, above: 1.5, sentence: 1, command: 0.5, table: 0.5 } as const;
/** The weight of a synonym, relative to the word itself. */
const synonymWeight = 0.6;
/** The weight of a complete match with an example question, relative to the words of the question. */
const formWeight = 2.5;
/** How often a word of the example questions of a passage counts at most. */
const mostFormCount = 2;
/** The weight of a heading as an example question; it is lower, because a heading may be a single common word. */
const headingForm = 0.4;
/** The smallest part of a question, by weight of its words, that a passage must share. */
const leastCoverage = 0.33;
/** How much common words count in a comparison with example questions: they choose between similar ones. */
const wordingWeight = 0.9;
/** The penalty for a passage without any word of the question. */
const coverageWeight = 0.3;
/** The rarity of a word that no passage contains, in comparisons with example questions. */
const unknownRarity = 5;
/** A passage whose example question is at least this similar may share fewer words with the question. */
const sureForm = 0.45;
/** The weight of reference pages and of guides to extending Coppice, which users search by name. */
const referenceWeight = 0.8;
const references =
  /^docs\/(?:guides\/write-|(?:comparison|command-line|dependencies|error-codes|files-layout|http-api|settings|which-api)\.md)/;
/** The least similarity to an example question if the user's question has only common words. */
const leastCommon = 0.6;

/** Returns the term that a sentence defines, as stems; null if the sentence is not a definition. */
function termOf(sentence: string): string | null {
  const [, term] = /^In Coppice, (.+?) means /.exec(sentence) ?? [];
  return term === undefined ? null : tokenize(term).join(' ');
}

/** Matches questions for the meaning of a word, and single words. */
const asksForMeaning = /\b(?:what|means?|meaning|define|definition|explain)\b|^\W*\p{L}+\W*$/iu;

/** Matches the ways to name Coppice without its name. */
const itself = /\b(?:this|that|the)(?: (?:thing|program|tool|app|software|stuff))?\b|\bcoppice\b/g;

/** Returns all words of a text in lower case, including common ones. */
function everyWord(text: string): readonly string[] {
  return (
    text
      .toLowerCase()
      .replace(itself, 'it')
      .match(/\p{L}+/gu) ?? []
  );
}

/** Returns the similarity of a question with only common words to an example question, from 0 to 1. */
function commonSimilarity(question: ReadonlySet<string>, form: ReadonlySet<string>): number {
  const shared = [...question].filter((word) => form.has(word)).length;
  return shared / Math.max(1, question.size + form.size - shared);
}

/**
 * Returns whether one inserted, removed, replaced or swapped letter turns one word into the other. The first letter
 * must be the same, because it is hardly ever mistyped, and `night` is not `right`.
 */
function isOneEditApart(a: string, b: string): boolean {
  if (a[0] !== b[0] || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  if (left.length <= 1 && right.length <= 1) return true;
  return left.length === 2 && right.length === 2 && left[0] === right[1] && left[1] === right[0];
}

interface QuestionForm {
  /** The stems of the words, without common words. */
  readonly words: ReadonlySet<string>;
  readonly everyWord: ReadonlySet<string>;
}

interface IndexedPassage {
  readonly passage: GuidePassage;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
  readonly terms: ReadonlySet<string | null>;
  readonly heading: ReadonlySet<string>;
  readonly forms: readonly QuestionForm[];
  /** The weight of the section; lower for references. */
  readonly weight: number;
  /** The example questions that have only common words, such as "Who is it for?", with all their words. */
  readonly commonForms: readonly ReadonlySet<string>[];
}

/**
 * Removes the example values of command lines, but not their commands and options: `coppice tag last bread` is not about
 * bread.
 */
function withoutExampleValues(text: string): string {
  return text.replace(/\b(coppice [a-z][a-z-]*)((?: [^`\n]+)?)/g, (_line, command: string, rest: string) =>
    // In a sentence the words after the name are text, such as "coppice keeps".
    / (?:--?[a-z]|last\b|@|")/.test(rest) ? [command, ...(rest.match(/ --?[a-z-]+/g) ?? [])].join('') : command + rest,
  );
}

function indexPassage(passage: GuidePassage): IndexedPassage {
  const counts = new Map<string, number>();
  let length = 0;
  const add = (text: string, weight: number) => {
    for (const word of tokenize(text)) {
      counts.set(word, (counts.get(word) ?? 0) + weight);
      length += Math.min(1, weight);
    }
  };
  const headings = passage.title.split(': ');
  for (const [at, heading] of headings.entries())
    add(heading, at === headings.length - 1 ? weights.heading : weights.above);
  // No phrase continues on the next line, so several texts are tokenized at once, which is faster.
  add(withoutExampleValues(passage.sentences.join('\n')), weights.sentence);
  add(withoutExampleValues(passage.commands.join('\n')), weights.command);
  add(passage.table, weights.table);
  const allForms = passage.asks.map((form) => ({
    words: new Set(tokenize(form)),
    everyWord: new Set(everyWord(form)),
  }));
  const forms = allForms.filter(({ words }) => words.size > 0);
  // The words of example questions can be found, but do not count towards the length of the passage. A section with many
  // questions must not outrank the others for their words.
  const inForms = new Map<string, number>();
  for (const { words } of forms) for (const word of words) inForms.set(word, (inForms.get(word) ?? 0) + 1);
  for (const [word, count] of inForms) counts.set(word, (counts.get(word) ?? 0) + Math.min(count, mostFormCount));
  return {
    passage,
    counts,
    length,
    terms: new Set(passage.sentences.map(termOf)),
    heading: new Set(tokenize(headings.at(-1) ?? '')),
    forms,
    weight: references.test(passage.path) ? referenceWeight : 1,
    commonForms: allForms.filter(({ words }) => words.size === 0).map((form) => form.everyWord),
  };
}

/** Indexes passages for many searches. */
export function createPassageIndex(passages: readonly GuidePassage[]): PassageIndex {
  const documents = passages.map(indexPassage);
  const occurs = new Map<string, number>();
  for (const { counts } of documents) for (const word of counts.keys()) occurs.set(word, (occurs.get(word) ?? 0) + 1);
  const average = documents.reduce((sum, each) => sum + each.length, 0) / Math.max(1, documents.length);
  const rarity = (word: string) => {
    const count = occurs.get(word) ?? 0;
    return Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
  };
  /** Replaces a word that the documents do not contain by one of theirs, if {@link isOneEditApart} accepts the pair. */
  const spelled = (word: string) => {
    if (word.length < 5 || occurs.has(word) || synonymsOf(word).size > 0) return word;
    for (const known of occurs.keys()) if (known.length >= 5 && isOneEditApart(word, known)) return known;
    return word;
  };
  /** Returns 1 if `has` accepts the word itself, less if it accepts a synonym, else 0. */
  const containment = (word: string, has: (other: string) => boolean) => {
    if (has(word)) return 1;
    for (const other of synonymsOf(word)) if (has(other)) return synonymWeight;
    return 0;
  };
  /**
   * Like {@link rarity}, but limited for a word that occurs nowhere, because users use words that the documentation
   * does not have.
   */
  const askedRarity = (word: string) => (occurs.has(word) ? rarity(word) : Math.min(unknownRarity, rarity(word)));
  /** Returns the part that a question and an example question share, weighted by the rarity of their words. */
  const similarity = (question: ReadonlySet<string>, form: ReadonlySet<string>) => {
    let [shared, all] = [0, 0];
    for (const word of question) {
      all += askedRarity(word);
      shared += askedRarity(word) * containment(word, (other) => form.has(other));
    }
    for (const word of form) if (containment(word, (other) => question.has(other)) === 0) all += askedRarity(word);
    return all === 0 ? 0 : shared / all;
  };
  const searchCommon = (question: ReadonlySet<string>, most: number) => {
    const hits = documents.map(({ passage, commonForms }) => {
      const formSimilarity = commonForms.reduce((best, form) => Math.max(best, commonSimilarity(question, form)), 0);
      return { passage, score: formSimilarity, asked: formSimilarity };
    });
    return hits
      .filter(({ asked }) => asked >= leastCommon)
      .sort((a, b) => b.score - a.score)
      .slice(0, most);
  };
  return {
    search(question, most) {
      const words = new Set(tokenize(question).map(spelled));
      if (words.size === 0) return searchCommon(new Set(everyWord(question)), most);
      const term = [...words].join(' ');
      let [total, known] = [0, 0];
      for (const word of words) {
        total += rarity(word);
        known += askedRarity(word);
      }
      const hits: PassageHit[] = [];
      const wording = new Set(everyWord(question));
      for (const { passage, counts, length, terms, heading, forms, weight } of documents) {
        const norm = saturation * (1 - lengthPenalty + (lengthPenalty * length) / average);
        const weigh = (word: string) => {
          const count = counts.get(word) ?? 0;
          return (rarity(word) * count * (saturation + 1)) / (count + norm);
        };
        let [score, covered] = [0, 0];
        for (const word of words) {
          let best = weigh(word);
          for (const other of synonymsOf(word)) best = Math.max(best, synonymWeight * weigh(other));
          score += best;
          // A word that occurs only in an example, such as `bread`, must not make a passage match.
          covered += rarity(word) * containment(word, (other) => (counts.get(other) ?? 0) >= 1);
        }
        const named = headingForm * similarity(words, heading);
        let [asked, worded] = [named, named];
        for (const form of forms) {
          const same = similarity(words, form.words);
          asked = Math.max(asked, same);
          worded = Math.max(worded, same * (1 + wordingWeight * commonSimilarity(wording, form.everyWord)));
        }
        // A passage that contains every word of the question ranks before one that repeats a few of them.
        score = weight * (score + formWeight * worded * total) * (1 - coverageWeight * (1 - covered / total));
        // If the question is a single term, its definition outranks all uses of the word.
        if (asksForMeaning.test(question) && terms.has(term)) score += 3 * total * (saturation + 1);
        if (score > 0 && (covered >= leastCoverage * known || asked >= sureForm)) hits.push({ passage, score, asked });
      }
      return hits.sort((a, b) => b.score - a.score).slice(0, most);
    },
    relevance(question, sentence) {
      const questionWords = new Set(tokenize(question));
      const sentenceWords = new Set(tokenize(sentence));
      let score = 0;
      for (const word of questionWords) score += rarity(word) * containment(word, (other) => sentenceWords.has(other));
      return termOf(sentence) === [...questionWords].join(' ') ? 2 * score : score;
    },
  };
}

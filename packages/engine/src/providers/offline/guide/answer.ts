/** What the guide answers: whole sentences of the documentation, honest about what it is. */
import { callNames, wholeText } from '@coppice/content/wires';
import type { Message } from '@coppice/core';
import { textOf } from '@coppice/core';
import type { ProviderRequest } from '../../contract.ts';
import { pickOne, pickWeighted, type Random } from '../random.ts';
import { knowledge, type Passage } from './knowledge.ts';
import { createIndex, type Index, type PassageHit } from './search.ts';
import { tokenize } from './tokenize.ts';
import { resultsIn } from './tools.ts';

const self = [
  'I am the guide that is built into Coppice. I am not a language model: I look your question up in the documentation and quote what fits.',
  'This is the built-in guide of Coppice speaking, not a language model. I can find passages of the documentation, and nothing more.',
  'You are talking to the guide of Coppice. There is no language model behind me; I search the documentation and answer with its own sentences.',
];
const connect = [
  'To connect a language model, set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY`, `GEMINI_API_KEY` or `OPENROUTER_API_KEY` and start Coppice again, or run Ollama on this machine; either is found by itself.',
  'For answers of a real model, start Ollama on this machine, or set a key such as `ANTHROPIC_API_KEY` or `OPENAI_API_KEY` before you start Coppice.',
  'A real model is one step away: put a key into the environment (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, `GEMINI_API_KEY`, `OPENROUTER_API_KEY`), or let Ollama run; Coppice finds it when it starts.',
];
const moreOnModels = 'More in [Models](docs/models.md#connecting-a-model).';
const tryOut = [
  'You can ask me how branches, edits, undo, search or the configuration work.',
  'Questions that I can answer are those about Coppice itself: trees, variants, keys, prices, the configuration file.',
  'Ask me about Coppice: what a branch is, how to undo, where keys belong, what happens when a provider fails.',
];
const openings = [
  'The documentation says this.',
  'Here is what the documentation has on it.',
  'This is what I found.',
  'On that, the documentation is clear.',
  'Let me quote the passage that fits best.',
];
const closings = ['It stands in', 'You can read on in', 'The whole passage is in', 'More of it is in'];
const nothing = [
  'I found nothing about that in the documentation.',
  'The documentation says nothing that fits this question.',
  'That is not something I can look up.',
];

let built: Index | undefined;
function index(): Index {
  built ??= createIndex(knowledge.passages);
  return built;
}

/** The last thing that a person said; empty when nobody did. */
export function questionIn(messages: readonly Message[]): string {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role === 'user') return textOf(message).slice(-4000).trim();
  }
  return '';
}

/** The answer to a conversation. The same seed gives the same words; without chance, at temperature 0, the best passage. */
export function answerQuestion(request: ProviderRequest, random: Random): string {
  const results = resultsIn(request.messages, callNames(request.messages));
  if (results.length > 0) return answerAfterTools(results, random);
  const question = questionIn(request.messages);
  const greeting = /^(?:hi|hello|hey|good (?:morning|evening|day)|greetings|test|ping)?[\s!.,]*$/i.test(question);
  if (greeting || /\b(?:who|what) are you\b|\bare you (?:a|an|real)\b|\byour name\b/i.test(question))
    return paragraphs(
      chooseOne(self, random),
      chooseOne(connect, random),
      `${chooseOne(tryOut, random)} ${moreOnModels}`,
    );
  const hits = asksForAll(question) ? opening() : index().search(question, 6);
  const best = hits[0];
  if (best === undefined || best.score < weakest)
    return paragraphs(
      `${chooseOne(nothing, random)} ${chooseOne(self, random)}`,
      `${chooseOne(connect, random)} ${moreOnModels}`,
    );
  const temperature = request.temperature ?? 1;
  const hit = pickWeighted(
    hits.filter((each) => each.score > best.score / 2),
    (each) => each.score,
    temperature / 2,
    random,
  );
  return quotePassage(hit ?? best, question, temperature, random, mentionsTerm(request.messages));
}

/**
 * Whether a question is about Coppice as a whole. Its name stands on every page and so finds none: without this the one
 * thing that a newcomer asks first would be the one thing that the guide does not know.
 */
function asksForAll(question: string): boolean {
  if (!/\bcoppice\b/i.test(question)) return false;
  return tokenize(question).length === 0 || /\b(?:what(?:'s|’s| is)|explain|describe) coppice\b/i.test(question);
}

/** The words that the documentation begins with. */
function opening(): readonly PassageHit[] {
  const passage = knowledge.passages.find((each) => each.path === 'README.md');
  return passage === undefined ? [] : [{ passage, score: weakest }];
}

/** Below this a passage shares no more than a common word with the question. */
const weakest = 0.8;

function chooseOne(list: readonly string[], random: Random): string {
  return pickOne(list, random) ?? '';
}

function paragraphs(...list: readonly string[]): string {
  return list.filter((each) => each !== '').join('\n\n');
}

/** Whether the guide has introduced itself in this conversation already. */
function mentionsTerm(messages: readonly Message[]): boolean {
  return messages.some(
    (message) => message.role === 'assistant' && /not a language model|no language model/.test(textOf(message)),
  );
}

function quotePassage(
  hit: PassageHit,
  question: string,
  temperature: number,
  random: Random,
  introduced: boolean,
): string {
  const { passage } = hit;
  const most = temperature <= 0.01 ? 4 : 2 + Math.floor(random() * 3);
  const chosen = chooseSentences(passage, question, most);
  const opening = temperature <= 0.01 ? (openings[0] ?? '') : chooseOne(openings, random);
  const link = `[${passage.title}](${passage.path}${passage.anchor === '' ? '' : `#${passage.anchor}`})`;
  const note = introduced ? '' : `*I am the built-in guide, not a language model. ${chooseOne(connect, random)}*`;
  return paragraphs(`${opening} ${chosen.join(' ')}`, `${chooseOne(closings, random)} ${link}.`, note);
}

/** The sentences that speak most of the question, in the order of the page; the first of the page if none does. */
function chooseSentences(passage: Passage, question: string, most: number): readonly string[] {
  const ranked = passage.sentences.map((sentence, place) => ({
    sentence,
    place,
    score: index().relevance(question, sentence),
  }));
  const chosen = ranked.sort((a, b) => b.score - a.score || a.place - b.place).slice(0, most);
  return chosen.sort((a, b) => a.place - b.place).map((each) => each.sentence);
}

const after = [
  'That is what the tool said; I only pass it on.',
  'I cannot judge it, I only pass on what the tool said.',
  'The answer is the tool’s, not mine.',
];

function answerAfterTools(
  results: readonly { readonly name: string; readonly message: Message }[],
  random: Random,
): string {
  const reported = results.map(({ name, message }) => {
    const text = wholeText(message).trim();
    const shown = text.length > 1200 ? `${text.slice(0, 1200)}…` : text;
    return shown.includes('\n') ? `\`${name}\` answered:\n\n${shown}` : `\`${name}\` answered: ${shown}`;
  });
  return paragraphs(...reported, chooseOne(after, random));
}

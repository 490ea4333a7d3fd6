/** Builds the answers of the guide: whole sentences of the documentation, and a statement of what the guide is. */
import { indexToolCallNames, toWireText } from '@coppice/content/wires';
import type { Message } from '@coppice/core';
import { textOf } from '@coppice/core';
import type { ProviderRequest } from '../../contract.ts';
import { pickOne, type RandomSource } from '../random.ts';
import { type GuidePassage, guideKnowledge } from './knowledge.ts';
import { createPassageIndex, type PassageHit, type PassageIndex } from './search.ts';
import { tokenize } from './tokenize.ts';
import { findToolResults } from './tools.ts';

const self = [
  'I am the guide that is built into Coppice. I am not a language model: I look your question up in the documentation and quote what fits.',
  'This is the built-in guide of Coppice, not a language model. I can find passages of the documentation, and nothing more.',
  'You are talking to the guide of Coppice. There is no language model behind me; I search the documentation and answer with its own sentences.',
];
const toSettings = '[Settings → Models](coppice:docs/models#connecting-a-model)';
const connect = [
  `To connect a model, open ${toSettings} on the page, run \`coppice keys set openai\`, or set \`OPENAI_API_KEY\` or \`ANTHROPIC_API_KEY\`.`,
  `For answers of a language model, enter a key under ${toSettings} or with \`coppice keys set anthropic\`; \`ANTHROPIC_API_KEY\` in the environment works too.`,
  `You connect a language model under ${toSettings}, with \`coppice keys set openai\`, by \`ANTHROPIC_API_KEY\` or \`OPENAI_API_KEY\` in the environment, or by starting Ollama.`,
];
const tryOut = [
  'You can ask me how branches, edits, undo, search or the configuration work.',
  'I can answer questions about Coppice itself: trees, versions, keys, prices, the configuration file.',
  'Ask me about Coppice: what a branch is, how to undo, where keys are kept, what happens when a provider fails.',
];
const openings = [
  'The documentation says this.',
  'Here is what the documentation has on it.',
  'This is what I found.',
  'This passage of the documentation fits best.',
  'I quote the documentation.',
];
const closings = ['The source is', 'You can read on in', 'The whole passage is in', 'More of it is in'];
/** Sentences that say what the guide cannot do. */
const refusals = [
  'I cannot answer that: I am the built-in guide, not a language model, and know only the documentation of Coppice.',
  'That is beyond me, because I am not a language model and only quote the documentation of Coppice.',
  'The documentation of Coppice has nothing on that, and I am not a language model that could answer it.',
];
/**
 * Matches requests to produce something. They need a language model, even if one of their words occurs in the
 * documentation.
 */
const asksForWork =
  /^(?:please |now |ok,? |hey,? )*(?:(?:can|could|would|will) you (?:please )?)?(?:write|compose|draw|paint|translate|calculate|compute|code|implement|invent|imagine|sing|draft|brainstorm|plan (?:a|an|my|our)|rewrite|proofread|solve|debug|recommend|suggest|fix (?:the|my|this|a) (?:bug|code|program|text|sentence)|summari[sz]e (?:this|the following)|tell (?:me|us) (?:a|an) (?:joke|story|poem))\b/i;

/** Matches questions about the guide itself. */
const asksForSelf =
  /\b(?:who|what) are you\b|\bare you (?:a|an|real|there)\b|\byour name\b|\bwhat (?:can|do) you (?:do|know)\b|\b(?:how|what) can you (?:help|tell)\b|^\W*help(?: me)?\W*$/i;

let built: PassageIndex | undefined;
function guideIndex(): PassageIndex {
  built ??= createPassageIndex(guideKnowledge.passages);
  return built;
}

/** Returns the text of the user's last message; empty if the user has not written yet. */
export function findLastQuestion(messages: readonly Message[]): string {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role === 'user') return textOf(message).slice(-4000).trim();
  }
  return '';
}

/**
 * Returns the reply to a conversation. It quotes the best passage; seed and temperature change only the wording around
 * the quotation and how many sentences are quoted.
 */
export function answerQuestion(request: ProviderRequest, random: RandomSource): string {
  const results = findToolResults(request.messages, indexToolCallNames(request.messages));
  if (results.length > 0) return answerAfterTools(results, random);
  const question = findLastQuestion(request.messages);
  const greeting = /^(?:hi|hello|hey|good (?:morning|evening|day)|greetings|test|ping)?[\s!.,]*$/i.test(question);
  if (greeting || asksForSelf.test(question))
    return paragraphs(chooseOne(self, random), chooseOne(connect, random), chooseOne(tryOut, random));
  const hits = isAboutCoppice(question) ? openingPassage() : guideIndex().search(question, 3);
  const best = hits[0];
  // A request such as "Write a poem" is answered only if a question of the documentation is nearly the same.
  if (best === undefined || (asksForWork.test(question) && best.asked < 0.6))
    return `${chooseOne(refusals, random)} ${chooseOne(connect, random)}`;
  return quotePassage(hits, question, request.temperature ?? 1, random, introducedItself(request.messages));
}

/**
 * Returns whether a question is about Coppice as a whole. Every page contains the name, so it cannot rank pages;
 * without this check the guide could not answer "What is Coppice?".
 */
function isAboutCoppice(question: string): boolean {
  if (!/\bcoppice\b/i.test(question)) return false;
  return tokenize(question).length === 0 || /\b(?:what(?:'s|’s| is)|explain|describe) coppice\b/i.test(question);
}

/** Returns the first passage of the README. */
function openingPassage(): readonly PassageHit[] {
  const passage = guideKnowledge.passages.find((each) => each.path === 'README.md');
  return passage === undefined ? [] : [{ passage, score: 1, asked: 1 }];
}

function chooseOne(list: readonly string[], random: RandomSource): string {
  return pickOne(list, random) ?? '';
}

function paragraphs(...list: readonly string[]): string {
  return list.filter((each) => each !== '').join('\n\n');
}

/** Returns whether the guide has already introduced itself in this conversation. */
function introducedItself(messages: readonly Message[]): boolean {
  return messages.some(
    (message) => message.role === 'assistant' && /not a language model|no language model/.test(textOf(message)),
  );
}

/** The largest number of quoted lines of a shell example. */
const mostCommands = 8;

/**
 * Returns a link to a section of the installed documentation. It uses the scheme `coppice:`, because a path such as
 * `docs/models.md` could be a file of the user. The page opens it at `/docs/`; a terminal prints the command `coppice
 * docs`.
 */
function linkTo({ title, path, anchor }: GuidePassage): string {
  const name = path === 'README.md' ? 'readme' : path.replace(/^docs\/|\.md$/g, '');
  return `[${title}](coppice:docs/${name}${anchor === '' ? '' : `#${anchor}`})`;
}

function quotePassage(
  hits: readonly PassageHit[],
  question: string,
  temperature: number,
  random: RandomSource,
  introduced: boolean,
): string {
  const [best, ...others] = hits;
  if (best === undefined) return '';
  const { passage } = best;
  const most = temperature <= 0.01 ? 4 : 3 + Math.floor(random() * 2);
  const chosen = chooseSentences(passage, question, most);
  const opening = temperature <= 0.01 ? (openings[0] ?? '') : chooseOne(openings, random);
  const commands = passage.commands.slice(0, mostCommands);
  const near = others.filter(({ score }) => score > best.score / 2).map((hit) => linkTo(hit.passage));
  const also = near.length === 0 ? '' : ` See also ${near.join(' and ')}.`;
  const note = introduced ? '' : `*I am the built-in guide, not a language model. ${chooseOne(connect, random)}*`;
  return paragraphs(
    `${opening} ${chosen.join(' ')}`.trim(),
    commands.length === 0 ? '' : ['```sh', ...commands, '```'].join('\n'),
    `${chooseOne(closings, random)} ${linkTo(passage)}.${also}`,
    note,
  );
}

/** Matches a sentence of the glossary; the group is the term that it defines. */
const definition = /^In Coppice, (.+?) means /;

/**
 * Returns the definition of the one term that a question is about; null if the question contains other words, or the
 * glossary does not have the term.
 */
function definitionFor(passage: GuidePassage, question: string): string | null {
  const questionWords = tokenize(question);
  const isAsked = (word: string) => {
    const tokens = tokenize(word);
    return tokens.length === questionWords.length && tokens.every((token, at) => token === questionWords[at]);
  };
  return passage.sentences.find((sentence) => isAsked(definition.exec(sentence)?.[1] ?? '')) ?? null;
}

/** Returns the most relevant sentences in the order of the page; the first ones if none is relevant. */
function chooseSentences(passage: GuidePassage, question: string, most: number): readonly string[] {
  const explained = isAboutCoppice(question) ? null : definitionFor(passage, question);
  if (explained !== null) return [explained];
  const ranked = passage.sentences.map((sentence, place) => ({
    sentence,
    place,
    score: guideIndex().relevance(question, sentence),
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
  random: RandomSource,
): string {
  const reported = results.map(({ name, message }) => {
    const text = toWireText(message).trim();
    const shown = text.length > 1200 ? `${text.slice(0, 1200)}…` : text;
    return shown.includes('\n') ? `\`${name}\` answered:\n\n${shown}` : `\`${name}\` answered: ${shown}`;
  });
  return paragraphs(...reported, chooseOne(after, random));
}

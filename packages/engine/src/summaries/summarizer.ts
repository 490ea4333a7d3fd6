/** Writes summaries and titles: with a model where there is one, else in the words that were used. */
import { estimateTokens } from '@coppice/content';
import { isAppError, type JsonObject, type Message, textOf } from '@coppice/core';
import { generateError } from '../generate/errors.ts';
import { systemClock } from '../providers/clock.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import { type Answer, type Asking, askModel, roomFor } from './ask-model.ts';
import { clip } from './clip.ts';
import {
  defaultSummaryLimits,
  type PickModel,
  type Summarizer,
  type SummarizerRequest,
  type Summary,
  type SummaryBudget,
  type SummaryLimits,
  type SummaryPurse,
  type SummaryUsage,
  type TitleRequest,
} from './contract.ts';
import { extractSummary } from './extract.ts';
import { filesText, noFiles, withoutFiles } from './files.ts';
import { plainTitle, tidyTitle } from './plain-title.ts';
import {
  branchQuestion,
  branchUpdateQuestion,
  freshQuestion,
  prefixQuestion,
  type Question,
  titleQuestion,
  updateQuestion,
} from './prompts.ts';
import { portionsOf, transcriptOf } from './transcript.ts';

/** What a summarizer is made of. */
export interface SummarizerOptions {
  /** Who writes; see `cheapModel`. Without it every text is drawn from the messages. */
  readonly model?: PickModel | null | undefined;
  /** Pays for every call in addition to a request's own purse; what it does not pay for is extracted from the messages. */
  readonly budget?: SummaryBudget | undefined;
  readonly limits?: Partial<SummaryLimits> | undefined;
  readonly clock?: Clock | undefined;
}

/** The heading over the notes of a request of which only the end stays. */
const turnHeading = '## The request under way';

/** Makes a summarizer. Nothing is asked until something is to be summed up. */
export function createSummarizer(options: SummarizerOptions = {}): Summarizer {
  const desk: Desk = {
    pick: options.model ?? null,
    budget: options.budget ?? null,
    limits: { ...defaultSummaryLimits, ...options.limits },
    clock: options.clock ?? systemClock,
  };
  return {
    compaction: (request) => compactionSummary(desk, request),
    async branch(request) {
      const part = await written(desk, await chosen(desk, request), request, {
        messages: request.messages,
        previous: null,
        maxTokens: request.maxTokens ?? desk.limits.maxTokens,
        ask: branchQuestion,
        update: branchUpdateQuestion,
      });
      return assembled([part], [part.text], request);
    },
    title: (request) => title(desk, request),
  };
}

interface Desk {
  readonly pick: PickModel | null;
  readonly budget: SummaryBudget | null;
  readonly limits: SummaryLimits;
  readonly clock: Clock;
}

/** One text to write. */
interface Task {
  readonly messages: readonly Message[];
  readonly previous: string | null;
  readonly maxTokens: number;
  readonly ask: (transcript: string, focus?: string) => Question;
  readonly update: (transcript: string, previous: string, focus?: string) => Question;
  readonly isPrefix?: boolean;
}

/** A text and who wrote it. */
interface Written {
  readonly text: string;
  readonly model: Model | null;
  /** Why no model wrote it. */
  readonly reason: string | null;
  readonly calls: number;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly cost: number | null;
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw generateError('generate/aborted', 'The summary was stopped.');
}

/** Who writes, or why nobody does. */
type Choice = { readonly model: Model } | { readonly model: null; readonly reason: string };

async function chosen(
  { pick }: Desk,
  { near, signal }: { readonly near?: Model | null | undefined; readonly signal?: AbortSignal | undefined },
): Promise<Choice> {
  throwIfAborted(signal);
  try {
    const model = (await pick?.(near ?? null)) ?? null;
    return model === null ? { model, reason: 'no-model' } : { model };
  } catch (thrown) {
    return { model: null, reason: isAppError(thrown) ? thrown.code : 'no-model' };
  }
}

/** What a call uses, where nobody says so. */
function estimated({ system, prompt }: Question, said: string): SummaryUsage {
  return { inputTokens: estimateTokens(system) + estimateTokens(prompt), outputTokens: estimateTokens(said) };
}

/** How a question is asked, and which purse of the request pays for it. */
interface Paid extends Omit<Asking, 'clock'> {
  readonly purse?: SummaryPurse | undefined;
}

const notPaid: Answer = { type: 'failed', code: 'generate/budget', text: '', usage: null, cost: null };

/** Asks a model if purse and budget pay for it; both are charged also where the caller has stopped waiting. */
async function asked(desk: Desk, model: Model, question: Question, { purse, ...asking }: Paid): Promise<Answer> {
  const expected = { ...estimated(question, ''), outputTokens: roomFor(model, asking.maxTokens) };
  const settlePurse = purse?.take(model, expected);
  if (settlePurse === null) return notPaid;
  const settleBudget = await desk.budget?.take(model, expected);
  if (settleBudget === null) {
    settlePurse?.(null, null);
    return notPaid;
  }
  const answer = await askModel(model, question, { ...asking, clock: desk.clock });
  const used = answer.usage ?? (answer.text === '' ? null : estimated(question, answer.text));
  const cost = answer.cost ?? (used === null ? null : (model.cost(used)?.total ?? null));
  settlePurse?.(used, cost);
  await settleBudget?.(used, cost);
  throwIfAborted(asking.signal);
  return answer;
}

async function compactionSummary(desk: Desk, request: SummarizerRequest): Promise<Summary> {
  const { messages, turnPrefix = [] } = request;
  const previous = request.previous == null ? null : withoutFiles(request.previous) || null;
  const choice = await chosen(desk, request);
  const maxTokens = request.maxTokens ?? desk.limits.maxTokens;
  const isSplit = turnPrefix.length > 0;
  const hasHistory = messages.length > 0;
  const [whole, begun] = await Promise.all([
    hasHistory || (previous === null && !isSplit)
      ? written(desk, choice, request, {
          messages,
          previous,
          maxTokens: isSplit ? Math.floor((maxTokens * 2) / 3) : maxTokens,
          ask: freshQuestion,
          update: updateQuestion,
        })
      : null,
    isSplit
      ? written(desk, choice, request, {
          messages: turnPrefix,
          previous: null,
          maxTokens: hasHistory || previous !== null ? Math.floor(maxTokens / 3) : maxTokens,
          ask: prefixQuestion,
          update: updateQuestion,
          isPrefix: true,
        })
      : null,
  ]);
  // Where only a request was cut, what stood for the messages before it still does.
  const texts = [whole?.text ?? previous, begun === null ? null : `${turnHeading}\n\n${begun.text}`];
  return assembled(
    [whole, begun].filter((part) => part !== null),
    texts.filter((text) => text !== null),
    request,
  );
}

function assembled(parts: readonly Written[], texts: readonly string[], { files }: SummarizerRequest): Summary {
  const lists = filesText(files ?? noFiles);
  return { text: [...texts, ...(lists === '' ? [] : [lists])].join('\n\n'), source: sourceOf(parts) };
}

/** Who wrote the parts: the model if one of them was its own. */
function sourceOf(parts: readonly Written[]): JsonObject {
  const reasons = [...new Set(parts.flatMap((part) => (part.reason === null ? [] : [part.reason])))];
  const model = parts.find((part) => part.reason === null)?.model ?? null;
  if (model === null) return { type: 'extract', reason: reasons.join(', ') || 'nothing-new' };
  const own = parts.filter((part) => part.reason === null);
  const sum = (of: (part: Written) => number | null | undefined) =>
    own.reduce<number | null>((all, part) => {
      const one = of(part);
      return one == null ? all : (all ?? 0) + one;
    }, null);
  const [inputTokens, outputTokens] = [sum((part) => part.usage?.inputTokens), sum((part) => part.usage?.outputTokens)];
  const cost = sum((part) => part.cost);
  return {
    type: 'model',
    provider: model.provider.name,
    model_name: model.model,
    parameters: {},
    purpose: 'summary',
    calls: own.reduce((all, part) => all + part.calls, 0),
    ...(inputTokens === null ? {} : { usage: { inputTokens, outputTokens: outputTokens ?? 0 } }),
    ...(cost === null ? {} : { cost: { total: cost } }),
    ...(reasons.length === 0 ? {} : { extracted: reasons.join(', ') }),
  };
}

/** Writes one text, portion by portion: each answer is brought up to date with the next. */
async function written(desk: Desk, choice: Choice, request: SummarizerRequest, task: Task): Promise<Written> {
  const { focus, signal, purse } = request;
  const { messages, previous, maxTokens, isPrefix = false } = task;
  const extracted = (reason: string, calls = 0): Written => ({
    text: extractSummary({ messages, previous, focus, maxTokens, isPrefix }),
    model: null,
    reason,
    calls,
    usage: null,
    cost: null,
  });
  if (choice.model === null) return extracted(choice.reason);
  const { model } = choice;
  const length = Math.min(maxTokens, Math.floor(model.info.window / 4));
  const portions = await portionsFor(desk, model, messages, previous, length);
  if (portions === null) return extracted('too-long');
  const { limits } = desk;
  const usage = { inputTokens: 0, outputTokens: 0 };
  let cost: number | null = null;
  let isCounted = false;
  let text = previous;
  for (const [index, portion] of portions.entries()) {
    const question = text === null ? task.ask(portion, focus) : task.update(portion, text, focus);
    const answer: Answer = await asked(desk, model, question, {
      maxTokens: length,
      timeoutMs: limits.timeoutMs,
      signal,
      purse,
    });
    if (answer.type === 'failed') return extracted(answer.code, answer === notPaid ? index : index + 1);
    text = withoutFiles(answer.text) || answer.text;
    if (answer.cost !== null) cost = (cost ?? 0) + answer.cost;
    if (answer.usage === null) continue;
    isCounted = true;
    usage.inputTokens += answer.usage.inputTokens;
    usage.outputTokens += answer.usage.outputTokens;
  }
  if (text === null) return extracted('nothing-new');
  return { text, model, reason: null, calls: portions.length, usage: isCounted ? usage : null, cost };
}

// What our own words around a transcript take.
const wordsAround = 700;

function portionsFor(
  { limits }: Desk,
  model: Model,
  messages: readonly Message[],
  previous: string | null,
  length: number,
): Promise<readonly string[] | null> {
  // An earlier summary, ours or of an earlier portion, stands beside every portion; estimates run short on some languages.
  const beside = wordsAround + length + (previous === null ? 0 : Math.ceil(previous.length / 3));
  const tokens = Math.floor((model.info.window - roomFor(model, length) - beside) * 0.8);
  if (tokens < 256) return Promise.resolve(null);
  return portionsOf(messages, {
    tokens: Math.min(tokens, limits.inputTokens),
    passes: limits.passes,
    toolResult: limits.toolResultLength,
  });
}

const titleTokens = 64;

async function title(desk: Desk, request: TitleRequest): Promise<Summary | null> {
  const { signal } = request;
  const messages = request.messages.slice(0, 4);
  const plain = firstTitle(messages);
  if (plain === null) return null;
  const choice = await chosen(desk, request);
  if (choice.model === null) return { text: plain, source: { type: 'extract', reason: choice.reason } };
  const { model } = choice;
  const { limits } = desk;
  const transcript = transcriptOf(messages, { text: 1_500, toolResult: 200 }).join('\n\n');
  const asking = { maxTokens: titleTokens, timeoutMs: Math.min(30_000, limits.timeoutMs), signal };
  const answer = await asked(desk, model, titleQuestion(clip(transcript, 5_000)), asking);
  const tidy = answer.type === 'said' ? tidyTitle(answer.text) : null;
  if (answer.type === 'failed' || tidy === null)
    return {
      text: plain,
      source: { type: 'extract', reason: answer.type === 'failed' ? answer.code : 'generate/empty' },
    };
  const { usage, cost } = answer;
  return {
    text: tidy,
    source: {
      type: 'model',
      provider: model.provider.name,
      model_name: model.model,
      parameters: {},
      purpose: 'title',
      calls: 1,
      ...(usage === null ? {} : { usage }),
      ...(cost === null ? {} : { cost: { total: cost } }),
    },
  };
}

/** What the first message with words in it would be called, the user's before the model's. */
function firstTitle(messages: readonly Message[]): string | null {
  for (const role of ['user', 'assistant'] as const)
    for (const message of messages) {
      const found = message.role === role ? plainTitle(textOf(message)) : null;
      if (found !== null) return found;
    }
  return null;
}

/** Writes summaries and titles with a model, or extracts them from the messages. */
import { estimateTokens } from '@coppice/content';
import { isAppError, type JsonObject, type Message, textOf } from '@coppice/core';
import { makeGenerateError } from '../generate/errors.ts';
import { systemClock } from '../providers/clock.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import { type AskModelOptions, askModel, computeAnswerLimit, type ModelAnswer } from './ask-model.ts';
import { clipMiddle } from './clip.ts';
import {
  defaultSummaryLimits,
  type Summarizer,
  type SummarizerRequest,
  type Summary,
  type SummaryAllowance,
  type SummaryBudget,
  type SummaryLimits,
  type SummaryModelPicker,
  type SummaryUsage,
  type TitleRequest,
} from './contract.ts';
import { extractSummary } from './extract.ts';
import { formatFileLists, noTrackedFiles, stripFileLists } from './files.ts';
import { cleanUpTitle, makeTitleFromFirstSentence } from './plain-title.ts';
import {
  buildBranchSummaryQuestion,
  buildBranchSummaryUpdateQuestion,
  buildSummaryQuestion,
  buildSummaryUpdateQuestion,
  buildTitleQuestion,
  buildTurnStartSummaryQuestion,
  type SummaryQuestion,
} from './prompts.ts';
import { buildTranscript, splitTranscriptIntoPortions } from './transcript.ts';

/** How a summarizer chooses its model, and its budget and limits. */
export interface SummarizerOptions {
  /** Chooses the model; see `chooseSummaryModel`. If missing, every text is extracted from the messages. */
  readonly model?: SummaryModelPicker | null | undefined;
  /**
   * A budget that every call is charged to, in addition to the budget of its request. If too little is left, the text
   * is extracted from the messages.
   */
  readonly budget?: SummaryBudget | undefined;
  readonly limits?: Partial<SummaryLimits> | undefined;
  readonly clock?: Clock | undefined;
}

/** The heading above the summary of a turn whose last messages stay in the context. */
const turnHeading = '## The request under way';

/** Creates a summarizer. Calls no model until a text is requested. */
export function createSummarizer(options: SummarizerOptions = {}): Summarizer {
  const services: SummarizerServices = {
    pick: options.model ?? null,
    budget: options.budget ?? null,
    limits: { ...defaultSummaryLimits, ...options.limits },
    clock: options.clock ?? systemClock,
  };
  return {
    compaction: (request) => compactionSummary(services, request),
    async branch(request) {
      const part = await writeSummary(services, await chooseModel(services, request), request, {
        messages: request.messages,
        previous: null,
        maxTokens: request.maxTokens ?? services.limits.maxTokens,
        ask: buildBranchSummaryQuestion,
        update: buildBranchSummaryUpdateQuestion,
      });
      return assembleSummary([part], [part.text], request);
    },
    title: (request) => titleForTree(services, request),
  };
}

interface SummarizerServices {
  readonly pick: SummaryModelPicker | null;
  readonly budget: SummaryBudget | null;
  readonly limits: SummaryLimits;
  readonly clock: Clock;
}

/** One text to write, and from what. */
interface SummaryTask {
  readonly messages: readonly Message[];
  readonly previous: string | null;
  readonly maxTokens: number;
  readonly ask: (transcript: string, focus?: string) => SummaryQuestion;
  readonly update: (transcript: string, previous: string, focus?: string) => SummaryQuestion;
  readonly isPrefix?: boolean;
}

/** A text, and how it was written. */
interface WrittenSummary {
  readonly text: string;
  readonly model: Model | null;
  /** Why no model wrote the text; null if a model did. */
  readonly reason: string | null;
  readonly calls: number;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | null;
  readonly cost: number | null;
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw makeGenerateError('generate/aborted', 'The summary was stopped before it was complete.');
}

/** The chosen model, or the reason why no model can be used. */
type ModelPick = { readonly model: Model } | { readonly model: null; readonly reason: string };

async function chooseModel(
  { pick }: SummarizerServices,
  { near, signal }: { readonly near?: Model | null | undefined; readonly signal?: AbortSignal | undefined },
): Promise<ModelPick> {
  throwIfAborted(signal);
  try {
    const model = (await pick?.(near ?? null)) ?? null;
    return model === null ? { model, reason: 'no-model' } : { model };
  } catch (thrown) {
    return { model: null, reason: isAppError(thrown) ? thrown.code : 'no-model' };
  }
}

/** Estimates the usage of a call that reported none. */
function estimateCost({ system, prompt }: SummaryQuestion, said: string): SummaryUsage {
  return { inputTokens: estimateTokens(system) + estimateTokens(prompt), outputTokens: estimateTokens(said) };
}

/** The limits of a question, and the budget of its request. */
interface SummaryCost extends Omit<AskModelOptions, 'clock'> {
  readonly allowance?: SummaryAllowance | undefined;
}

const notPaid: ModelAnswer = { type: 'failed', code: 'generate/budget', text: '', usage: null, cost: null };

/** Asks a model if both budgets allow it. Both are charged even if the caller has stopped waiting. */
async function askForSummary(
  services: SummarizerServices,
  model: Model,
  question: SummaryQuestion,
  { allowance, ...asking }: SummaryCost,
): Promise<ModelAnswer> {
  const expected = { ...estimateCost(question, ''), outputTokens: computeAnswerLimit(model, asking.maxTokens) };
  const settleAllowance = allowance?.take(model, expected);
  if (settleAllowance === null) return notPaid;
  const settleBudget = await services.budget?.take(model, expected);
  if (settleBudget === null) {
    settleAllowance?.(null, null);
    return notPaid;
  }
  const answer = await askModel(model, question, { ...asking, clock: services.clock });
  const used = answer.usage ?? (answer.text === '' ? null : estimateCost(question, answer.text));
  const cost = answer.cost ?? (used === null ? null : (model.cost(used)?.total ?? null));
  settleAllowance?.(used, cost);
  await settleBudget?.(used, cost);
  throwIfAborted(asking.signal);
  return answer;
}

async function compactionSummary(services: SummarizerServices, request: SummarizerRequest): Promise<Summary> {
  const { messages, turnPrefix = [] } = request;
  const previous = request.previous == null ? null : stripFileLists(request.previous) || null;
  const choice = await chooseModel(services, request);
  const maxTokens = request.maxTokens ?? services.limits.maxTokens;
  const isSplit = turnPrefix.length > 0;
  const hasHistory = messages.length > 0;
  const [whole, begun] = await Promise.all([
    hasHistory || (previous === null && !isSplit)
      ? writeSummary(services, choice, request, {
          messages,
          previous,
          maxTokens: isSplit ? Math.floor((maxTokens * 2) / 3) : maxTokens,
          ask: buildSummaryQuestion,
          update: buildSummaryUpdateQuestion,
        })
      : null,
    isSplit
      ? writeSummary(services, choice, request, {
          messages: turnPrefix,
          previous: null,
          maxTokens: hasHistory || previous !== null ? Math.floor(maxTokens / 3) : maxTokens,
          ask: buildTurnStartSummaryQuestion,
          update: buildSummaryUpdateQuestion,
          isPrefix: true,
        })
      : null,
  ]);
  // If only a turn was cut, the previous summary of the messages before it is still valid.
  const texts = [whole?.text ?? previous, begun === null ? null : `${turnHeading}\n\n${begun.text}`];
  return assembleSummary(
    [whole, begun].filter((part) => part !== null),
    texts.filter((text) => text !== null),
    request,
  );
}

function assembleSummary(
  parts: readonly WrittenSummary[],
  texts: readonly string[],
  { files }: SummarizerRequest,
): Summary {
  const lists = formatFileLists(files ?? noTrackedFiles);
  return { text: [...texts, ...(lists === '' ? [] : [lists])].join('\n\n'), source: summarySource(parts) };
}

/** Returns the source of the combined text: the model if it wrote at least one part. */
function summarySource(parts: readonly WrittenSummary[]): JsonObject {
  const reasons = [...new Set(parts.flatMap((part) => (part.reason === null ? [] : [part.reason])))];
  const model = parts.find((part) => part.reason === null)?.model ?? null;
  if (model === null) return { type: 'extract', reason: reasons.join(', ') || 'nothing-new' };
  const own = parts.filter((part) => part.reason === null);
  const sum = (of: (part: WrittenSummary) => number | null | undefined) =>
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

/** Writes one text in portions: each portion extends the answer to the previous one. */
async function writeSummary(
  services: SummarizerServices,
  choice: ModelPick,
  request: SummarizerRequest,
  task: SummaryTask,
): Promise<WrittenSummary> {
  const { focus, signal, allowance } = request;
  const { messages, previous, maxTokens, isPrefix = false } = task;
  const extracted = (reason: string, calls = 0): WrittenSummary => ({
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
  const portions = await portionsFor(services, model, messages, previous, length);
  if (portions === null) return extracted('too-long');
  const { limits } = services;
  const usage = { inputTokens: 0, outputTokens: 0 };
  let cost: number | null = null;
  let isCounted = false;
  let text = previous;
  for (const [index, portion] of portions.entries()) {
    const question = text === null ? task.ask(portion, focus) : task.update(portion, text, focus);
    const answer: ModelAnswer = await askForSummary(services, model, question, {
      maxTokens: length,
      timeoutMs: limits.timeoutMs,
      signal,
      allowance,
    });
    if (answer.type === 'failed') return extracted(answer.code, answer === notPaid ? index : index + 1);
    text = stripFileLists(answer.text) || answer.text;
    if (answer.cost !== null) cost = (cost ?? 0) + answer.cost;
    if (answer.usage === null) continue;
    isCounted = true;
    usage.inputTokens += answer.usage.inputTokens;
    usage.outputTokens += answer.usage.outputTokens;
  }
  if (text === null) return extracted('nothing-new');
  return { text, model, reason: null, calls: portions.length, usage: isCounted ? usage : null, cost };
}

// The tokens of the instructions that surround a transcript.
const instructionTokens = 700;

function portionsFor(
  { limits }: SummarizerServices,
  model: Model,
  messages: readonly Message[],
  previous: string | null,
  length: number,
): Promise<readonly string[] | null> {
  // An earlier summary is sent with every portion. The factor 0.8 allows for estimates that are too low in some
  // languages.
  const beside = instructionTokens + length + (previous === null ? 0 : Math.ceil(previous.length / 3));
  const tokens = Math.floor((model.info.window - computeAnswerLimit(model, length) - beside) * 0.8);
  if (tokens < 256) return Promise.resolve(null);
  return splitTranscriptIntoPortions(messages, {
    tokens: Math.min(tokens, limits.inputTokens),
    passes: limits.passes,
    toolResult: limits.toolResultLength,
  });
}

const titleTokens = 64;

async function titleForTree(services: SummarizerServices, request: TitleRequest): Promise<Summary | null> {
  const { signal } = request;
  const messages = request.messages.slice(0, 4);
  const plain = firstTitle(messages);
  if (plain === null) return null;
  const choice = await chooseModel(services, request);
  if (choice.model === null) return { text: plain, source: { type: 'extract', reason: choice.reason } };
  const { model } = choice;
  const { limits } = services;
  const transcript = buildTranscript(messages, { text: 1_500, toolResult: 200 }).join('\n\n');
  const asking = { maxTokens: titleTokens, timeoutMs: Math.min(30_000, limits.timeoutMs), signal };
  const answer = await askForSummary(services, model, buildTitleQuestion(clipMiddle(transcript, 5_000)), asking);
  const tidy = answer.type === 'said' ? cleanUpTitle(answer.text) : null;
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

/** Returns a title from the first message with text; a user's message is preferred. */
function firstTitle(messages: readonly Message[]): string | null {
  for (const role of ['user', 'assistant'] as const)
    for (const message of messages) {
      const found = message.role === role ? makeTitleFromFirstSentence(textOf(message)) : null;
      if (found !== null) return found;
    }
  return null;
}

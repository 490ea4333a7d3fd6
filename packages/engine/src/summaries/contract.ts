/** Requests and results of summaries and titles. */
import type { JsonObject, Message } from '@coppice/core';
import type { Model } from '../providers/index.ts';
import type { TrackedFiles } from './files.ts';

/** The input of a summary. */
export interface SummarizerRequest {
  /** The messages to summarise, oldest first. */
  readonly messages: readonly Message[];
  /** The beginning of a turn whose end is kept; it is summarised separately. */
  readonly turnPrefix?: readonly Message[] | undefined;
  /** The summary of earlier messages; it is updated, not repeated. */
  readonly previous?: string | null | undefined;
  /** What the summary should focus on. */
  readonly focus?: string | undefined;
  /** Files that were read and changed; listed at the end of every summary. */
  readonly files?: TrackedFiles | undefined;
  /** The longest summary, in tokens. */
  readonly maxTokens?: number | undefined;
  /** The model of the conversation: messages are sent to no other provider unless the operator configured one. */
  readonly near?: Model | null | undefined;
  /**
   * The budget that the summary is charged to, if there is a limit. If it is too small, the text is extracted from the
   * messages.
   */
  readonly allowance?: SummaryAllowance | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The usage of one call. */
export interface SummaryUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The budget of one request. */
export interface SummaryAllowance {
  /**
   * Reserves the expected cost of a call, from its estimated input and output tokens; null if that exceeds what is
   * left. The returned function is called once with the actual tokens and US dollars, as far as known.
   */
  take(model: Model, expected: SummaryUsage): ((used: SummaryUsage | null, usd: number | null) => void) | null;
}

/** A budget beyond a single request, for example per day. */
export interface SummaryBudget {
  /**
   * Like {@link SummaryAllowance.take}, but asynchronous, because the spent amount may have to be read. Never rejects.
   */
  take(
    model: Model,
    expected: SummaryUsage,
  ): Promise<((used: SummaryUsage | null, usd: number | null) => Promise<void>) | null>;
}

/** The input of a title. */
export interface TitleRequest {
  readonly messages: readonly Message[];
  readonly near?: Model | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A non-blank text and its author. */
export interface Summary {
  readonly text: string;
  /**
   * The `source` metadata: `{ type: 'model', provider, model_name, usage, … }`, or `{ type: 'extract', reason }` if
   * it was extracted without a model.
   */
  readonly source: JsonObject;
}

/** Writes summaries and titles. Always has a result: it rejects only when its signal aborts. */
export interface Summarizer {
  /** Summarises older messages for a compaction. */
  compaction(request: SummarizerRequest): Promise<Summary>;
  /** Summarises a branch that is left or merged. */
  branch(request: Omit<SummarizerRequest, 'turnPrefix' | 'previous'>): Promise<Summary>;
  /** One line without markup; null if the messages have no suitable text. */
  title(request: TitleRequest): Promise<Summary | null>;
}

/** Chooses the model: one near the conversation's model, or none. */
export type PickModel = (near: Model | null) => Model | null | Promise<Model | null>;

/** The limits of a summarizer. */
export interface SummaryLimits {
  /** The longest summary, in tokens, unless a request sets less. */
  readonly maxTokens: number;
  /** The largest input of one call, in tokens, unless the model's window is smaller. */
  readonly inputTokens: number;
  /** The largest number of calls for one text; beyond that messages are shortened further. */
  readonly passes: number;
  /** How many characters of a tool result are included. */
  readonly toolResultLength: number;
  /** The time limit of one call; after that the text is extracted from the messages. */
  readonly timeoutMs: number;
}

export const defaultSummaryLimits: SummaryLimits = {
  maxTokens: 4_096,
  inputTokens: 100_000,
  passes: 4,
  toolResultLength: 2_000,
  timeoutMs: 120_000,
};

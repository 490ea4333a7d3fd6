/** Requests and results of summaries and titles. */
import type { JsonObject, Message } from '@coppice/core';
import type { Model } from '../providers/index.ts';
import type { TrackedFiles } from './files.ts';

/** The messages to summarise, and the limits of the summary. */
export interface SummarizerRequest {
  /** The messages to summarise, oldest first. */
  readonly messages: readonly Message[];
  /** The first messages of a turn whose last messages stay in the context; they are summarised separately. */
  readonly turnPrefix?: readonly Message[] | undefined;
  /** The summary of still earlier messages, which the new summary extends. */
  readonly previous?: string | null | undefined;
  /** The topic that the summary must cover in detail. */
  readonly focus?: string | undefined;
  /** Files that were read and changed; listed at the end of every summary. */
  readonly files?: TrackedFiles | undefined;
  /** The longest summary, in tokens. */
  readonly maxTokens?: number | undefined;
  /**
   * The model of the conversation. Unless the operator configured a summary model, messages are sent to no other
   * provider.
   */
  readonly near?: Model | null | undefined;
  /**
   * The budget that the summary is charged to; undefined means no limit. If too little is left, the text is extracted
   * from the messages.
   */
  readonly allowance?: SummaryAllowance | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The input and output tokens of one call. */
export interface SummaryUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The budget of one request for a summary. */
export interface SummaryAllowance {
  /**
   * Reserves the expected cost of a call; returns null if too little is left. Otherwise call the returned function once
   * with the actual tokens and US dollars, null for what is unknown.
   */
  take(model: Model, expected: SummaryUsage): ((used: SummaryUsage | null, usd: number | null) => void) | null;
}

/** A budget for many requests, for example per day. */
export interface SummaryBudget {
  /**
   * Like {@link SummaryAllowance.take}, but asynchronous, because the spent amount may be read from a file. Never
   * rejects.
   */
  take(
    model: Model,
    expected: SummaryUsage,
  ): Promise<((used: SummaryUsage | null, usd: number | null) => Promise<void>) | null>;
}

/** The messages to find a title for. */
export interface TitleRequest {
  readonly messages: readonly Message[];
  readonly near?: Model | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A text that is not blank, and who wrote it. */
export interface Summary {
  readonly text: string;
  /**
   * The `source` metadata: `{ type: 'model', provider, model_name, usage, … }`, or `{ type: 'extract', reason }` if no
   * model wrote the text.
   */
  readonly source: JsonObject;
}

/**
 * Writes summaries and titles. If no model can write the text, it is extracted from the messages. The promises reject
 * only when the signal aborts.
 */
export interface Summarizer {
  /** Summarises older messages for a compaction. */
  compaction(request: SummarizerRequest): Promise<Summary>;
  /** Summarises a branch that is left or merged. */
  branch(request: Omit<SummarizerRequest, 'turnPrefix' | 'previous'>): Promise<Summary>;
  /** Returns one line without markup; null if the messages contain no text for a title. */
  title(request: TitleRequest): Promise<Summary | null>;
}

/** Chooses the model for a summary by the model of the conversation; null for none. */
export type SummaryModelPicker = (near: Model | null) => Model | null | Promise<Model | null>;

/** How large summaries and their input may be. */
export interface SummaryLimits {
  /** The longest summary, in tokens; a request may set a lower limit. */
  readonly maxTokens: number;
  /** The largest input of one call, in tokens, unless the model's window is smaller. */
  readonly inputTokens: number;
  /** The most calls for one text; a longer input is shortened further. */
  readonly passes: number;
  /** How many characters of a tool result are included. */
  readonly toolResultLength: number;
  /** The time limit of one call in milliseconds; after that the text is extracted from the messages. */
  readonly timeoutMs: number;
}

export const defaultSummaryLimits: SummaryLimits = {
  maxTokens: 4_096,
  inputTokens: 100_000,
  passes: 4,
  toolResultLength: 2_000,
  timeoutMs: 120_000,
};

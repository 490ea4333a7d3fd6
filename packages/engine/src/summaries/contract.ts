/** What is summed up, for what, and what comes of it. */
import type { JsonObject, Message } from '@coppice/core';
import type { Model } from '../providers/index.ts';
import type { TrackedFiles } from './files.ts';

/** What a summary is made from. */
export interface SummarizerRequest {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** The beginning of a request whose rest stays as it is; it is summed up for its own sake. */
  readonly turnPrefix?: readonly Message[] | undefined;
  /** The summary that stands for what was before; it is brought up to date, not repeated. */
  readonly previous?: string | null | undefined;
  /** What the reader cares about most. */
  readonly focus?: string | undefined;
  /** Files that were read and changed; they are listed at the end, whoever writes the rest. */
  readonly files?: TrackedFiles | undefined;
  /** The longest summary, in tokens. */
  readonly maxTokens?: number | undefined;
  /** The model that the conversation is held with: what was said goes to no other provider unless the operator says so. */
  readonly near?: Model | null | undefined;
  /** Who pays, where there is a limit to it; what it does not pay for is drawn from the messages. */
  readonly allowance?: SummaryAllowance | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a call of a model used. */
export interface SummaryUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Pays for the calls of a summary. */
export interface SummaryAllowance {
  /**
   * Sets aside what a call may come to, by about how many tokens it reads and how many it may write; null where that is more
   * than is left. What it gives is called once with what was used, in tokens and US dollars, as far as that is known.
   */
  take(model: Model, expected: SummaryUsage): ((used: SummaryUsage | null, usd: number | null) => void) | null;
}

/** A budget that outlives a single request, such as that of a day. */
export interface SummaryBudget {
  /** As {@link SummaryAllowance.take}, but may have to look up what was spent. Never rejects. */
  take(
    model: Model,
    expected: SummaryUsage,
  ): Promise<((used: SummaryUsage | null, usd: number | null) => Promise<void>) | null>;
}

/** What a title is made from. */
export interface TitleRequest {
  readonly messages: readonly Message[];
  readonly near?: Model | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A text, never blank, and who wrote it. */
export interface Summary {
  readonly text: string;
  /**
   * For a node's source: `{ type: 'model', provider, model_name, usage, … }`, or `{ type: 'extract', reason }` where it
   * was drawn from the messages without a model.
   */
  readonly source: JsonObject;
}

/** Writes summaries and titles. It always has an answer: only a signal makes it reject. */
export interface Summarizer {
  /** In place of older messages of the same conversation. */
  compaction(request: SummarizerRequest): Promise<Summary>;
  /** Of a branch that is left or brought back. */
  branch(request: Omit<SummarizerRequest, 'turnPrefix' | 'previous'>): Promise<Summary>;
  /** One line, without markup; null where nothing was said that could be one. */
  title(request: TitleRequest): Promise<Summary | null>;
}

/** Who is to write: a model near the one that the conversation is held with, or nobody. */
export type PickModel = (near: Model | null) => Model | null | Promise<Model | null>;

/** How far a summarizer goes. */
export interface SummaryLimits {
  /** The longest summary, in tokens, unless a request says less. */
  readonly maxTokens: number;
  /** What a model is given to read at a time, in tokens, if its window is not smaller. */
  readonly inputTokens: number;
  /** The most calls for one text before messages are shortened further. */
  readonly passes: number;
  /** Characters that are shown of the result of a tool. */
  readonly toolResultLength: number;
  /** For one call; then the text is drawn from the messages instead. */
  readonly timeoutMs: number;
}

/** What holds unless said otherwise. */
export const defaultSummaryLimits: SummaryLimits = {
  maxTokens: 4_096,
  inputTokens: 100_000,
  passes: 4,
  toolResultLength: 2_000,
  timeoutMs: 120_000,
};

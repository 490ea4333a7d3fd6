/** When older messages give way to a summary, and where the line is drawn. */
import { fallbackModel } from './budget.ts';
import type { Context, ContextEntry } from './context.ts';
import { ok, type Result, refusedResult } from './errors.ts';
import type { NodeId } from './ids.ts';
import { pairTools } from './tool-pairs.ts';

/** How a window is divided when compacting. */
export interface CompactionBudget {
  /** Left free for the next turn: the threshold lies this far below the window. */
  readonly reserve: number;
  /** About how much of the newest messages stays in force as it is. */
  readonly keep: number;
  /** More than this cannot stay, or the next call would not fit. */
  readonly limit: number;
}

/** The budget of a window; of an unknown one, the smallest window that a model is taken to have. */
export function compactionBudget(window: number = fallbackModel.window): CompactionBudget {
  const reserve = Math.min(16_384, Math.floor(window / 4));
  const keep = Math.min(20_000, Math.floor(window / 3));
  return { reserve, keep, limit: window - reserve };
}

/**
 * Whether it is time to compact. An unknown window is never full by this count; there only the provider's own error
 * says so.
 */
export function compactionDue(tokens: number, window: number | undefined): boolean {
  return window !== undefined && tokens > window - compactionBudget(window).reserve;
}

/** How much may stay. */
export interface CutOptions {
  /** The newest entries within this many tokens stay; 0 keeps as little as can be. */
  readonly keep: number;
  /** If even the shortest possible rest is larger than this, a finished tool exchange at the end is summarised as well. */
  readonly limit?: number;
}

/**
 * A line through what is in force. The entries of `history`, `turnPrefix` and `kept`, in this order, are all of it but
 * system prompt and earlier summary.
 */
export interface CompactionCut {
  /** The first node that stays as it is; null if nothing does. */
  readonly firstKept: NodeId | null;
  /** The summary to bring up to date with what follows; it is not among the entries. */
  readonly previousSummary: string | null;
  /** Whole turns to summarise. */
  readonly history: readonly ContextEntry[];
  /** The beginning of the turn that the line goes through, to be summarised for its own sake; empty between turns. */
  readonly turnPrefix: readonly ContextEntry[];
  readonly kept: readonly ContextEntry[];
  /** What is in force before, for the marker. */
  readonly tokensBefore: number;
  readonly tokensKept: number;
}

/**
 * Draws the line as early as the budget allows, but never between a tool call and its result. Where nothing fits the
 * budget, as little as possible stays. Refused (`context/nothing-to-compact`) if all would stay.
 */
export function chooseCut(context: Context, options: CutOptions): Result<CompactionCut> {
  const content = context.entries.filter((entry) => entry.kind !== 'system-prompt' && entry.kind !== 'summary');
  const index = cutIndex(content, options);
  if (index === undefined) {
    const message =
      content.length === 0
        ? 'There is nothing to compact: no message is in force.'
        : `There is nothing to compact: all ${content.length} messages in force have to stay or fit into ${options.keep} tokens.`;
    return refusedResult('context/nothing-to-compact', message, { entries: content.length, keep: options.keep });
  }
  const turn = turnStart(content, index);
  const kept = content.slice(index);
  let tokensKept = 0;
  for (const entry of kept) tokensKept += entry.tokens;
  return ok({
    firstKept: kept[0]?.nodeId ?? null,
    previousSummary: context.compaction?.summary ?? null,
    history: content.slice(0, turn),
    turnPrefix: content.slice(turn, index),
    kept,
    tokensBefore: context.estimate.tokens,
    tokensKept,
  });
}

/** The index of the first entry that stays, above 0; the length if none does; undefined if nothing can be cut. */
function cutIndex(content: readonly ContextEntry[], { keep, limit }: CutOptions): number | undefined {
  const { spans, finished } = exchanges(content);
  let tokens = 0;
  let latest: { readonly index: number; readonly tokens: number } | undefined;
  let fits: number | undefined;
  for (let index = content.length - 1; index >= 0; index--) {
    tokens += content[index]?.tokens ?? 0;
    if (latest !== undefined && tokens > keep) break;
    if (spans[index] !== 0 || content[index]?.message.role === 'tool') continue;
    latest ??= { index, tokens };
    if (tokens <= keep) fits = index;
  }
  if (latest === undefined) return undefined;
  if (limit !== undefined && latest.tokens > limit && finished) return content.length;
  const index = fits ?? latest.index;
  return index > 0 ? index : undefined;
}

/**
 * Per index, how many calls before it have their result at or after it; and whether the end is a tool exchange with
 * all its results, which no reply has to follow up message by message.
 */
function exchanges(content: readonly ContextEntry[]): { readonly spans: Int32Array; readonly finished: boolean } {
  const spans = new Int32Array(content.length + 1);
  const { calls } = pairTools(content.map((entry) => entry.message));
  const lastSpoken = content.findLastIndex((entry) => entry.message.role !== 'tool');
  let finished = lastSpoken < content.length - 1;
  for (const [calling, pairs] of calls) {
    for (const { result } of pairs) {
      if (result !== null) {
        spans[calling + 1] = (spans[calling + 1] ?? 0) + 1;
        spans[result + 1] = (spans[result + 1] ?? 0) - 1;
      } else if (calling === lastSpoken) finished = false;
    }
  }
  for (let index = 1; index < spans.length; index++) spans[index] = (spans[index] ?? 0) + (spans[index - 1] ?? 0);
  return { spans, finished };
}

// Several user messages in a row are one request, so the line between two of them goes through a turn.
function startsTurn(content: readonly ContextEntry[], index: number): boolean {
  return hasToolCalls(content[index]) && !hasToolCalls(content[index - 1]);
}

function hasToolCalls(entry: ContextEntry | undefined): boolean {
  return entry?.message.role === 'user';
}

/** Where the turn begins that the line goes through; the line itself if it lies between turns. */
function turnStart(content: readonly ContextEntry[], index: number): number {
  if (index < content.length && startsTurn(content, index)) return index;
  for (let at = index - 1; at > 0; at--) if (startsTurn(content, at)) return at;
  return 0;
}

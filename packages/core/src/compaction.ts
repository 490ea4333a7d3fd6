/** Decides when older messages are replaced by a summary, and where the cut is made. */
import { fallbackModelLimits } from './budget.ts';
import type { Context, ContextEntry } from './context.ts';
import { makeRefusedResult, ok, type Result } from './errors.ts';
import type { NodeId } from './ids.ts';
import { pairTools } from './tool-pairs.ts';

/** How a context window is divided when compacting. */
export interface CompactionBudget {
  /** Tokens left free for the next turn. Compaction starts when fewer tokens are free. */
  readonly reserve: number;
  /** The newest messages up to about this many tokens are kept. */
  readonly keep: number;
  /** The maximum number of kept tokens. With more, the next call would not fit into the window. */
  readonly limit: number;
}

/** Returns the budget of a context window. For an unknown window the fallback window is assumed. */
export function compactionBudgetFor(window: number = fallbackModelLimits.window): CompactionBudget {
  const reserve = Math.min(16_384, Math.floor(window / 4));
  const keep = Math.min(20_000, Math.floor(window / 3));
  return { reserve, keep, limit: window - reserve };
}

/**
 * Whether to compact now. With an unknown window always false: then only an overflow error of the provider triggers a
 * compaction.
 */
export function isCompactionDue(tokens: number, window: number | undefined): boolean {
  return window !== undefined && tokens > window - compactionBudgetFor(window).reserve;
}

/** The limits for the entries that are kept. */
export interface CompactionCutOptions {
  /** The newest entries within this many tokens are kept; 0 keeps as little as possible. */
  readonly keep: number;
  /**
   * If the least that can be kept is larger than this many tokens, a finished tool exchange at the end is summarised as
   * well.
   */
  readonly limit?: number;
}

/**
 * A cut through the context. `history`, `turnPrefix` and `kept`, in this order, contain all entries except the system
 * prompt and the earlier summary.
 */
export interface CompactionCut {
  /** The first node that is kept; null if no node is kept. */
  readonly firstKept: NodeId | null;
  /** The earlier summary, which the new summary must include. It is not among the entries. */
  readonly previousSummary: string | null;
  /** Whole turns to summarise. */
  readonly history: readonly ContextEntry[];
  /** The beginning of the turn that the cut divides, summarised separately; empty if the cut is between turns. */
  readonly turnPrefix: readonly ContextEntry[];
  readonly kept: readonly ContextEntry[];
  /** The number of tokens of the context before the compaction, for the marker. */
  readonly tokensBefore: number;
  readonly tokensKept: number;
}

/**
 * Cuts as early as the budget allows, but never between a tool call and its result. If nothing fits the budget, as
 * little as possible is kept. Refuses with `context/nothing-to-compact` if everything would be kept.
 */
export function chooseCompactionCut(context: Context, options: CompactionCutOptions): Result<CompactionCut> {
  const content = context.entries.filter((entry) => entry.kind !== 'system-prompt' && entry.kind !== 'summary');
  const index = cutIndex(content, options);
  if (index === undefined) {
    const message =
      content.length === 0
        ? 'There is nothing to compact: the context has no messages.'
        : `There is nothing to compact: all ${content.length} messages of the context must be kept, or fit into ${options.keep} tokens.`;
    return makeRefusedResult('context/nothing-to-compact', message, { entries: content.length, keep: options.keep });
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

/**
 * Returns the index of the first kept entry, above 0; the length if no entry is kept; undefined if nothing can be cut.
 */
function cutIndex(content: readonly ContextEntry[], { keep, limit }: CompactionCutOptions): number | undefined {
  const { spans, finished } = findExchanges(content);
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
 * Returns for each index how many calls before that index have their result at or after it. Also returns whether the
 * context ends with a complete tool exchange, which may be summarised as well.
 */
function findExchanges(content: readonly ContextEntry[]): { readonly spans: Int32Array; readonly finished: boolean } {
  const spans = new Int32Array(content.length + 1);
  const { calls } = pairTools(content.map((entry) => entry.message));
  const lastNonTool = content.findLastIndex((entry) => entry.message.role !== 'tool');
  let finished = lastNonTool < content.length - 1;
  for (const [calling, pairs] of calls) {
    for (const { result } of pairs) {
      if (result !== null) {
        spans[calling + 1] = (spans[calling + 1] ?? 0) + 1;
        spans[result + 1] = (spans[result + 1] ?? 0) - 1;
      } else if (calling === lastNonTool) finished = false;
    }
  }
  for (let index = 1; index < spans.length; index++) spans[index] = (spans[index] ?? 0) + (spans[index - 1] ?? 0);
  return { spans, finished };
}

// Several user messages in a row are one request, so a cut between two of them divides a turn.
function startsTurn(content: readonly ContextEntry[], index: number): boolean {
  return isUserEntry(content[index]) && !isUserEntry(content[index - 1]);
}

function isUserEntry(entry: ContextEntry | undefined): boolean {
  return entry?.message.role === 'user';
}

/** Returns the start of the turn that the cut divides; the cut itself if the cut is between two turns. */
function turnStart(content: readonly ContextEntry[], index: number): number {
  if (index < content.length && startsTurn(content, index)) return index;
  for (let at = index - 1; at > 0; at--) if (startsTurn(content, at)) return at;
  return 0;
}

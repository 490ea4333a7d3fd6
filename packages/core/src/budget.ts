/** Computes how much of a context window is in use, and how long a reply may become. */
import type { Json } from './message.ts';
import type { Node } from './node.ts';

/** The token usage that a provider reported for a reply. */
export interface TokenUsage {
  /** All tokens sent, cached or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The tokens of the reply and everything before it; at least `inputTokens` plus the tokens of the reply. */
  readonly totalTokens: number;
}

/** The context window and the maximum reply length that are assumed for an unknown model. */
export const fallbackModelLimits = { window: 8192, maxOut: 8192 } as const;

/** The shortest useful limit of a reply. A lower limit is acceptable only if the caller requested it. */
export const shortestReplyTokens = 256;

function countField(usage: { readonly [key: string]: Json }, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = Object.hasOwn(usage, name) ? usage[name] : undefined;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  }
  return undefined;
}

/**
 * Reads the usage of a reply, in Coppice's spelling (`inputTokens`) or a provider's (`prompt_tokens`, `input_tokens`).
 * Returns undefined if the input count is missing, because a partial figure would look like a small context.
 */
export function parseUsage(node: Pick<Node, 'meta'>): TokenUsage | undefined {
  const usage = node.meta.source?.usage;
  if (typeof usage !== 'object' || usage === null || isReadonlyArray(usage)) return undefined;
  const total = countField(usage, 'totalTokens', 'total_tokens');
  const sent = countField(usage, 'inputTokens', 'prompt_tokens', 'input_tokens');
  const output = countField(usage, 'outputTokens', 'completion_tokens', 'output_tokens') ?? 0;
  // Anthropic's `input_tokens` excludes these two cache counts, which are most tokens of a long conversation.
  const cached =
    (countField(usage, 'cache_read_input_tokens') ?? 0) + (countField(usage, 'cache_creation_input_tokens') ?? 0);
  if (sent === undefined && total === undefined) return undefined;
  const input = sent === undefined ? Math.max(0, (total ?? 0) - output) : sent + cached;
  return { inputTokens: input, outputTokens: output, totalTokens: Math.max(total ?? 0, input + output) };
}

function isReadonlyArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** The tokens of one context entry, and the provider's count up to that entry if the count is still valid. */
export interface TokenCount {
  readonly tokens: number;
  /**
   * The provider's token count up to and including this entry; null without a count, or if the content changed since.
   */
  readonly reported: number | null;
}

/** The estimated number of tokens in the context. */
export interface TokenEstimate {
  /** The reported tokens plus 1.1 times the estimate of newer entries, rounded up. */
  readonly tokens: number;
  /** The count reported with the last reply; null before the first reply and after a compaction. */
  readonly reported: number | null;
  /** The sum of the estimates of all entries after that reply. */
  readonly newer: number;
}

/**
 * Estimates the tokens of the entries: the count reported with the last reply plus 1.1 times the estimate of newer
 * entries. The margin is needed because estimates are too low for code and rare languages, and an estimate that is too
 * low does more harm.
 */
export function estimateContextTokens(entries: readonly TokenCount[]): TokenEstimate {
  let newer = 0;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry === undefined) continue;
    if (entry.reported !== null) return { tokens: entry.reported + withMargin(newer), reported: entry.reported, newer };
    newer += entry.tokens;
  }
  return { tokens: withMargin(newer), reported: null, newer };
}

// Computes in tenths, because 1.1 × 50 is slightly more than 55 in floating point and would be rounded up to 56.
function withMargin(tokens: number): number {
  return Math.ceil((tokens * 11) / 10);
}

/** The inputs of {@link clampReplyTokens}; all are numbers of tokens, and unknown values are left out. */
export interface ReplyLimitInput {
  /** The requested maximum; undefined requests the longest reply that fits. */
  readonly asked?: number | undefined;
  /** The longest reply that the model can generate. */
  readonly maxOut?: number | undefined;
  /** The tokens that fit into the context window of the model. */
  readonly window?: number | undefined;
  /** The tokens that the context takes up. */
  readonly estimate: number;
}

/** The largest reply that fits, and whether it is long enough to be useful. */
export interface ReplyLimit {
  readonly maxTokens: number;
  /**
   * `short` if fewer than {@link shortestReplyTokens} fit although more were requested. The caller compacts or refuses
   * then.
   */
  readonly room: 'ok' | 'short';
}

/**
 * Limits the length of a reply to the request, the model's maximum and the rest of the window, but at least 1. For an
 * unknown model {@link fallbackModelLimits} is assumed.
 */
export function clampReplyTokens(space: ReplyLimitInput): ReplyLimit {
  const maxOut = knownTokens(space.maxOut) ?? fallbackModelLimits.maxOut;
  const window = knownTokens(space.window) ?? fallbackModelLimits.window;
  const wanted = Math.min(knownTokens(space.asked) ?? maxOut, maxOut);
  const given = Math.max(1, Math.floor(Math.min(wanted, window - space.estimate)));
  return { maxTokens: given, room: given < shortestReplyTokens && given < Math.floor(wanted) ? 'short' : 'ok' };
}

function knownTokens(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

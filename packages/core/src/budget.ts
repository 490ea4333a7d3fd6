/** How much of a model's window is in use, and how long a reply may become. */
import type { Json } from './message.ts';
import type { Node } from './node.ts';

/** What a provider reported with a reply. */
export interface TokenUsage {
  /** All that was sent, read from a cache or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What the reply and everything before it take; at least the sum of the two. */
  readonly totalTokens: number;
}

/** The window and the longest reply that a model is taken to have when nothing is known about it. */
export const fallbackModel = { window: 8192, maxOut: 8192 } as const;

/** Below this many tokens a reply is too short to be worth a call, unless no more was asked for. */
export const shortestReply = 256;

function countField(usage: { readonly [key: string]: Json }, ...names: readonly string[]): number | undefined {
  for (const name of names) {
    const value = Object.hasOwn(usage, name) ? usage[name] : undefined;
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  }
  return undefined;
}

/**
 * The usage that is noted with a reply, in our spelling (`inputTokens`) or in a provider's (`prompt_tokens`,
 * `input_tokens`). Undefined where it does not say how much was sent: half a figure would pass for a small one.
 */
export function parseUsage(node: Pick<Node, 'meta'>): TokenUsage | undefined {
  const usage = node.meta.source?.usage;
  if (typeof usage !== 'object' || usage === null || isReadonlyArray(usage)) return undefined;
  const total = countField(usage, 'totalTokens', 'total_tokens');
  const sent = countField(usage, 'inputTokens', 'prompt_tokens', 'input_tokens');
  const output = countField(usage, 'outputTokens', 'completion_tokens', 'output_tokens') ?? 0;
  // `input_tokens` with these two beside it counts only what came from no cache: most of a long conversation is in them.
  const cached =
    (countField(usage, 'cache_read_input_tokens') ?? 0) + (countField(usage, 'cache_creation_input_tokens') ?? 0);
  if (sent === undefined && total === undefined) return undefined;
  const input = sent === undefined ? Math.max(0, (total ?? 0) - output) : sent + cached;
  return { inputTokens: input, outputTokens: output, totalTokens: Math.max(total ?? 0, input + output) };
}

function isReadonlyArray(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** What an estimate is made from: tokens of each entry, oldest first, and what was reported with it if that still holds. */
export interface TokenCount {
  readonly tokens: number;
  /** Tokens of this entry and all before it, as the provider counted them; null if it did not or they changed since. */
  readonly reported: number | null;
}

/** How many tokens are in force. */
export interface TokenEstimate {
  /** Reported plus 1.1 times the estimate of what is newer, rounded up. */
  readonly tokens: number;
  /** Reported with the last reply; null before the first reply and after a compaction. */
  readonly reported: number | null;
  /** The plain estimate of what came after that reply. */
  readonly newer: number;
}

/**
 * How many tokens the entries take: what was reported with the last reply, plus 1.1 times the estimate of what is
 * newer. Estimates run short on code and rare languages, and too much costs less here than too little.
 */
export function estimateTokens(entries: readonly TokenCount[]): TokenEstimate {
  let newer = 0;
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry === undefined) continue;
    if (entry.reported !== null) return { tokens: entry.reported + withMargin(newer), reported: entry.reported, newer };
    newer += entry.tokens;
  }
  return { tokens: withMargin(newer), reported: null, newer };
}

// In tenths, because 1.1 × 10 is a little more than 11 in floating point and would be rounded up to 12.
function withMargin(tokens: number): number {
  return Math.ceil((tokens * 11) / 10);
}

/** What {@link clampReply} goes by. What is not known is left out. */
export interface ReplySpace {
  /** The caller's wish; as much as possible if left out. */
  readonly asked?: number | undefined;
  /** The longest reply that the model gives. */
  readonly maxOut?: number | undefined;
  /** Tokens that the model takes in all. */
  readonly window?: number | undefined;
  /** Tokens that are in force. */
  readonly estimate: number;
}

/** How long the reply may become, and whether there is room for one worth having. */
export interface ReplyLimit {
  readonly maxTokens: number;
  /** `short`: less than {@link shortestReply} where more could be given. Compact, or refuse `context/full`. */
  readonly room: 'ok' | 'short';
}

/**
 * The clamp of a reply's length: asked, what the model gives, and what the window leaves, at least 1. Of a model that
 * is not known {@link fallbackModel} is assumed.
 */
export function clampReply(space: ReplySpace): ReplyLimit {
  const maxOut = knownTokens(space.maxOut) ?? fallbackModel.maxOut;
  const window = knownTokens(space.window) ?? fallbackModel.window;
  const wanted = Math.min(knownTokens(space.asked) ?? maxOut, maxOut);
  const given = Math.max(1, Math.floor(Math.min(wanted, window - space.estimate)));
  return { maxTokens: given, room: given < shortestReply && given < Math.floor(wanted) ? 'short' : 'ok' };
}

function knownTokens(value: number | undefined): number | undefined {
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

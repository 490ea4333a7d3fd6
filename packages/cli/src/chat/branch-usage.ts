/** Adds up the tokens and the cost of the shown branch, as the providers reported them with each reply. */
import type { Json, Node } from '@coppice/core';

/** The tokens and the cost of the replies of a branch. */
export interface BranchUsage {
  readonly replies: number;
  readonly input: number;
  readonly output: number;
  /** The cost in US dollars; null if no reply has a known price. */
  readonly cost: number | null;
  /** The tokens of the last request and its reply, which the next request contains; null if they are unknown. */
  readonly context: number | null;
}

/** Adds up the usage of the replies among the nodes. */
export function sumBranchUsage(nodes: readonly Node[]): BranchUsage {
  let [replies, input, output] = [0, 0, 0];
  let cost: number | null = null;
  let context: number | null = null;
  for (const { role, meta } of nodes) {
    if (role !== 'assistant') continue;
    replies++;
    const { source } = meta;
    const [sent, received] = [numberIn(source?.['usage'], 'inputTokens'), numberIn(source?.['usage'], 'outputTokens')];
    input += sent ?? 0;
    output += received ?? 0;
    if (sent !== null) context = sent + (received ?? 0);
    const paid = numberIn(source?.['cost'], 'total');
    if (paid !== null) cost = (cost ?? 0) + paid;
  }
  return { replies, input, output, cost, context };
}

function numberIn(value: Json | undefined, name: string): number | null {
  if (typeof value !== 'object' || value === null || !(name in value)) return null;
  const found = Object.entries(value).find(([key]) => key === name)?.[1];
  return typeof found === 'number' ? found : null;
}

/** Formats an amount of dollars. Small amounts have four decimals, because a reply often costs less than a cent. */
export function formatDollars(amount: number): string {
  return `$${amount.toFixed(amount === 0 || amount >= 1 ? 2 : 4)}`;
}

/** Formats a number of tokens, rounded for a status line. */
export function formatTokenCount(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  if (tokens < 1_000_000) return `${(tokens / 1_000).toFixed(tokens < 10_000 ? 1 : 0)}k`;
  return `${(tokens / 1_000_000).toFixed(1)}M`;
}

/** Formats the usage of a branch as sentences. */
export function formatBranchUsage(usage: BranchUsage): string {
  const { replies, input, output, cost } = usage;
  if (replies === 0) return 'No reply on this branch yet.';
  const count = `${replies} ${replies === 1 ? 'reply' : 'replies'} on this branch`;
  const tokens =
    input + output === 0
      ? 'the provider reported no tokens'
      : `${input.toLocaleString('en')} tokens sent, ${output.toLocaleString('en')} received`;
  return `${count}: ${tokens}; ${cost === null ? 'the price is not known' : `cost ${formatDollars(cost)}`}.`;
}

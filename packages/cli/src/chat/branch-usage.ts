/** Adds up the tokens and the cost of the shown branch, as the providers reported them with each reply. */
import { ask, type Node, type NodeId, type Store, type TreeId } from '@coppice/core';
import { getNumberMember } from '@coppice/core/decode';

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
    const [sent, received] = [
      getNumberMember(source, 'usage', 'inputTokens'),
      getNumberMember(source, 'usage', 'outputTokens'),
    ];
    input += sent ?? 0;
    output += received ?? 0;
    if (sent !== undefined) context = sent + (received ?? 0);
    const paid = getNumberMember(source, 'cost', 'total');
    if (paid !== undefined) cost = (cost ?? 0) + paid;
  }
  return { replies, input, output, cost, context };
}

// How many messages are read at once.
const pageSize = 500;

/** Adds up the usage of a whole branch, however long. */
export function readBranchUsage(store: Store, id: TreeId, last: NodeId): Promise<BranchUsage> {
  return store.read(id, function* () {
    let to: NodeId | null = last;
    let sum = sumBranchUsage([]);
    while (to !== null) {
      const { nodes, complete }: { readonly nodes: readonly Node[]; readonly complete: boolean } = yield* ask('path', {
        to,
        limit: pageSize,
      });
      const page = sumBranchUsage(nodes);
      sum = {
        replies: sum.replies + page.replies,
        input: sum.input + page.input,
        output: sum.output + page.output,
        cost: sum.cost === null || page.cost === null ? (sum.cost ?? page.cost) : sum.cost + page.cost,
        context: sum.context ?? page.context,
      };
      to = complete ? null : (nodes[0]?.parentId ?? null);
    }
    return sum;
  });
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

/**
 * Formats the line below the input: the model, the branch, the version, the tokens of the context window and the cost.
 */
import { toOneLine } from '../terminal/strip-control-sequences.ts';
import { formatDollars, formatTokenCount, sumBranchUsage } from './branch-usage.ts';
import type { ChatState } from './chat-state.ts';

/** Formats the activity of the chat and the status in at most `width` columns. Unknown values are left out. */
export function formatStatusLine(
  state: Pick<ChatState, 'model' | 'thinking' | 'branch' | 'nodes' | 'places' | 'more'>,
  window: number | null,
  width: number,
  doing: string | null = null,
): string {
  const { context, cost } = sumBranchUsage(state.nodes);
  const varied = state.nodes.findLast((node) => (state.places.get(node.id)?.[1] ?? 1) > 1);
  const [index = 0, total = 1] = (varied === undefined ? undefined : state.places.get(varied.id)) ?? [];
  const tokens = context === null ? null : formatTokenCount(context);
  const parts = [
    doing,
    toOneLine(state.model, 40),
    state.thinking === null ? null : `thinking ${state.thinking}`,
    state.branch === null ? null : `branch ${toOneLine(state.branch, 24)}`,
    total > 1 ? `version ${index + 1} of ${total}` : null,
    tokens === null ? null : window === null ? `${tokens} tokens` : `${tokens} of ${formatTokenCount(window)} tokens`,
    // The plus sign means: only the end of a long branch was read, so its real cost is higher.
    cost === null ? null : `${formatDollars(cost)}${state.more ? '+' : ''}`,
  ];
  return toOneLine(parts.filter((part) => part !== null).join(' · '), width);
}

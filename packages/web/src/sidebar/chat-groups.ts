/** The list of chats as rows: pinned ones first, then by the day of their last change. */
import type { TreeViewData } from '@coppice/client';

/** The heading of a group. A month is named by its first day. */
export type ChatHeading =
  | { readonly kind: 'pinned' | 'today' | 'yesterday' | 'week' }
  | { readonly kind: 'month'; readonly at: number };

/** A row of the list: a heading, or a chat. */
export type ChatListRow =
  | { readonly kind: 'heading'; readonly key: string; readonly heading: ChatHeading }
  | { readonly kind: 'chat'; readonly key: string; readonly tree: TreeViewData };

const dayMs = 86_400_000;

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}

function headingOf(tree: TreeViewData, today: number): ChatHeading {
  if (tree.pinned) return { kind: 'pinned' };
  const day = startOfDay(tree.updatedAt);
  if (day >= today) return { kind: 'today' };
  // Rounded, because a day on which the clocks change is not 24 hours long.
  const days = Math.round((today - day) / dayMs);
  if (days === 1) return { kind: 'yesterday' };
  if (days < 7) return { kind: 'week' };
  const then = new Date(tree.updatedAt);
  return { kind: 'month', at: new Date(then.getFullYear(), then.getMonth(), 1).getTime() };
}

/** Makes the rows of a list that is sorted by last change, newest first. */
export function buildChatListRows(trees: readonly TreeViewData[], now: number): readonly ChatListRow[] {
  const today = startOfDay(now);
  const groups = new Map<string, { readonly heading: ChatHeading; readonly trees: TreeViewData[] }>();
  for (const tree of [...trees.filter((each) => each.pinned), ...trees.filter((each) => !each.pinned)]) {
    const heading = headingOf(tree, today);
    const key = heading.kind === 'month' ? `month ${heading.at}` : heading.kind;
    const group = groups.get(key) ?? { heading, trees: [] };
    group.trees.push(tree);
    groups.set(key, group);
  }
  return [...groups].flatMap(([key, group]): readonly ChatListRow[] => [
    { kind: 'heading', key: `heading ${key}`, heading: group.heading },
    ...group.trees.map((tree) => ({ kind: 'chat' as const, key: tree.id, tree })),
  ]);
}

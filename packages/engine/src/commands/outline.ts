/** A tree as a list of lines: forks indent, long stretches without one are folded. */
import type { NodeId, NodeStatus, TopologyNode } from '@coppice/core';
import { outlineOf as outlineLines, outlineShape } from '@coppice/core/tree';
import { countOf, quote, roleLabel, stripUnsafe } from './format.ts';

/** What an outline shows. */
export const outlineFilters = ['folded', 'messages', 'user', 'labels', 'all'] as const;
/** `folded` shows where branches begin, fork and end; the others every node of a kind, or all of them. */
export type OutlineFilter = (typeof outlineFilters)[number];

/** One line of an outline. Flat, in the order of reading; `parentId` and `depth` say how it hangs together. */
export interface OutlineEntry {
  readonly nodeId: NodeId;
  /** The nearest node above that is shown; null at the top. */
  readonly parentId: NodeId | null;
  /** How many shown forks lie above. */
  readonly depth: number;
  /** Whether it is one of several that part from the same shown node, and the last of them. */
  readonly forked: boolean;
  readonly last: boolean;
  /** Nodes between the shown one above and this one that are not shown. */
  readonly folded: number;
  /** How many children it has, shown or not. */
  readonly children: number;
  readonly role: TopologyNode['role'];
  readonly kind: TopologyNode['kind'];
  readonly status: NodeStatus;
  readonly preview: string;
  readonly label: string | null;
  /** Whether the way to where the view is leads through it. */
  readonly onPath: boolean;
  readonly current: boolean;
}

/** An outline, and how much of it there would have been. */
export interface CommandOutline {
  readonly entries: readonly OutlineEntry[];
  /** Lines that were left off at the end. */
  readonly left: number;
}

/** What an outline is made from. */
export interface OutlineSource {
  readonly nodes: readonly TopologyNode[];
  readonly labels: ReadonlyMap<NodeId, string>;
  readonly current: NodeId | null;
  readonly filter: OutlineFilter;
  readonly limit: number;
}

/** Makes an outline of a topology. */
export function commandOutline({ nodes, labels, current, filter, limit }: OutlineSource): CommandOutline {
  const isMarked = (node: TopologyNode) => labels.has(node.id) || node.id === current;
  const { lines, left } = outlineLines(outlineShape(nodes), {
    current,
    limit,
    branches: 'all',
    fold: filter === 'folded' ? 1 : null,
    keeps: isMarked,
    shows: (node) => (filter === 'user' ? node.id === current : isMarked(node)) || isShown(node, filter),
  });
  return {
    left,
    entries: lines.map(({ node, parentId, depth, forked, last, folded, onPath, current: isCurrent }) => ({
      nodeId: node.id,
      parentId,
      depth,
      forked,
      last,
      folded,
      children: node.childCount,
      role: node.role,
      kind: node.kind,
      status: node.status,
      preview: node.preview,
      label: labels.get(node.id) ?? null,
      onPath,
      current: isCurrent,
    })),
  };
}

function isShown({ kind, role }: TopologyNode, filter: OutlineFilter): boolean {
  if (filter === 'messages') return kind === 'message' && role !== 'tool';
  if (filter === 'user') return kind === 'message' && role === 'user';
  return filter !== 'labels';
}

/** An outline as lines of text, numbered from 1. */
export function renderOutline({ entries, left }: CommandOutline): string {
  const lines: string[] = [];
  // Per depth, whether a line has to be drawn past it because more comes there.
  const rails: boolean[] = [];
  const width = String(entries.length).length;
  for (const [index, entry] of entries.entries()) {
    const { depth, forked, last, folded } = entry;
    rails.length = depth;
    if (forked) rails[depth - 1] = !last;
    const outer = forked ? depth - 1 : depth;
    const before = rails.slice(0, outer).map((more) => (more ? '│  ' : '   '));
    const branch = forked ? (last ? '└─ ' : '├─ ') : '';
    const gap = ' '.repeat(width + 2);
    if (folded > 0 && !forked) lines.push(`${gap}${before.join('')}⋮  ${countOf(folded, 'more', 'more')}`.trimEnd());
    const skipped = folded > 0 && forked ? `⋮${folded} ` : '';
    lines.push(`${String(index + 1).padStart(width)}. ${before.join('')}${branch}${skipped}${shownEntry(entry)}`);
  }
  if (left > 0) lines.push(`… ${countOf(left, 'line')} more`);
  return lines.join('\n');
}

function shownEntry({ kind, role, preview, label, status, current, onPath }: OutlineEntry): string {
  return [
    onPath ? '• ' : '',
    roleLabel({ kind, role }),
    status === 'success' ? '' : ` (${status})`,
    label === null ? '' : ` [${stripUnsafe(label)}]`,
    preview === '' ? '' : ` ${quote(preview, 60)}`,
    current ? '  ← you are here' : '',
  ].join('');
}

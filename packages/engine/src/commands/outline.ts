/** A tree as a list of lines: forks indent, long stretches without one are folded. */
import type { NodeId, NodeStatus, TopologyNode } from '@coppice/core';
import { clean, counted, quote, speakerOf } from './say.ts';

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
export interface Outline {
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

interface Waiting {
  readonly node: TopologyNode;
  /** The nearest shown node above, by its index in the list of the shown; -1 at the top. */
  readonly above: number;
  readonly folded: number;
}

/** Makes an outline. Every node is visited once, however deep the tree is. */
export function outlineOf(source: OutlineSource): Outline {
  const { nodes, labels, current, limit } = source;
  const byId = new Map<string, TopologyNode>(nodes.map((node) => [node.id, node]));
  const below = childrenOf(nodes, byId);
  const way = wayTo(current, byId);
  const shows = shownBy(source, byId);
  const shown: Waiting[] = [];
  const parted: number[] = [];
  const waiting: Waiting[] = (below.get(null) ?? []).map((node) => ({ node, above: -1, folded: 0 })).reverse();
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, above, folded } = next;
    const isShown = shows(node);
    if (isShown) {
      shown.push(next);
      parted.push(0);
      if (above >= 0) parted[above] = (parted[above] ?? 0) + 1;
    }
    const children = below.get(node.id) ?? [];
    for (let at = children.length - 1; at >= 0; at--) {
      const child = children[at];
      if (child === undefined) continue;
      waiting.push({ node: child, above: isShown ? shown.length - 1 : above, folded: isShown ? 0 : folded + 1 });
    }
  }
  const tops = shown.filter(({ above }) => above === -1).length;
  const seen = new Map<number, number>();
  const depths: number[] = [];
  const entries: OutlineEntry[] = [];
  for (const { node, above, folded } of shown.slice(0, limit)) {
    const siblings = above === -1 ? tops : (parted[above] ?? 0);
    const number = (seen.get(above) ?? 0) + 1;
    seen.set(above, number);
    const depth = (above === -1 ? 0 : (depths[above] ?? 0)) + (siblings > 1 ? 1 : 0);
    depths.push(depth);
    entries.push({
      nodeId: node.id,
      parentId: shown[above]?.node.id ?? null,
      depth,
      forked: siblings > 1,
      last: number === siblings,
      folded,
      children: node.childCount,
      role: node.role,
      kind: node.kind,
      status: node.status,
      preview: node.preview,
      label: labels.get(node.id) ?? null,
      onPath: way.has(node.id),
      current: node.id === current,
    });
  }
  return { entries, left: shown.length - entries.length };
}

/** The children by their parent in order; under null what hangs on nothing that is here. */
function childrenOf(
  nodes: readonly TopologyNode[],
  byId: ReadonlyMap<string, TopologyNode>,
): ReadonlyMap<NodeId | null, readonly TopologyNode[]> {
  const below = new Map<NodeId | null, TopologyNode[]>();
  for (const node of nodes) {
    const parent = byId.has(node.parentId) ? node.parentId : null;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [node]);
    else siblings.push(node);
  }
  for (const siblings of below.values()) siblings.sort((a, b) => (a.position < b.position ? -1 : 1));
  return below;
}

function wayTo(current: NodeId | null, byId: ReadonlyMap<string, TopologyNode>): ReadonlySet<string> {
  const way = new Set<string>();
  for (
    let node = current === null ? undefined : byId.get(current);
    node !== undefined;
    node = byId.get(node.parentId)
  ) {
    if (way.has(node.id)) break;
    way.add(node.id);
  }
  return way;
}

function shownBy(
  { filter, labels, current }: OutlineSource,
  byId: ReadonlyMap<string, TopologyNode>,
): (node: TopologyNode) => boolean {
  const isMarked = (node: TopologyNode) => labels.has(node.id) || node.id === current;
  switch (filter) {
    case 'all':
      return () => true;
    case 'messages':
      return (node) => isMarked(node) || (node.kind === 'message' && node.role !== 'tool');
    case 'user':
      return (node) => node.id === current || (node.kind === 'message' && node.role === 'user');
    case 'labels':
      return isMarked;
    case 'folded':
      return (node) => {
        const above = byId.get(node.parentId);
        return isMarked(node) || node.childCount !== 1 || above === undefined || above.childCount > 1;
      };
  }
}

/** An outline as lines of text, numbered from 1. */
export function renderOutline({ entries, left }: Outline): string {
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
    if (folded > 0 && !forked) lines.push(`${gap}${before.join('')}⋮  ${counted(folded, 'more', 'more')}`.trimEnd());
    const skipped = folded > 0 && forked ? `⋮${folded} ` : '';
    lines.push(`${String(index + 1).padStart(width)}. ${before.join('')}${branch}${skipped}${shownEntry(entry)}`);
  }
  if (left > 0) lines.push(`… ${counted(left, 'line')} more`);
  return lines.join('\n');
}

function shownEntry({ kind, role, preview, label, status, current, onPath }: OutlineEntry): string {
  return [
    onPath ? '• ' : '',
    speakerOf({ kind, role }),
    status === 'success' ? '' : ` (${status})`,
    label === null ? '' : ` [${clean(label)}]`,
    preview === '' ? '' : ` ${quote(preview, 60)}`,
    current ? '  ← you are here' : '',
  ].join('');
}

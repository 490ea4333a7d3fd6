/** Renders a tree as a list of lines: forks indent, and long runs without a fork are folded. */
import type { NodeId, NodeStatus, TopologyNode } from '@coppice/core';
import { buildOutlineShape, outlineOf } from '@coppice/core/tree';
import { quoteBeginning, stripControlCharacters } from './format.ts';
import { makeCountValue, makePhrase, makeSpeakerPhrase, type PhraseLine, phraseLineToEnglish } from './phrases.ts';

/** The names of the filters; each selects which nodes an outline lists. */
export const outlineFilters = ['folded', 'messages', 'user', 'labels', 'all'] as const;
/** `folded` shows the beginning, forks and end of branches; the others show all nodes of one kind, or all. */
export type OutlineFilter = (typeof outlineFilters)[number];

/** One line of an outline. The list is flat, in reading order; `parentId` and `depth` give the structure. */
export interface OutlineEntry {
  readonly nodeId: NodeId;
  /** The nearest shown ancestor; null at the top. */
  readonly parentId: NodeId | null;
  /** The number of shown forks above the node. */
  readonly depth: number;
  /** Whether the node is one of several shown children of its parent, and whether it is the last of them. */
  readonly forked: boolean;
  readonly last: boolean;
  /** The number of hidden nodes between the shown ancestor and this node. */
  readonly folded: number;
  /** The number of the node's children, shown or not. */
  readonly children: number;
  readonly role: TopologyNode['role'];
  readonly kind: TopologyNode['kind'];
  readonly status: NodeStatus;
  readonly preview: string;
  readonly label: string | null;
  /** Whether the node is on the path to the view's position. */
  readonly onPath: boolean;
  readonly current: boolean;
}

/** The lines of an outline, up to the limit. */
export interface CommandOutline {
  readonly entries: readonly OutlineEntry[];
  /** How many further lines do not fit the limit. */
  readonly left: number;
}

/** The nodes to list, and how to filter and limit them. */
export interface OutlineSource {
  readonly nodes: readonly TopologyNode[];
  readonly labels: ReadonlyMap<NodeId, string>;
  readonly current: NodeId | null;
  readonly filter: OutlineFilter;
  readonly limit: number;
}

/** Builds the outline of a topology. The current node and labelled nodes pass every filter. */
export function buildCommandOutline({ nodes, labels, current, filter, limit }: OutlineSource): CommandOutline {
  const isMarked = (node: TopologyNode) => labels.has(node.id) || node.id === current;
  const { lines, left } = outlineOf(buildOutlineShape(nodes), {
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

/** Renders an outline as numbered lines of text. */
export function renderOutline(outline: CommandOutline): string {
  return renderOutlineLines(outline).map(phraseLineToEnglish).join('\n');
}

/** Renders an outline as numbered lines with phrase codes, for interfaces in other languages. */
export function renderOutlineLines({ entries, left }: CommandOutline): readonly PhraseLine[] {
  const lines: PhraseLine[] = [];
  // Per depth, whether a vertical line is drawn because more siblings follow.
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
    if (folded > 0 && !forked) lines.push([`${gap}${before.join('')}⋮  `, makePhrase('more', { count: folded })]);
    const skipped = folded > 0 && forked ? `⋮${folded} ` : '';
    const number = `${String(index + 1).padStart(width)}. `;
    lines.push([`${number}${before.join('')}${branch}${skipped}`, ...shownEntry(entry)]);
  }
  if (left > 0) lines.push(['… ', makePhrase('lines-more', { lines: makeCountValue(left, 'line') })]);
  return lines;
}

function shownEntry({ kind, role, preview, label, status, current, onPath }: OutlineEntry): PhraseLine {
  const name = label === null ? '' : ` [${stripControlCharacters(label)}]`;
  return [
    onPath ? '• ' : '',
    makeSpeakerPhrase({ kind, role, status }),
    `${name}${preview === '' ? '' : ` ${quoteBeginning(preview, 60)}`}`,
    ...(current ? ['  ', makePhrase('here')] : []),
  ];
}

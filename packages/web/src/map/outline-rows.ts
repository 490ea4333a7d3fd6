/** Computes the rows of the outline: the path of the view, and at each fork the other branches. */

import type { Topology } from '@coppice/client';
import type { NodeId, OutlineLine, OutlineShape, TopologyNode } from '@coppice/core';
import { outlineOf } from '@coppice/core/tree';
import type { ShapeFilter } from './filters.ts';

/** A row of the outline. */
export type OutlineRow =
  | ({ readonly kind: 'node'; readonly variants: number; readonly at: number } & OutlineLine)
  | { readonly kind: 'folded'; readonly id: NodeId; readonly count: number };

/** The options of an outline. */
export interface OutlineOptions {
  readonly leaf: NodeId | null;
  readonly filter: ShapeFilter;
  readonly search: string;
  /** Unfolded runs, by their first node. */
  readonly opened: ReadonlySet<NodeId>;
}

// Shorter runs are not folded.
const foldFrom = 5;
const mostFound = 300;
const mostLines = 20_000;

function isWanted(node: TopologyNode, filter: ShapeFilter, topology: Topology): boolean {
  if (filter === 'no-tools') return node.role !== 'tool';
  if (filter === 'mine') return node.role === 'user';
  return filter !== 'bookmarked' || topology.bookmarks.has(node.id);
}

function rowShapeOf(topology: Topology): OutlineShape {
  return {
    node: (id) => topology.nodes.get(id),
    children: (id) => topology.children(id),
    topNodes: topology.children(topology.rootId),
  };
}

/** Builds the rows of an outline. With a search, it lists the hits in all branches instead. */
export function buildOutlineRows(
  topology: Topology,
  { leaf, filter, search, opened }: OutlineOptions,
): readonly OutlineRow[] {
  const words = search.trim().toLowerCase();
  const finds = (node: TopologyNode) => {
    const title = topology.bookmarks.get(node.id)?.title ?? '';
    return words === '' || node.preview.toLowerCase().includes(words) || title.toLowerCase().includes(words);
  };
  if (words !== '' || filter === 'bookmarked') {
    const { lines } = outlineOf(rowShapeOf(topology), {
      current: leaf,
      shows: (node) => isWanted(node, filter, topology) && finds(node),
      fold: null,
      branches: 'all',
      limit: mostFound,
    });
    return lines.map((line) => ({ kind: 'node', variants: 1, at: 1, ...line }));
  }
  if (leaf === null) return [];
  const { lines } = outlineOf(rowShapeOf(topology), {
    current: leaf,
    shows: (node) => topology.children(node.parentId).length > 1 || isWanted(node, filter, topology),
    fold: foldFrom,
    opened,
    branches: 'path',
    limit: mostLines,
  });
  return lines.flatMap((line): readonly OutlineRow[] => {
    const siblings = topology.children(line.node.parentId);
    const variants = line.onPath ? siblings.length : 1;
    const row: OutlineRow = { kind: 'node', variants, at: variants > 1 ? siblings.indexOf(line.node) + 1 : 1, ...line };
    const fold = line.foldedFrom;
    // Messages that a filter hides cannot be unfolded.
    return fold === null || filter !== 'all' ? [row] : [{ kind: 'folded', id: fold, count: line.folded }, row];
  });
}

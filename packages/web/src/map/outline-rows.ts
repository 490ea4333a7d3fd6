/** From the shape of a tree to the lines of its outline: the path of the view, and at each fork what else grows there. */
import type { NodeId, TopologyNode } from '@coppice/core';
import type { Topology } from '../state/topology.ts';
import type { ShapeFilter } from './filters.ts';

/** A line of the outline. */
export type OutlineRow =
  | {
      readonly kind: 'node';
      readonly node: TopologyNode;
      /** Whether it is on the path of the view. */
      readonly on: boolean;
      readonly depth: number;
      readonly variants: number;
      readonly at: number;
      /** Messages below, for a branch that is not walked. */
      readonly below: number;
      readonly here: boolean;
      readonly first: boolean;
    }
  | { readonly kind: 'folded'; readonly id: NodeId; readonly count: number };

/** How many messages hang below each of some nodes, themselves included. */
function sizesOf(topology: Topology, ids: readonly NodeId[]): ReadonlyMap<NodeId, number> {
  const sizes = new Map<NodeId, number>();
  for (const id of ids) {
    let count = 0;
    const waiting = [id];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      count++;
      for (const child of topology.children(next)) waiting.push(child.id);
    }
    sizes.set(id, count);
  }
  return sizes;
}

function wanted(node: TopologyNode, filter: ShapeFilter, topology: Topology): boolean {
  if (filter === 'no-tools') return node.role !== 'tool';
  if (filter === 'mine') return node.role === 'user';
  return filter !== 'bookmarked' || topology.bookmarks.has(node.id);
}

/** What an outline is made for. */
export interface OutlineWish {
  readonly leaf: NodeId | null;
  readonly filter: ShapeFilter;
  readonly search: string;
  /** Stretches that were opened, by their first node. */
  readonly opened: ReadonlySet<NodeId>;
}

// Shorter stretches between forks are shown whole; of longer ones the ends.
const stretch = 6;

/** The lines of an outline. A search lists what it finds in every branch instead. */
export function outlineRows(topology: Topology, { leaf, filter, search, opened }: OutlineWish): readonly OutlineRow[] {
  const path = leaf === null ? [] : topology.pathTo(leaf);
  const on = new Set(path.map((node) => node.id));
  const words = search.trim().toLowerCase();
  if (words !== '' || filter === 'bookmarked') return found(topology, words, filter, on, leaf);
  const rows: OutlineRow[] = [];
  let plain: TopologyNode[] = [];
  const flush = () => {
    const head = plain[0];
    if (head === undefined) return;
    const fold = plain.length > stretch && !opened.has(head.id);
    const shown = fold ? [...plain.slice(0, 1), ...plain.slice(-1)] : plain;
    for (const [index, node] of shown.entries()) {
      if (fold && index === 1) rows.push({ kind: 'folded', id: head.id, count: plain.length - 2 });
      rows.push(
        line(node, {
          on: true,
          depth: 0,
          variants: 1,
          at: 1,
          below: 0,
          here: node.id === leaf,
          first: rows.length === 0,
        }),
      );
    }
    plain = [];
  };
  for (const node of path) {
    const siblings = topology.children(node.parentId);
    if (siblings.length < 2) {
      if (wanted(node, filter, topology)) plain.push(node);
      continue;
    }
    flush();
    rows.push(
      line(node, {
        on: true,
        depth: 0,
        variants: siblings.length,
        at: siblings.indexOf(node) + 1,
        below: 0,
        here: node.id === leaf,
        first: rows.length === 0,
      }),
    );
    const others = siblings.filter((sibling) => sibling !== node).slice(0, 50);
    const sizes = sizesOf(
      topology,
      others.map((other) => other.id),
    );
    for (const other of others)
      rows.push(
        line(other, {
          on: false,
          depth: 1,
          variants: 1,
          at: 1,
          below: sizes.get(other.id) ?? 1,
          here: false,
          first: false,
        }),
      );
  }
  flush();
  return rows;
}

function line(node: TopologyNode, set: Omit<Extract<OutlineRow, { kind: 'node' }>, 'kind' | 'node'>): OutlineRow {
  return { kind: 'node', node, ...set };
}

const mostFound = 300;

function found(
  topology: Topology,
  words: string,
  filter: ShapeFilter,
  on: ReadonlySet<NodeId>,
  leaf: NodeId | null,
): readonly OutlineRow[] {
  const rows: OutlineRow[] = [];
  for (const node of topology.nodes.values()) {
    if (rows.length >= mostFound) break;
    const title = topology.bookmarks.get(node.id)?.title ?? '';
    if (!wanted(node, filter, topology)) continue;
    if (words !== '' && !node.preview.toLowerCase().includes(words) && !title.toLowerCase().includes(words)) continue;
    rows.push(
      line(node, {
        on: on.has(node.id),
        depth: 0,
        variants: 1,
        at: 1,
        below: 0,
        here: node.id === leaf,
        first: rows.length === 0,
      }),
    );
  }
  return rows;
}

/** Computes the positions of nodes on a map: one column for each branch, one row for each message. */
import type { Topology } from '@coppice/client';
import type { NodeId, TopologyNode } from '@coppice/core';

/** A node with its column and row on the map. */
export interface MapNode {
  readonly node: TopologyNode;
  readonly column: number;
  readonly row: number;
  /** The position of the parent; null for a first message. */
  readonly from: { readonly column: number; readonly row: number } | null;
  readonly isShown: boolean;
}

/**
 * Computes the layout of a topology, depth first and without recursion. The first child continues its parent's column.
 */
export function layOutMap(topology: Topology, leaf: NodeId | null, limit: number): readonly MapNode[] {
  const shown = new Set(leaf === null ? [] : topology.pathTo(leaf).map((node) => node.id));
  const placed: MapNode[] = [];
  let columns = 0;
  const waiting: {
    readonly node: TopologyNode;
    readonly row: number;
    readonly from: MapNode['from'];
    readonly first: boolean;
  }[] = [];
  const push = (children: readonly TopologyNode[], row: number, from: MapNode['from']) => {
    for (let at = children.length - 1; at >= 0; at--) {
      const node = children[at];
      if (node !== undefined) waiting.push({ node, row, from, first: at === 0 });
    }
  };
  push(topology.children(topology.rootId), 0, null);
  for (let next = waiting.pop(); next !== undefined && placed.length < limit; next = waiting.pop()) {
    const { node, row, from, first } = next;
    const column = first && from !== null ? from.column : columns++;
    placed.push({ node, column, row, from, isShown: shown.has(node.id) });
    push(topology.children(node.id), row + 1, { column, row });
  }
  return placed;
}

/** Computes the items of an outline from a topology. */
import type { Topology } from '@coppice/client';
import type { NodeId, OutlineLine, TopologyNode } from '@coppice/core';
import { outlineOf } from '@coppice/core/tree';

/** One item of an outline: a message, or a folded run of messages. */
export type OutlineItem =
  | (OutlineLine & {
      readonly kind: 'message';
      /** The number of variants that this line stands for; 1 if each variant has its own line. */
      readonly variants: number;
      /** Which of the variants is shown, counted from 1. */
      readonly at: number;
    })
  | {
      readonly kind: 'fold';
      /** The first hidden message. */
      readonly id: NodeId;
      readonly count: number;
    };

/** Which messages an outline lists. */
export interface OutlineOptions {
  /** Whether a message is listed; all messages by default. */
  readonly shows?: ((node: TopologyNode, topology: Topology) => boolean) | undefined;
  /**
   * `all` lists the messages of every branch. `path` lists the shown branch, and each branch beside it as one line with
   * its size.
   */
  readonly branches?: 'all' | 'path' | undefined;
  /** Folds runs without a fork from this number of messages on; null folds nothing. */
  readonly foldFrom?: number | null | undefined;
  /** The maximum number of lines; 500 by default. */
  readonly limit?: number | undefined;
}

/** Lists the messages of a topology. With `path` and without a leaf the list is empty. */
export function buildOutlineItems(
  topology: Topology,
  leaf: NodeId | null,
  opened: ReadonlySet<NodeId>,
  { shows = () => true, branches = 'all', foldFrom = null, limit = 500 }: OutlineOptions,
): readonly OutlineItem[] {
  const { lines } = outlineOf(
    {
      node: (id) => topology.nodes.get(id),
      children: (id) => topology.children(id),
      topNodes: topology.children(topology.rootId),
    },
    { current: leaf, shows: (node) => shows(node, topology), fold: foldFrom, opened, branches, limit },
  );
  return lines.flatMap((line): readonly OutlineItem[] => {
    const siblings = branches === 'path' && line.onPath ? topology.children(line.node.parentId) : [line.node];
    const item = {
      ...line,
      kind: 'message' as const,
      variants: siblings.length,
      at: siblings.indexOf(line.node) + 1,
    };
    // Without folding, only `shows` hides messages, and those cannot be unfolded.
    return foldFrom === null || line.foldedFrom === null
      ? [item]
      : [{ kind: 'fold', id: line.foldedFrom, count: line.folded }, item];
  });
}

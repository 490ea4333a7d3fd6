import { findViewEndInTopology, replySourceOf, type Topology } from '@coppice/client';
import type { NodeId, TopologyNode } from '@coppice/core';
import { useEffect, useMemo } from 'react';
import { modelColourOf } from '../state/model-colours.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { layOutTree, type MapBranch, type MapLayout } from './layout.ts';
import type { MapColours } from './map-colours.ts';
import type { MessageFilter } from './message-filters.ts';

/** The open tree with its layout, as map and minimap draw it. */
export interface MapModel {
  readonly topology: Topology;
  readonly layout: MapLayout;
  /** Nodes on the path of the view. */
  readonly live: ReadonlySet<NodeId>;
  readonly leaf: NodeId | null;
  /** The merged branches whose summary is in the loaded thread. */
  readonly merges: readonly { readonly from: NodeId; readonly to: NodeId }[];
  childCount(id: NodeId): number;
  /** The index of the child that is on the path, from one. */
  liveChild(id: NodeId): number;
}

/** The layout of the open tree; null until its topology is loaded. Computed again when the topology changes. */
export function useMapModel(): MapModel | null {
  const session = useSession();
  const topology = useTree((state) => state.topology);
  const stamp = useTree((state) => state.stamp);
  const ready = useTree((state) => state.phase === 'ready');
  const leaf = useTree(findViewEndInTopology);
  useEffect(() => {
    if (ready) void session.loadTopology();
  }, [session, ready]);
  const nodes = useTree((state) => state.part?.nodes);
  const layout = useMemo(() => (topology === null || stamp < 0 ? null : layOutTree(topology)), [topology, stamp]);
  return useMemo(() => {
    if (topology === null || layout === null) return null;
    const live = new Set(leaf === null ? [] : topology.pathTo(leaf).map((node) => node.id));
    const merges: { from: NodeId; to: NodeId }[] = [];
    for (const node of nodes?.values() ?? [])
      if (node.marker?.mergedFrom !== undefined) merges.push({ from: node.marker.mergedFrom.nodeId, to: node.id });
    return {
      topology,
      layout,
      merges,
      live,
      leaf,
      childCount: (id) => topology.children(id).length,
      liveChild: (id) => topology.children(id).findIndex((child) => live.has(child.id)) + 1,
    };
  }, [topology, layout, leaf, nodes]);
}

/** The colour at a branch's end: that of its model, if known. */
export function useModelColour(palette: MapColours | null): (branch: MapBranch) => string {
  const nodes = useTree((state) => state.part?.nodes);
  return useMemo(
    () => (branch) => {
      if (palette === null) return 'transparent';
      for (let at = branch.nodes.length - 1; at >= 0 && at > branch.nodes.length - 4; at--) {
        const id = branch.nodes[at]?.id;
        const node = id === undefined ? undefined : nodes?.get(id);
        const model = node === undefined ? null : replySourceOf(node.meta).model;
        if (model !== null) return palette[modelColourOf(model)];
      }
      return palette.inactive;
    },
    [nodes, palette],
  );
}

/** Creates a function that tells whether a filter dims a message. The bookmarks filter never dims the active path. */
export function createDimPredicate(filter: MessageFilter, model: MapModel): (node: TopologyNode) => boolean {
  if (filter === 'no-tools') return (node) => node.role === 'tool';
  if (filter === 'mine') return (node) => node.role !== 'user';
  if (filter === 'all') return () => false;
  const kept = new Set<NodeId>(model.live);
  for (const id of model.topology.bookmarks.keys()) for (const node of model.topology.pathTo(id)) kept.add(node.id);
  return (node) => !kept.has(node.id);
}

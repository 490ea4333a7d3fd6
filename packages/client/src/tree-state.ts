/** The state of an open tree, as an immutable value. */
import type { NodeId, Step } from '@coppice/core';
import type { HttpProblem } from './http.ts';
import type { LiveReplies, LiveToolCall } from './live.ts';
import type { LoadedBranch } from './loaded-branch.ts';
import type { Topology } from './topology.ts';

/** A local change that the server has not confirmed. */
export interface Overlay {
  readonly id: number;
  readonly steps: readonly Step[];
  /** The end of the view because of it. */
  readonly leaf?: NodeId;
}

/** The state of an open tree. */
export interface OpenTreeState {
  readonly phase: 'loading' | 'ready' | 'missing' | 'failed';
  readonly problem: HttpProblem | null;
  /** The loaded part as the server has confirmed it. */
  readonly base: LoadedBranch | null;
  /** The same with unconfirmed changes applied: what is shown. */
  readonly part: LoadedBranch | null;
  readonly overlays: readonly Overlay[];
  readonly unconfirmed: ReadonlySet<NodeId>;
  readonly runs: ReadonlyMap<NodeId, string>;
  readonly live: LiveReplies;
  /** Tool calls in progress, by their ids. */
  readonly calls: ReadonlyMap<string, LiveToolCall>;
  /** Nodes with a variant that another writer added at the same time. */
  readonly conflicts: ReadonlyMap<NodeId, NodeId>;
  readonly topology: Topology | null;
  /** How much of the topology has arrived while it is loaded, from 0 to 1; null if that is not known. */
  readonly topologyLoaded: number | null;
  /** Increases with every change of the topology, which is mutable. */
  readonly stamp: number;
  /** The tokens of the context at the end of the branch, as last reported. */
  readonly weight: number | null;
  readonly connected: boolean;
  /** How many writes wait for the server to come back. */
  readonly waiting: number;
  readonly loadingAbove: boolean;
  readonly loadingBelow: boolean;
  /** The node to scroll to, and how often that was requested. */
  readonly sight: { readonly nodeId: NodeId; readonly ask: number } | null;
}

/** The state before anything is read. */
export const emptyTreeState: OpenTreeState = {
  phase: 'loading',
  problem: null,
  base: null,
  part: null,
  overlays: [],
  unconfirmed: new Set(),
  runs: new Map(),
  live: new Map(),
  calls: new Map(),
  conflicts: new Map(),
  topology: null,
  topologyLoaded: null,
  stamp: 0,
  weight: null,
  connected: true,
  waiting: 0,
  loadingAbove: false,
  loadingBelow: false,
  sight: null,
};

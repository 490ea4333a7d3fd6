/** What an open tree shows, as a value. */
import type { NodeId, Step } from '@coppice/core';
import type { HttpProblem } from './http.ts';
import type { LiveCall, LiveReplies } from './live.ts';
import type { LoadedBranch } from './loaded-branch.ts';
import type { Topology } from './topology.ts';

/** A change of this page that the server has not confirmed. */
export interface Overlay {
  readonly id: number;
  readonly steps: readonly Step[];
  /** Where the view stands because of it. */
  readonly leaf?: NodeId;
}

/** What an open tree shows. */
export interface OpenTreeState {
  readonly phase: 'loading' | 'ready' | 'missing' | 'failed';
  readonly problem: HttpProblem | null;
  /** What the server has confirmed. */
  readonly base: LoadedBranch | null;
  /** The same with unconfirmed changes on it: what is drawn. */
  readonly part: LoadedBranch | null;
  readonly overlays: readonly Overlay[];
  readonly unconfirmed: ReadonlySet<NodeId>;
  readonly runs: ReadonlyMap<NodeId, string>;
  readonly live: LiveReplies;
  /** Calls of tools that are not through, by their ids. */
  readonly calls: ReadonlyMap<string, LiveCall>;
  /** Nodes beside which another writer put his own at the same time. */
  readonly conflicts: ReadonlyMap<NodeId, NodeId>;
  readonly topology: Topology | null;
  /** Rises with every change of the topology, which is changed in place. */
  readonly stamp: number;
  /** How many tokens are in force at the end of the branch, by what was last told. */
  readonly weight: number | null;
  readonly connected: boolean;
  /** Changes that wait for the server to come back. */
  readonly waiting: number;
  readonly loadingAbove: boolean;
  readonly loadingBelow: boolean;
  /** The node to bring into sight, and how often that was asked for. */
  readonly sight: { readonly nodeId: NodeId; readonly ask: number } | null;
}

/** A tree of which nothing is known yet. */
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
  stamp: 0,
  weight: null,
  connected: true,
  waiting: 0,
  loadingAbove: false,
  loadingBelow: false,
  sight: null,
};

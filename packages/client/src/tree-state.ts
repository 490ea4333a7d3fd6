/** The state of an open tree, as an immutable value. */
import type { NodeId, Step } from '@coppice/core';
import type { HttpProblem } from './http.ts';
import type { LiveReplies, LiveToolCall } from './live.ts';
import type { LoadedBranch } from './loaded-branch.ts';
import type { Topology } from './topology.ts';

/** A local change that the view shows although the server has not confirmed it. */
export interface Overlay {
  readonly id: number;
  readonly steps: readonly Step[];
  /** The end of the view after the change. */
  readonly leaf?: NodeId;
}

/** What a view of an open tree shows. Each change replaces the value. */
export interface OpenTreeState {
  readonly phase: 'loading' | 'ready' | 'missing' | 'failed';
  readonly problem: HttpProblem | null;
  /** The loaded branch as the server has confirmed it. */
  readonly base: LoadedBranch | null;
  /** The branch with unconfirmed changes applied, which is shown. */
  readonly part: LoadedBranch | null;
  readonly overlays: readonly Overlay[];
  readonly unconfirmed: ReadonlySet<NodeId>;
  readonly runs: ReadonlyMap<NodeId, string>;
  readonly live: LiveReplies;
  /** The tool calls in progress, by id. */
  readonly calls: ReadonlyMap<string, LiveToolCall>;
  /** Messages of this client, each with the message that another writer added or changed at the same time. */
  readonly conflicts: ReadonlyMap<NodeId, NodeId>;
  readonly topology: Topology | null;
  /** The fraction of the topology that has arrived, from 0 to 1; null if it is unknown or nothing is loading. */
  readonly topologyLoaded: number | null;
  /** Increases with every change of the topology, which is mutable. */
  readonly stamp: number;
  /** The tokens of the context at the end of the branch. The app sets this field; the session leaves it null. */
  readonly weight: number | null;
  readonly connected: boolean;
  /** The number of writes that wait for an unreachable server. */
  readonly waiting: number;
  readonly loadingAbove: boolean;
  readonly loadingBelow: boolean;
  /** The node to scroll to. `requests` increases with each request, so that the same node can be requested twice. */
  readonly scrollTarget: { readonly nodeId: NodeId; readonly requests: number } | null;
}

/** The state of a tree that has not been read. */
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
  scrollTarget: null,
};

/** Whether a reply is being written or a tool runs. A call that waits for approval does not count. */
export function hasRunningTurn({ live, calls }: Pick<OpenTreeState, 'live' | 'calls'>): boolean {
  return live.size > 0 || [...calls.values()].some((call) => call.state === 'running');
}

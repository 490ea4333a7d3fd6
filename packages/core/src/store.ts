/** The contract between core and whatever keeps trees. A store knows no semantics: it reads, locks, writes rows and tells. */
import type { ActId, NodeId, TreeId } from './ids.ts';
import type { Plan } from './plan/context.ts';
import type { Commit, ReadProgram } from './reads.ts';

/** What a store can do; the conformance suite is gated by this and never by a store's name. */
export interface Capabilities {
  /** Acknowledged writes survive the process and a power cut. */
  readonly durable: boolean;
  /** Several processes may write at the same time. */
  readonly processes: boolean;
  /** Full-text search over every branch. */
  readonly search: boolean;
  /** Feeds of other processes' commits. */
  readonly crossProcessFeed: boolean;
  /** Replaced contents and the log are kept, so history, undo and the trash reach over restarts. */
  readonly history: boolean;
}

/** What a change is told beside its planner. */
export interface ChangeOptions {
  readonly actor: string;
  readonly actId: ActId;
  /** The commit's time, for display. */
  readonly at: number;
  /** A write is stale if a commit after this version changed structure or content. */
  readonly expectedVersion?: number | undefined;
  /** Keeps a stale additive write as a sibling instead of refusing it. */
  readonly onConflict?: 'branch' | undefined;
  /** Whether the command only adds. */
  readonly additive: boolean;
  /** What the planner is going to ask first. A store may leave it aside: the planner asks all the same. */
  readonly prefetch?: Prefetch | undefined;
  /** How many nodes it may add, where those are many: a store may carry it out in turns with what others ask of it. */
  readonly nodes?: number | undefined;
}

/**
 * What a planner that adds below a node asks first, known before the tree is locked: a store that answers over a network
 * fetches it together with the lock instead of being asked again and again.
 */
export interface Prefetch {
  /** The node whose head and edge are asked for; null is the active node, or the root of a tree without one. */
  readonly below: NodeId | null;
  /** Ids that clients chose: whether they are taken is asked. */
  readonly ids: readonly NodeId[];
}

/** What came of a change: the commit, or null where nothing changed. */
export interface ChangeResult<R> {
  readonly result: R;
  readonly commit: Commit | null;
  /** The tree's version now. */
  readonly version: number;
}

/**
 * A planner that is ready to run. It is called inside the store's lock, perhaps again after a lost race, and is told
 * whether the write is stale.
 */
export type PlannerFactory<R> = (given: { readonly stale: boolean }) => ReadProgram<Plan<R>>;

/** A store as one owner sees it: ids of other owners are unknown. */
export interface TreeStore {
  readonly owner: string;
  readonly supports: Capabilities;
  /** The same store as another owner sees it. */
  forOwner(owner: string): TreeStore;
  /** Answers a reading from one snapshot of a tree. */
  read<T>(treeId: TreeId, reading: () => ReadProgram<T>): Promise<T>;
  /** Locks the tree, drives the planner, checks the version, writes rows and log durably, and tells the feed. */
  change<R>(treeId: TreeId, planning: PlannerFactory<R>, options: ChangeOptions): Promise<ChangeResult<R>>;
  /** The commits after a version, then those to come, without gap or double, until the signal ends it. */
  feed(treeId: TreeId, since: number, signal?: AbortSignalLike): AsyncIterable<Commit>;
  /** The stored JSON texts of messages, so that a page can be assembled without parsing and printing them again. */
  content(treeId: TreeId, ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, string>>;
  close(): Promise<void>;
}

/** The part of an AbortSignal that core needs; core's types know no platform. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The contract between core and a store. A store knows no semantics: it reads, locks, writes rows and notifies. */
import type { ActId, NodeId, TreeId } from './ids.ts';
import type { Plan } from './plan/context.ts';
import type { Command } from './plan/index.ts';
import type { Commit, ReadProgram } from './reads.ts';

/** What a store can do; the conformance suite checks these, never a store's name. */
export interface StoreCapabilities {
  /** Acknowledged writes survive the process and a power cut. */
  readonly durable: boolean;
  /** Several processes may write at the same time. */
  readonly processes: boolean;
  /** Full-text search over every branch. */
  readonly search: boolean;
  /** Feeds include commits of other processes. */
  readonly crossProcessFeed: boolean;
  /** Replaced contents and the log are kept, so history, undo and trash survive a restart. */
  readonly history: boolean;
}

/** The inputs of a change besides its planner. */
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
  /** The first reads of the planner. A store may ignore this, because the planner yields them anyway. */
  readonly prefetch?: Prefetch | undefined;
  /** The number of nodes it may add, if that is large: a store may then serve other callers in between. */
  readonly nodes?: number | undefined;
}

/**
 * The first reads of a planner that adds below a node, known before the tree is locked. A store on a network fetches
 * them together with the lock, which saves round trips.
 */
export interface Prefetch {
  /** The node whose head and last position are read; null is the active node, or the root of a tree without one. */
  readonly below: NodeId | null;
  /** Ids that clients chose, to be checked for being taken. */
  readonly ids: readonly NodeId[];
}

/** The result of a change: the commit, or null if nothing changed. */
export interface ChangeResult<R> {
  readonly result: R;
  readonly commit: Commit | null;
  /** The current version of the tree. */
  readonly version: number;
}

/** The result of a command. */
export interface CommandOutcome<R> extends ChangeResult<R> {
  readonly treeId: TreeId;
  readonly actId: ActId;
}

/**
 * Runs commands where the trees are kept: a server plans with its own clock and message kit, and trusts no steps of
 * others.
 */
export interface RemoteCommands {
  /** Runs a validated command. */
  run(command: Command, options: RemoteCommandOptions): Promise<CommandOutcome<unknown>>;
  /** Undoes or redoes the caller's newest act in any tree. */
  reverse(type: 'undo' | 'redo', force: boolean): Promise<CommandOutcome<unknown>>;
}

/** The inputs of a command that runs on another computer, which knows the actor. */
export interface RemoteCommandOptions {
  /** Shared by all commits of one user action; generated there if not given. */
  readonly actId?: string | undefined;
  readonly expectedVersion?: number | undefined;
  readonly onConflict?: 'branch' | undefined;
}

/**
 * Creates a planner program. A store calls it inside its lock, possibly again after a lost race, and passes whether the
 * write is stale.
 */
export type PlannerFactory<R> = (given: { readonly stale: boolean }) => ReadProgram<Plan<R>>;

/** A store as one owner sees it: ids of other owners are unknown. */
export interface TreeStore {
  readonly owner: string;
  readonly supports: StoreCapabilities;
  /** The same store as another owner sees it. */
  forOwner(owner: string): TreeStore;
  /** Runs a read program on one snapshot of a tree. */
  read<T>(treeId: TreeId, reading: () => ReadProgram<T>): Promise<T>;
  /** Locks the tree, runs the planner, checks the version, writes rows and log durably, and notifies the feed. */
  change<R>(treeId: TreeId, planning: PlannerFactory<R>, options: ChangeOptions): Promise<ChangeResult<R>>;
  /** Where commands run instead of here, if the trees are kept on another computer; then `change` is not called. */
  readonly elsewhere?: RemoteCommands;
  /** Yields the commits after a version, then new ones, without gaps or duplicates, until the signal aborts it. */
  feed(treeId: TreeId, since: number, signal?: AbortSignalLike): AsyncIterable<Commit>;
  /**
   * Returns the stored JSON texts of messages, so that a page can be assembled without parsing and serialising them
   * again.
   */
  content(treeId: TreeId, ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, string>>;
  close(): Promise<void>;
}

/** The part of an AbortSignal that core needs; core's types depend on no platform. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The contract between core and a store. A store has no semantics: it reads, locks, writes rows and notifies. */
import type { ActId, NodeId, TreeId } from './ids.ts';
import type { Plan } from './plan/context.ts';
import type { Command } from './plan/index.ts';
import type { Commit, ReadProgram } from './reads.ts';
import type { ConversationFormat } from './store-services.ts';

/** The capabilities of a store. The conformance suite tests by capability, never by the name of a store. */
export interface StoreCapabilities {
  /** Whether acknowledged writes survive the end of the process and a power cut. */
  readonly durable: boolean;
  /** Whether several processes may write at the same time. */
  readonly processes: boolean;
  /** Whether full-text search over every branch is supported. */
  readonly search: boolean;
  /** Whether feeds include commits of other processes. */
  readonly crossProcessFeed: boolean;
  /** Whether replaced contents and the log are kept, so that history, undo and trash survive a restart. */
  readonly history: boolean;
}

/** Who makes a change, as part of which act, and how the store handles a stale write. */
export interface ChangeOptions {
  readonly actor: string;
  readonly actId: ActId;
  /** The time of the commit, for display. */
  readonly at: number;
  /** A write is stale if a commit after this version changed structure or content. */
  readonly expectedVersion?: number | undefined;
  /** `branch` adds the nodes of a stale additive write as siblings; without it a stale write is refused. */
  readonly onConflict?: 'branch' | undefined;
  /** Whether the command only adds nodes. */
  readonly additive: boolean;
  /** The first reads of the planner. A store may ignore them, because the planner yields them anyway. */
  readonly prefetch?: Prefetch | undefined;
  /**
   * The number of nodes that the planner may add, if that is large. A store may then serve other callers in between.
   */
  readonly nodes?: number | undefined;
}

/**
 * The first reads of a planner that adds nodes, known before the tree is locked. A store on a network fetches them
 * together with the lock, which saves round trips.
 */
export interface Prefetch {
  /**
   * The node whose head and last position are read. Null means the active node, or the root if there is no active node.
   */
  readonly below: NodeId | null;
  /** Ids that clients chose, which must not be taken. */
  readonly ids: readonly NodeId[];
}

/** The result of a change: the commit, or null if nothing changed. */
export interface ChangeResult<R> {
  readonly result: R;
  readonly commit: Commit | null;
  /** The version of the tree after the change. */
  readonly version: number;
  /** How the tree is stored after the change; missing if there is no tree, or if a server made the change. */
  readonly format?: ConversationFormat | undefined;
}

/** The result of a command, with its tree and act. */
export interface CommandOutcome<R> extends ChangeResult<R> {
  readonly treeId: TreeId;
  readonly actId: ActId;
}

/**
 * Runs commands on the server that stores the trees. The server plans with its own clock and message kit, and accepts
 * no steps from clients.
 */
export interface RemoteCommands {
  /** Runs a validated command. */
  run(command: Command, options: RemoteCommandOptions): Promise<CommandOutcome<unknown>>;
  /** Undoes or redoes the caller's newest act in any tree. */
  reverse(type: 'undo' | 'redo', force: boolean): Promise<CommandOutcome<unknown>>;
}

/** The options of a command that runs on a server. The server determines the actor. */
export interface RemoteCommandOptions {
  /**
   * The act to which the commits belong, shared by all commits of one user action; the server creates one by default.
   */
  readonly actId?: string | undefined;
  readonly expectedVersion?: number | undefined;
  readonly onConflict?: 'branch' | undefined;
}

/**
 * Creates a planner program. A store calls it while it holds its lock, again if another process committed first, and
 * passes whether the write is stale.
 */
export type PlannerFactory<R> = (given: { readonly stale: boolean }) => ReadProgram<Plan<R>>;

/** A store limited to one owner; ids of other owners are unknown. */
export interface TreeStore {
  readonly owner: string;
  readonly supports: StoreCapabilities;
  /** Returns the same store for another owner. */
  forOwner(owner: string): TreeStore;
  /** Runs a read program on a tree, with one snapshot for all its reads. */
  read<T>(treeId: TreeId, reading: () => ReadProgram<T>): Promise<T>;
  /** Locks the tree, runs the planner, checks the version, writes rows and log durably, and notifies the feed. */
  change<R>(treeId: TreeId, planning: PlannerFactory<R>, options: ChangeOptions): Promise<ChangeResult<R>>;
  /** Runs commands on a server, if the trees are stored there. Then `change` is not called. */
  readonly elsewhere?: RemoteCommands;
  /**
   * Yields the commits after a version, then new commits, without gaps or duplicates, until the signal is aborted.
   * Throws `history/trimmed` if the next commit was deleted from the log; the reader must read the tree again.
   */
  feed(treeId: TreeId, since: number, signal?: AbortSignalLike): AsyncIterable<Commit>;
  /**
   * Returns the stored JSON texts of messages, so that a page can be assembled without parsing and serialising the
   * messages again.
   */
  content(treeId: TreeId, ids: readonly NodeId[]): Promise<ReadonlyMap<NodeId, string>>;
  close(): Promise<void>;
}

/** The members of an AbortSignal that core needs, because core's types depend on no platform. */
export interface AbortSignalLike {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

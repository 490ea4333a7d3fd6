/** The interface of a database that the shared SQL store uses. */
import type { AbortSignalLike, StoreCapabilities, StoreInfo, TreeId, WorkProgress } from '@coppice/core';
import type { SqlDialect, SqlRow, SqlTask } from './query.ts';
import type { RowCache } from './row-cache.ts';
import type { FoundHit, SearchRequest } from './search.ts';

/** The target of a feed: the commits of a tree after a version, or of an owner after a position per lane. */
export type FeedTarget =
  | { readonly treeId: TreeId; readonly version: number }
  | { readonly owner: string; readonly places: readonly number[] };

/** The functions of a database that the shared SQL store uses. */
export interface SqlEngine {
  readonly dialect: SqlDialect;
  readonly supports: StoreCapabilities;
  /** Whether the database currently refuses writes, whatever the options of the store are. */
  readonly readOnly?: boolean;
  /** The cache of committed rows, if the database can detect writes of other connections. */
  readonly tails?: RowCache;
  /** Returns the engine for the work of one owner, if it differs from this one. */
  forOwner?(owner: string): SqlEngine;
  /** Runs work on one consistent snapshot. */
  snapshot<T>(work: () => SqlTask<T>): Promise<T>;
  /**
   * Runs work in one durable write transaction. The work may run
   * again after a conflict, so it is created again for each attempt.
   */
  transaction<T>(work: () => SqlTask<T>): Promise<T>;
  /** Whether a {@link transaction} runs from its first read to its commit without yielding. */
  readonly atOnce?: boolean;
  /** Like {@link transaction}, for long work. Other requests are served meanwhile, and do not see its changes. */
  longTransaction?<T>(work: () => SqlTask<T>): Promise<T>;
  /**
   * Runs work for several owners in one transaction, durable if it writes, or on one snapshot. The work gets the owners
   * that it may access; owners that were moved, or are being moved, are missing. A database without this
   * function batches operations itself.
   */
  sharedTransaction?<T>(
    owners: readonly string[],
    writes: boolean,
    work: (present: ReadonlySet<string>) => SqlTask<T>,
  ): Promise<T>;
  /** Announces a new version of a tree to this process and others, with the number of added nodes. */
  announce(owner: string, treeId: TreeId, version: number, added: number): void;
  /**
   * Resolves when the target may have newer commits, or when the signal aborts. Resolves immediately if {@link
   * changeMark} has changed since `mark` was taken.
   */
  changed(target: FeedTarget, signal: AbortSignalLike | undefined, mark: string): Promise<void>;
  /**
   * Returns a mark that changes with each known commit of a tree or an owner. A caller takes it before a read and
   * passes it to {@link changed}, so that no commit in between is missed.
   */
  changeMark(target: FeedTarget): string;
  /** Finds hits, newest first, at most one more than the limit. Every acknowledged message is searched. */
  search(search: SearchRequest): Promise<readonly FoundHit[]>;
  /**
   * Returns the changes of an owner after a log position per lane, with the columns of {@link decodeFeedEvent}. Within
   * a lane, changes become visible in the order of their positions.
   */
  events(owner: string, since: readonly number[], limit: number): SqlTask<readonly SqlRow[]>;
  /** Returns the newest log position of an owner per lane. */
  latest(owner: string): SqlTask<readonly number[]>;
  /** Removes nodes of a tree from the text index; the whole tree if no list of ids is given. */
  readonly unindex?: (base: number, ids: string | null) => SqlTask<void>;
  /**
   * Like {@link longTransaction}, for purges. Afterwards the files of the database contain no deleted rows. Returns the
   * files that could not be cleared yet.
   */
  purging?<T>(work: () => SqlTask<T>): Promise<{ readonly value: T; readonly uncleared: readonly string[] }>;
  info(): StoreInfo | Promise<StoreInfo>;
  /** Returns the damage that the database itself reports. */
  damage(): Promise<readonly string[]>;
  /** Rebuilds damaged data that is derived from the rows, and returns what was done. The rows are not changed. */
  mend?(damage: readonly string[]): SqlTask<string[]>;
  backup(to: string, onProgress?: (progress: WorkProgress) => void): Promise<void>;
  close(): Promise<void>;
}

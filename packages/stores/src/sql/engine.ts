/** What the shared SQL store needs of a database. */
import type { AbortSignalLike, StoreCapabilities, StoreInfo, TreeId, WorkProgress } from '@coppice/core';
import type { SqlDialect, SqlRow, SqlTask } from './query.ts';
import type { RowCache } from './row-cache.ts';
import type { FoundHit, SearchRequest } from './search.ts';

/** What a feed waits for: commits of a tree after a version, or of an owner after positions per lane. */
export type FeedTarget =
  | { readonly treeId: TreeId; readonly version: number }
  | { readonly owner: string; readonly places: readonly number[] };

/** A database, as the shared store uses it. */
export interface SqlEngine {
  readonly dialect: SqlDialect;
  readonly supports: StoreCapabilities;
  /** Whether the database takes no writes now, whatever the options of the store say. */
  readonly readOnly?: boolean;
  /** The cache of committed rows, if the database can detect writes of others. */
  readonly tails?: RowCache;
  /** Returns the engine for the work of one owner, if that differs. */
  forOwner?(owner: string): SqlEngine;
  /** Runs work on one consistent snapshot. */
  snapshot<T>(work: () => SqlTask<T>): Promise<T>;
  /**
   * Runs work in one durable write transaction. The work may run again after a lost race, so it is created anew each
   * time.
   */
  transaction<T>(work: () => SqlTask<T>): Promise<T>;
  /** Whether a {@link transaction} runs from its first read to its commit without interruption. */
  readonly atOnce?: boolean;
  /** Like {@link transaction}, for long work: other requests are served meanwhile and see nothing of it. */
  longTransaction?<T>(work: () => SqlTask<T>): Promise<T>;
  /**
   * Runs work of several owners in one transaction, durable if it writes, or on one snapshot. The work gets those owners
   * that it may touch now; one that was moved or is being moved is missing. A database without it batches by itself.
   */
  sharedTransaction?<T>(
    owners: readonly string[],
    writes: boolean,
    work: (present: ReadonlySet<string>) => SqlTask<T>,
  ): Promise<T>;
  /** Announces to this process and others that a tree has a new version, and how many nodes were added. */
  announce(owner: string, treeId: TreeId, version: number, added: number): void;
  /**
   * Resolves when the target may have newer commits than it names, or when the signal aborts; at once if the mark is not
   * that of {@link changeMark} any more.
   */
  changed(target: FeedTarget, signal: AbortSignalLike | undefined, mark: string): Promise<void>;
  /**
   * Returns a mark of what is known of the commits of a tree or an owner. A caller takes it before a read and passes it
   * to {@link changed}, which then resolves at once if there was news in between.
   */
  changeMark(target: FeedTarget): string;
  /** Finds up to one hit more than the limit, newest first. It includes every acknowledged message. */
  search(search: SearchRequest): Promise<readonly FoundHit[]>;
  /**
   * Returns the changes of an owner after a log position per lane, with the columns of {@link decodeFeedEvent}. Within a
   * lane, changes become visible in the order of their positions.
   */
  events(owner: string, since: readonly number[], limit: number): SqlTask<readonly SqlRow[]>;
  /** Returns the log position per lane after which every change of an owner is new. */
  latest(owner: string): SqlTask<readonly number[]>;
  /** Removes nodes of a tree from the text index; the whole tree if no list of ids is given. */
  readonly unindex?: (base: number, ids: string | null) => SqlTask<void>;
  /**
   * Like {@link longTransaction}, for purges: afterwards no deleted rows remain in the database's files. Returns which
   * files could not be cleared yet.
   */
  purging?<T>(work: () => SqlTask<T>): Promise<{ readonly value: T; readonly uncleared: readonly string[] }>;
  info(): StoreInfo | Promise<StoreInfo>;
  /** Returns findings of the database itself. */
  damage(): Promise<readonly string[]>;
  /**
   * Rebuilds damaged data that is derived from the rows, and returns what was done; the rows themselves are not
   * changed.
   */
  mend?(damage: readonly string[]): SqlTask<string[]>;
  backup(to: string, onProgress?: (progress: WorkProgress) => void): Promise<void>;
  close(): Promise<void>;
}

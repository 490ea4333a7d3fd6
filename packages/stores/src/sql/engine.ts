/** What the shared SQL store needs of a database. */
import type { AbortSignalLike, Capabilities, ListEvent, StoreInfo, TreeId } from '@coppice/core';
import type { SqlDialect, SqlTask } from './query.ts';
import type { RowCache } from './row-cache.ts';
import type { FoundRow, SearchRequest } from './search.ts';

/** A database, as the shared store uses it. */
export interface SqlEngine {
  readonly dialect: SqlDialect;
  readonly supports: Capabilities;
  /** The cache of committed rows, if the database can detect writes of others. */
  readonly tails?: RowCache;
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
  /** Announces to this process and others that a tree has a new version, and how many nodes were added. */
  announce(owner: string, treeId: TreeId, version: number, added: number): void;
  /** Resolves when a tree (any tree, if null) may have a version above the given one, or when the signal aborts. */
  changed(
    treeId: TreeId | null,
    seen: number,
    signal: AbortSignalLike | undefined,
    mark?: string | undefined,
  ): Promise<void>;
  /**
   * Returns a mark of the commits so far, for an engine without versions. A caller takes it before a read and passes it
   * to {@link changed}, which then resolves at once if there was a commit in between.
   */
  changeMark?(): string;
  /** Finds up to one hit more than the limit, newest first. It includes every acknowledged message. */
  search(search: SearchRequest): Promise<readonly FoundRow[]>;
  /** Returns the changes of an owner after a log position; by default in log order. */
  events?(owner: string, since: number, limit: number): SqlTask<ListEvent[]>;
  /** Returns the log position after which every change is new; the default is the newest visible one. */
  latest?(): SqlTask<number>;
  /** Removes nodes of a tree from the text index; the whole tree if no list of ids is given. */
  readonly unindex?: (treeId: TreeId, ids: string | null) => SqlTask<void>;
  /**
   * Like {@link longTransaction}, for purges: afterwards no deleted rows remain in the database's files. Returns which
   * files could not be cleared yet.
   */
  purging?<T>(work: () => SqlTask<T>): Promise<{ readonly value: T; readonly uncleared: readonly string[] }>;
  info(): StoreInfo;
  /** Returns findings of the database itself. */
  damage(): Promise<readonly string[]>;
  /**
   * Rebuilds damaged data that is derived from the rows, and returns what was done; the rows themselves are not
   * changed.
   */
  mend?(damage: readonly string[]): SqlTask<string[]>;
  backup(to: string): Promise<void>;
  close(): Promise<void>;
}

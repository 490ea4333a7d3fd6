/** What the shared store asks of a database. */
import type { AbortSignalLike, Capabilities, ListEvent, StoreInfo, TreeId } from '@coppice/core';
import type { SqlDialect, SqlTask } from './query.ts';
import type { RowCache } from './row-cache.ts';
import type { FoundRow, SearchRequest } from './search.ts';

/** A database, as the shared store uses it. */
export interface SqlEngine {
  readonly dialect: SqlDialect;
  readonly supports: Capabilities;
  /** What commits left behind, where the database can tell that nobody else wrote since. */
  readonly tails?: RowCache;
  /** Runs work on one consistent snapshot. */
  snapshot<T>(work: () => SqlTask<T>): Promise<T>;
  /** Runs work in one durable write transaction. The work may be run again after a lost race, so it is made anew each time. */
  transaction<T>(work: () => SqlTask<T>): Promise<T>;
  /** Whether a {@link transaction} goes from its first look to its commit before anybody else has a turn. */
  readonly atOnce?: boolean;
  /** As {@link transaction}, for work that takes long: others get their turns meanwhile and see nothing of it. */
  longTransaction?<T>(work: () => SqlTask<T>): Promise<T>;
  /** Tells this process and others that a tree has a new version, with so many nodes more. */
  announce(owner: string, treeId: TreeId, version: number, added: number): void;
  /** Resolves when a tree (any tree, if null) may have a version above the given one, or when the signal ends it. */
  changed(treeId: TreeId | null, seen: number, signal: AbortSignalLike | undefined): Promise<void>;
  /** Finds up to one hit more than the limit, newest first. It sees every acknowledged message. */
  search(search: SearchRequest): Promise<readonly FoundRow[]>;
  /** Changes of an owner after a place in the log; the default order is the log's own. */
  events?(owner: string, since: number, limit: number): SqlTask<ListEvent[]>;
  /** The place in the log after which every change is one to come; the default is the newest place that can be seen. */
  latest?(): SqlTask<number>;
  /** Takes nodes of a tree out of an index of their texts; all of it where no list of ids is given. */
  readonly unindex?: (treeId: TreeId, ids: string | null) => SqlTask<void>;
  /**
   * As {@link longTransaction}, for work that purges: afterwards nothing of deleted rows is left in the database's files.
   * Answers which files could not be cleared yet.
   */
  purging?<T>(work: () => SqlTask<T>): Promise<{ readonly value: T; readonly uncleared: readonly string[] }>;
  info(): StoreInfo;
  /** Findings of the database itself. */
  damage(): Promise<readonly string[]>;
  /** Makes anew what was computed from the rows and is damaged, and says so; the rows themselves are not its matter. */
  mend?(damage: readonly string[]): SqlTask<string[]>;
  backup(to: string): Promise<void>;
  close(): Promise<void>;
}

/** What the shared SQL store needs from a database. */
import type { AbortSignalLike, SharedState, StoreCapabilities, StoreInfo, TreeId, WorkProgress } from '@coppice/core';
import type { AttachmentObjectStore } from './attachment-objects.ts';
import type { SqlDialect, SqlRow, SqlTask } from './query.ts';
import type { RowCache } from './row-cache.ts';
import type { NumberedHit, SearchRequest } from './search.ts';

/** What a feed follows: the commits of a tree after a version, or those of an owner after one position per lane. */
export type FeedTarget =
  | { readonly treeId: TreeId; readonly version: number }
  | { readonly owner: string; readonly positions: readonly number[] };

/** A database as the shared SQL store uses it. SQLite and PostgreSQL implement it. */
export interface SqlEngine {
  readonly dialect: SqlDialect;
  readonly supports: StoreCapabilities;
  /** Whether the server currently refuses writes, independent of the store's options. */
  readonly readOnly?: boolean;
  /** The cache of committed rows; missing if the database cannot detect writes of other connections. */
  readonly rowCache?: RowCache;
  /** The state that all servers of the database share; missing if only one computer can use it. */
  readonly shared?: SharedState | undefined;
  /** The object store for the bytes of attachments; missing if they are always in the database. */
  readonly objects?: AttachmentObjectStore | undefined;
  /** Returns the engine for the trees of one owner, if they are in another database than this engine's. */
  forOwner?(owner: string): SqlEngine;
  /** Runs work on one consistent snapshot. */
  snapshot<T>(work: () => SqlTask<T>): Promise<T>;
  /**
   * Runs work in one durable write transaction. The work may run
   * again after a conflict, so it is created again for each attempt.
   */
  transaction<T>(work: () => SqlTask<T>): Promise<T>;
  /** Whether {@link transaction} runs from its first read to its commit without other work in between. */
  readonly atOnce?: boolean;
  /** Like {@link transaction}, for long work. Other requests are served meanwhile, and do not see its changes. */
  longTransaction?<T>(work: () => SqlTask<T>): Promise<T>;
  /**
   * Runs work for several owners in one transaction: durable if `writes` is true, otherwise on one snapshot. The work
   * gets the owners that it may access; owners that were moved or are being moved are missing. If this function is
   * missing, the database batches transactions itself.
   */
  sharedTransaction?<T>(
    owners: readonly string[],
    writes: boolean,
    work: (present: ReadonlySet<string>) => SqlTask<T>,
  ): Promise<T>;
  /** Tells followers in this and other processes about a new version of a tree; `added` is the number of new nodes. */
  announce(owner: string, treeId: TreeId, version: number, added: number): void;
  /**
   * Resolves when the target may have newer commits, or when the signal aborts. Resolves immediately if {@link
   * changeMark} has changed since `mark` was taken.
   */
  changed(target: FeedTarget, signal: AbortSignalLike | undefined, mark: string): Promise<void>;
  /**
   * Returns a mark that changes with each known commit of a tree or an owner. A caller gets the mark before a read and
   * passes it to {@link changed}, so that no commit in between is missed.
   */
  changeMark(target: FeedTarget): string;
  /** Finds hits, newest first, at most one more than the limit. Every acknowledged message is searched. */
  search(search: SearchRequest): Promise<readonly NumberedHit[]>;
  /**
   * Returns the changes of an owner after a log position per lane, with the columns of {@link decodeFeedEvent}. Within
   * a lane, changes become visible in the order of their positions.
   */
  events(owner: string, since: readonly number[], limit: number): SqlTask<readonly SqlRow[]>;
  /** Returns the newest log position of each lane for an owner. */
  latest(owner: string): SqlTask<readonly number[]>;
  /** Removes nodes of a tree from the text index; the whole tree if no list of ids is given. */
  readonly unindex?: (base: number, ids: string | null) => SqlTask<void>;
  /** Brings the text index up to date, in batches. Stops without an error if nothing can be written. */
  indexTexts?(): Promise<void>;
  /** Prepares the text index in the transaction that deletes the commits of a tree before a version. */
  readonly indexCommitsBeforeTrim?: (treeId: TreeId, version: number) => SqlTask<void>;
  /**
   * Like {@link longTransaction}, for purges. Afterwards the files of the database contain no deleted rows. Returns the
   * files that could not be cleared yet.
   */
  purging?<T>(work: () => SqlTask<T>): Promise<{ readonly value: T; readonly uncleared: readonly string[] }>;
  info(): StoreInfo | Promise<StoreInfo>;
  /** Returns a sentence for each damage that the database itself detects. */
  damage(): Promise<readonly string[]>;
  /**
   * Rebuilds damaged data that is derived from rows, such as indexes, and returns a sentence for each repair. Rows are
   * not changed.
   */
  mend?(damage: readonly string[]): SqlTask<string[]>;
  backup(to: string, onProgress?: (progress: WorkProgress) => void): Promise<void>;
  close(): Promise<void>;
}

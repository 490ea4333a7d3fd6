/** Runs the tasks of the shared SQL store on a PostgreSQL database. */
import type { AbortSignalLike, SharedState, StoreCapabilities, StoreInfo, TreeId, WorkProgress } from '@coppice/core';
import type { AttachmentObjectStore } from '../sql/attachment-objects.ts';
import type { FeedTarget, SqlEngine } from '../sql/engine.ts';
import { queryRow, queryRows, readNumberColumn, readTextColumn, type SqlRow, type SqlTask } from '../sql/query.ts';
import type { NumberedHit, SearchRequest } from '../sql/search.ts';
import { backUpPostgres } from './backup.ts';
import type { PostgresDatabase } from './database.ts';
import { postgresDialect } from './dialect.ts';
import { queryEventRows, queryNewestCommits, queryNewestPositions } from './feed-positions.ts';
import { CommitNotifications, commitChannelOf } from './notifications.ts';
import { runWithOwnerGate, runWithOwnerGates } from './owner-gate.ts';
import {
  copyNewSearchTexts,
  findTreesWithUncopiedTexts,
  resetSearchMarkBeforeTrim,
  searchCopiedTexts,
  type TreeBehind,
} from './search.ts';
import { createSharedState } from './shared-state.ts';
import { StatisticsUpdater } from './statistics.ts';
import type { TemporaryTreesOfServers } from './temporary-store.ts';
import type { WriteAccess } from './write-access.ts';

/** A database that was opened, and what was found out about it. */
export interface OpenedPostgres {
  readonly database: PostgresDatabase;
  readonly access: WriteAccess;
  readonly durable: boolean;
  readonly schemaVersion: number;
  readonly notes: readonly string[];
  /** The object store for attachments; missing for temporary trees, whose attachments are in the database. */
  readonly objects?: AttachmentObjectStore | undefined;
  /** Whether the tables belong to a bucket, from which an owner can be moved away. */
  readonly isBucket?: boolean;
  /** The server's estimate of the number of nodes; negative if the server has no statistics. */
  readonly nodes: number;
}

const noNotificationsNote =
  'Notifications do not arrive on the listening connection: commits of other servers are looked for instead.';

// After a search has copied this many texts, the statistics of their table are updated. With old ones, the server would
// read all texts instead of using the index of words, until autovacuum runs a minute later.
const textsBeforeStatistics = 1_000;

function* notifyWork(channel: string, payload: string): SqlTask<void> {
  yield* queryRow('SELECT pg_notify($1, $2)', channel, payload);
}

/** What the engines of all owners of a database share. */
interface SharedParts {
  readonly news: CommitNotifications;
  readonly state: () => SharedState | undefined;
  readonly statistics: StatisticsUpdater;
}

/** One PostgreSQL database, with its connection pool and notifications. */
export class PostgresEngine implements SqlEngine {
  readonly dialect = postgresDialect;
  readonly supports: StoreCapabilities;
  readonly objects: AttachmentObjectStore | undefined;
  readonly #opened: OpenedPostgres;
  readonly #database: PostgresDatabase;
  readonly #notifications: CommitNotifications;
  readonly #statistics: StatisticsUpdater;
  readonly #sharedState: () => SharedState | undefined;
  readonly #stopWatching: () => void;
  /** The temporary trees of the servers; null for the engine of these trees itself. */
  readonly #temporary: TemporaryTreesOfServers | null;
  /** The owner whose transactions check that the owner is in this bucket; null if the database is not a bucket. */
  readonly #owner: string | null;

  constructor(
    opened: OpenedPostgres,
    shared?: SharedParts,
    owner: string | null = null,
    temporary: TemporaryTreesOfServers | null = null,
  ) {
    this.#opened = opened;
    this.#database = opened.database;
    this.#owner = owner;
    this.objects = opened.objects;
    const { feed, pollInterval, schema } = opened.database.settings;
    this.#notifications =
      shared?.news ??
      new CommitNotifications({
        mode: feed,
        channel: commitChannelOf(schema),
        pollInterval,
        client: () => opened.database.client(),
        isDirect: (client) => opened.database.isDirect(client),
        notify: (channel, payload) => opened.database.read(() => notifyWork(channel, payload)),
        newest: (trees, owners) => opened.database.read(() => queryNewestCommits(trees, owners)),
      });
    this.#stopWatching =
      shared === undefined ? opened.database.onSwitch(() => this.#notifications.reconnect()) : () => undefined;
    this.#temporary = temporary;
    this.#sharedState = shared?.state ?? this.#makeSharedState(temporary);
    this.#statistics =
      shared?.statistics ??
      new StatisticsUpdater(opened.nodes, () => opened.database.updateStatistics(['tree', 'node', 'change']));
    this.supports = {
      durable: opened.durable,
      processes: true,
      search: true,
      crossProcessFeed: true,
      history: true,
    };
  }

  /**
   * The state that servers share; missing until the database accepts writes for the first time. It is kept while the
   * database refuses writes for a moment, so that a server does not start counters of its own.
   */
  get shared(): SharedState | undefined {
    return this.#sharedState();
  }

  #makeSharedState(temporary: TemporaryTreesOfServers | null): () => SharedState | undefined {
    let state: SharedState | undefined;
    return () => {
      if (temporary !== null && !this.#opened.access.readOnly) state ??= this.#openSharedState(temporary);
      return state;
    };
  }

  #openSharedState(temporary: TemporaryTreesOfServers): SharedState {
    const { access, database } = this.#opened;
    return {
      ...createSharedState({
        read: (work) => database.read(work),
        write: (work) => access.write(() => database.write(work)),
      }),
      temporary: temporary.store,
      get usesTemporary() {
        return temporary.isUsed;
      },
      discardUnusedTrees: (ms) => temporary.discardUnused(ms),
    };
  }

  /** Starts to listen for notifications. If that fails, commits are found by polling. */
  async start(): Promise<void> {
    void this.#notifications.start();
  }

  /** Returns the engine for an owner. In a bucket, its transactions fail if the owner was moved away. */
  forOwner(owner: string): PostgresEngine {
    if (this.#opened.isBucket !== true) return this;
    return new PostgresEngine(
      this.#opened,
      { news: this.#notifications, statistics: this.#statistics, state: this.#sharedState },
      owner,
    );
  }

  snapshot<T>(work: () => SqlTask<T>): Promise<T> {
    const owner = this.#owner;
    return this.#database.read(owner === null ? work : () => runWithOwnerGate('SELECT bucket_look($1)', owner, work));
  }

  /** Whether the server currently refuses writes. */
  get readOnly(): boolean {
    return this.#opened.access.readOnly;
  }

  transaction<T>(work: () => SqlTask<T>): Promise<T> {
    const owner = this.#owner;
    const gated = owner === null ? work : () => runWithOwnerGate('SELECT bucket_enter($1)', owner, work);
    return this.#opened.access.write(() => this.#database.write(gated));
  }

  sharedTransaction<T>(
    owners: readonly string[],
    writes: boolean,
    work: (present: ReadonlySet<string>) => SqlTask<T>,
  ): Promise<T> {
    const gated = () =>
      this.#opened.isBucket === true ? runWithOwnerGates(owners, writes, work) : work(new Set(owners));
    return writes ? this.#opened.access.write(() => this.#database.write(gated)) : this.#database.read(gated);
  }

  announce(owner: string, id: TreeId, version: number, added: number): void {
    this.#notifications.announce(owner, id, version);
    this.#statistics.wrote(added);
  }

  changed(target: FeedTarget, signal: AbortSignalLike | undefined, mark: string): Promise<void> {
    return this.#notifications.changed(target, signal, mark);
  }

  changeMark(target: FeedTarget): string {
    return this.#notifications.mark(target);
  }

  events(owner: string, since: readonly number[], limit: number): SqlTask<readonly SqlRow[]> {
    return queryEventRows(owner, since, limit);
  }

  latest(owner: string): SqlTask<readonly number[]> {
    return queryNewestPositions(owner);
  }

  readonly indexCommitsBeforeTrim = resetSearchMarkBeforeTrim;

  async search(search: SearchRequest): Promise<readonly NumberedHit[]> {
    const outdatedTrees = await this.snapshot(() => findTreesWithUncopiedTexts(search.owner, search.treeId));
    const { readOnly } = this;
    if (!readOnly) await this.#copySearchTexts(outdatedTrees);
    const uncopied = readOnly ? outdatedTrees : [];
    return this.snapshot(() => searchCopiedTexts(search, uncopied));
  }

  async #copySearchTexts(trees: readonly TreeBehind[]): Promise<void> {
    let copied = 0;
    for (const { treeId } of trees) copied += await this.transaction(() => copyNewSearchTexts(treeId));
    if (copied < textsBeforeStatistics) return;
    // Without permission for ANALYZE the search only takes longer.
    await this.#database.updateStatistics(['search_text']).catch(() => undefined);
  }

  async info(): Promise<StoreInfo> {
    const { access, schemaVersion, notes, database } = this.#opened;
    await access.refresh();
    const found = [...notes];
    if (access.note !== null) found.push(access.note);
    if (this.#notifications.isTestLost) found.push(noNotificationsNote);
    found.push(...(await describeObjects(this.objects)));
    return { kind: 'postgres', place: database.settings.place, readOnly: access.readOnly, schemaVersion, notes: found };
  }

  damage(): Promise<readonly string[]> {
    return this.snapshot(damageWork);
  }

  backup(to: string, onProgress?: (progress: WorkProgress) => void): Promise<void> {
    return backUpPostgres(this.#opened, to, onProgress);
  }

  async close(): Promise<void> {
    this.#stopWatching();
    await this.#temporary?.store.close();
    await this.#notifications.close();
    await this.#database.close();
  }
}

/** Returns a note that says where attachments are stored, if not in the database. */
async function describeObjects(objects: AttachmentObjectStore | undefined): Promise<readonly string[]> {
  if (objects === undefined || objects.place === null) return [];
  const problem = await objects.check();
  const where = `Attachments are stored in ${objects.place}.`;
  return [problem === null ? where : `${where} It cannot be used: ${problem}.`];
}

/**
 * Returns a sentence for each damage that the server reports: invalid indexes and constraints, and pages with wrong
 * checksums.
 */
function* damageWork(): SqlTask<readonly string[]> {
  const found: string[] = [];
  const here = 'to_regnamespace(current_schema())';
  for (const one of yield* queryRows(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE NOT i.indisvalid AND c.relnamespace = ${here} ORDER BY 1`,
  ))
    found.push(`The index ${readTextColumn(one, 'name')} is invalid. Rebuild it with REINDEX.`);
  for (const one of yield* queryRows(
    `SELECT k.conname AS name FROM pg_constraint k WHERE NOT k.convalidated AND k.connamespace = ${here} ORDER BY 1`,
  ))
    found.push(`The constraint ${readTextColumn(one, 'name')} is not validated against all rows.`);
  const sums = yield* queryRow(
    'SELECT coalesce(checksum_failures, 0) AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  const failures = readNumberColumn(sums ?? { n: 0 }, 'n');
  if (failures > 0) found.push(`The server has read ${failures} damaged pages of this database.`);
  return found;
}

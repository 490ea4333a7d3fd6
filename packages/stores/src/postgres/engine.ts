/** A PostgreSQL database as the shared store uses it. */
import type { AbortSignalLike, Capabilities, ListEvent, StoreInfo, TreeId } from '@coppice/core';
import type { SqlEngine } from '../sql/engine.ts';
import { listEventOf } from '../sql/lists.ts';
import { queryRow, queryRows, type SqlTask, sqlNumber, sqlText } from '../sql/query.ts';
import type { FoundRow, SearchRequest } from '../sql/search.ts';
import { backUpPostgres } from './backup.ts';
import type { PostgresDatabase } from './database.ts';
import { postgresDialect } from './dialect.ts';
import { commitsPerTransaction } from './migrations.ts';
import { Notifications } from './notifications.ts';
import { catchUpSearch, searchWork, treesBehind } from './search.ts';
import { Statistics } from './statistics.ts';

/** What a database told about itself when it was opened. */
export interface OpenedPostgres {
  readonly database: PostgresDatabase;
  readonly readOnly: boolean;
  readonly durable: boolean;
  readonly schemaVersion: number;
  readonly notes: readonly string[];
  /** How many nodes the server knew of, as a guess; below zero where it never counted. */
  readonly nodes: number;
}

/** Places of the log below this one are complete: every transaction that could still fill one has ended. */
const completeBelow = `CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT) * ${commitsPerTransaction}`;

/** One database, reached through a pool, with its news. */
export class PostgresEngine implements SqlEngine {
  readonly dialect = postgresDialect;
  readonly supports: Capabilities;
  readonly #opened: OpenedPostgres;
  readonly #database: PostgresDatabase;
  readonly #news: Notifications;
  readonly #statistics: Statistics;

  constructor(opened: OpenedPostgres) {
    this.#opened = opened;
    this.#database = opened.database;
    const { feed, pollInterval } = opened.database.settings;
    this.#news = new Notifications({
      mode: feed,
      pollInterval,
      client: () => opened.database.client(),
      isDirect: (client) => opened.database.isDirect(client),
    });
    this.#statistics = new Statistics(opened.nodes, () => opened.database.countRows());
    this.supports = {
      durable: opened.durable,
      processes: true,
      search: true,
      crossProcessFeed: true,
      history: true,
    };
  }

  /** Begins to listen; whether or not that works, looking does. */
  async start(): Promise<void> {
    void this.#news.start();
  }

  snapshot<T>(work: () => SqlTask<T>): Promise<T> {
    return this.#database.read(work);
  }

  transaction<T>(work: () => SqlTask<T>): Promise<T> {
    return this.#database.write(work);
  }

  announce(_owner: string, id: TreeId, version: number, added: number): void {
    this.#news.announce(id, version);
    this.#statistics.wrote(added);
  }

  changed(id: TreeId | null, seen: number, signal: AbortSignalLike | undefined): Promise<void> {
    return this.#news.changed(id, seen, signal);
  }

  /** The changes after a place, as far as the log is complete: a later look finds none before them. */
  *events(owner: string, since: number, limit: number): SqlTask<ListEvent[]> {
    const found = yield* queryRows(
      `SELECT id, tree_id, version FROM change WHERE id > $1 AND owner = $2 AND id < ${completeBelow} ORDER BY id LIMIT $3`,
      since,
      owner,
      limit,
    );
    return found.map(listEventOf);
  }

  /** The place from which on every commit is one to come. */
  *latest(): SqlTask<number> {
    const found = yield* queryRow(`SELECT ${completeBelow} - 1 AS place`);
    return sqlNumber(found ?? { place: 0 }, 'place');
  }

  async search(search: SearchRequest): Promise<readonly FoundRow[]> {
    const behind = await this.snapshot(() => treesBehind(search.owner, search.treeId));
    if (!this.#opened.readOnly) for (const tree of behind) await this.transaction(() => catchUpSearch(tree.treeId));
    const uncopied = this.#opened.readOnly ? behind : [];
    return this.snapshot(() => searchWork(search, uncopied));
  }

  info(): StoreInfo {
    const { readOnly, schemaVersion, notes, database } = this.#opened;
    return { kind: 'postgres', place: database.settings.place, readOnly, schemaVersion, notes };
  }

  damage(): Promise<readonly string[]> {
    return this.snapshot(damageWork);
  }

  backup(to: string): Promise<void> {
    return backUpPostgres(this.#database, to);
  }

  async close(): Promise<void> {
    await this.#news.close();
    await this.#database.close();
  }
}

/** What the server itself knows to be broken: indexes and constraints that do not hold, pages with a bad checksum. */
function* damageWork(): SqlTask<readonly string[]> {
  const found: string[] = [];
  const here = 'to_regnamespace(current_schema())';
  for (const one of yield* queryRows(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE NOT i.indisvalid AND c.relnamespace = ${here} ORDER BY 1`,
  ))
    found.push(`The index ${sqlText(one, 'name')} is not valid: make it again.`);
  for (const one of yield* queryRows(
    `SELECT k.conname AS name FROM pg_constraint k WHERE NOT k.convalidated AND k.connamespace = ${here} ORDER BY 1`,
  ))
    found.push(`The constraint ${sqlText(one, 'name')} was never checked against all rows.`);
  const sums = yield* queryRow(
    'SELECT coalesce(checksum_failures, 0) AS n FROM pg_stat_database WHERE datname = current_database()',
  );
  const failures = sqlNumber(sums ?? { n: 0 }, 'n');
  if (failures > 0) found.push(`The server has read ${failures} damaged pages of this database.`);
  return found;
}

/** Describes PostgreSQL stores for the conformance suite. Each store gets an empty database. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@coppice/core';
import type { StoreSubject } from '../src/conformance/index.ts';
import { defaultOwner } from '../src/options.ts';
import { chooseBucketByHash } from '../src/postgres/buckets/directory.ts';
import { type BucketAdmin, openBuckets } from '../src/postgres/buckets/index.ts';
import { open, type PostgresOptions } from '../src/postgres/index.ts';
import { open as openFile } from '../src/sqlite/index.ts';
import { createTestDatabase, type TestDatabase, type TestQueryFunction } from './postgres.ts';
import type { PostgresServer } from './postgres-server.ts';

/** A prepared database that can be emptied and used again: its schema, and the rows that opening a store inserts. */
interface Prepared {
  readonly database: TestDatabase;
  readonly schema: string;
  readonly rows: ReadonlyMap<string, string>;
}

const free: Prepared[] = [];

const schemaText = `SELECT md5(string_agg(line, E'\\n' ORDER BY line)) AS schema FROM (
  SELECT attrelid::regclass || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull AS line
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
    WHERE relnamespace = to_regnamespace('public') AND relkind IN ('r', 'v') AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = to_regnamespace('public')) AS lines`;

/**
 * Returns a statement that empties the tables of a schema and restarts its sequences. Small tables are not truncated,
 * because creating new files for each table and index takes several times as long as deleting the rows.
 */
const emptyTablesOf = (schema: string, kept: readonly string[] = []) => `DO $$ DECLARE r record; BEGIN
  SET LOCAL session_replication_role = replica;
  FOR r IN SELECT c.oid::regclass AS name, relkind, relname FROM pg_class c
    WHERE relnamespace = to_regnamespace('${schema}') AND relkind IN ('r', 'S') LOOP
    IF r.relname = ANY ('{${kept.join(',')}}') THEN CONTINUE;
    ELSIF r.relkind = 'S' THEN EXECUTE 'ALTER SEQUENCE ' || r.name || ' RESTART';
    ELSIF pg_total_relation_size(r.name) < 1000000 THEN EXECUTE 'DELETE FROM ' || r.name;
    ELSE EXECUTE 'TRUNCATE ' || r.name || ' CASCADE';
    END IF;
  END LOOP; END $$`;

async function schemaOf(query: TestQueryFunction): Promise<string> {
  const [row] = await query(schemaText);
  return String(row?.['schema']);
}

async function tablesOf(query: TestQueryFunction): Promise<readonly string[]> {
  const rows = await query(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = to_regnamespace('public') AND relkind = 'r' ORDER BY 1",
  );
  return rows.map(({ name }) => String(name));
}

async function prepare(): Promise<Prepared> {
  const database = await createTestDatabase();
  await (await open(database.url)).close();
  return database.connected(async (query) => {
    const rows = new Map<string, string>();
    for (const table of await tablesOf(query)) {
      const [row] = await query(`SELECT json_agg(t)::text AS rows FROM "${table}" AS t`);
      if (typeof row?.['rows'] === 'string') rows.set(table, row['rows']);
    }
    return { database, schema: await schemaOf(query), rows };
  });
}

/** Empties a used database. Returns false if a test has changed its tables. */
function empty({ database, schema, rows }: Prepared): Promise<boolean> {
  return database.connected(async (query) => {
    await query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await query('DROP SCHEMA IF EXISTS coppice_temporary CASCADE');
    if ((await schemaOf(query)) !== schema) return false;
    await query(emptyTablesOf('public'));
    for (const [table, text] of rows)
      await query(`INSERT INTO "${table}" SELECT * FROM json_populate_recordset(NULL::"${table}", $1::json)`, [text]);
    return true;
  });
}

/**
 * Returns a database with the empty tables of Coppice. Dropping it only empties it for the next test: copying a
 * prepared database for each test would take a tenth of a second and a checkpoint.
 */
export async function createPreparedDatabase(): Promise<TestDatabase> {
  const prepared = free.pop() ?? (await prepare());
  const { database } = prepared;
  let isDropped = false;
  return {
    url: database.url,
    query: database.query,
    connected: database.connected,
    drop: async () => {
      // Several stores of one test may share the database, and each drops it.
      if (isDropped) return;
      isDropped = true;
      if (await empty(prepared).catch(() => false)) free.push(prepared);
      else await database.drop();
    },
  };
}

/** Returns every row of every table as text, so that two states can be compared. */
export function readAllRows(database: TestDatabase): Promise<string> {
  return database.connected(async (query) => {
    const contents: unknown[] = [];
    for (const name of await tablesOf(query))
      contents.push([name, await query(`SELECT * FROM "${name}" AS t ORDER BY t`)]);
    return JSON.stringify(contents);
  });
}

/** A server on which tests create buckets. */
export interface BucketServer {
  /** Returns a new database or schema for a bucket. */
  createPlace(): Promise<BucketPlace>;
  /** Prepares a bucket that was added. */
  prepare?(buckets: BucketAdmin, name: string): Promise<void>;
  query(sql: string, url: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Ends the connections of stores, and deletes all rows of a bucket except those in the tables `kept`. */
  empty(place: BucketPlace, kept: readonly string[]): Promise<void>;
}

/** The schema of a bucket and the URL of its database. */
export interface BucketPlace {
  readonly url: string;
  readonly schema: string;
}

const disconnectSql =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

/** Returns a server whose buckets are in databases of their own. */
export function toBucketServer(server: PostgresServer): BucketServer {
  return {
    createPlace: async () => ({ url: await server.createDatabase(), schema: 'far' }),
    query: (sql, url) => server.query(sql, url),
    empty: async ({ url, schema }, kept) => {
      await server.query(disconnectSql, url);
      await server.query(emptyTablesOf(schema, kept), url);
    },
  };
}

const spoilingSql = {
  newer: 'UPDATE coppice_schema SET version = 1000000, oldest_reader = 1000000, oldest_writer = 1000000',
  damaged: 'ALTER TABLE node RENAME TO node_elsewhere',
};

function placeIn<T>(places: WeakMap<Store, T>, store: Store): T {
  const place = places.get(store);
  if (place === undefined) throw new Error('This store was not opened by the subject.');
  return place;
}

/** Returns the path of a SQLite file for a backup. The path is added to `files`, for {@link deleteBackups}. */
function planBackup(files: string[]) {
  const to = join(tmpdir(), `coppice-copy-${randomUUID()}.db`);
  files.push(to);
  return { to, open: () => openFile(to, {}) };
}

function deleteBackups(files: readonly string[]): void {
  for (const file of files) for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
}

/** A directory with two buckets: one in the directory's database, and one on another server. */
export interface TestBuckets {
  readonly directory: TestDatabase;
  readonly far: BucketPlace;
  /** Runs a statement in the bucket on the other server. */
  elsewhere(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  empty(): Promise<void>;
}

const kept = ['coppice_bucket', 'coppice_schema', 'feed_epoch'];

/** Creates a directory whose second bucket, named `far`, is on another server. */
export async function createTestBuckets(other: BucketServer): Promise<TestBuckets> {
  const directory = await createTestDatabase();
  const place = await other.createPlace();
  const buckets = await openBuckets(directory.url);
  await buckets.add('far', place);
  await other.prepare?.(buckets, 'far');
  await buckets.close();
  return {
    directory,
    far: place,
    elsewhere: (sql) => other.query(sql, place.url),
    empty: async () => {
      await directory.query(disconnectSql);
      await directory.query(emptyTablesOf('public', kept));
      await other.empty(place, kept);
    },
  };
}

/** Describes a store with two buckets on two servers. The two owners of tests that compare ids are in one bucket. */
export function createBucketSubject(name: string, server: () => BucketServer): StoreSubject {
  const both = ['main', 'far'].map((one) => ({ name: one, schema: null, url: null, state: 'open' as const }));
  const home = chooseBucketByHash(defaultOwner, both);
  let neighbour = 'neighbour';
  while (chooseBucketByHash(neighbour, both) !== home) neighbour += '.';
  const unused: TestBuckets[] = [];
  const places = new WeakMap<Store, { readonly at: TestBuckets; readonly files: string[]; spoilt: boolean }>();
  const opened = async (at: TestBuckets, options: PostgresOptions = {}, files: string[] = []): Promise<Store> => {
    const store = await open(at.directory.url, { pool: 4, ...options });
    places.set(store, { at, files, spoilt: false });
    return store;
  };
  const placeOf = (store: Store) => placeIn(places, store);
  return {
    name,
    secondOwner: neighbour,
    open: async (options) => opened(unused.pop() ?? (await createTestBuckets(server())), options),
    reopen: async (store, options) => {
      await store.close();
      const { at, files } = placeOf(store);
      return opened(at, options, files);
    },
    openSecond: (store, options) => opened(placeOf(store).at, options),
    damage: async (store, how) => {
      await store.close();
      const place = placeOf(store);
      place.spoilt = true;
      const { directory, far } = place.at;
      await directory.query(spoilingSql[how]);
      // The rows of the test may be in either bucket.
      if (how !== 'newer') await place.at.elsewhere(`ALTER TABLE "${far.schema}".node RENAME TO node_elsewhere`);
      const before = await readAllRows(directory);
      return {
        open: () => opened(place.at),
        unchanged: async () => (await readAllRows(directory)) === before,
      };
    },
    backup: async (store) => planBackup(placeOf(store).files),
    destroy: async (store) => {
      await store.close();
      const { at, files, spoilt } = placeOf(store);
      deleteBackups(files);
      if (spoilt) return;
      await at.empty();
      if (!unused.includes(at)) unused.push(at);
    },
  };
}

/**
 * Describes a store in one database. The options `always` are passed to every store, and `urlOf` may return a URL
 * through a pooler.
 */
export function createPostgresSubject(
  name: string,
  always: PostgresOptions = {},
  urlOf: (databaseUrl: string) => string = (url) => url,
): StoreSubject {
  const places = new WeakMap<Store, { readonly database: TestDatabase; readonly files: string[] }>();
  const opened = async (
    database: TestDatabase,
    options: PostgresOptions = {},
    files: string[] = [],
  ): Promise<Store> => {
    const store = await open(urlOf(database.url), { pool: 4, ...always, ...options });
    places.set(store, { database, files });
    return store;
  };
  const placeOf = (store: Store) => placeIn(places, store);
  return {
    name,
    open: async (options) => opened(await createPreparedDatabase(), options),
    reopen: async (store, options) => {
      await store.close();
      const { database, files } = placeOf(store);
      return opened(database, options, files);
    },
    openSecond: (store, options) => opened(placeOf(store).database, options),
    damage: async (store, how) => {
      await store.close();
      const { database } = placeOf(store);
      await database.query(spoilingSql[how]);
      const before = await readAllRows(database);
      return { open: () => opened(database), unchanged: async () => (await readAllRows(database)) === before };
    },
    backup: async (store) => planBackup(placeOf(store).files),
    destroy: async (store) => {
      await store.close();
      const { database, files } = placeOf(store);
      await database.drop();
      deleteBackups(files);
    },
  };
}

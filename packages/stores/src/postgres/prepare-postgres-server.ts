/** Checks and prepares a server when a store is opened. */
import { AppError, isAppError, refusalKinds } from '@coppice/core';
import type { MigrationProgress } from '../sql/number-rows.ts';
import { queryRow, readNumberColumn, readTextColumn, type SqlTask } from '../sql/query.ts';
import { buildMissingIndexes } from './build-indexes.ts';
import type { PostgresDatabase } from './database.ts';
import type { OpenedPostgres } from './engine.ts';
import {
  concurrentIndexes,
  hasTrigramIndex,
  migratePostgres,
  postgresMigrations,
  prepareTrigramIndex,
} from './migrations.ts';
import type { PostgresOptions } from './options.ts';
import {
  decideSchemaAccess,
  describeOlderProgram,
  newestSchemaVersion,
  readSchemaVersion,
  type SchemaVersion,
} from './schema-version.ts';
import { WriteAccess } from './write-access.ts';

// The oldest supported version, 13. The PostgreSQL project no longer maintains older ones.
const oldestServer = 130_000;

// A difference of this many milliseconds between two clocks is allowed, because a slow connection alone may cause
// seconds.
const clockToleranceMs = 30_000;
const fewConnections = 20;
// For how many milliseconds a migration tries to lock the tables.
const longestLockWait = 300_000;
// The pause between two attempts, in which others can use the tables.
const pauseBetweenLocks = 500;

/** What was read from a server before anything is changed on it. */
interface Server {
  readonly version: number;
  readonly encoding: string;
  readonly readOnly: boolean;
  readonly synchronous: string;
  readonly fsync: string;
  /** How many milliseconds the clock of the server is ahead of this machine. */
  readonly aheadMs: number;
  readonly connections: number;
}

function* serverWork(): SqlTask<Server> {
  const found = yield* queryRow(
    `SELECT CAST(current_setting('server_version_num') AS INTEGER) AS version, current_setting('server_encoding') AS encoding,
      CASE WHEN pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' THEN 1 ELSE 0 END AS read_only,
      (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS synchronous, current_setting('fsync') AS fsync,
      CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) AS clock,
      CAST(current_setting('max_connections') AS INTEGER) AS connections`,
  );
  const said = found ?? {};
  return {
    version: readNumberColumn(said, 'version'),
    encoding: readTextColumn(said, 'encoding'),
    readOnly: readNumberColumn(said, 'read_only') === 1,
    synchronous: readTextColumn(said, 'synchronous'),
    fsync: readTextColumn(said, 'fsync'),
    aheadMs: readNumberColumn(said, 'clock') - Date.now(),
    connections: readNumberColumn(said, 'connections'),
  };
}

/** Changes the statements of a migration. */
export type MigrationWrapper = <T>(task: SqlTask<T>) => SqlTask<T>;

/** Checks a server and its tables, and creates or migrates the tables. Throws if they cannot be used. */
export async function preparePostgresServer(
  database: PostgresDatabase,
  options: PostgresOptions,
  migrating: MigrationWrapper = (task) => task,
): Promise<OpenedPostgres> {
  const { place } = database.settings;
  const server = await database.read(serverWork);
  const notes: string[] = [];
  if (server.version < oldestServer)
    throw unfitServer(`The server of ${place} is too old: PostgreSQL 13 or newer is needed.`);
  if (server.encoding !== 'UTF8')
    throw unfitServer(`The database ${place} is encoded as ${server.encoding}: UTF8 is needed.`);
  if (server.synchronous === 'off')
    notes.push('The server does not wait for the disk (synchronous_commit). Writes of Coppice do, and stay durable.');
  if (database.pooled)
    notes.push(
      'The connection goes through a pooler: statements are not kept prepared, and commits of other servers are found by polling instead of LISTEN.',
    );
  if (server.fsync === 'off') notes.push('The server runs without fsync: a power cut can lose what was acknowledged.');
  if (Math.abs(server.aheadMs) > clockToleranceMs)
    notes.push(
      `The clock of the server differs from this machine by ${Math.round(Math.abs(server.aheadMs) / 1000)} seconds. Synchronise both clocks, for example with NTP.`,
    );
  if (server.connections < fewConnections)
    notes.push(
      `The server allows ${server.connections} connections (max_connections). Several Coppice servers need more.`,
    );
  const readOnly = options.readOnly === true || server.readOnly;
  const schema = await prepareTables(database, readOnly, options.onMigration, migrating);
  const access = decideSchemaAccess(schema, place);
  const older = describeOlderProgram(schema, access);
  if (older !== null) notes.push(older);
  // A newer program may have dropped an index that this one would build again.
  const mayBuild = !readOnly && schema.version === newestSchemaVersion;
  if (mayBuild) await buildMissingIndexes(database, concurrentIndexes);
  if (!(await prepareTrigrams(database, !mayBuild)))
    notes.push('The server has no pg_trgm extension: search scans every message, which is slow in large stores.');
  const nodes = await database.read(nodesCounted);
  const writes = new WriteAccess(database, options.readOnly === true, server.readOnly, access === 'read');
  return { database, access: writes, durable: server.fsync !== 'off', schemaVersion: schema.version, notes, nodes };
}

function* nodesCounted(): SqlTask<number> {
  const found = yield* queryRow("SELECT CAST(reltuples AS BIGINT) AS n FROM pg_class WHERE oid = to_regclass('node')");
  return readNumberColumn(found ?? { n: -1 }, 'n');
}

/** Ensures that the tables exist, belong to Coppice, and can be used by this program. Returns their version. */
async function prepareTables(
  database: PostgresDatabase,
  readOnly: boolean,
  progress: MigrationProgress | undefined,
  migrating: MigrationWrapper,
): Promise<SchemaVersion> {
  const { place } = database.settings;
  const schema = await database.read(readSchemaVersion);
  if (schema !== null) decideSchemaAccess(schema, place);
  if (schema !== null && schema.version >= newestSchemaVersion) return schema;
  if (readOnly)
    throw unfitServer(
      schema === null
        ? `The database ${place} has no tables of Coppice, and they cannot be created because nothing may be written.`
        : `The tables of ${place} have version ${schema.version} and cannot be migrated to ${newestSchemaVersion} because nothing may be written.`,
    );
  await changeTables(database, () => migrating(migratePostgres(place, postgresMigrations, progress)));
  return (await database.read(readSchemaVersion)) ?? { version: 0, oldestReader: 0, oldestWriter: 0 };
}

/**
 * Runs a migration. If it does not get the table locks in time, it pauses, so that others can work, and tries again.
 */
async function changeTables(database: PostgresDatabase, work: () => SqlTask<unknown>): Promise<void> {
  const until = performance.now() + longestLockWait;
  for (;;) {
    try {
      await database.maintain(work);
      return;
    } catch (error) {
      if (!isAppError(error) || error.code !== 'store/locked') throw error;
      if (performance.now() > until)
        throw unfitServer(
          `The tables of ${database.settings.place} cannot be migrated while other programs have them locked. End their transactions and start again.`,
        );
    }
    await new Promise((resolve) => setTimeout(resolve, pauseBetweenLocks));
  }
}

/**
 * Creates the index for fast search. Returns false if the server has no trigrams or does not permit them; search then
 * scans.
 */
async function prepareTrigrams(database: PostgresDatabase, readOnly: boolean): Promise<boolean> {
  if (await database.read(hasTrigramIndex)) return true;
  if (readOnly) return false;
  try {
    const index = await database.write(prepareTrigramIndex);
    if (index === null) return false;
    await buildMissingIndexes(database, [index]);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'store/unavailable') throw error;
    return false;
  }
}

function unfitServer(message: string): AppError {
  return new AppError({ code: 'store/unavailable', kind: refusalKinds['store/unavailable'], message });
}

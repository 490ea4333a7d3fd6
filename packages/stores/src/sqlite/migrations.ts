/** Creates or migrates the tables of a database file. Refuses files of other programs and of newer versions. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { AppError, refuse } from '@coppice/core';
import { failpoint } from '../failpoints.ts';
import { backfillNodeCopies } from '../sql/copies.ts';
import type { MigrationProgress } from '../sql/number-rows.ts';
import { runSync, type SqlTask } from '../sql/query.ts';
import {
  addBlobWaitingSql,
  addShareVersionSql,
  createBlobPutSql,
  createLinearNodesSql,
  createLogStartSql,
  createNodeCopiesSql,
  createSchemaSql,
  createSealedRecordsSql,
} from '../sql/schema.ts';
import { makePrivateFile, syncFile } from './backup.ts';
import { sqliteDialect } from './dialect.ts';
import type { SqliteConnection } from './driver.ts';
import { numberSqliteRows } from './number-rows.ts';
import { exactSearchSchemaSql, firstSearchSchemaSql } from './search.ts';

/** Stored in the file's header, so that a database of another program is recognised and never written. */
const applicationId = 0x436f7070;

interface SqliteMigration {
  readonly version: number;
  readonly statements: readonly string[];
  /** Fills new tables or columns from the existing rows. */
  readonly fill?: (progress: MigrationProgress) => SqlTask<void>;
}

/** The first schema version with row numbers. */
const numberedRowsVersion = 10;

/**
 * Creates the table that records what a purge could not remove. `pages` is set if an
 * older version freed pages without zeroing them; then the file must be rewritten once.
 * `log` is set if the write-ahead log could not be emptied because of other readers.
 */
const residueSchema: readonly string[] = [
  `CREATE TABLE residue (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    pages INTEGER NOT NULL CHECK (pages IN (0, 1)),
    log INTEGER NOT NULL CHECK (log IN (0, 1))
  )`,
  "INSERT INTO residue (id, pages, log) SELECT 1, EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'change'), 0",
];

/** All migrations in order. After a release a migration is never changed. */
const migrations: readonly SqliteMigration[] = [
  { version: 1, statements: [...createSchemaSql(sqliteDialect), ...firstSearchSchemaSql, 'ANALYZE'] },
  {
    version: 2,
    // A covering index for matching a known history. Without it, SQLite would read each message with its text to get
    // the id.
    statements: [
      'DROP INDEX node_match',
      `CREATE INDEX node_match ON node (tree_id, match_parent, equality_key, position, seq, id)
        WHERE equality_key IS NOT NULL AND removed_in IS NULL`,
    ],
  },
  { version: 3, statements: [addShareVersionSql(sqliteDialect)] },
  { version: 4, statements: createBlobPutSql(sqliteDialect) },
  { version: 5, statements: createLinearNodesSql(sqliteDialect) },
  {
    version: 6,
    statements: [...exactSearchSchemaSql, ...residueSchema, ...createNodeCopiesSql(sqliteDialect)],
    fill: () => backfillNodeCopies(sqliteDialect),
  },
  {
    version: 7,
    // The rows of lists that earlier versions stored are in no commit that the index still reads. They are written by
    // the migration to row numbers.
    statements: ['UPDATE search_state SET from_place = 0 WHERE from_place IS NULL'],
  },
  { version: 8, statements: createSealedRecordsSql(sqliteDialect) },
  { version: 9, statements: addBlobWaitingSql(sqliteDialect) },
  { version: numberedRowsVersion, statements: [], fill: numberSqliteRows },
  { version: 11, statements: createLogStartSql(sqliteDialect) },
];

/** The newest schema version that this build knows. */
export const newestSqliteVersion = migrations.reduce((newest, { version }) => Math.max(newest, version), 0);

function pragma(connection: SqliteConnection, name: string): number {
  return Number(connection.all(`PRAGMA ${name}`)[0]?.[name]);
}

/**
 * Returns the schema version of a file, and whether the file is empty. Throws if another program or a newer version
 * wrote the file.
 */
export function readSqliteVersion(
  connection: SqliteConnection,
  place: string,
): { readonly version: number; readonly empty: boolean } {
  const version = pragma(connection, 'user_version');
  const tables = connection.all("SELECT count(*) AS n FROM sqlite_master WHERE type = 'table'");
  const empty = Number(tables[0]?.n) === 0;
  if (!empty && pragma(connection, 'application_id') !== applicationId)
    throw new AppError({
      code: 'store/damaged',
      kind: 'internal',
      message: `The file ${place} is a database of another program. It was left as it is.`,
      data: { place },
    });
  if (version > newestSqliteVersion)
    refuse(
      'store/newer',
      `The database ${place} was written by a newer Coppice (schema ${version}, this one knows ${newestSqliteVersion}). Update to open it.`,
      {
        place,
        version,
      },
    );
  return { version, empty };
}

/**
 * The settings during a migration: constraints are not checked
 * while rows are copied, and the file is rewritten afterwards.
 */
const migrationSettings: readonly (readonly [name: string, value: number])[] = [
  ['foreign_keys', 0],
  ['ignore_check_constraints', 1],
  ['secure_delete', 0],
  ['temp_store', 1],
];

/** Changes the settings, and returns a function that restores them. */
function useMigrationSettings(connection: SqliteConnection): () => void {
  const before = migrationSettings.map(([name]) => [name, pragma(connection, name)] as const);
  const set = (settings: typeof migrationSettings) => {
    for (const [name, value] of settings) connection.database.exec(`PRAGMA ${name} = ${value}`);
  };
  set(migrationSettings);
  return () => set(before);
}

/**
 * Migrates the tables in one transaction, after a backup of existing data. If the process is killed meanwhile, the file
 * is unchanged, and the next opening starts again.
 */
export function migrateSqlite(
  connection: SqliteConnection,
  place: string,
  progress: MigrationProgress = () => undefined,
): void {
  const { version, empty } = readSqliteVersion(connection, place);
  if (version === newestSqliteVersion) return;
  if (!empty) backUpBefore(connection, place, version);
  failpoint('migrate-begin');
  const restoreSettings = useMigrationSettings(connection);
  try {
    connection.database.exec('BEGIN IMMEDIATE');
    // Another process may have migrated the file while this one waited for the lock.
    const now = pragma(connection, 'user_version');
    for (const migration of migrations) {
      if (migration.version <= now) continue;
      for (const statement of migration.statements) connection.database.exec(statement);
      if (migration.fill !== undefined) runSync(migration.fill(progress), (query) => connection.query(query));
      failpoint('migrate-step');
    }
    connection.database.exec(`PRAGMA application_id = ${applicationId}`);
    connection.database.exec(`PRAGMA user_version = ${newestSqliteVersion}`);
    failpoint('migrate-commit');
    connection.database.exec('COMMIT');
  } catch (error) {
    rollBack(connection);
    throw error;
  } finally {
    restoreSettings();
  }
  // SQLite loads the statistics that the migration wrote, without measuring.
  connection.database.exec('ANALYZE sqlite_schema');
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.database.exec('ROLLBACK');
  } catch {
    // The rollback fails if SQLite has already rolled back. The original error is thrown.
  }
}

function backUpBefore(connection: SqliteConnection, place: string, version: number): void {
  const copy = `${place}.before-schema-${newestSqliteVersion}-from-${version}.bak`;
  if (existsSync(copy)) return;
  // If the process is killed meanwhile, the next opening deletes the file by this name.
  const partial = `${place}.new-${process.pid}`;
  rmSync(partial, { force: true });
  makePrivateFile(partial);
  connection.run('VACUUM INTO $1', partial);
  failpoint('migrate-backup');
  syncFile(partial);
  renameSync(partial, copy);
}

/** The schema of a database file: made, brought up to date, or refused. */
import { existsSync } from 'node:fs';
import { AppError, refuse } from '@coppice/core';
import { failpoint } from '../failpoints.ts';
import { enterCopies } from '../sql/copies.ts';
import { storeListsAsRows } from '../sql/linear-form.ts';
import { runSync, type SqlTask } from '../sql/query.ts';
import { blobPut, linearNodes, nodeCopies, schema, shareVersion } from '../sql/schema.ts';
import { makePrivateFile } from './backup.ts';
import { sqliteDialect } from './dialect.ts';
import type { SqliteConnection } from './driver.ts';
import { exactSearchSchema, searchSchema } from './search.ts';

/** Marks a file as ours, so that another program's database is never written into. */
export const applicationId = 0x436f7070;

interface SqliteMigration {
  readonly version: number;
  readonly statements: readonly string[];
  /** What is made of the rows that are there. */
  readonly fill?: () => SqlTask<void>;
}

/**
 * What a full database looks like, by index: how many rows, and how many share the first columns of a key. Without it
 * SQLite takes the columns of every index to tell rows apart equally well and walks a subtree by looking through the
 * whole tree at each level, which squares the cost of every delete. A count of its own by ANALYZE would see one
 * moment of one user; these numbers give the same plans to everybody, always.
 */
const shape: readonly (readonly [table: string, index: string, rows: string])[] = [
  ['node', 'sqlite_autoindex_node_1', '1000000 20000 1'],
  ['node', 'node_id', '1000000 1'],
  ['node', 'node_place', '1000000 20000 2 1 1'],
  ['node', 'node_match', '1000000 20000 2 1'],
  ['node', 'node_seq', '1000000 20000 1'],
  ['node', 'node_group', '100000 2000 4 3'],
  ['node', 'node_removed', '100000 2000 500'],
  ['node', 'node_pending', '20 2'],
  ['node', 'node_root', '1000 1'],
  ['change', 'change_version', '1000000 20000 1'],
  ['change', 'change_act', '1000000 2'],
];

const statistics: readonly string[] = [
  'ANALYZE',
  'DELETE FROM sqlite_stat1',
  ...shape.map(
    ([table, index, rows]) => `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('${table}', '${index}', '${rows}')`,
  ),
];

/** The version from which on lists are rows like all others. */
export const rowsVersion = 7;

/** The version from which on the index deletes exactly. */
export const exactSearchVersion = 6;

/** The state of an index that is never used, beside a file of before that version that is only read. */
export const staleSearchState = 'CREATE TEMP TABLE search_state AS SELECT 1 AS id, 0 AS change_id, 0 AS from_place';

/**
 * What may still be in the file though it was purged: `pages` where pages were freed by a version that did not zero them,
 * so that the file has to be written anew once; `log` where the write-ahead log could not be emptied, since others read.
 */
const residueSchema: readonly string[] = [
  `CREATE TABLE residue (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    pages INTEGER NOT NULL CHECK (pages IN (0, 1)),
    log INTEGER NOT NULL CHECK (log IN (0, 1))
  )`,
  "INSERT INTO residue (id, pages, log) SELECT 1, EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'change'), 0",
];

/** Every version in order; one is never changed once it was released. */
const migrations: readonly SqliteMigration[] = [
  { version: 1, statements: [...schema(sqliteDialect), ...searchSchema, ...statistics] },
  {
    version: 2,
    // Holds all that a walk along a known history asks of a message, in the order in which it asks: without it every
    // message's own page is read, text and all, to learn its id.
    statements: [
      'DROP INDEX node_match',
      `CREATE INDEX node_match ON node (tree_id, match_parent, equality_key, position, seq, id)
        WHERE equality_key IS NOT NULL AND removed_in IS NULL`,
      "UPDATE sqlite_stat1 SET stat = '1000000 20000 2 1 1 1 1' WHERE idx = 'node_match'",
    ],
  },
  { version: 3, statements: [shareVersion(sqliteDialect)] },
  { version: 4, statements: blobPut(sqliteDialect) },
  { version: 5, statements: linearNodes(sqliteDialect) },
  {
    version: exactSearchVersion,
    statements: [...exactSearchSchema, ...residueSchema, ...nodeCopies(sqliteDialect)],
    fill: () => enterCopies(sqliteDialect),
  },
  {
    version: rowsVersion,
    // The rows of former lists are in no commit that the index has yet to read.
    statements: ['UPDATE search_state SET from_place = 0 WHERE from_place IS NULL'],
    fill: () => storeListsAsRows(sqliteDialect),
  },
];

/** The version of the tables that this program writes. */
export const schemaVersion = migrations.reduce((newest, { version }) => Math.max(newest, version), 0);

function pragma(connection: SqliteConnection, name: string): number {
  return Number(connection.all(`PRAGMA ${name}`)[0]?.[name]);
}

/** What a file is before it is opened for good. */
export function schemaVersionOf(
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
  if (version > schemaVersion)
    refuse(
      'store/newer',
      `The database ${place} was written by a newer Coppice (schema ${version}, this one knows ${schemaVersion}). Update to open it.`,
      {
        place,
        version,
      },
    );
  return { version, empty };
}

/** Brings the schema up to date in one transaction, after a backup of what is there. */
export function migrateSqlite(connection: SqliteConnection, place: string): void {
  const { version, empty } = schemaVersionOf(connection, place);
  if (version === schemaVersion) return;
  if (!empty) backUpBefore(connection, place, version);
  failpoint('migrate-begin');
  connection.database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been first while this one waited for the lock.
    const now = pragma(connection, 'user_version');
    for (const migration of migrations) {
      if (migration.version <= now) continue;
      for (const statement of migration.statements) connection.database.exec(statement);
      if (migration.fill !== undefined) runSync(migration.fill(), (query) => connection.query(query));
      failpoint('migrate-step');
    }
    connection.database.exec(`PRAGMA application_id = ${applicationId}`);
    connection.database.exec(`PRAGMA user_version = ${schemaVersion}`);
    failpoint('migrate-commit');
    connection.database.exec('COMMIT');
  } catch (error) {
    rollBack(connection);
    throw error;
  }
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.database.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself; what went wrong before is what has to be told.
  }
}

function backUpBefore(connection: SqliteConnection, place: string, version: number): void {
  const copy = `${place}.before-schema-${schemaVersion}-from-${version}.bak`;
  if (existsSync(copy)) return;
  makePrivateFile(copy);
  connection.run('VACUUM INTO $1', copy);
}

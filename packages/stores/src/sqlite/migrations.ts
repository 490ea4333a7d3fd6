/** Creates or updates the schema of a database file, or refuses it. */
import { existsSync } from 'node:fs';
import { AppError, refuse } from '@coppice/core';
import { failpoint } from '../failpoints.ts';
import { enterCopies } from '../sql/copies.ts';
import { storeListsAsRows } from '../sql/linear-form.ts';
import { runSync, type SqlTask } from '../sql/query.ts';
import { blobPut, blobWaiting, linearNodes, nodeCopies, schema, sealedRecords, shareVersion } from '../sql/schema.ts';
import { makePrivateFile } from './backup.ts';
import { sqliteDialect } from './dialect.ts';
import type { SqliteConnection } from './driver.ts';
import { exactSearchSchema, searchSchema } from './search.ts';

/** Marks a file as ours, so that another program's database is never written. */
export const applicationId = 0x436f7070;

interface SqliteMigration {
  readonly version: number;
  readonly statements: readonly string[];
  /** Fills new tables or columns from existing rows. */
  readonly fill?: () => SqlTask<void>;
}

/**
 * Fixed statistics by index: the number of rows, and how many share the first columns of a key. Without them SQLite
 * assumes that all index columns are equally selective and walks a subtree by scanning the whole tree at each level,
 * which makes deletes quadratic. ANALYZE would capture one moment of one user; these numbers always give the same plans
 * to everybody.
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

/** The version since which lists are stored as rows. */
export const rowsVersion = 7;

/** The version since which the search index deletes exactly. */
export const exactSearchVersion = 6;

/** The state of an unused index, for a file from before that version that is opened read-only. */
export const staleSearchState = 'CREATE TEMP TABLE search_state AS SELECT 1 AS id, 0 AS change_id, 0 AS from_place';

/**
 * What may remain in the file after a purge: `pages` if pages were freed by a version that did not zero them, so that
 * the file must be rewritten once; `log` if the write-ahead log could not be emptied because of other readers.
 */
const residueSchema: readonly string[] = [
  `CREATE TABLE residue (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    pages INTEGER NOT NULL CHECK (pages IN (0, 1)),
    log INTEGER NOT NULL CHECK (log IN (0, 1))
  )`,
  "INSERT INTO residue (id, pages, log) SELECT 1, EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'change'), 0",
];

/** Every version in order; a released one is never changed. */
const migrations: readonly SqliteMigration[] = [
  { version: 1, statements: [...schema(sqliteDialect), ...searchSchema, ...statistics] },
  {
    version: 2,
    // A covering index for walks along a known history: without it the page of every message, text included, is read to
    // get its id.
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
    // The rows of former lists are in no commit that the index would still read.
    statements: ['UPDATE search_state SET from_place = 0 WHERE from_place IS NULL'],
    fill: () => storeListsAsRows(sqliteDialect),
  },
  { version: 8, statements: sealedRecords(sqliteDialect) },
  { version: 9, statements: blobWaiting(sqliteDialect) },
];

/** The table version that this program writes. */
export const schemaVersion = migrations.reduce((newest, { version }) => Math.max(newest, version), 0);

function pragma(connection: SqliteConnection, name: string): number {
  return Number(connection.all(`PRAGMA ${name}`)[0]?.[name]);
}

/** Returns the schema version of a file, and whether it is empty; throws if it is not ours or newer. */
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

/** Updates the schema in one transaction, after a backup of existing data. */
export function migrateSqlite(connection: SqliteConnection, place: string): void {
  const { version, empty } = schemaVersionOf(connection, place);
  if (version === schemaVersion) return;
  if (!empty) backUpBefore(connection, place, version);
  failpoint('migrate-begin');
  connection.database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have been faster while this one waited for the lock.
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
    // SQLite has already rolled back; the original error is reported.
  }
}

function backUpBefore(connection: SqliteConnection, place: string, version: number): void {
  const copy = `${place}.before-schema-${schemaVersion}-from-${version}.bak`;
  if (existsSync(copy)) return;
  makePrivateFile(copy);
  connection.run('VACUUM INTO $1', copy);
}

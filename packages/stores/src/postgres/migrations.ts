/**
 * Creates the tables of a PostgreSQL store by numbered migrations. The first process that opens an older database runs
 * them.
 */
import { AppError, refusalKinds } from '@coppice/core';
import { addBlobObjectSql } from '../sql/attachment-objects.ts';
import { backfillNodeCopies } from '../sql/copies.ts';
import type { MigrationProgress } from '../sql/number-rows.ts';
import { execute, queryRow, queryRows, readTextColumn, type SqlTask } from '../sql/query.ts';
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
import { createIndexSql, type TableIndex } from './build-indexes.ts';
import { postgresDialect } from './dialect.ts';
import {
  dividedCheckStatements,
  feedPositionStatements,
  ownerFeedIndex,
  writerCheckStatements,
} from './feed-positions.ts';
import { numberPostgresRows } from './number-rows.ts';
import { commitPositionIndex, ownerGateStatements } from './owner-gate.ts';
import { decideSchemaAccess, readSchemaVersion } from './schema-version.ts';
import { sharedStateStatements } from './shared-state.ts';

/** One migration. After a release it is never edited; a later migration changes its result. */
export interface PostgresMigration {
  readonly version: number;
  readonly statements: readonly string[];
  /** Indexes of tables that may be large. On an existing database they are built concurrently, after the migration. */
  readonly indexes?: readonly TableIndex[];
  /**
   * The oldest programs that can still read and write afterwards, by the newest version that they know. By default only
   * programs that know this migration. Required for every migration after the first release.
   */
  readonly oldest?: { readonly reader: number; readonly writer: number };
  /** Fills new tables or columns from existing rows. */
  readonly fill?: (progress: MigrationProgress) => SqlTask<void>;
}

// The tables `tree` and `node` refer to each other, so this foreign key is added when both exist.
const activeKey = /,\s*(FOREIGN KEY \(id, active_node_id\) REFERENCES node [^\n]*)/;

function createTableStatements(): string[] {
  const statements: string[] = [];
  let later: string | undefined;
  for (const statement of createSchemaSql(postgresDialect)) {
    later ??= activeKey.exec(statement)?.[1];
    statements.push(statement.replace(activeKey, ''));
  }
  if (later === undefined) throw new Error('The tables name no key for the active node.');
  return [...statements, `ALTER TABLE tree ADD CONSTRAINT tree_active ${later}`];
}

/** The number of log positions per transaction, before version 10. */
const commitsPerTransaction = 4096;

/** Statements for tables and functions that only PostgreSQL has. */
const own: readonly string[] = [
  // The planner would prefer this index to another one with the same first columns, and read all removed nodes at every
  // level of a removed subtree.
  'DROP INDEX node_removed',
  'CREATE INDEX node_removed ON node (tree_id, removed_in, parent_id) WHERE removed_in IS NOT NULL',
  // Before version 10, log positions were made from transaction ids.
  'CREATE UNIQUE INDEX change_place ON change (id)',
  'CREATE INDEX change_feed ON change (owner, id)',
  // Written in PL/pgSQL, whose plans every server caches. Servers before version 18 plan an SQL function at each call.
  `CREATE FUNCTION change_place() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
    DECLARE first BIGINT := CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT) * ${commitsPerTransaction};
    BEGIN RETURN first + (SELECT count(*) FROM change WHERE id >= first AND id < first + ${commitsPerTransaction}); END
  $$`,
  'ALTER TABLE change ALTER COLUMN id SET DEFAULT change_place()',
  // The texts for search, in lower case. Each search first copies the texts that are new since the last one. A purge
  // deletes them through the foreign key. The node table tells whether a node is live.
  `CREATE TABLE search_text (
    tree_id TEXT COLLATE "C" NOT NULL,
    node_id TEXT COLLATE "C" NOT NULL,
    seq BIGINT NOT NULL,
    role TEXT COLLATE "C" NOT NULL,
    created_at DOUBLE PRECISION NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (tree_id, node_id),
    FOREIGN KEY (tree_id, node_id) REFERENCES node (tree_id, id) ON DELETE CASCADE
  )`,
  `CREATE TABLE search_mark (
    tree_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    version BIGINT NOT NULL,
    FOREIGN KEY (tree_id) REFERENCES tree (id) ON DELETE CASCADE
  )`,
];

/**
 * Ensures that only a root may have the id of its tree. No index covers two tables, so two concurrent transactions
 * would not see each other. A new tree therefore reserves its id in the node table until its transaction ends. A
 * transaction that inserts a node with that id waits, and then checks whether the tree exists.
 */
const oneIdEach: readonly string[] = [
  `CREATE FUNCTION tree_holds_id() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO node (tree_id, id, position, seq, kind, role, status, group_id, created_at, tokens, added_in, content_in,
      removed_in, content, meta, meta_in) VALUES (NEW.id, NEW.id, '', 0, 'root', 'root', 'success', 0, 0, 0, 0, 0, 0, '[]', '{}', 0);
    DELETE FROM node WHERE tree_id = NEW.id AND id = NEW.id AND removed_in = 0;
    RETURN NULL;
  END $$`,
  'CREATE TRIGGER tree_holds_id AFTER INSERT ON tree FOR EACH ROW EXECUTE FUNCTION tree_holds_id()',
  `CREATE FUNCTION node_is_no_tree() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT 1 FROM tree WHERE id = NEW.id) AND (NEW.tree_id <> NEW.id OR NEW.parent_id IS NOT NULL) THEN
      RAISE unique_violation USING MESSAGE = 'a tree has this id', CONSTRAINT = 'node_id';
    END IF;
    RETURN NULL;
  END $$`,
  'CREATE TRIGGER node_is_no_tree AFTER INSERT ON node FOR EACH ROW EXECUTE FUNCTION node_is_no_tree()',
];

export const postgresMigrations: readonly PostgresMigration[] = [
  { version: 1, statements: [...createTableStatements(), ...own] },
  { version: 2, statements: [addShareVersionSql(postgresDialect)] },
  { version: 3, statements: createBlobPutSql(postgresDialect) },
  { version: 4, statements: createLinearNodesSql(postgresDialect) },
  { version: 5, statements: oneIdEach },
  { version: 6, statements: createNodeCopiesSql(postgresDialect), fill: () => backfillNodeCopies(postgresDialect) },
  // Empty: the migration to row numbers stores lists as rows.
  { version: 7, statements: [] },
  { version: 8, statements: createSealedRecordsSql(postgresDialect) },
  { version: 9, statements: addBlobWaitingSql(postgresDialect) },
  { version: 10, statements: feedPositionStatements, indexes: [ownerFeedIndex] },
  { version: 11, statements: [], fill: numberPostgresRows },
  { version: 12, statements: [...ownerGateStatements, ...dividedCheckStatements], indexes: [commitPositionIndex] },
  { version: 13, statements: createLogStartSql(postgresDialect) },
  { version: 14, statements: writerCheckStatements },
  { version: 15, statements: sharedStateStatements, oldest: { reader: 14, writer: 14 } },
  { version: 16, statements: addBlobObjectSql(postgresDialect), oldest: { reader: 14, writer: 14 } },
];

/** The indexes that are built concurrently on an existing database. */
export const concurrentIndexes: readonly TableIndex[] = postgresMigrations.flatMap(({ indexes }) => indexes ?? []);

// The key of the advisory lock for migrations, which is valid within one database.
const lockNumber = 0x636f_7070;

/** Returns the oldest programs that may use the tables after all migrations of a list. */
function oldestPrograms(list: readonly PostgresMigration[]): { readonly reader: number; readonly writer: number } {
  let [reader, writer] = [0, 0];
  for (const { version, oldest } of list) {
    reader = Math.max(reader, oldest?.reader ?? version);
    writer = Math.max(writer, oldest?.writer ?? version);
  }
  return { reader, writer };
}

/**
 * Migrates the tables in the current transaction, completely or not at all. A lock ensures that one process does it; a
 * process that waited for the lock finds nothing left to do. Returns the version before the migration.
 */
export function* migratePostgres(
  place: string,
  list: readonly PostgresMigration[] = postgresMigrations,
  progress: MigrationProgress = () => undefined,
): SqlTask<number> {
  // Copying large tables takes longer than the timeouts of requests, and other processes wait for it.
  yield* execute(
    "SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true), set_config('coppice.lock', current_setting('lock_timeout'), true), set_config('lock_timeout', '0', true)",
  );
  yield* execute('SELECT pg_advisory_xact_lock($1)', lockNumber);
  yield* execute("SELECT set_config('lock_timeout', current_setting('coppice.lock'), true)");
  yield* execute('CREATE TABLE IF NOT EXISTS coppice_schema (version BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL)');
  const schema = yield* readSchemaVersion();
  const before = schema?.version ?? 0;
  const newest = list.reduce((most, { version }) => Math.max(most, version), 0);
  // Another process may have updated the tables beyond this program's version while it waited for the lock.
  if (schema !== null) decideSchemaAccess(schema, place, newest);
  if (before > newest) return before;
  if (before === 0) yield* refuseForeign(place);
  if (before > 0 && before < newest) yield* lockTables();
  for (const { version, statements, indexes = [], fill } of list) {
    if (version <= before) continue;
    for (const statement of statements) yield* execute(statement);
    if (before === 0) for (const index of indexes) yield* execute(createIndexSql(index));
    if (fill !== undefined) yield* fill(progress);
  }
  if (before === newest) return before;
  const oldest = oldestPrograms(list);
  yield* execute(
    'ALTER TABLE coppice_schema ADD COLUMN IF NOT EXISTS oldest_reader BIGINT, ADD COLUMN IF NOT EXISTS oldest_writer BIGINT',
  );
  yield* execute('DELETE FROM coppice_schema');
  yield* execute(
    'INSERT INTO coppice_schema (version, at, oldest_reader, oldest_writer) SELECT $1, now(), $2, $3',
    newest,
    oldest.reader,
    oldest.writer,
  );
  // Commits compare this column, so that a program that is already running stops writing when it has become too old.
  if (yield* hasWriterCheck()) yield* execute('UPDATE feed_epoch SET oldest_writer = $1', oldest.writer);
  return before;
}

/** Whether the tables have the check of version 14. Tests migrate shorter lists. */
function* hasWriterCheck(): SqlTask<boolean> {
  const found = yield* queryRow(
    "SELECT 1 AS yes FROM pg_attribute WHERE attrelid = to_regclass('feed_epoch') AND attname = 'oldest_writer'",
  );
  return found !== undefined;
}

/**
 * Locks the tables before anything is changed. While a transaction waits for such a lock, all later readers wait too.
 * So the wait is short; a caller that does not get the lock rolls back and tries again.
 */
function* lockTables(): SqlTask<void> {
  const tables = yield* queryRows(
    `SELECT quote_ident(c.relname) AS name FROM pg_class c WHERE c.relnamespace = to_regnamespace(current_schema())
    AND c.relkind = 'r' AND c.relname IN ('tree', 'node', 'change') ORDER BY 1`,
  );
  if (tables.length > 0)
    yield* execute(
      `LOCK TABLE ${tables.map((row) => readTextColumn(row, 'name')).join(', ')} IN ACCESS EXCLUSIVE MODE`,
    );
}

/** Throws if the database has tables with the same names that Coppice did not create. */
function* refuseForeign(place: string): SqlTask<void> {
  const other = yield* queryRow(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = to_regnamespace(current_schema())
    AND c.relname IN ('tree', 'node', 'change', 'bookmark', 'blob') LIMIT 1`,
  );
  if (other === undefined) return;
  throw new AppError({
    code: 'store/damaged',
    kind: refusalKinds['store/damaged'],
    message: `The database ${place} has a table '${String(other.name)}' that Coppice did not create. Use a separate database or schema for Coppice.`,
    data: { table: String(other.name) },
  });
}

/**
 * Creates the trigram extension if necessary, and returns the index for fast search; null if the server does not offer
 * trigrams. If no texts are stored yet, the index is created at once.
 */
export function* prepareTrigramIndex(): SqlTask<TableIndex | null> {
  const offered = yield* queryRow("SELECT 1 AS yes FROM pg_available_extensions WHERE name = 'pg_trgm'");
  if (offered === undefined) return null;
  yield* execute('SELECT pg_advisory_xact_lock($1)', lockNumber);
  // The extension goes into a schema that all buckets of the database can use.
  const shared = yield* queryRow("SELECT 1 AS yes WHERE to_regnamespace('public') IS NOT NULL");
  yield* execute(`CREATE EXTENSION IF NOT EXISTS pg_trgm${shared === undefined ? '' : ' SCHEMA public'}`);
  const home = yield* queryRow(
    `SELECT quote_ident(n.nspname) AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'`,
  );
  const ops = `${readTextColumn(home ?? { schema: 'public' }, 'schema')}.gin_trgm_ops`;
  const index = { name: 'search_text_trigrams', table: 'search_text', definition: `USING gin (text ${ops})` };
  const isFilled = yield* queryRow('SELECT 1 AS yes FROM search_text LIMIT 1');
  if (isFilled === undefined && !(yield* hasTrigramIndex())) yield* execute(createIndexSql(index));
  return index;
}

/** Whether the index for fast search exists and is valid. */
export function* hasTrigramIndex(): SqlTask<boolean> {
  const found = yield* queryRow(
    "SELECT 1 AS yes FROM pg_index WHERE indexrelid = to_regclass('search_text_trigrams') AND indisvalid",
  );
  return found !== undefined;
}

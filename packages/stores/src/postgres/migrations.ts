/** The tables of a PostgreSQL store, made and changed in numbered steps, each once, whoever comes first. */
import { AppError, refusalKinds } from '@coppice/core';
import { enterCopies } from '../sql/copies.ts';
import { storeListsAsRows } from '../sql/linear-form.ts';
import { execute, queryRow, type SqlTask, sqlNumber } from '../sql/query.ts';
import { blobPut, linearNodes, nodeCopies, schema, shareVersion } from '../sql/schema.ts';
import { postgresDialect } from './dialect.ts';

/** One change of the tables. A published one is never edited: a later number changes what it made. */
export interface PostgresMigration {
  readonly version: number;
  readonly statements: readonly string[];
  /** What is made of the rows that are there. */
  readonly fill?: () => SqlTask<void>;
}

// The active node points at the node table, whose rows point back: the key is added when both tables are there.
const activeKey = /,\s*(FOREIGN KEY \(id, active_node_id\) REFERENCES node [^\n]*)/;

function tables(): string[] {
  const statements: string[] = [];
  let later: string | undefined;
  for (const statement of schema(postgresDialect)) {
    later ??= activeKey.exec(statement)?.[1];
    statements.push(statement.replace(activeKey, ''));
  }
  if (later === undefined) throw new Error('The tables name no key for the active node.');
  return [...statements, `ALTER TABLE tree ADD CONSTRAINT tree_active ${later}`];
}

/** How many places of the log one transaction has. */
export const commitsPerTransaction = 4096;

/** What PostgreSQL's tables have beside the shared ones. */
const own: readonly string[] = [
  // Led by the same columns as another index and no more selective, it would be taken for walks down a removed subtree
  // and find all that was removed at every level.
  'DROP INDEX node_removed',
  'CREATE INDEX node_removed ON node (tree_id, removed_in, parent_id) WHERE removed_in IS NOT NULL',
  // A sequence gives numbers before their transactions end, so a later number may be seen first and a reader would pass
  // over the earlier one. The transaction's own number leads here instead: below the oldest running one the log is
  // complete, and what is read in the order of these places has no gap. 4,096 commits fit into one transaction.
  'CREATE UNIQUE INDEX change_place ON change (id)',
  'CREATE INDEX change_feed ON change (owner, id)',
  // In PL/pgSQL, whose plans every server keeps; before 18 a function in SQL is planned at each call.
  `CREATE FUNCTION change_place() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
    DECLARE first BIGINT := CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT) * ${commitsPerTransaction};
    BEGIN RETURN first + (SELECT count(*) FROM change WHERE id >= first AND id < first + ${commitsPerTransaction}); END
  $$`,
  'ALTER TABLE change ALTER COLUMN id SET DEFAULT change_place()',
  // What search looks through, in lower case: filled behind the commits and complete before a search answers. A purge
  // takes the texts along by the key; that a node is live is asked of the node itself.
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
 * A tree's own id is no node's, but for its root's. No index spans two tables, so that two transactions at the same moment
 * would not see each other. A new tree therefore holds its id among those of the nodes until its transaction ends: who
 * inserts a node of that id waits for it, or is waited for, and then looks whether there is such a tree.
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

/** Every change of the tables, in order. */
const migrations: readonly PostgresMigration[] = [
  { version: 1, statements: [...tables(), ...own] },
  { version: 2, statements: [shareVersion(postgresDialect)] },
  { version: 3, statements: blobPut(postgresDialect) },
  { version: 4, statements: linearNodes(postgresDialect) },
  { version: 5, statements: oneIdEach },
  { version: 6, statements: nodeCopies(postgresDialect), fill: () => enterCopies(postgresDialect) },
  { version: 7, statements: [], fill: () => storeListsAsRows(postgresDialect) },
];

/** The version of the tables that this program writes. */
export const newestVersion = migrations.reduce((newest, { version }) => Math.max(newest, version), 0);

// One number for all of Coppice; advisory locks are a database's own, so other databases do not wait.
const lockNumber = 0x636f_7070;

const isThere = "SELECT to_regclass('coppice_schema') IS NOT NULL AS there";

/** The version of the tables, 0 where there are none. */
export function* schemaVersion(): SqlTask<number> {
  const found = yield* queryRow(isThere);
  if (found?.there !== true) return 0;
  const at = yield* queryRow('SELECT version FROM coppice_schema');
  return at === undefined ? 0 : sqlNumber(at, 'version');
}

/** Refuses tables of a program newer than this one. */
export function refuseNewer(version: number, place: string, known = newestVersion): void {
  if (version <= known) return;
  throw new AppError({
    code: 'store/newer',
    kind: refusalKinds['store/newer'],
    message: `The database ${place} has tables of version ${version}; this program knows versions up to ${known}. Use a newer program.`,
    data: { version, known },
  });
}

/**
 * Brings the tables up to date in the transaction that it runs in, under a lock that only one at a time holds: all of
 * it or nothing. Whoever waited for the lock finds nothing left to do. Answers the version before.
 */
export function* migratePostgres(place: string, list: readonly PostgresMigration[] = migrations): SqlTask<number> {
  yield* execute('SELECT pg_advisory_xact_lock($1)', lockNumber);
  yield* execute('CREATE TABLE IF NOT EXISTS coppice_schema (version BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL)');
  const before = yield* schemaVersion();
  const newest = list.reduce((most, { version }) => Math.max(most, version), 0);
  refuseNewer(before, place, newest);
  if (before === 0) yield* refuseForeign(place);
  for (const { version, statements, fill } of list) {
    if (version <= before) continue;
    for (const statement of statements) yield* execute(statement);
    if (fill !== undefined) yield* fill();
  }
  if (before === newest) return before;
  yield* execute('DELETE FROM coppice_schema');
  yield* execute('INSERT INTO coppice_schema (version, at) SELECT $1, now()', newest);
  return before;
}

/** Tables of somebody else are never built upon. */
function* refuseForeign(place: string): SqlTask<void> {
  const other = yield* queryRow(
    `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = to_regnamespace(current_schema())
    AND c.relname IN ('tree', 'node', 'change', 'bookmark', 'blob') LIMIT 1`,
  );
  if (other === undefined) return;
  throw new AppError({
    code: 'store/damaged',
    kind: refusalKinds['store/damaged'],
    message: `The database ${place} has a table '${String(other.name)}' that is not Coppice's. Give Coppice a database or a schema of its own.`,
    data: { table: String(other.name) },
  });
}

/** Tries to make the index that search is fast with; false where the server does not offer trigrams. */
export function* trigramIndex(): SqlTask<boolean> {
  const offered = yield* queryRow("SELECT 1 AS yes FROM pg_available_extensions WHERE name = 'pg_trgm'");
  if (offered === undefined) return false;
  yield* execute('SELECT pg_advisory_xact_lock($1)', lockNumber);
  yield* execute('CREATE EXTENSION IF NOT EXISTS pg_trgm');
  yield* execute('CREATE INDEX IF NOT EXISTS search_text_trigrams ON search_text USING gin (text gin_trgm_ops)');
  return true;
}

/** Whether the index is there. */
export function* hasTrigramIndex(): SqlTask<boolean> {
  return (yield* queryRow("SELECT 1 AS yes WHERE to_regclass('search_text_trigrams') IS NOT NULL")) !== undefined;
}

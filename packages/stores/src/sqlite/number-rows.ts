/**
 * The migration to row numbers, in one transaction: trees, nodes and log are copied into new tables, and the old tables
 * are dropped. Damaged rows are copied unchanged; a check finds and repairs them afterwards.
 */
import { storeFormerLinearConversations } from '../sql/linear-form.ts';
import {
  countAllNodes,
  type MigrationProgress,
  makeCreationNumbersUnique,
  readFormerLinearConversations,
} from '../sql/number-rows.ts';
import {
  buildNodeForeignKeys,
  createNodeTableSql,
  nodeIndexStatements,
  nodeTableColumns,
  publicViewStatements,
} from '../sql/numbered-schema.ts';
import { nodeNumbersPerTree } from '../sql/numbers.ts';
import { execute, queryRow, queryRows, readNumberColumn, type SqlTask } from '../sql/query.ts';
import { sqliteDialect } from './dialect.ts';
import { clearSearchIndex } from './search.ts';

const treeColumns =
  'id, owner, root_id, version, structure_version, active_node_id, next_seq, created_at, updated_at, project, folder, title, pinned, trashed_at, forest_key, attributes, aliases, format';
const changeColumns = 'id, tree_id, version, act_id, actor, at, kind, seq, structural, is_act, steps, owner';

const newTables: readonly string[] = [
  `CREATE TABLE tree_numbered (
    no INTEGER NOT NULL PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    owner TEXT NOT NULL,
    root_id TEXT NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 0),
    structure_version INTEGER NOT NULL CHECK (structure_version <= version),
    active_node_id TEXT,
    next_seq INTEGER NOT NULL,
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    project TEXT NOT NULL,
    folder TEXT,
    title TEXT,
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    trashed_at REAL,
    forest_key TEXT,
    attributes TEXT NOT NULL,
    aliases INTEGER NOT NULL DEFAULT 0,
    format TEXT NOT NULL DEFAULT 'tree' CHECK (format IN ('tree', 'linear')),
    CHECK (active_node_id IS NULL OR active_node_id <> root_id)
  )`,
  createNodeTableSql(sqliteDialect, 'node_numbered', buildNodeForeignKeys('node_numbered', 'tree_numbered')),
  // AUTOINCREMENT is not used, because its counter would write one more page per commit. The trigger `change_end` keeps
  // ids unique instead.
  `CREATE TABLE change_numbered (
    id INTEGER NOT NULL PRIMARY KEY,
    tree_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    act_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    at REAL NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('do', 'undo', 'redo')),
    seq INTEGER NOT NULL,
    structural INTEGER NOT NULL CHECK (structural IN (0, 1)),
    is_act INTEGER NOT NULL CHECK (is_act IN (0, 1)),
    steps TEXT NOT NULL,
    owner TEXT NOT NULL
  )`,
];

// Nodes whose tree is missing get a tree number that no tree has.
const numberTrees: readonly string[] = [
  `INSERT INTO tree_numbered (${treeColumns}) SELECT ${treeColumns} FROM tree ORDER BY rowid`,
  'CREATE TEMP TABLE tree_number (id TEXT NOT NULL PRIMARY KEY, no INTEGER NOT NULL) WITHOUT ROWID',
  'INSERT INTO tree_number SELECT id, no FROM tree_numbered',
  `INSERT INTO tree_number SELECT tree_id, (SELECT coalesce(max(no), 0) FROM tree_numbered) + row_number() OVER (ORDER BY tree_id)
    FROM (SELECT DISTINCT tree_id FROM node) WHERE tree_id NOT IN (SELECT id FROM tree_numbered)`,
  'CREATE TEMP TABLE node_number (id TEXT NOT NULL PRIMARY KEY, no INTEGER NOT NULL) WITHOUT ROWID',
  `INSERT OR IGNORE INTO node_number SELECT n.id, t.no * ${nodeNumbersPerTree} + n.seq FROM node n JOIN tree_number t ON t.id = n.tree_id`,
];

const numberFor = (column: string): string => `(SELECT m.no FROM node_number m WHERE m.id = n.${column})`;
// A parent id without a row gets the highest number of the tree, which no node has, so the parent stays missing.
const parentNo = `CASE WHEN n.parent_id IS NOT NULL THEN coalesce(${numberFor('parent_id')},
  s.no / ${nodeNumbersPerTree} * ${nodeNumbersPerTree} + ${nodeNumbersPerTree - 1}) END`;
const copyNodes = `INSERT INTO node_numbered (${nodeTableColumns})
  SELECT s.no, n.id, ${parentNo}, CASE WHEN n.parent_id IS NULL AND n.kind = 'root' THEN s.no / ${nodeNumbersPerTree} END,
    n.position, n.kind, n.role, n.status, n.group_id, n.created_at, ${numberFor('match_parent')}, n.equality_key, n.tokens, n.added_in,
    n.content_in, n.removed_in, ${numberFor('last_child_id')}, n.tool_call_id, n.meta_in, n.meta, n.marker, n.search_text, n.content
  FROM node n JOIN node_number s ON s.id = n.id WHERE n.rowid > $1 AND n.rowid <= $2`;
const rowsAtOnce = 5_000;

const exchangeTables: readonly string[] = [
  `INSERT INTO change_numbered (${changeColumns}) SELECT ${changeColumns} FROM change ORDER BY id`,
  'DROP TABLE temp.node_number',
  'DROP TABLE temp.tree_number',
  'DROP VIEW v_node',
  'DROP VIEW v_conversation',
  'DROP TRIGGER node_forgotten',
  'DROP TABLE IF EXISTS linear_node',
  'DROP TABLE node',
  'DROP TABLE tree',
  'DROP TABLE change',
  'ALTER TABLE tree_numbered RENAME TO tree',
  'ALTER TABLE node_numbered RENAME TO node',
  'ALTER TABLE change_numbered RENAME TO change',
  ...nodeIndexStatements,
  'CREATE UNIQUE INDEX tree_forest ON tree (owner, project, forest_key) WHERE forest_key IS NOT NULL AND trashed_at IS NULL',
  'CREATE INDEX tree_recent ON tree (owner, updated_at, id)',
  'CREATE UNIQUE INDEX change_version ON change (tree_id, version)',
  'CREATE INDEX change_act ON change (act_id)',
  ...publicViewStatements,
];

const isActive = (tree: string, node: string): string =>
  `EXISTS (SELECT 1 FROM node n WHERE n.id = ${node} AND n.no / ${nodeNumbersPerTree} = ${tree})`;
const refuseActive = "BEGIN SELECT RAISE(ABORT, 'the active node of a tree is one of its nodes'); END";

/**
 * The triggers of the new tables. Those for the active node replace a foreign key, which would search all trees for
 * every deleted node.
 */
const triggers: readonly string[] = [
  `CREATE TRIGGER tree_active_set BEFORE UPDATE OF active_node_id ON tree
    WHEN new.active_node_id IS NOT NULL AND NOT ${isActive('new.no', 'new.active_node_id')} ${refuseActive}`,
  `CREATE TRIGGER tree_active_new AFTER INSERT ON tree
    WHEN new.active_node_id IS NOT NULL AND NOT ${isActive('new.no', 'new.active_node_id')} ${refuseActive}`,
  `CREATE TRIGGER node_active BEFORE DELETE ON node
    WHEN EXISTS (SELECT 1 FROM tree t WHERE t.no = old.no / ${nodeNumbersPerTree} AND t.active_node_id = old.id) ${refuseActive}`,
  // If a row is deleted while it is still in the index, for example by hand, its number may be assigned again, so the
  // index must be rebuilt.
  `CREATE TRIGGER node_forgotten AFTER DELETE ON node WHEN EXISTS (SELECT 1 FROM node_indexed WHERE place = old.no)
    BEGIN UPDATE search_state SET from_place = -1; END`,
  // Ids of the log must not be assigned again, because cursors of feeds contain them. If the newest row is deleted, an
  // empty row with the next id takes its place.
  `CREATE TRIGGER change_end BEFORE DELETE ON change WHEN old.id = (SELECT max(id) FROM change) AND old.tree_id <> ''
    BEGIN INSERT INTO change (${changeColumns}) VALUES (old.id + 1, '', old.id + 1, '', '', 0, 'do', 0, 0, 0, '[]', ''); END`,
];

/**
 * Fixed statistics for the query planner: the number of rows per index, and how many rows share the first columns of a
 * key. Without them, SQLite assumes that all columns are equally selective and scans the whole tree at each level of a
 * subtree, which makes deletes quadratic. ANALYZE would measure the data of one moment; with fixed numbers the query
 * plans never change.
 */
const shape: readonly (readonly [table: string, index: string, rows: string])[] = [
  ['node', 'node_id', '1000000 1'],
  ['node', 'node_place', '1000000 2 1 1'],
  ['node', 'node_match', '1000000 2 1 1'],
  ['node', 'node_group', '100000 4 3'],
  ['node', 'node_removed', '100000 2000 500'],
  ['node', 'node_pending', '20 2'],
  ['node', 'node_root', '1000 1'],
  ['tree', 'sqlite_autoindex_tree_1', '1000 1'],
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

/** Copies trees, nodes and log into tables with row numbers, and drops the old tables. */
export function* numberSqliteRows(progress: MigrationProgress): SqlTask<void> {
  const columns = yield* queryRows("SELECT 1 FROM pragma_table_info('tree') WHERE name = 'linear_form'");
  const lists = yield* readFormerLinearConversations(columns.length > 0);
  yield* makeCreationNumbersUnique();
  for (const sql of [...newTables, ...numberTrees]) yield* execute(sql);
  const total = yield* countAllNodes();
  const [last = {}] = yield* queryRows('SELECT coalesce(max(rowid), 0) AS n FROM node');
  let done = 0;
  for (let after = 0; after < readNumberColumn(last, 'n'); after += rowsAtOnce) {
    done += yield* execute(copyNodes, after, after + rowsAtOnce);
    progress(done, total);
  }
  const end = yield* queryRow("SELECT seq FROM sqlite_sequence WHERE name = 'change'");
  for (const sql of [...exchangeTables, ...triggers]) yield* execute(sql);
  if (end !== undefined) yield* keepLogEnd(readNumberColumn(end, 'seq'));
  yield* storeFormerLinearConversations(sqliteDialect, lists);
  // The old index refers to the row ids of the old tables.
  yield* clearSearchIndex();
  // The free pages still contain the old rows, so the file is rewritten when no other process uses it.
  if (total > 0) yield* execute('UPDATE residue SET pages = 1');
  for (const sql of statistics) yield* execute(sql);
}

/** Keeps the highest id of the log in use, if its commit was purged. */
function* keepLogEnd(end: number): SqlTask<void> {
  yield* execute(
    `INSERT INTO change (${changeColumns}) SELECT $1, '', $1, '', '', 0, 'do', 0, 0, 0, '[]', ''
    WHERE $1 > (SELECT coalesce(max(id), 0) FROM change)`,
    end,
  );
}

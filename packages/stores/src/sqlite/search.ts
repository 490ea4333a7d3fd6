/**
 * Full-text search with a trigram index. The index is filled from the log in batches, so that writes stay fast. It is
 * updated before every search, so that a search finds every acknowledged message.
 */
import { isAppError, type Role, type TreeId, treeId } from '@coppice/core';
import { encodeColumnText } from '../sql/exact-text.ts';
import { nodesWrittenBy } from '../sql/log.ts';
import { inTreeByIdSql, inTreeSql, nodeNumbersPerTree, treeNoSql } from '../sql/numbers.ts';
import {
  execute,
  queryRow,
  queryRows,
  readNumberColumn,
  readNumberColumnOrNull,
  readTextColumn,
  type SqlParameter,
  type SqlRow,
  type SqlTask,
} from '../sql/query.ts';
import { messageOfRow, searchTextOf } from '../sql/rows.ts';
import {
  type HitSortKey,
  hitOfRow,
  hitsAfterSql,
  type NumberedHit,
  type SearchRequest,
  searchCandidateColumns,
  searchCandidateOrder,
} from '../sql/search.ts';
import type { SqliteConnection } from './driver.ts';

// The index stores no texts and deletes entries exactly: a row is removed together with its trigrams. An index that
// only marks deleted rows would keep the trigrams, and the text could be reconstructed from them.
const indexTable = `CREATE VIRTUAL TABLE node_text USING fts5(text, content='', tokenize='trigram case_sensitive 0')`;

/** The statements for the index of version 1, which only marked deleted rows. */
export const firstSearchSchemaSql: readonly string[] = [
  `CREATE VIRTUAL TABLE node_text USING fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 0')`,
  'CREATE TABLE search_state (id INTEGER PRIMARY KEY CHECK (id = 1), change_id INTEGER NOT NULL)',
  'INSERT INTO search_state (id, change_id) VALUES (1, 0)',
  'CREATE TRIGGER node_forgotten AFTER DELETE ON node BEGIN DELETE FROM node_text WHERE rowid = old.rowid; END',
];

/**
 * The statements for the index with exact deletes, which needs the old text of a row to delete it. `node_indexed` has a
 * hash of that text for each row, to check it. `from_place` is the last row that a new index contains: null if the
 * index is complete, and -1 if it must be rebuilt.
 */
export const exactSearchSchemaSql: readonly string[] = [
  'DROP TRIGGER node_forgotten',
  'DROP TABLE node_text',
  indexTable,
  'CREATE TABLE node_indexed (place INTEGER PRIMARY KEY, sum TEXT NOT NULL)',
  'ALTER TABLE search_state ADD COLUMN from_place INTEGER',
  'UPDATE search_state SET from_place = 0, change_id = coalesce((SELECT max(id) FROM change), 0)',
  // If a row is deleted while it is still in the index, for example by hand, its row id may be assigned again, so the
  // index must be rebuilt.
  `CREATE TRIGGER node_forgotten AFTER DELETE ON node WHEN EXISTS (SELECT 1 FROM node_indexed WHERE place = old.rowid)
    BEGIN UPDATE search_state SET from_place = -1; END`,
];

const batch = 500;
const shortest = 3;
// Deleting one text exactly takes as long as indexing this many texts, so a large purge rebuilds the index instead.
const exactDeleteCost = 50;

/** Whether the index does not contain all messages yet: a new index is not filled, or the log has newer commits. */
export function isSearchIndexBehind(connection: SqliteConnection): boolean {
  const [state = {}] = connection.all(
    'SELECT from_place IS NOT NULL OR change_id < coalesce((SELECT max(id) FROM change), 0) AS behind FROM search_state',
  );
  return readNumberColumn(state, 'behind') === 1;
}

/**
 * Adds one batch to the index: first rows that a new index lacks, then new commits of the log. Removed messages stay in
 * the index until they are purged; a search filters them out.
 */
export function* updateSearchIndex(): SqlTask<void> {
  const state = yield* queryRow('SELECT change_id, from_place FROM search_state');
  const place = state === undefined ? null : readNumberColumnOrNull(state, 'from_place');
  if (place !== null && place < 0) return yield* clearSearchIndex();
  if (place !== null) return yield* fillAfter(place);
  const changes = yield* queryRows(
    'SELECT id, steps FROM change WHERE id > (SELECT change_id FROM search_state) ORDER BY id LIMIT $1',
    batch,
  );
  for (const change of changes) for (const id of nodesWrittenBy(change)) yield* indexOne(id);
  const last = changes[changes.length - 1];
  if (last !== undefined) yield* execute('UPDATE search_state SET change_id = $1', readNumberColumn(last, 'id'));
}

/** Reads the commits of a tree before a version into the index, before they are deleted. */
export function* indexCommitsBeforeTrim(tree: TreeId, version: number): SqlTask<void> {
  const findUnread = () =>
    queryRow(
      `SELECT 1 AS yes FROM search_state s WHERE s.from_place IS NULL
      AND s.change_id < (SELECT max(c.id) FROM change c WHERE c.tree_id = $1 AND c.version < $2)`,
      tree,
      version,
    );
  while ((yield* findUnread()) !== undefined) yield* updateSearchIndex();
}

const indexedColumns = 'n.no AS place, n.id, n.kind, n.role, n.tool_call_id, n.content, n.search_text, i.sum';
const indexedRows = `SELECT ${indexedColumns} FROM node n LEFT JOIN node_indexed i ON i.place = n.no`;

function* indexOne(id: string): SqlTask<void> {
  const found = yield* queryRow(`${indexedRows} WHERE n.id = $1`, id);
  if (found !== undefined) yield* index(found);
}

/**
 * Indexes the current text of a row. Returns false if the index was emptied, because the old text of the row is unknown
 * and its entry could not be deleted.
 */
function* index(found: SqlRow): SqlTask<boolean> {
  const said = readTextColumn(found, 'kind') === 'root' ? '' : foldText(searchTextIn(found));
  const sum = said === '' ? null : sumOf(said);
  if (sum === found['sum']) return true;
  if (found['sum'] !== null) {
    yield* exactDeletes(true);
    const known = yield* unindex(found);
    yield* exactDeletes(false);
    if (!known) yield* clearSearchIndex();
    if (!known) return false;
  }
  if (sum === null) return true;
  const place = readNumberColumn(found, 'place');
  yield* execute('INSERT INTO node_text (rowid, text) VALUES ($1, $2)', place, said);
  yield* execute('INSERT INTO node_indexed (place, sum) VALUES ($1, $2)', place, sum);
  return true;
}

/**
 * Switches the index between exact deletes and marking deleted entries. With exact deletes, inserts take twice as long.
 */
function* exactDeletes(on: boolean): SqlTask<void> {
  // Pending entries must be written with the old setting before it changes.
  if (!on) yield* execute("INSERT INTO node_text (node_text) VALUES ('flush')");
  yield* execute("INSERT INTO node_text (node_text, rank) VALUES ('secure-delete', $1)", on ? 1 : 0);
}

/** Removes a row from the index. Returns false if the text that was indexed is unknown. */
function* unindex(found: SqlRow): SqlTask<boolean> {
  const old = yield* indexedText(found);
  if (old === null) return false;
  const place = readNumberColumn(found, 'place');
  yield* execute("INSERT INTO node_text (node_text, rowid, text) VALUES ('delete', $1, $2)", place, old);
  yield* execute('DELETE FROM node_indexed WHERE place = $1', place);
  return true;
}

function* indexedText(found: SqlRow): SqlTask<string | null> {
  const now = foldText(searchTextIn(found));
  if (sumOf(now) === found['sum']) return now;
  const former = yield* queryRows(
    `SELECT content, search_text FROM node_content
    WHERE tree_id = (SELECT t.id FROM tree t WHERE t.no = $1 / ${nodeNumbersPerTree}) AND node_id = $2 ORDER BY version DESC`,
    readNumberColumn(found, 'place'),
    readTextColumn(found, 'id'),
  );
  for (const one of former) {
    const before = foldText(searchTextIn({ ...one, role: found['role'], tool_call_id: found['tool_call_id'] }));
    if (sumOf(before) === found['sum']) return before;
  }
  return null;
}

/** Removes rows that are about to be purged from the index: some nodes of a tree, or the whole tree. */
export function* removeFromSearchIndex(base: number, ids: string | null): SqlTask<void> {
  const which = ids === null ? inTreeSql('n') : `${inTreeByIdSql('n')} AND n.id IN (SELECT value FROM json_each($2))`;
  const params = ids === null ? [base] : [base, ids];
  const counted = yield* queryRow(
    `SELECT count(*) AS n, (SELECT count(*) FROM node_indexed) AS of
    FROM node n JOIN node_indexed i ON i.place = n.no WHERE ${which}`,
    ...params,
  );
  const count = counted === undefined ? 0 : readNumberColumn(counted, 'n');
  if (count === 0) return;
  if (count * exactDeleteCost > readNumberColumn(counted ?? {}, 'of')) return yield* clearSearchIndex();
  yield* exactDeletes(true);
  for (let after = -1; ; ) {
    const found = yield* queryRows(
      `${indexedRows} WHERE ${which} AND n.no > $${params.length + 1} AND i.sum IS NOT NULL ORDER BY n.no LIMIT 20`,
      ...params,
      after,
    );
    for (const one of found) {
      after = readNumberColumn(one, 'place');
      if (!(yield* unindex(one))) return yield* clearSearchIndex();
    }
    if (found.length === 0) break;
  }
  yield* exactDeletes(false);
}

/** Removes all entries. The next search fills the index again. */
export function* clearSearchIndex(): SqlTask<void> {
  yield* execute('DROP TABLE node_text');
  yield* execute(indexTable);
  yield* execute('DELETE FROM node_indexed');
  yield* execute('UPDATE search_state SET from_place = 0, change_id = coalesce((SELECT max(id) FROM change), 0)');
}

/** Indexes the next batch of rows after a row number. */
function* fillAfter(place: number): SqlTask<void> {
  const found = yield* queryRows(`${indexedRows} WHERE n.no > $1 ORDER BY n.no LIMIT ${batch}`, place);
  for (const one of found) if (!(yield* index(one))) return;
  const last = found[found.length - 1];
  yield* execute(
    'UPDATE search_state SET from_place = $1',
    last === undefined ? null : readNumberColumn(last, 'place'),
  );
}

function sumOf(said: string): string {
  // Loaded here and not at the top, because most processes never index and loading takes milliseconds.
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(encodeColumnText(said)).digest('base64url').slice(0, 22);
}

/** Rebuilds the whole index from the messages. The caller holds a write transaction. */
export function* rebuildSearchIndex(): SqlTask<void> {
  yield* clearSearchIndex();
  for (;;) {
    const state = yield* queryRow('SELECT from_place FROM search_state');
    const place = state === undefined ? null : readNumberColumnOrNull(state, 'from_place');
    if (place === null) return;
    yield* fillAfter(place);
  }
}

/** Returns the search text of a row; empty if the row is damaged. A check reports and repairs damaged rows. */
function searchTextIn(row: SqlRow): string {
  try {
    return searchTextOf(row, messageOfRow(row, readTextColumn(row, 'role') as Role));
  } catch (error) {
    if (isAppError(error) && error.code === 'store/damaged') return '';
    throw error;
  }
}

// Folds case like the scan for short terms, so that the index and the scan find the same messages. Only the two forms
// of a small sigma stay different, because existing indexes distinguish them.
function foldText(said: string): string {
  return said.toLowerCase();
}

/**
 * Finds messages. Terms of three or more characters are searched in the index; shorter terms filter its results. If the
 * index cannot be used, for example in a read-only file, every message is scanned.
 */
export function searchSqlite(connection: SqliteConnection, search: SearchRequest, indexed: boolean): NumberedHit[] {
  const parts = indexed ? search.terms.map(indexedPartsOf) : [];
  const long = parts.flat();
  return indexed && parts.every((one) => one.length > 0)
    ? indexedHits(connection, search, long)
    : scannedHits(connection, search, long);
}

/**
 * Returns the parts of a term that the index can find. The index distinguishes the two forms of a small sigma, but terms
 * do not. So the index is searched for the parts of a term between its sigmas.
 */
function indexedPartsOf(term: string): readonly string[] {
  return term.split('σ').filter((part) => [...part].length >= shortest);
}

/**
 * Returns hits by the index. Nearly all candidates are hits, so they are read in pages, and one page is usually enough.
 */
function indexedHits(connection: SqliteConnection, search: SearchRequest, long: readonly string[]): NumberedHit[] {
  const found: NumberedHit[] = [];
  const wanted = search.limit + 1;
  // The limit is part of the statement text, because SQLite prepares a statement again for each value of a limit
  // parameter. It is rounded up to a power of two, so that few different statements are cached.
  const size = 2 ** Math.ceil(Math.log2(wanted));
  for (let { after } = search; ; ) {
    const { sql, params } = candidates({ ...search, after }, long);
    const rows = connection.page(`${sql} LIMIT ${size}`, ...params);
    for (const row of rows) {
      const hit = hitOfRow(row, search.terms);
      if (hit !== null) found.push(hit);
    }
    const last = rows[rows.length - 1];
    if (last === undefined || rows.length < size || found.length > search.limit) return found.slice(0, wanted);
    after = sortKeyOfRow(last);
  }
}

/**
 * Returns hits by scanning messages. Most candidates are not hits, so they are read one by one until there are enough.
 */
function scannedHits(connection: SqliteConnection, search: SearchRequest, long: readonly string[]): NumberedHit[] {
  const { sql, params } = candidates(search, long);
  const found: NumberedHit[] = [];
  for (const row of connection.iterate(sql, ...params)) {
    const hit = hitOfRow(row, search.terms);
    if (hit !== null) found.push(hit);
    if (found.length > search.limit) break;
  }
  return found;
}

/** Builds the statement that finds candidate messages, newest first. */
function candidates(
  search: SearchRequest,
  long: readonly string[],
): { readonly sql: string; readonly params: SqlParameter[] } {
  const params: SqlParameter[] = [search.owner];
  const parameter = (value: SqlParameter): string => {
    params.push(value);
    return `$${params.length}`;
  };
  const { after } = search;
  const conditions = ['t.owner = $1', 't.trashed_at IS NULL', 'n.removed_in IS NULL', "n.kind <> 'root'"];
  let from = `node n JOIN tree t ON t.no = ${treeNoSql('n')}`;
  if (long.length > 0) {
    const phrase = long.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ');
    // CROSS JOIN fixes the join order: the index finds few rows, while an owner may have nearly all rows.
    from = `node_text f CROSS JOIN node n ON n.no = f.rowid CROSS JOIN tree t ON t.no = ${treeNoSql('n')}`;
    conditions.unshift(`node_text MATCH ${parameter(phrase)}`);
  }
  if (search.treeId !== null) conditions.push(`t.id = ${parameter(search.treeId)}`);
  if (search.project !== null) conditions.push(`t.project = ${parameter(search.project)}`);
  if (search.roles !== null)
    conditions.push(`n.role IN (SELECT value FROM json_each(${parameter(JSON.stringify(search.roles))}))`);
  if (after !== null)
    conditions.push(hitsAfterSql(parameter(after.createdAt), parameter(after.treeId), parameter(after.seq)));
  return {
    sql: `SELECT ${searchCandidateColumns} FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY ${searchCandidateOrder}`,
    params,
  };
}

function sortKeyOfRow(row: SqlRow): HitSortKey {
  return {
    createdAt: readNumberColumn(row, 'created_at'),
    treeId: treeId(readTextColumn(row, 'tree_id')),
    seq: readNumberColumn(row, 'seq'),
  };
}

/**
 * Full-text search: a trigram index that is filled from the change log in batches, so that an append does not pay for
 * it, and is brought up to the newest commit before every search, so that a search sees every acknowledged message.
 */
import { createHash } from 'node:crypto';
import { isAppError, type Role, treeId } from '@coppice/core';
import { toColumn } from '../sql/exact-text.ts';
import {
  execute,
  type Param,
  queryRow,
  queryRows,
  type SqlRow,
  type SqlTask,
  sqlNumber,
  sqlNumberOrNull,
  sqlText,
} from '../sql/query.ts';
import { messageOfRow, searchTextOf } from '../sql/rows.ts';
import {
  candidateColumns,
  candidateOrder,
  type FoundRow,
  type HitPlace,
  hitOfRow,
  type SearchRequest,
  searchLag,
} from '../sql/search.ts';
import type { SqliteConnection } from './driver.ts';

// Without a copy of the texts, and with exact deletes: a row leaves it by its old text, entry by entry. A table that
// only marks deleted rows would keep their trigrams, from which a text can be put together again.
const indexTable = `CREATE VIRTUAL TABLE node_text USING fts5(text, content='', tokenize='trigram case_sensitive 0')`;

/** The index of version 1, which marked deleted rows. */
export const searchSchema: readonly string[] = [
  `CREATE VIRTUAL TABLE node_text USING fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 0')`,
  'CREATE TABLE search_state (id INTEGER PRIMARY KEY CHECK (id = 1), change_id INTEGER NOT NULL)',
  'INSERT INTO search_state (id, change_id) VALUES (1, 0)',
  'CREATE TRIGGER node_forgotten AFTER DELETE ON node BEGIN DELETE FROM node_text WHERE rowid = old.rowid; END',
];

/**
 * The index with exact deletes. `node_indexed` has a hash of the text that each row is indexed by, since a contentless
 * index is given the old text to delete it. `from_place` is the row after which a new index still has to be filled, null
 * when it is full, and -1 when it is not to be trusted and has to be made anew.
 */
export const exactSearchSchema: readonly string[] = [
  'DROP TRIGGER node_forgotten',
  'DROP TABLE node_text',
  indexTable,
  'CREATE TABLE node_indexed (place INTEGER PRIMARY KEY, sum TEXT NOT NULL)',
  'ALTER TABLE search_state ADD COLUMN from_place INTEGER',
  'UPDATE search_state SET from_place = 0, change_id = coalesce((SELECT max(id) FROM change), 0)',
  // A row that is deleted without being taken out of the index first, such as by hand: its place may be given to another.
  `CREATE TRIGGER node_forgotten AFTER DELETE ON node WHEN EXISTS (SELECT 1 FROM node_indexed WHERE place = old.rowid)
    BEGIN UPDATE search_state SET from_place = -1; END`,
];

const batch = 500;
const shortest = 3;
// To delete one text exactly costs as much as to index about so many.
const exactDeleteCost = 50;

/** Whether the index lags behind the log. */
export function isBehind(connection: SqliteConnection): boolean {
  const [state = {}] = connection.all(
    'SELECT from_place IS NOT NULL OR change_id < coalesce((SELECT max(id) FROM change), 0) AS behind FROM search_state',
  );
  return sqlNumber(state, 'behind') === 1;
}

/**
 * Brings the index on by a batch: first the rows that a new index lacks, then the log. Removed messages stay in it until
 * they are purged; a search leaves them out.
 */
export function* catchUpIndex(): SqlTask<void> {
  const state = yield* queryRow('SELECT change_id, from_place FROM search_state');
  const place = state === undefined ? null : sqlNumberOrNull(state, 'from_place');
  if (place !== null && place < 0) return yield* emptyIndex();
  if (place !== null) return yield* fillAfter(place);
  const changes = yield* queryRows(
    'SELECT id, tree_id, steps FROM change WHERE id > (SELECT change_id FROM search_state) ORDER BY id LIMIT $1',
    batch,
  );
  for (const change of changes) {
    const tree = sqlText(change, 'tree_id');
    for (const id of nodesTouched(change)) yield* indexOne(tree, id);
  }
  const last = changes[changes.length - 1];
  if (last !== undefined) yield* execute('UPDATE search_state SET change_id = $1', sqlNumber(last, 'id'));
}

/** Nodes whose text came or changed in a commit. */
function nodesTouched(change: SqlRow): string[] {
  const ids: string[] = [];
  for (const step of JSON.parse(sqlText(change, 'steps')) as readonly {
    readonly type: string;
    readonly id?: string;
    readonly nodeId?: string;
  }[]) {
    if (step.type === 'insert' && step.id !== undefined) ids.push(step.id);
    if (step.type === 'replace' && step.nodeId !== undefined) ids.push(step.nodeId);
  }
  return ids;
}

const indexedColumns =
  'n.rowid AS place, n.tree_id, n.id, n.kind, n.role, n.tool_call_id, n.content, n.search_text, i.sum';
const indexedRows = `SELECT ${indexedColumns} FROM node n LEFT JOIN node_indexed i ON i.place = n.rowid`;

function* indexOne(tree: string, id: string): SqlTask<void> {
  const found = yield* queryRow(`${indexedRows} WHERE n.tree_id = $1 AND n.id = $2`, tree, id);
  if (found !== undefined) yield* index(found);
}

/** Has the index hold what a row says. False where it had to be emptied, since it was not known what it held. */
function* index(found: SqlRow): SqlTask<boolean> {
  const said = sqlText(found, 'kind') === 'root' ? '' : foldText(searchTextIn(found));
  const sum = said === '' ? null : sumOf(said);
  if (sum === found['sum']) return true;
  if (found['sum'] !== null) {
    yield* exactDeletes(true);
    const known = yield* unindex(found);
    yield* exactDeletes(false);
    if (!known) yield* emptyIndex();
    if (!known) return false;
  }
  if (sum === null) return true;
  const place = sqlNumber(found, 'place');
  yield* execute('INSERT INTO node_text (rowid, text) VALUES ($1, $2)', place, said);
  yield* execute('INSERT INTO node_indexed (place, sum) VALUES ($1, $2)', place, sum);
  return true;
}

/** Whether the index deletes entries instead of marking them. Inserts take twice as long while it does. */
function* exactDeletes(on: boolean): SqlTask<void> {
  // Pending changes are written by the setting that holds then.
  if (!on) yield* execute("INSERT INTO node_text (node_text) VALUES ('flush')");
  yield* execute("INSERT INTO node_text (node_text, rank) VALUES ('secure-delete', $1)", on ? 1 : 0);
}

/** Takes a row out of the index by the text that it is indexed by. False where nobody knows that text any more. */
function* unindex(found: SqlRow): SqlTask<boolean> {
  const old = yield* indexedText(found);
  if (old === null) return false;
  const place = sqlNumber(found, 'place');
  yield* execute("INSERT INTO node_text (node_text, rowid, text) VALUES ('delete', $1, $2)", place, old);
  yield* execute('DELETE FROM node_indexed WHERE place = $1', place);
  return true;
}

function* indexedText(found: SqlRow): SqlTask<string | null> {
  const now = foldText(searchTextIn(found));
  if (sumOf(now) === found['sum']) return now;
  const former = yield* queryRows(
    'SELECT content, search_text FROM node_content WHERE tree_id = $1 AND node_id = $2 ORDER BY version DESC',
    sqlText(found, 'tree_id'),
    sqlText(found, 'id'),
  );
  for (const one of former) {
    const before = foldText(searchTextIn({ ...one, role: found['role'], tool_call_id: found['tool_call_id'] }));
    if (sumOf(before) === found['sum']) return before;
  }
  return null;
}

/** Takes rows out of the index that are about to be purged: some nodes of a tree, or all of it. */
export function* unindexNodes(tree: string, ids: string | null): SqlTask<void> {
  const which = `n.tree_id = $1${ids === null ? '' : ' AND n.id IN (SELECT value FROM json_each($2))'}`;
  const params = ids === null ? [tree] : [tree, ids];
  const counted = yield* queryRow(
    `SELECT count(*) AS n, (SELECT coalesce(max(place), 0) FROM node_indexed) AS of
    FROM node n JOIN node_indexed i ON i.place = n.rowid WHERE ${which}`,
    ...params,
  );
  const count = counted === undefined ? 0 : sqlNumber(counted, 'n');
  if (count === 0) return;
  if (count * exactDeleteCost > sqlNumber(counted ?? {}, 'of')) return yield* emptyIndex();
  yield* exactDeletes(true);
  for (let after = -1; ; ) {
    const found = yield* queryRows(
      `${indexedRows} WHERE ${which} AND n.rowid > $${params.length + 1} AND i.sum IS NOT NULL ORDER BY n.rowid LIMIT 20`,
      ...params,
      after,
    );
    for (const one of found) {
      after = sqlNumber(one, 'place');
      if (!(yield* unindex(one))) return yield* emptyIndex();
    }
    if (found.length === 0) break;
  }
  yield* exactDeletes(false);
}

/** Drops all entries; the next search fills the index again. */
function* emptyIndex(): SqlTask<void> {
  yield* execute('DROP TABLE node_text');
  yield* execute(indexTable);
  yield* execute('DELETE FROM node_indexed');
  yield* execute('UPDATE search_state SET from_place = 0, change_id = coalesce((SELECT max(id) FROM change), 0)');
}

/** Indexes the next rows behind a place. */
function* fillAfter(place: number): SqlTask<void> {
  const found = yield* queryRows(`${indexedRows} WHERE n.rowid > $1 ORDER BY n.rowid LIMIT ${batch}`, place);
  for (const one of found) if (!(yield* index(one))) return;
  const last = found[found.length - 1];
  yield* execute('UPDATE search_state SET from_place = $1', last === undefined ? null : sqlNumber(last, 'place'));
}

function sumOf(said: string): string {
  return createHash('sha256').update(toColumn(said)).digest('base64url').slice(0, 22);
}

/** Makes the index from the messages, whatever became of the old one. The caller holds a write transaction. */
export function* indexAnew(): SqlTask<void> {
  yield* emptyIndex();
  for (;;) {
    const state = yield* queryRow('SELECT from_place FROM search_state');
    const place = state === undefined ? null : sqlNumberOrNull(state, 'from_place');
    if (place === null) return;
    yield* fillAfter(place);
  }
}

/** What a row says; nothing where it is damaged itself, which is told and mended as such. */
function searchTextIn(row: SqlRow): string {
  try {
    return searchTextOf(row, messageOfRow(row, sqlText(row, 'role') as Role));
  } catch (error) {
    if (isAppError(error) && error.code === 'store/damaged') return '';
    throw error;
  }
}

// The index folds case the way the scan for short terms does, so that both find the same.
function foldText(said: string): string {
  return said.toLowerCase();
}

/**
 * Finds messages. Terms of three characters and more come from the index; shorter ones are looked for in what is left.
 * Where the index cannot be brought up to date, in a file that may only be read, every message is looked at.
 */
export function findHits(connection: SqliteConnection, search: SearchRequest, indexed: boolean): FoundRow[] {
  const long = indexed ? search.terms.filter((term) => [...term].length >= shortest) : [];
  return long.length === search.terms.length
    ? indexedHits(connection, search, long)
    : scannedHits(connection, search, long);
}

/** Nearly all candidates are hits: a page of them is a page of hits, and seldom has to be filled up by another. */
function indexedHits(connection: SqliteConnection, search: SearchRequest, long: readonly string[]): FoundRow[] {
  const found: FoundRow[] = [];
  const wanted = search.limit + 1;
  // Written out: SQLite prepares a statement anew for every value that a limit is given as a parameter. A few sizes are
  // enough, so that a few statements are.
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
    after = hitPlace(last);
  }
}

/** Most candidates are no hits: they are looked at one by one, and no more of them than there have to be. */
function scannedHits(connection: SqliteConnection, search: SearchRequest, long: readonly string[]): FoundRow[] {
  const { sql, params } = candidates(search, long);
  const found: FoundRow[] = [];
  for (const row of connection.iterate(sql, ...params)) {
    const hit = hitOfRow(row, search.terms);
    if (hit !== null) found.push(hit);
    if (found.length > search.limit) break;
  }
  return found;
}

/** The statement that finds what may be a hit, newest first. */
function candidates(
  search: SearchRequest,
  long: readonly string[],
): { readonly sql: string; readonly params: Param[] } {
  const params: Param[] = [search.owner];
  const parameter = (value: Param): string => {
    params.push(value);
    return `$${params.length}`;
  };
  const { after } = search;
  const conditions = ['t.owner = $1', 't.trashed_at IS NULL', 'n.removed_in IS NULL', "n.kind <> 'root'"];
  let from = 'node n JOIN tree t ON t.id = n.tree_id';
  if (long.length > 0) {
    const phrase = long.map((term) => `"${term.replaceAll('"', '""')}"`).join(' AND ');
    // The order is ours to say: what the index finds is little, and what an owner has may be everything.
    from = 'node_text f CROSS JOIN node n ON n.rowid = f.rowid CROSS JOIN tree t ON t.id = n.tree_id';
    conditions.unshift(`node_text MATCH ${parameter(phrase)}`);
  }
  if (search.treeId !== null) conditions.push(`n.tree_id = ${parameter(search.treeId)}`);
  if (search.project !== null) conditions.push(`t.project = ${parameter(search.project)}`);
  if (search.roles !== null)
    conditions.push(`n.role IN (SELECT value FROM json_each(${parameter(JSON.stringify(search.roles))}))`);
  if (after !== null)
    conditions.push(searchLag(parameter(after.createdAt), parameter(after.treeId), parameter(after.seq)));
  return {
    sql: `SELECT ${candidateColumns} FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY ${candidateOrder}`,
    params,
  };
}

function hitPlace(row: SqlRow): HitPlace {
  return {
    createdAt: sqlNumber(row, 'created_at'),
    treeId: treeId(sqlText(row, 'tree_id')),
    seq: sqlNumber(row, 'seq'),
  };
}

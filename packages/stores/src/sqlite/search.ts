/**
 * Full-text search: a trigram index that is filled from the change log in batches, so that an append does not pay for
 * it, and is brought up to the newest commit before every search, so that a search sees every acknowledged message.
 */
import { isAppError, type Role, treeId } from '@coppice/core';
import { toColumn } from '../sql/exact-text.ts';
import { exec, number, type Param, type Row, rows, text, type Work } from '../sql/query.ts';
import { messageOf, searchTextOf } from '../sql/rows.ts';
import {
  behind,
  candidateColumns,
  candidateOrder,
  type Found,
  type HitPlace,
  hitOf,
  type Search,
} from '../sql/search.ts';
import type { Connection } from './driver.ts';

// It holds no text of its own but what the trigrams give away.
const indexTable = `CREATE VIRTUAL TABLE node_text USING fts5(text, content='', contentless_delete=1, tokenize='trigram case_sensitive 0')`;

/** The index, and how far it has read the log. */
export const searchSchema: readonly string[] = [
  indexTable,
  'CREATE TABLE search_state (id INTEGER PRIMARY KEY CHECK (id = 1), change_id INTEGER NOT NULL)',
  'INSERT INTO search_state (id, change_id) VALUES (1, 0)',
  // A purged row leaves the index with it: its place may be given to another row.
  'CREATE TRIGGER node_forgotten AFTER DELETE ON node BEGIN DELETE FROM node_text WHERE rowid = old.rowid; END',
];

const batch = 500;
const shortest = 3;

interface Touched {
  readonly treeId: string;
  readonly ids: readonly string[];
  /** What hangs elsewhere since. */
  readonly moves: readonly string[];
}

/** Whether the index lags behind the log, and whether an owner has conversations that are still lists. */
export function searchState(
  connection: Connection,
  owner: string,
): { readonly behind: boolean; readonly lists: boolean } {
  const [state = {}] = connection.page(
    `SELECT coalesce((SELECT max(id) FROM change), 0) > (SELECT change_id FROM search_state) AS behind,
      EXISTS (SELECT 1 FROM tree WHERE owner = $1 AND linear_form IS NOT NULL) AS lists`,
    owner,
  );
  return { behind: number(state, 'behind') === 1, lists: number(state, 'lists') === 1 };
}

/** Reads a batch of the log into the index. The caller holds a write transaction. Returns whether more is left. */
export function catchUp(connection: Connection): boolean {
  const changes = connection.all(
    'SELECT id, tree_id, version, steps FROM change WHERE id > (SELECT change_id FROM search_state) ORDER BY id LIMIT $1',
    batch,
  );
  const moved = new Map<string, string[]>();
  for (const change of changes) {
    const { treeId, ids, moves } = touchedBy(connection, change);
    for (const id of ids) reindex(connection, treeId, id);
    if (moves.length > 0) moved.set(treeId, (moved.get(treeId) ?? []).concat(moves));
  }
  for (const [treeId, tops] of moved)
    for (const id of missingBelow(connection, treeId, tops)) reindex(connection, treeId, id);
  const last = changes[changes.length - 1];
  if (last !== undefined) connection.run('UPDATE search_state SET change_id = $1', number(last, 'id'));
  return changes.length === batch;
}

/** Nodes whose text came, went or changed in a commit. */
function touchedBy(connection: Connection, change: Row): Touched {
  const tree = text(change, 'tree_id');
  const ids: string[] = [];
  const moves: string[] = [];
  for (const step of JSON.parse(text(change, 'steps')) as readonly {
    readonly type: string;
    readonly id?: string;
    readonly nodeId?: string;
  }[]) {
    if (step.type === 'insert' && step.id !== undefined) ids.push(step.id);
    if (step.type === 'replace' && step.nodeId !== undefined) ids.push(step.nodeId);
    if ((step.type === 'remove' || step.type === 'restore') && step.nodeId !== undefined)
      for (const id of subtreeOf(connection, tree, step.nodeId)) ids.push(id);
    if (step.type === 'move' && step.nodeId !== undefined) moves.push(step.nodeId);
  }
  return { treeId: tree, ids, moves };
}

/**
 * What the index lacks of what hangs below moved nodes: moved out of what came back, it is not below that any more, and
 * the index would not hear that it is there again. All moves are one walk, or a long chain would be walked for each.
 */
function missingBelow(connection: Connection, tree: string, tops: readonly string[]): string[] {
  const found = connection.all(
    `WITH RECURSIVE below(id) AS (
      SELECT value FROM json_each($2)
      UNION
      SELECT n.id FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id
    ) SELECT n.id FROM below JOIN node n ON n.tree_id = $1 AND n.id = below.id
    WHERE NOT EXISTS (SELECT 1 FROM node_text WHERE rowid = n.rowid)`,
    tree,
    JSON.stringify(tops),
  );
  return found.map((row) => text(row, 'id'));
}

function subtreeOf(connection: Connection, tree: string, top: string): string[] {
  const found = connection.all(
    `WITH RECURSIVE below(id) AS (
      SELECT id FROM node WHERE tree_id = $1 AND id = $2
      UNION ALL
      SELECT n.id FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id
    ) SELECT id FROM below`,
    tree,
    top,
  );
  return found.map((row) => text(row, 'id'));
}

function reindex(connection: Connection, tree: string, id: string): void {
  const [row] = connection.all(
    'SELECT rowid AS place, removed_in, kind, role, tool_call_id, content, search_text FROM node WHERE tree_id = $1 AND id = $2',
    tree,
    id,
  );
  if (row === undefined) return;
  const place = number(row, 'place');
  connection.run('DELETE FROM node_text WHERE rowid = $1', place);
  if (row.removed_in !== null || text(row, 'kind') === 'root') return;
  const said = saidIn(row);
  if (said !== '') connection.run('INSERT INTO node_text (rowid, text) VALUES ($1, $2)', place, folded(said));
}

/** Makes the index from the messages, whatever became of the old one. The caller holds a write transaction. */
export function* indexAnew(): Work<void> {
  yield* exec('DROP TABLE node_text');
  yield* exec(indexTable);
  for (let after = 0; ; ) {
    const found = yield* rows(
      `SELECT rowid AS place, role, tool_call_id, content, search_text FROM node
      WHERE rowid > $1 AND removed_in IS NULL AND kind <> 'root' ORDER BY rowid LIMIT ${batch}`,
      after,
    );
    for (const row of found) {
      after = number(row, 'place');
      const said = saidIn(row);
      if (said !== '') yield* exec('INSERT INTO node_text (rowid, text) VALUES ($1, $2)', after, folded(said));
    }
    if (found.length < batch) break;
  }
  yield* exec('UPDATE search_state SET change_id = coalesce((SELECT max(id) FROM change), 0)');
}

/** What a row says; nothing where it is damaged itself, which is told and mended as such. */
function saidIn(row: Row): string {
  try {
    return searchTextOf(row, messageOf(row, text(row, 'role') as Role));
  } catch (error) {
    if (isAppError(error) && error.code === 'store/damaged') return '';
    throw error;
  }
}

// The index folds case the way the scan for short terms does, so that both find the same; and it holds texts in the
// form in which terms are handed over, or one with half a surrogate pair in it would never meet its term.
function folded(said: string): string {
  return toColumn(said.toLowerCase());
}

/**
 * Finds messages. Terms of three characters and more come from the index; shorter ones are looked for in what is left.
 * Where the index cannot be brought up to date, in a file that may only be read, every message is looked at.
 */
export function findHits(connection: Connection, search: Search, indexed: boolean): Found[] {
  const long = indexed ? search.terms.filter((term) => [...term].length >= shortest) : [];
  return long.length === search.terms.length
    ? indexedHits(connection, search, long)
    : scannedHits(connection, search, long);
}

/** Nearly all candidates are hits: a page of them is a page of hits, and seldom has to be filled up by another. */
function indexedHits(connection: Connection, search: Search, long: readonly string[]): Found[] {
  const found: Found[] = [];
  const wanted = search.limit + 1;
  // Written out: SQLite prepares a statement anew for every value that a limit is given as a parameter. A few sizes are
  // enough, so that a few statements are.
  const size = 2 ** Math.ceil(Math.log2(wanted));
  for (let { after } = search; ; ) {
    const { sql, params } = candidates({ ...search, after }, long);
    const rows = connection.page(`${sql} LIMIT ${size}`, ...params);
    for (const row of rows) {
      const hit = hitOf(row, search.terms);
      if (hit !== null) found.push(hit);
    }
    const last = rows[rows.length - 1];
    if (last === undefined || rows.length < size || found.length > search.limit) return found.slice(0, wanted);
    after = placeOf(last);
  }
}

/** Most candidates are no hits: they are looked at one by one, and no more of them than there have to be. */
function scannedHits(connection: Connection, search: Search, long: readonly string[]): Found[] {
  const { sql, params } = candidates(search, long);
  const found: Found[] = [];
  for (const row of connection.iterate(sql, ...params)) {
    const hit = hitOf(row, search.terms);
    if (hit !== null) found.push(hit);
    if (found.length > search.limit) break;
  }
  return found;
}

/** The statement that finds what may be a hit, newest first. */
function candidates(search: Search, long: readonly string[]): { readonly sql: string; readonly params: Param[] } {
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
    conditions.push(behind(parameter(after.createdAt), parameter(after.treeId), parameter(after.seq)));
  return {
    sql: `SELECT ${candidateColumns} FROM ${from} WHERE ${conditions.join(' AND ')} ORDER BY ${candidateOrder}`,
    params,
  };
}

function placeOf(row: Row): HitPlace {
  return { createdAt: number(row, 'created_at'), treeId: treeId(text(row, 'tree_id')), seq: number(row, 'seq') };
}

/**
 * Search by trigrams, in a table with the texts in lower case. Commits do not copy their texts into the table, so that
 * writes stay fast. Each search first copies the missing texts, so that it finds every acknowledged message.
 */
import { type Role, type TreeId, treeId } from '@coppice/core';
import { encodeColumnText } from '../sql/exact-text.ts';
import { nodesWrittenBy } from '../sql/log.ts';
import { inTreeByIdSql, inTreeSql, nodeNumbersPerTree, treeNoSql } from '../sql/numbers.ts';
import {
  execute,
  queryRow,
  queryRows,
  readNumberColumn,
  readTextColumn,
  type SqlParameter,
  type SqlRow,
  type SqlTask,
} from '../sql/query.ts';
import { messageOfRow, searchTextOf } from '../sql/rows.ts';
import { readTreeBase } from '../sql/scope.ts';
import {
  hitOfRow,
  hitsAfterSql,
  type NumberedHit,
  type SearchRequest,
  searchCandidateColumns,
  searchCandidateOrder,
} from '../sql/search.ts';

import { postgresDialect } from './dialect.ts';

// SQL for a node's creation number.
const seqOf = `(n.no % ${nodeNumbersPerTree})`;

// How many rows one statement copies or searches.
const batch = 1_000;

const saidColumns = `n.id, ${seqOf} AS seq, n.role, n.created_at, n.tool_call_id, n.content, n.search_text`;

export interface TreeBehind {
  readonly treeId: TreeId;
  /** The version of the tree up to which its texts are copied. */
  readonly mark: number;
  readonly version: number;
}

/** Returns the trees of an owner that have texts which are not copied yet. */
export function* findTreesWithUncopiedTexts(owner: string, only: TreeId | null): SqlTask<TreeBehind[]> {
  const found = yield* queryRows(
    `SELECT t.id, t.version, coalesce(m.version, 0) AS mark FROM tree t LEFT JOIN search_mark m ON m.tree_id = t.id
    WHERE t.owner = $1 AND (CAST($2 AS TEXT) IS NULL OR t.id = $2) AND t.version > coalesce(m.version, 0)`,
    owner,
    only,
  );
  return found.map((one) => ({
    treeId: treeId(readTextColumn(one, 'id')),
    mark: readNumberColumn(one, 'mark'),
    version: readNumberColumn(one, 'version'),
  }));
}

/**
 * Copies the new texts of a tree and returns their number. Two transactions that do this for the same tree run one after
 * the other.
 */
export function* copyNewSearchTexts(tree: TreeId): SqlTask<number> {
  const known = yield* queryRow('SELECT version FROM tree WHERE id = $1', tree);
  // The tree was deleted since it was listed.
  if (known === undefined) return 0;
  yield* execute(
    'INSERT INTO search_mark (tree_id, version) SELECT id, 0 FROM tree WHERE id = $1 ON CONFLICT DO NOTHING',
    tree,
  );
  const mark = yield* queryRow('SELECT version FROM search_mark WHERE tree_id = $1 FOR UPDATE', tree);
  if (mark === undefined) return 0;
  // Read under the lock, because another transaction may have copied the texts meanwhile.
  const version = readNumberColumn(
    (yield* queryRow('SELECT version FROM tree WHERE id = $1', tree)) ?? { version: 0 },
    'version',
  );
  const from = readNumberColumn(mark, 'version');
  if (version <= from) return 0;
  const copied = from === 0 ? yield* copyAll(tree) : yield* copyTouched(tree, from);
  yield* execute('UPDATE search_mark SET version = $2 WHERE tree_id = $1', tree, version);
  return copied;
}

/**
 * Lets the next search copy all texts of a tree again if the log is about to lose commits that it has not read. A
 * search in progress holds the mark, so this waits for it.
 */
export function* resetSearchMarkBeforeTrim(tree: TreeId, version: number): SqlTask<void> {
  yield* execute('UPDATE search_mark SET version = 0 WHERE tree_id = $1 AND version < $2', tree, version - 1);
}

/** Copies all texts of a tree for the first time, in batches by creation number. Returns their number. */
function* copyAll(tree: TreeId): SqlTask<number> {
  let copied = 0;
  const base = yield* readTreeBase(tree);
  for (let after = -1; ; ) {
    const found = yield* queryRows(
      `SELECT ${saidColumns} FROM node n WHERE ${inTreeSql('n')} AND n.no > CAST($1 AS BIGINT) + $2 AND n.role <> 'root' ORDER BY n.no LIMIT ${batch}`,
      base,
      after,
    );
    const last = found[found.length - 1];
    if (last === undefined) return copied;
    after = readNumberColumn(last, 'seq');
    copied += yield* copyTexts(tree, found);
  }
}

/**
 * Copies the texts of the nodes that commits after a version changed. Reading all nodes of a large tree for one new
 * message would be too slow.
 */
function* copyTouched(tree: TreeId, from: number): SqlTask<number> {
  let copied = 0;
  const base = yield* readTreeBase(tree);
  for (let after = from; ; ) {
    const changes = yield* queryRows(
      `SELECT version, steps FROM change WHERE tree_id = $1 AND version > $2 ORDER BY version LIMIT ${batch}`,
      tree,
      after,
    );
    const last = changes[changes.length - 1];
    if (last === undefined) return copied;
    after = readNumberColumn(last, 'version');
    const ids = [...new Set(changes.flatMap(nodesWrittenBy))];
    for (let start = 0; start < ids.length; start += batch)
      copied += yield* copyTexts(
        tree,
        yield* queryRows(
          `SELECT ${saidColumns} FROM node n WHERE ${inTreeByIdSql('n')} AND n.role <> 'root' AND n.id IN ${postgresDialect.list('$2')}`,
          base,
          JSON.stringify(ids.slice(start, start + batch)),
        ),
      );
  }
}

function* copyTexts(tree: TreeId, found: readonly SqlRow[]): SqlTask<number> {
  const list = found.map((one) => ({
    tree_id: tree,
    node_id: readTextColumn(one, 'id'),
    seq: readNumberColumn(one, 'seq'),
    role: readTextColumn(one, 'role'),
    created_at: readNumberColumn(one, 'created_at'),
    text: encodeColumnText(textsOfNodes(one).toLowerCase()),
  }));
  yield* execute(
    `INSERT INTO search_text (tree_id, node_id, seq, role, created_at, text)
    SELECT tree_id, node_id, seq, role, created_at, text FROM jsonb_to_recordset(CAST($1 AS JSONB))
      AS said(tree_id TEXT, node_id TEXT, seq BIGINT, role TEXT, created_at DOUBLE PRECISION, text TEXT)
    ON CONFLICT (tree_id, node_id) DO UPDATE SET text = excluded.text`,
    JSON.stringify(list),
  );
  return list.length;
}

function textsOfNodes(one: SqlRow): string {
  return searchTextOf(one, messageOfRow(one, readTextColumn(one, 'role') as Role));
}

/**
 * Returns hits in the copied texts, and in the trees of `uncopied`, whose texts cannot be copied because the database
 * is read-only.
 */
export function* searchCopiedTexts(search: SearchRequest, uncopied: readonly TreeBehind[]): SqlTask<NumberedHit[]> {
  const found = new Map<string, NumberedHit>();
  for (const hit of yield* inCopied(search)) found.set(hit.nodeId, hit);
  for (const tree of uncopied) for (const hit of yield* inUncopied(search, tree)) found.set(hit.nodeId, hit);
  return [...found.values()];
}

/** Returns the conditions that all search statements share, and adds their parameters to `params`. */
function searchConditions(search: SearchRequest, params: SqlParameter[]): string[] {
  const conditions = [`t.owner = $${params.push(search.owner)}`, 't.trashed_at IS NULL', 'n.removed_in IS NULL'];
  if (search.treeId !== null) conditions.push(`t.id = $${params.push(search.treeId)}`);
  if (search.project !== null) conditions.push(`t.project = $${params.push(search.project)}`);
  if (search.roles !== null)
    conditions.push(`n.role IN ${postgresDialect.list(`$${params.push(JSON.stringify(search.roles))}`)}`);
  if (search.after !== null) {
    const { createdAt, treeId: tree, seq } = search.after;
    const first = params.push(createdAt, tree, seq) - 2;
    conditions.push(hitsAfterSql(`$${first}`, `$${first + 1}`, `$${first + 2}`));
  }
  return conditions;
}

function escapePattern(term: string): string {
  return `%${term.replace(/[\\%_]/g, '\\$&')}%`;
}

/**
 * Returns the condition for a text in lower case that contains a term. The texts distinguish the two forms of a small
 * sigma, but terms do not. So the index finds candidates with any character in place of a sigma.
 */
function containsTermSql(term: string, params: SqlParameter[]): string {
  const pattern = escapePattern(term);
  if (!term.includes('σ')) return `s.text LIKE $${params.push(pattern)}`;
  const any = params.push(pattern.replaceAll('σ', '_'));
  return `s.text LIKE $${any} AND replace(s.text, 'ς', 'σ') LIKE $${params.push(pattern)}`;
}

/** Searches the copied texts, which are in lower case like the terms. */
function* inCopied(search: SearchRequest): SqlTask<NumberedHit[]> {
  // A trigram index needs bitmap scans, and each search term needs its own plan.
  yield* execute('SET LOCAL enable_bitmapscan = on');
  yield* execute('SET LOCAL plan_cache_mode = force_custom_plan');
  const params: SqlParameter[] = [];
  const conditions = searchConditions(search, params);
  for (const term of search.terms) conditions.push(containsTermSql(term, params));
  const found = yield* queryRows(
    `SELECT ${searchCandidateColumns} FROM search_text s JOIN tree t ON t.id = s.tree_id
    JOIN node n ON n.id = s.node_id
    WHERE ${conditions.join(' AND ')} ORDER BY ${searchCandidateOrder} LIMIT $${params.push(search.limit + 1)}`,
    ...params,
  );
  return found.map((one) => hitOfRow(one, search.terms)).filter((hit) => hit !== null);
}

/** Searches the messages of a tree that were written after its texts were last copied. */
function* inUncopied(search: SearchRequest, { treeId: tree, mark }: TreeBehind): SqlTask<NumberedHit[]> {
  const params: SqlParameter[] = [yield* readTreeBase(tree), mark];
  const conditions = [inTreeSql('n'), 'n.content_in > $2', "n.role <> 'root'", ...searchConditions(search, params)];
  const place = `$${params.push(0)}`;
  const found: NumberedHit[] = [];
  for (let after = -1; ; ) {
    params[params.length - 1] = after;
    const part = yield* queryRows(
      `SELECT ${searchCandidateColumns} FROM node n JOIN tree t ON t.no = ${treeNoSql('n')}
      WHERE ${conditions.join(' AND ')} AND n.no > CAST($1 AS BIGINT) + ${place} ORDER BY n.no LIMIT ${batch}`,
      ...params,
    );
    const last = part[part.length - 1];
    if (last === undefined) return found;
    after = readNumberColumn(last, 'seq');
    for (const one of part) {
      const hit = hitOfRow(one, search.terms);
      if (hit !== null) found.push(hit);
    }
  }
}

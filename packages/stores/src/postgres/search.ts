/**
 * Search by trigrams. The texts are copied, in lower case, into a table with an index; that happens behind the commits,
 * so that a write does not pay for it, and before a search answers, so that it sees every acknowledged message.
 */
import {
  type LinearRecord,
  type MessageKit,
  nodeId,
  type Page,
  type Role,
  type SearchHit,
  type SearchQuery,
  type TreeId,
  treeId,
} from '@coppice/core';
import { fromCursor, toCursor } from '../cursor.ts';
import { pageLimit } from '../limits.ts';
import { linearTree } from '../linear.ts';
import { hasTerms, searchTerms, snippetOf } from '../search.ts';
import { toColumn } from '../sql/exact-text.ts';
import { exec, number, type Param, type Row, row, rows, text, textOrNull, type Work } from '../sql/query.ts';
import { messageOf, of, searchTextOf } from '../sql/rows.ts';
import { postgresDialect } from './dialect.ts';

// Rows that are copied in one statement, and texts that are looked through at once.
const batch = 1_000;
const listBatch = 50;

const saidColumns = 'id, seq, role, created_at, tool_call_id, content, search_text';

interface Behind {
  readonly treeId: TreeId;
  /** The version up to which the texts are copied. */
  readonly mark: number;
  readonly version: number;
}

/** The owner's trees whose texts are not all copied yet. */
export function* treesBehind(owner: string, only: TreeId | undefined): Work<Behind[]> {
  const found = yield* rows(
    `SELECT t.id, t.version, coalesce(m.version, 0) AS mark FROM tree t LEFT JOIN search_mark m ON m.tree_id = t.id
    WHERE t.owner = $1 AND (CAST($2 AS TEXT) IS NULL OR t.id = $2) AND t.linear_form IS NULL AND t.version > coalesce(m.version, 0)`,
    owner,
    only ?? null,
  );
  return found.map((one) => ({
    treeId: treeId(text(one, 'id')),
    mark: number(one, 'mark'),
    version: number(one, 'version'),
  }));
}

/** Copies what a tree says since its mark. Runs in a transaction of its own; two of them wait for each other. */
export function* catchUp(tree: TreeId): Work<void> {
  const known = yield* row('SELECT version FROM tree WHERE id = $1', tree);
  // The tree may be gone meanwhile.
  if (known === undefined) return;
  yield* exec(
    'INSERT INTO search_mark (tree_id, version) SELECT id, 0 FROM tree WHERE id = $1 ON CONFLICT DO NOTHING',
    tree,
  );
  const mark = yield* row('SELECT version FROM search_mark WHERE tree_id = $1 FOR UPDATE', tree);
  if (mark === undefined) return;
  // Read again, behind the lock: whoever held it may have copied everything.
  const version = number((yield* row('SELECT version FROM tree WHERE id = $1', tree)) ?? { version: 0 }, 'version');
  const from = number(mark, 'version');
  if (version <= from) return;
  if (from === 0) yield* copyAll(tree);
  else yield* copyTouched(tree, from);
  yield* exec('UPDATE search_mark SET version = $2 WHERE tree_id = $1', tree, version);
}

/** A tree that was never copied, some messages at a time in the order of their creation. */
function* copyAll(tree: TreeId): Work<void> {
  for (let after = -1; ; ) {
    const found = yield* rows(
      `SELECT ${saidColumns} FROM node WHERE tree_id = $1 AND seq > $2 AND role <> 'root' ORDER BY seq LIMIT ${batch}`,
      tree,
      after,
    );
    const last = found[found.length - 1];
    if (last === undefined) return;
    after = number(last, 'seq');
    yield* copy(tree, found);
  }
}

/** What the log names since a version: walking all nodes of a large tree for one new message would not do. */
function* copyTouched(tree: TreeId, from: number): Work<void> {
  for (let after = from; ; ) {
    const changes = yield* rows(
      `SELECT version, steps FROM change WHERE tree_id = $1 AND version > $2 ORDER BY version LIMIT ${batch}`,
      tree,
      after,
    );
    const last = changes[changes.length - 1];
    if (last === undefined) return;
    after = number(last, 'version');
    const ids = [...new Set(changes.flatMap((change) => touchedBy(text(change, 'steps'))))];
    for (let start = 0; start < ids.length; start += batch)
      yield* copy(
        tree,
        yield* rows(
          `SELECT ${saidColumns} FROM node WHERE tree_id = $1 AND role <> 'root' AND id IN ${postgresDialect.list('$2')}`,
          tree,
          JSON.stringify(ids.slice(start, start + batch)),
        ),
      );
  }
}

function touchedBy(logged: string): string[] {
  const ids: string[] = [];
  for (const step of JSON.parse(logged) as readonly {
    readonly type: string;
    readonly id?: string;
    readonly nodeId?: string;
  }[]) {
    if (step.type === 'insert' && step.id !== undefined) ids.push(step.id);
    if (step.type === 'replace' && step.nodeId !== undefined) ids.push(step.nodeId);
  }
  return ids;
}

function* copy(tree: TreeId, found: readonly Row[]): Work<void> {
  const list = found.map((one) => ({
    tree_id: tree,
    node_id: text(one, 'id'),
    seq: number(one, 'seq'),
    role: text(one, 'role'),
    created_at: number(one, 'created_at'),
    text: toColumn(saidBy(one).toLowerCase()),
  }));
  yield* exec(
    `INSERT INTO search_text (tree_id, node_id, seq, role, created_at, text)
    SELECT tree_id, node_id, seq, role, created_at, text FROM jsonb_to_recordset(CAST($1 AS JSONB))
      AS said(tree_id TEXT, node_id TEXT, seq BIGINT, role TEXT, created_at DOUBLE PRECISION, text TEXT)
    ON CONFLICT (tree_id, node_id) DO UPDATE SET text = excluded.text`,
    JSON.stringify(list),
  );
}

function saidBy(one: Row): string {
  return searchTextOf(one, messageOf(one, text(one, 'role') as Role));
}

/** What a search has to know of itself. */
interface Asked {
  readonly owner: string;
  readonly query: SearchQuery;
  readonly terms: readonly string[];
  readonly limit: number;
  readonly from: readonly (string | number)[] | null;
}

interface Found {
  readonly hit: SearchHit;
  readonly seq: number;
}

/** Answers from the copied texts, from lists that have no rows, and from trees that could not be copied. */
export function* searchWork(
  owner: string,
  query: SearchQuery,
  kit: MessageKit | undefined,
  uncopied: readonly Behind[],
): Work<Page<SearchHit>> {
  const limit = pageLimit(query.limit);
  const terms = searchTerms(query.text);
  const from = query.cursor === undefined ? null : fromCursor('hits', ['number', 'string', 'number'], query.cursor);
  if (terms.length === 0) return { items: [], cursor: null };
  const asked: Asked = { owner, query, terms, limit, from };
  const found = new Map<string, Found>();
  for (const tree of uncopied) for (const one of yield* inUncopied(asked, tree)) found.set(one.hit.nodeId, one);
  const fresh = new Set(uncopied.map((tree) => tree.treeId));
  // A copied text of such a tree may be an old one; its newer one was looked at above.
  for (const one of yield* inCopied(asked))
    if (!fresh.has(one.hit.treeId) || !found.has(one.hit.nodeId)) found.set(one.hit.nodeId, one);
  for (const one of yield* inLists(asked, kit)) found.set(one.hit.nodeId, one);
  const all = [...found.values()].filter((one) => from === null || isAfter(one, from)).sort(newestFirst);
  const part = all.slice(0, limit);
  const last = part[part.length - 1];
  const more = all.length > limit && last !== undefined;
  return {
    items: part.map(({ hit }) => hit),
    cursor: more ? toCursor('hits', [last.hit.createdAt, last.hit.treeId, last.seq]) : null,
  };
}

function newestFirst(a: Found, b: Found): number {
  if (a.hit.createdAt !== b.hit.createdAt) return b.hit.createdAt - a.hit.createdAt;
  return a.hit.treeId === b.hit.treeId ? b.seq - a.seq : a.hit.treeId < b.hit.treeId ? 1 : -1;
}

function isAfter({ hit, seq }: Found, [time, id, last]: readonly (string | number)[]): boolean {
  if (hit.createdAt !== time) return hit.createdAt < Number(time);
  return hit.treeId === id ? seq < Number(last) : hit.treeId < String(id);
}

/** Conditions on the tree, which every part of a search shares; their parameters come behind those given. */
function treeConditions({ owner, query }: Asked, params: Param[]): string {
  params.push(owner);
  let conditions = `t.owner = $${params.length} AND t.trashed_at IS NULL`;
  if (query.treeId !== undefined) conditions += ` AND t.id = $${params.push(query.treeId)}`;
  if (query.project !== undefined) conditions += ` AND t.project = $${params.push(query.project)}`;
  return conditions;
}

function escaped(term: string): string {
  return `%${term.replace(/[\\%_]/g, '\\$&')}%`;
}

function* inCopied(asked: Asked): Work<Found[]> {
  const params: Param[] = [];
  let where = treeConditions(asked, params);
  for (const term of asked.terms) where += ` AND s.text LIKE $${params.push(escaped(term))}`;
  if (asked.query.roles !== undefined)
    where += ` AND s.role IN (SELECT jsonb_array_elements_text(CAST($${params.push(JSON.stringify(asked.query.roles))} AS JSONB)))`;
  if (asked.from !== null) {
    const [time = 0, id = '', seq = 0] = asked.from;
    const first = params.push(time, id, seq) - 2;
    where += ` AND (s.created_at, s.tree_id, s.seq) < ($${first}, $${first + 1}, $${first + 2})`;
  }
  const found = yield* rows(
    `SELECT s.tree_id, t.title, ${of('n', saidColumns)} FROM search_text s JOIN tree t ON t.id = s.tree_id
    JOIN node n ON n.tree_id = s.tree_id AND n.id = s.node_id
    WHERE ${where} AND n.removed_in IS NULL ORDER BY s.created_at DESC, s.tree_id DESC, s.seq DESC LIMIT $${params.push(asked.limit + 1)}`,
    ...params,
  );
  return found.filter((one) => hasTerms(saidBy(one), asked.terms)).map((one) => foundIn(one, asked.terms));
}

function foundIn(one: Row, terms: readonly string[]): Found {
  return {
    seq: number(one, 'seq'),
    hit: {
      treeId: treeId(text(one, 'tree_id')),
      nodeId: nodeId(text(one, 'id')),
      role: text(one, 'role') as Role,
      title: textOrNull(one, 'title'),
      createdAt: number(one, 'created_at'),
      snippet: snippetOf(saidBy(one), terms),
    },
  };
}

/** Where nothing may be written, what is not copied is looked through. */
function* inUncopied(asked: Asked, { treeId: tree, mark }: Behind): Work<Found[]> {
  const params: Param[] = [tree, mark];
  const where = treeConditions(asked, params);
  const found: Found[] = [];
  for (let after = -1; ; ) {
    const part = yield* rows(
      `SELECT n.tree_id, t.title, ${of('n', saidColumns)} FROM node n JOIN tree t ON t.id = n.tree_id
      WHERE n.tree_id = $1 AND n.content_in > $2 AND n.removed_in IS NULL AND n.role <> 'root' AND ${where}
        AND n.seq > $${params.length + 1} ORDER BY n.seq LIMIT ${batch}`,
      ...params,
      after,
    );
    const last = part[part.length - 1];
    if (last === undefined) return found;
    after = number(last, 'seq');
    for (const one of part)
      if (wanted(asked, text(one, 'role')) && hasTerms(saidBy(one), asked.terms)) found.push(foundIn(one, asked.terms));
  }
}

function wanted({ query }: Asked, role: string): boolean {
  return query.roles === undefined || query.roles.includes(role as Role);
}

/** Conversations that are still lists have no rows to copy: they are read as the trees that they will be. */
function* inLists(asked: Asked, kit: MessageKit | undefined): Work<Found[]> {
  const params: Param[] = [];
  let where = `${treeConditions(asked, params)} AND t.linear_form IS NOT NULL`;
  // Letters and digits stand in JSON as they are: a list without the term need not be read at all.
  for (const term of asked.terms)
    if (/^[a-z0-9]+$/.test(term)) where += ` AND lower(t.linear_form) LIKE $${params.push(escaped(term))}`;
  const found: Found[] = [];
  for (let after = ''; ; ) {
    const part = yield* rows(
      `SELECT t.id, t.title, t.linear_form FROM tree t WHERE ${where} AND t.id > $${params.length + 1} ORDER BY t.id LIMIT ${listBatch}`,
      ...params,
      after,
    );
    const last = part[part.length - 1];
    if (last === undefined) return found;
    after = text(last, 'id');
    for (const one of part) found.push(...inList(asked, one, kit));
  }
}

function inList(asked: Asked, one: Row, kit: MessageKit | undefined): Found[] {
  const { settled } = linearTree(JSON.parse(text(one, 'linear_form')) as LinearRecord, asked.owner, kit);
  const found: Found[] = [];
  for (const change of settled.changes) {
    if (change.op !== 'added' || change.node.message === null) continue;
    const { node } = change;
    const { role } = node;
    if (role === 'root' || !wanted(asked, role) || !hasTerms(node.text, asked.terms)) continue;
    found.push({
      seq: node.seq,
      hit: {
        treeId: treeId(text(one, 'id')),
        nodeId: node.id,
        role,
        title: textOrNull(one, 'title'),
        createdAt: node.createdAt,
        snippet: snippetOf(node.text, asked.terms),
      },
    });
  }
  return found;
}

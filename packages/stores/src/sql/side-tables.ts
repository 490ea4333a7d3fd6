/** Reads and writes runs, external ids, provenance and accounts, which are not part of a tree's versions and log. */

import { canonicalJson } from '@coppice/content';
import {
  type ApiToken,
  type ExternalId,
  type JsonObject,
  type NewRun,
  type NodeId,
  nodeId,
  type OwnedRun,
  type Provenance,
  type Run,
  type RunChunk,
  refuse,
  type ShareLink,
  type TreeId,
  treeId,
  type User,
} from '@coppice/core';
import { assertHashUnused, assertKnownRole } from '../account-rules.ts';
import { compareExternalIds } from '../in-process/external-ids.ts';
import { encodeColumnText } from './exact-text.ts';
import { inTreeByIdSql } from './numbers.ts';
import {
  execute,
  type Query,
  queryRow,
  queryRows,
  readJsonColumn,
  readNumberColumn,
  readNumberColumnOrNull,
  readTextColumn,
  readTextColumnOrNull,
  type SqlDialect,
  type SqlRow,
  type SqlTask,
} from './query.ts';

export function runOfRow(one: SqlRow): Run {
  return {
    id: readTextColumn(one, 'id'),
    treeId: treeId(readTextColumn(one, 'tree_id')),
    nodeId: nodeId(readTextColumn(one, 'node_id')),
    process: readTextColumn(one, 'process'),
    startedAt: readNumberColumn(one, 'started_at'),
    beatAt: readNumberColumn(one, 'beat_at'),
    data: readJsonColumn(one, 'data', 'object') as JsonObject,
  };
}

/** Records a run. Repeating the call changes nothing. Throws if another run has the id. */
export function* startRun({ float, now }: SqlDialect, owner: string, run: NewRun): SqlTask<void> {
  // The statement is different with and without a given time, because Citus accepts no clock within an expression.
  const beatAt = run.beatAt === undefined ? now : `CAST($8 AS ${float})`;
  const added = yield* execute(
    `INSERT INTO run (id, owner, tree_id, node_id, process, started_at, beat_at, data)
    VALUES ($1, $2, $3, $4, $5, $6, ${beatAt}, $7) ON CONFLICT (id) DO NOTHING`,
    run.id,
    owner,
    run.treeId,
    run.nodeId,
    run.process,
    run.startedAt,
    JSON.stringify(run.data),
    ...(run.beatAt === undefined ? [] : [run.beatAt]),
  );
  if (added > 0) return;
  const there = yield* findRun(owner, run.id);
  if (there === null || canonicalJson(there) !== canonicalJson({ beatAt: there.beatAt, ...run }))
    refuse('id/taken', `There is a run ${run.id} already.`, { runId: run.id });
}

/** Sets the heartbeat of a run, by default to the database's clock. Returns false if the run does not exist. */
export function* setRunHeartbeat({ float, now }: SqlDialect, owner: string, id: string, at?: number): SqlTask<boolean> {
  const where = 'WHERE id = $1 AND owner = $2';
  const updated =
    at === undefined
      ? yield* execute(`UPDATE run SET beat_at = ${now} ${where}`, id, owner)
      : yield* execute(`UPDATE run SET beat_at = CAST($3 AS ${float}) ${where}`, id, owner, at);
  return updated > 0;
}

/**
 * Sets fields of a run's data. The first statement locks the row, so that concurrent calls wait for each other. Returns
 * false if the run does not exist, or if its data already has the field `unless`.
 */
export function* updateRunData(owner: string, id: string, data: JsonObject, unless?: string): SqlTask<boolean> {
  yield* execute('UPDATE run SET beat_at = beat_at WHERE id = $1 AND owner = $2', id, owner);
  const found = yield* findRun(owner, id);
  if (found === null || (unless !== undefined && Object.hasOwn(found.data, unless))) return false;
  yield* execute(
    'UPDATE run SET data = $3 WHERE id = $1 AND owner = $2',
    id,
    owner,
    JSON.stringify({ ...found.data, ...data }),
  );
  return true;
}

/**
 * Appends text to a run. Text that was sent before is skipped, and a gap is refused. The text is stored as JSON,
 * because a chunk may end in the middle of a surrogate pair.
 */
export function* appendChunk({ forUpdate }: SqlDialect, owner: string, id: string, chunk: RunChunk): SqlTask<boolean> {
  // The lock serialises appends to one run, so the length is read after it.
  const found = yield* queryRow(`SELECT 1 AS yes FROM run WHERE id = $1 AND owner = $2${forUpdate}`, id, owner);
  if (found === undefined) return false;
  const last = yield* queryRow('SELECT start, text FROM run_chunk WHERE run_id = $1 ORDER BY start DESC LIMIT 1', id);
  const length =
    last === undefined ? 0 : readNumberColumn(last, 'start') + (readJsonColumn(last, 'text', 'text') as string).length;
  if (chunk.offset > length)
    refuse('command/invalid', `The run ${id} has ${length} characters: a chunk at ${chunk.offset} would leave a gap.`, {
      runId: id,
      offset: chunk.offset,
    });
  const added = chunk.text.slice(length - chunk.offset);
  if (added === '') return true;
  yield* execute(
    'INSERT INTO run_chunk (run_id, start, text) VALUES ($1, $2, $3) ON CONFLICT (run_id, start) DO NOTHING',
    id,
    length,
    JSON.stringify(added),
  );
  return true;
}

/** Returns a query for the chunks of a run, from the chunk that contains the offset on. */
export function buildRunChunksQuery(owner: string, id: string, from: number): Omit<Query, 'want'> {
  return {
    sql: `SELECT c.start, c.text FROM run_chunk c JOIN run r ON r.id = c.run_id WHERE c.run_id = $1 AND r.owner = $2
    AND c.start >= coalesce((SELECT max(b.start) FROM run_chunk b WHERE b.run_id = $1 AND b.start <= $3), 0) ORDER BY c.start`,
    params: [id, owner, from],
  };
}

/** Decodes the chunks of a run. A chunk that begins before the offset is cut there. */
export function decodeChunksFrom(rows: readonly SqlRow[], from: number): RunChunk[] {
  const chunks = rows.map(
    (one): RunChunk => ({
      offset: readNumberColumn(one, 'start'),
      text: readJsonColumn(one, 'text', 'text') as string,
    }),
  );
  return chunks
    .filter((chunk) => chunk.offset + chunk.text.length > from)
    .map((chunk) => (chunk.offset >= from ? chunk : { offset: from, text: chunk.text.slice(from - chunk.offset) }));
}

/** Returns a run's text from an offset on, in order. */
export function* readRunChunks(owner: string, id: string, from: number): SqlTask<RunChunk[]> {
  const { sql, params } = buildRunChunksQuery(owner, id, from);
  return decodeChunksFrom(yield* queryRows(sql, ...params), from);
}

export function* findRun(owner: string, id: string): SqlTask<Run | null> {
  const found = yield* queryRow('SELECT * FROM run WHERE id = $1 AND owner = $2', id, owner);
  return found === undefined ? null : runOfRow(found);
}

/** Returns the runs of an owner, oldest first. */
export function* listRuns(owner: string, tree: TreeId | undefined): SqlTask<Run[]> {
  const found = yield* queryRows(
    'SELECT * FROM run WHERE owner = $1 AND (CAST($2 AS TEXT) IS NULL OR tree_id = $2) ORDER BY started_at, id',
    owner,
    tree ?? null,
  );
  return found.map(runOfRow);
}

/**
 * Claims the runs of an owner whose last heartbeat is older than `silentMs`, by the clock of the database. Of several
 * processes, only one gets each run.
 */
export function* claimStaleRuns({ now }: SqlDialect, owner: string, silentMs: number, process: string): SqlTask<Run[]> {
  const claimed = yield* queryRows(
    `UPDATE run SET process = $3, beat_at = ${now} WHERE owner = $1 AND beat_at < ${now} - $2 RETURNING *`,
    owner,
    silentMs,
    process,
  );
  return claimed.map(runOfRow).sort(oldestFirst);
}

/** Claims the stale runs of all owners with one statement, like {@link claimStaleRuns}. */
export function* claimStaleRunsOfAll({ now }: SqlDialect, silentMs: number, process: string): SqlTask<OwnedRun[]> {
  const claimed = yield* queryRows(
    `UPDATE run SET process = $2, beat_at = ${now} WHERE beat_at < ${now} - $1 RETURNING *`,
    silentMs,
    process,
  );
  return claimed.map((row) => ({ ...runOfRow(row), owner: readTextColumn(row, 'owner') })).sort(oldestFirst);
}

function oldestFirst(a: Run, b: Run): number {
  return a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1);
}

export function* endRun(owner: string, id: string): SqlTask<void> {
  yield* execute('DELETE FROM run_chunk WHERE run_id IN (SELECT id FROM run WHERE id = $1 AND owner = $2)', id, owner);
  yield* execute('DELETE FROM run WHERE id = $1 AND owner = $2', id, owner);
}

function externalOf(one: SqlRow): ExternalId {
  const node = readTextColumnOrNull(one, 'node_id');
  return {
    treeId: treeId(readTextColumn(one, 'tree_id')),
    nodeId: node === null ? null : nodeId(node),
    format: readTextColumn(one, 'format'),
    scope: readTextColumn(one, 'scope'),
    id: readTextColumn(one, 'id'),
  };
}

function amongThem(dialect: SqlDialect): string {
  return `FROM node WHERE ${inTreeByIdSql('node')} AND id IN ${dialect.list('$2')}`;
}

/** Returns which of these nodes a tree does not contain. Removed nodes count as contained. */
export function* findMissingNodes(dialect: SqlDialect, base: number, ids: ReadonlySet<NodeId>): SqlTask<Set<NodeId>> {
  const missing = new Set(ids);
  if (missing.size === 0) return missing;
  const list = JSON.stringify([...missing].map(encodeColumnText));
  // Nearly always all nodes exist. Counting them is faster than reading a row for each.
  const counted = yield* queryRow(`SELECT count(*) AS n ${amongThem(dialect)}`, base, list);
  if (counted !== undefined && readNumberColumn(counted, 'n') === missing.size) return new Set();
  const found = yield* queryRows(`SELECT id ${amongThem(dialect)}`, base, list);
  for (const one of found) missing.delete(nodeId(readTextColumn(one, 'id')));
  return missing;
}

/** Finds the trees and nodes that external ids of one source refer to. Unknown ids are left out. */
export function* findExternalIds(
  dialect: SqlDialect,
  owner: string,
  format: string,
  scope: string,
  ids: readonly string[],
): SqlTask<ExternalId[]> {
  const found = yield* queryRows(
    `SELECT * FROM external_id WHERE owner = $1 AND format = $2 AND scope = $3 AND id IN ${dialect.list('$4')}`,
    owner,
    format,
    scope,
    // Values in the JSON list must be encoded like column text; the driver does that only for scalars.
    JSON.stringify(ids.map(encodeColumnText)),
  );
  return found.map(externalOf).sort(compareExternalIds);
}

export function* readExternalIdsOfTree(owner: string, tree: TreeId): SqlTask<ExternalId[]> {
  const found = yield* queryRows('SELECT * FROM external_id WHERE owner = $1 AND tree_id = $2', owner, tree);
  return found.map(externalOf).sort(compareExternalIds);
}

export function* addProvenance(owner: string, list: readonly Provenance[]): SqlTask<void> {
  for (const one of list)
    yield* execute(
      'INSERT INTO provenance (tree_id, source, first_node_id, last_node_id, count, at) SELECT $1, $2, $3, $4, $5, $6 FROM tree WHERE id = $1 AND owner = $7',
      one.treeId,
      one.source,
      one.firstNodeId,
      one.lastNodeId,
      one.count,
      one.at,
      owner,
    );
}

/** Returns the provenance of a tree, oldest first. */
export function* readProvenanceRows(owner: string, tree: TreeId): SqlTask<Provenance[]> {
  const found = yield* queryRows(
    'SELECT p.* FROM provenance p JOIN tree t ON t.id = p.tree_id WHERE p.tree_id = $1 AND t.owner = $2 ORDER BY p.at',
    tree,
    owner,
  );
  return found.map((one) => ({
    treeId: tree,
    source: readTextColumn(one, 'source'),
    firstNodeId: nodeId(readTextColumn(one, 'first_node_id')),
    lastNodeId: nodeId(readTextColumn(one, 'last_node_id')),
    count: readNumberColumn(one, 'count'),
    at: readNumberColumn(one, 'at'),
  }));
}

export function* putUser(user: User): SqlTask<void> {
  assertKnownRole(user);
  yield* execute(
    `INSERT INTO account (id, name, role, created_at, disabled_at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (id) DO UPDATE SET name = $2, role = $3, created_at = $4, disabled_at = $5`,
    user.id,
    user.name,
    user.role,
    user.createdAt,
    user.disabledAt,
  );
}

function userOf(one: SqlRow): User {
  return {
    id: readTextColumn(one, 'id'),
    name: readTextColumn(one, 'name'),
    role: readTextColumn(one, 'role') as User['role'],
    createdAt: readNumberColumn(one, 'created_at'),
    disabledAt: readNumberColumnOrNull(one, 'disabled_at'),
  };
}

/** Returns all users, oldest first. */
export function* listUsers(): SqlTask<User[]> {
  return (yield* queryRows('SELECT * FROM account ORDER BY created_at, id')).map(userOf);
}

export function* findUser(id: string): SqlTask<User | null> {
  const found = yield* queryRow('SELECT * FROM account WHERE id = $1', id);
  return found === undefined ? null : userOf(found);
}

/** Inserts or replaces a token. A revoked token stays revoked, even if the caller writes an earlier state of it. */
export function* putToken(token: ApiToken): SqlTask<void> {
  assertHashUnused('token', token.id, yield* findTokenByHash(token.hash));
  yield* execute(
    `INSERT INTO token (id, user_id, name, hash, created_at, expires_at, revoked_at, used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
    ON CONFLICT (id) DO UPDATE SET user_id = $2, name = $3, hash = $4, created_at = $5, expires_at = $6, revoked_at = COALESCE(token.revoked_at, $7), used_at = $8`,
    token.id,
    token.userId,
    token.name,
    token.hash,
    token.createdAt,
    token.expiresAt,
    token.revokedAt,
    token.usedAt,
  );
}

function tokenOf(one: SqlRow): ApiToken {
  return {
    id: readTextColumn(one, 'id'),
    userId: readTextColumn(one, 'user_id'),
    name: readTextColumn(one, 'name'),
    hash: readTextColumn(one, 'hash'),
    createdAt: readNumberColumn(one, 'created_at'),
    expiresAt: readNumberColumnOrNull(one, 'expires_at'),
    revokedAt: readNumberColumnOrNull(one, 'revoked_at'),
    usedAt: readNumberColumnOrNull(one, 'used_at'),
  };
}

/** Returns the tokens of a user, oldest first. */
export function* listTokens(userId: string): SqlTask<ApiToken[]> {
  return (yield* queryRows('SELECT * FROM token WHERE user_id = $1 ORDER BY created_at, id', userId)).map(tokenOf);
}

/** Returns the token with this hash, revoked or not; null if there is none. */
export function* findTokenByHash(hash: string): SqlTask<ApiToken | null> {
  const found = yield* queryRow('SELECT * FROM token WHERE hash = $1', hash);
  return found === undefined ? null : tokenOf(found);
}

export function* putShare(share: ShareLink): SqlTask<void> {
  assertHashUnused('share', share.id, yield* findShareByHash(share.hash));
  yield* execute(
    `INSERT INTO share (id, owner, tree_id, node_ids, fields, title, hash, created_at, expires_at, revoked_at, version) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
    ON CONFLICT (id) DO UPDATE SET owner = $2, tree_id = $3, node_ids = $4, fields = $5, title = $6, hash = $7, created_at = $8, expires_at = $9, revoked_at = $10, version = $11`,
    share.id,
    share.owner,
    share.treeId,
    JSON.stringify(share.nodeIds),
    JSON.stringify(share.fields),
    share.title,
    share.hash,
    share.createdAt,
    share.expiresAt,
    share.revokedAt,
    share.version,
  );
}

function shareOfRow(one: SqlRow): ShareLink {
  const title = readTextColumnOrNull(one, 'title');
  return {
    id: readTextColumn(one, 'id'),
    owner: readTextColumn(one, 'owner'),
    treeId: treeId(readTextColumn(one, 'tree_id')),
    version: readNumberColumnOrNull(one, 'version'),
    nodeIds: (readJsonColumn(one, 'node_ids', 'texts') as readonly string[]).map(nodeId),
    fields: readJsonColumn(one, 'fields', 'texts') as readonly string[],
    title: title,
    hash: readTextColumn(one, 'hash'),
    createdAt: readNumberColumn(one, 'created_at'),
    expiresAt: readNumberColumnOrNull(one, 'expires_at'),
    revokedAt: readNumberColumnOrNull(one, 'revoked_at'),
  };
}

/** Returns the shares of an owner, newest first. */
export function* listShares(owner: string, tree: TreeId | undefined): SqlTask<ShareLink[]> {
  const found = yield* queryRows(
    'SELECT * FROM share WHERE owner = $1 AND (CAST($2 AS TEXT) IS NULL OR tree_id = $2) ORDER BY created_at DESC, id',
    owner,
    tree ?? null,
  );
  return found.map(shareOfRow);
}

export function* findShareByHash(hash: string): SqlTask<ShareLink | null> {
  const found = yield* queryRow('SELECT * FROM share WHERE hash = $1', hash);
  return found === undefined ? null : shareOfRow(found);
}

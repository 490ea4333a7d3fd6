/** Deletes old commits of a tree, and the former contents that only they need. */
import { actId, type CommitKind, type TreeId, treeId } from '@coppice/core';
import { findTrimVersion } from '@coppice/core/history';
import { addBlobHashesInJson, blobSourceText } from '../attachments.ts';
import { deleteUnusedBlobs } from './attachments.ts';
import { execute, queryRows, readNumberColumn, readTextColumn, type SqlTask } from './query.ts';
import type { TreeScope } from './scope.ts';

/** A tree that may have old commits, with its number for the next query. */
export interface TrimCandidate {
  readonly no: number;
  readonly treeId: TreeId;
  readonly owner: string;
}

/**
 * Returns the next trees of all owners whose oldest commit is before a time. Leaves out trees that have not changed
 * since a trim found nothing more to delete in them.
 */
export function* findTrimCandidates(before: number, after: number, limit: number): SqlTask<TrimCandidate[]> {
  const found = yield* queryRows(
    `SELECT t.no, t.id, t.owner FROM tree t LEFT JOIN log_start l ON l.tree_id = t.id
    WHERE t.no > $1 AND t.version > 1 AND t.created_at < $2 AND (l.checked IS NULL OR l.checked <> t.version)
      AND (SELECT c.at FROM change c WHERE c.tree_id = t.id ORDER BY c.version LIMIT 1) < $2
    ORDER BY t.no LIMIT $3`,
    after,
    before,
    limit,
  );
  return found.map((row) => ({
    no: readNumberColumn(row, 'no'),
    treeId: treeId(readTextColumn(row, 'id')),
    owner: readTextColumn(row, 'owner'),
  }));
}

/** The limits of a trim. */
export interface TrimRequest {
  readonly before: number;
  /** The highest version with which the log may begin. */
  readonly latest: number;
  /** How many milliseconds an uploaded attachment is kept while no message refers to it. */
  readonly grace: number;
  /** Brings the text index up to date with the commits before a version, which are about to be deleted. */
  readonly indexCommitsBeforeTrim: ((tree: TreeId, version: number) => SqlTask<void>) | undefined;
}

/** Deletes the old commits of a locked tree. Returns their number. */
export function* trimTreeLog(scope: TreeScope, request: TrimRequest): SqlTask<number> {
  const { treeId: id, dialect, owner } = scope;
  const rows = yield* queryRows('SELECT version, act_id, kind, at FROM change WHERE tree_id = $1 ORDER BY version', id);
  const log = rows.map((row) => ({
    version: readNumberColumn(row, 'version'),
    actId: actId(readTextColumn(row, 'act_id')),
    kind: readTextColumn(row, 'kind') as CommitKind,
    at: readNumberColumn(row, 'at'),
  }));
  const start = findTrimVersion(log, request.before, request.latest);
  const newest = log.at(-1);
  // A tree without a recent commit has nothing left to trim until its next commit, unless a share link ends first.
  const isDone = newest !== undefined && newest.at < request.before && !Number.isFinite(request.latest);
  if (start === log[0]?.version && !isDone) return 0;
  yield* recordLogStart(id, start, isDone ? newest.version : 0);
  if (start === log[0]?.version) return 0;
  if (request.indexCommitsBeforeTrim !== undefined) yield* request.indexCommitsBeforeTrim(id, start);
  const named = new Set<string>();
  for (const row of yield* queryRows(
    `SELECT f.content FROM node_content f WHERE ${isUnreachable('f')} AND f.content LIKE '%${blobSourceText}%'`,
    id,
    start - 1,
  ))
    addBlobHashesInJson(readTextColumn(row, 'content'), named);
  yield* execute(`DELETE FROM node_content AS f WHERE ${isUnreachable('f')}`, id, start - 1);
  const deleted = yield* execute('DELETE FROM change WHERE tree_id = $1 AND version < $2', id, start);
  yield* deleteUnusedBlobs({ dialect, owner, grace: request.grace }, named);
  return deleted;
}

// The SQL condition for a former content of tree `$1` that was replaced in version `$2` or earlier. Neither version
// `$2` nor any later version of the tree contains it.
const isUnreachable = (f: string) =>
  `${f}.tree_id = $1 AND ${f}.version < $2 AND (
    EXISTS (SELECT 1 FROM node_content k WHERE k.tree_id = $1 AND k.node_id = ${f}.node_id AND k.version > ${f}.version AND k.version <= $2)
    OR EXISTS (SELECT 1 FROM node n WHERE n.id = ${f}.node_id AND n.content_in > ${f}.version AND n.content_in <= $2))`;

function* recordLogStart(id: TreeId, version: number, checked: number): SqlTask<void> {
  yield* execute(
    `INSERT INTO log_start (tree_id, version, checked) VALUES ($1, $2, $3)
    ON CONFLICT (tree_id) DO UPDATE SET version = excluded.version, checked = excluded.checked`,
    id,
    version,
    checked,
  );
}

/** Purges rows, former contents, and texts in the log. */
import { type NodeId, nodeId, type PurgeReport, refuse, type TreeId } from '@coppice/core';
import { addHashes, blobMark } from '../attachments.ts';
import { collectBlobs } from './attachments.ts';
import { copiesOf } from './copies.ts';
import { removedTogether } from './lists.ts';
import { redactLog } from './log.ts';
import {
  execute,
  queryRow,
  queryRows,
  type SqlDialect,
  type SqlTask,
  sqlNumber,
  sqlText,
  sqlTextOrNull,
} from './query.ts';
import type { StoredTree } from './rows.ts';
import { refuseCycle, type TreeScope } from './scope.ts';

/**
 * Returns the attachments that nodes of a tree refer to, in current and former contents; of all nodes if none are
 * given.
 */
function* namedByPurge(scope: TreeScope, tree: TreeId, list: string | null): SqlTask<Set<string>> {
  const named = new Set<string>();
  const like = `LIKE '%${blobMark}%'`;
  const of = (column: string) => (list === null ? '' : ` AND ${column} IN ${scope.dialect.list('$2')}`);
  const params = list === null ? [tree] : [tree, list];
  for (const sql of [
    `SELECT content, meta FROM node WHERE tree_id = $1${of('id')} AND (content ${like} OR meta ${like})`,
    `SELECT content, '' AS meta FROM node_content WHERE tree_id = $1${of('node_id')} AND content ${like}`,
  ])
    for (const one of yield* queryRows(sql, ...params))
      for (const column of ['content', 'meta']) addHashes(sqlText(one, column), named);
  return named;
}

/** The inputs of a purge. */
export interface PurgeOptions {
  /** How many milliseconds added attachments wait for a message. */
  readonly grace: number;
  /** Removes nodes of a tree from the text index before they are deleted; all of it if no list is given. */
  readonly unindex: ((tree: TreeId, ids: string | null) => SqlTask<void>) | undefined;
}

/** The result of a purge, without what only the database knows. */
export type PurgedRows = Omit<PurgeReport, 'uncleared'>;

/** Purges a removed node with what was removed with it, or everything removed up to a version. */
export function* purgeRows(
  scope: TreeScope,
  tree: StoredTree,
  what: { readonly nodeId: NodeId } | { readonly upTo: number },
  { grace, unindex }: PurgeOptions,
): SqlTask<PurgedRows> {
  const ids =
    'nodeId' in what
      ? yield* removedTogetherWith(scope.dialect, tree.id, what.nodeId)
      : yield* removedUpTo(scope.dialect, tree.id, what.upTo);
  if (ids.length === 0) return { nodes: 0, contents: 0, copies: [], waitingAttachments: 0 };
  const list = JSON.stringify(ids);
  const inList = `IN ${scope.dialect.list('$2')}`;
  const named = yield* namedByPurge(scope, tree.id, list);
  const copies = yield* copiesOf(scope.dialect, scope.owner, tree.id, list);
  if (unindex !== undefined) yield* unindex(tree.id, list);
  yield* execute(
    `DELETE FROM run_chunk WHERE run_id IN (SELECT id FROM run WHERE tree_id = $1 AND node_id ${inList})`,
    tree.id,
    list,
  );
  const contents = yield* execute(`DELETE FROM node_content WHERE tree_id = $1 AND node_id ${inList}`, tree.id, list);
  for (const table of ['run', 'node_alias', 'node_copy', 'bookmark', 'external_id'])
    yield* execute(`DELETE FROM ${table} WHERE tree_id = $1 AND node_id ${inList}`, tree.id, list);
  yield* execute(`UPDATE node SET last_child_id = NULL WHERE tree_id = $1 AND last_child_id ${inList}`, tree.id, list);
  const nodes = yield* execute(`DELETE FROM node WHERE tree_id = $1 AND id ${inList}`, tree.id, list);
  yield* redactLog(tree.id, new Set<string>(ids));
  const waitingAttachments = yield* collectBlobs({ dialect: scope.dialect, owner: scope.owner, grace }, named);
  return { nodes, contents, copies, waitingAttachments };
}

function* removedTogetherWith(dialect: SqlDialect, tree: TreeId, id: NodeId): SqlTask<NodeId[]> {
  const found = yield* queryRow('SELECT removed_in FROM node WHERE tree_id = $1 AND id = $2', tree, id);
  if (found === undefined || found.removed_in === null)
    return refuse('tree/unknown-node', `There is no node ${id} in the trash of ${tree}.`, { nodeId: id });
  const removedIn = sqlNumber(found, 'removed_in');
  const gone = yield* removedTogether(tree, yield* removalTopRow(tree, id, removedIn), removedIn);
  // Descendants that were removed earlier could no longer be restored.
  return yield* withAllBelow(dialect, tree, gone);
}

/** Returns the root of what one commit removed together with a node. */
function* removalTopRow(tree: TreeId, id: NodeId, removedIn: number): SqlTask<NodeId> {
  const found = yield* queryRows(
    `WITH RECURSIVE up(id, parent_id) AS (
      SELECT id, parent_id FROM node WHERE tree_id = $1 AND id = $2
      UNION
      SELECT n.id, n.parent_id FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.parent_id WHERE n.removed_in = $3
    ) SELECT id, parent_id FROM up`,
    tree,
    id,
    removedIn,
  );
  const together = new Set(found.map((one) => sqlText(one, 'id')));
  const top = found.find((one) => !together.has(sqlTextOrNull(one, 'parent_id') ?? ''));
  return top === undefined ? refuseCycle(id) : nodeId(sqlText(top, 'id'));
}

/** Returns nodes with all their descendants. */
function* withAllBelow({ list }: SqlDialect, tree: TreeId, ids: readonly NodeId[]): SqlTask<NodeId[]> {
  const found = yield* queryRows(
    `WITH RECURSIVE below(id) AS (
      SELECT id FROM node WHERE tree_id = $1 AND id IN ${list('$2')}
      UNION
      SELECT n.id FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id
    ) SELECT id FROM below`,
    tree,
    JSON.stringify(ids),
  );
  return found.map((one) => nodeId(sqlText(one, 'id')));
}

function* removedUpTo(dialect: SqlDialect, tree: TreeId, version: number): SqlTask<NodeId[]> {
  const found = yield* queryRows(
    'SELECT id FROM node WHERE tree_id = $1 AND removed_in IS NOT NULL AND removed_in <= $2',
    tree,
    version,
  );
  return yield* withAllBelow(
    dialect,
    tree,
    found.map((one) => nodeId(sqlText(one, 'id'))),
  );
}

/** Purges a whole tree, with attachments that only it referred to. */
export function* purgeTree(scope: TreeScope, tree: TreeId, { grace, unindex }: PurgeOptions): SqlTask<PurgedRows> {
  const named = yield* namedByPurge(scope, tree, null);
  const ids = (yield* queryRows('SELECT id FROM node WHERE tree_id = $1', tree)).map((one) => sqlText(one, 'id'));
  const copies = yield* copiesOf(scope.dialect, scope.owner, tree, JSON.stringify(ids));
  if (unindex !== undefined) yield* unindex(tree, null);
  yield* execute('UPDATE tree SET active_node_id = NULL WHERE id = $1', tree);
  yield* execute('DELETE FROM run_chunk WHERE run_id IN (SELECT id FROM run WHERE tree_id = $1)', tree);
  yield* execute('DELETE FROM node_copy WHERE node_id IN (SELECT id FROM node WHERE tree_id = $1)', tree);
  for (const table of ['run', 'share', 'external_id', 'provenance', 'bookmark', 'node_alias'])
    yield* execute(`DELETE FROM ${table} WHERE tree_id = $1`, tree);
  const contents = yield* execute('DELETE FROM node_content WHERE tree_id = $1', tree);
  yield* execute('DELETE FROM change WHERE tree_id = $1', tree);
  const nodes = yield* execute('DELETE FROM node WHERE tree_id = $1', tree);
  yield* execute('DELETE FROM tree WHERE id = $1', tree);
  const waitingAttachments = yield* collectBlobs({ dialect: scope.dialect, owner: scope.owner, grace }, named);
  return { nodes, contents, copies, waitingAttachments };
}

/** Purges removed nodes, their former contents, and their data in the log. */
import { type NodeId, nodeId, type PurgeReport, refuse, type TreeId } from '@coppice/core';
import { addBlobHashesInJson, blobSourceText } from '../attachments.ts';
import { deleteUnusedBlobs } from './attachments.ts';
import { findCopiesInTables } from './copies.ts';
import { listRemovedTogether } from './lists.ts';
import { redactLog } from './log.ts';
import { inTreeByIdSql, inTreeByIndexSql, inTreeSql } from './numbers.ts';
import {
  execute,
  queryRow,
  queryRows,
  readNumberColumn,
  readNumberColumnOrNull,
  readTextColumn,
  type SqlDialect,
  type SqlTask,
} from './query.ts';
import type { StoredTree } from './rows.ts';
import { baseOfScope, type TreeScope, throwCycle } from './scope.ts';
import { purgeSharedContents } from './shared-texts.ts';

/**
 * Returns the attachments that nodes of a tree refer to, in current and former contents. `list` is a JSON list of node
 * ids; null means all nodes.
 */
function* namedByPurge(scope: TreeScope, list: string | null): SqlTask<Set<string>> {
  const named = new Set<string>();
  const like = `LIKE '%${blobSourceText}%'`;
  const of = (column: string) => (list === null ? '' : ` AND ${column} IN ${scope.dialect.list('$2')}`);
  const more = list === null ? [] : [list];
  for (const [sql, tree] of [
    [
      `SELECT content, meta FROM node WHERE ${list === null ? inTreeSql('node') : inTreeByIdSql('node')}${of('id')} AND (content ${like} OR meta ${like})`,
      baseOfScope(scope),
    ],
    [
      `SELECT content, '' AS meta FROM node_content WHERE tree_id = $1${of('node_id')} AND content ${like}`,
      scope.treeId,
    ],
  ] as const)
    for (const one of yield* queryRows(sql, tree, ...more))
      for (const column of ['content', 'meta']) addBlobHashesInJson(readTextColumn(one, column), named);
  return named;
}

/** What a purge needs to know about its store. */
export interface PurgeOptions {
  /** How many milliseconds an uploaded attachment is kept while no message refers to it. */
  readonly grace: number;
  /** Removes nodes of a tree from the text index before they are deleted; the whole tree if no list is given. */
  readonly unindex: ((base: number, ids: string | null) => SqlTask<void>) | undefined;
}

/** The report of a purge, without the files that still contain purged data. */
export type PurgedRowsReport = Omit<PurgeReport, 'uncleared'>;

/** Purges a removed node with all nodes of the same removal, or all nodes that were removed up to a version. */
export function* purgeRows(
  scope: TreeScope,
  tree: StoredTree,
  what: { readonly nodeId: NodeId } | { readonly upTo: number },
  { grace, unindex }: PurgeOptions,
): SqlTask<PurgedRowsReport> {
  const ids =
    'nodeId' in what
      ? yield* removedTogetherWith(scope.dialect, tree, what.nodeId)
      : yield* removedUpTo(scope.dialect, tree.base, what.upTo);
  if (ids.length === 0) return { nodes: 0, contents: 0, copies: [], waitingAttachments: 0 };
  const list = JSON.stringify(ids);
  const inList = `IN ${scope.dialect.list('$2')}`;
  const named = yield* namedByPurge(scope, list);
  const copies = yield* findCopiesInTables(scope.dialect, scope.owner, tree.id, list);
  if (unindex !== undefined) yield* unindex(tree.base, list);
  yield* execute(
    `DELETE FROM run_chunk WHERE run_id IN (SELECT id FROM run WHERE tree_id = $1 AND node_id ${inList})`,
    tree.id,
    list,
  );
  const shared = yield* purgeSharedContents(scope, ids);
  const own = yield* execute(`DELETE FROM node_content WHERE tree_id = $1 AND node_id ${inList}`, tree.id, list);
  for (const table of ['run', 'node_alias', 'node_copy', 'bookmark', 'external_id'])
    yield* execute(`DELETE FROM ${table} WHERE tree_id = $1 AND node_id ${inList}`, tree.id, list);
  yield* execute(
    `DELETE FROM provenance WHERE tree_id = $1 AND (first_node_id ${inList} OR last_node_id ${inList})`,
    tree.id,
    list,
  );
  yield* unmarkVisits(scope.dialect, tree.base, list);
  const nodes = yield* execute(`DELETE FROM node WHERE ${inTreeByIdSql('node')} AND id ${inList}`, tree.base, list);
  yield* redactLog(tree.id, new Set<string>(ids));
  const waitingAttachments = yield* deleteUnusedBlobs({ dialect: scope.dialect, owner: scope.owner, grace }, named);
  return { nodes, contents: own + shared, copies, waitingAttachments };
}

/** Removes visit marks that point to nodes which are about to be deleted. */
function* unmarkVisits({ list }: SqlDialect, base: number, ids: string): SqlTask<void> {
  yield* execute(
    `UPDATE node SET last_no = NULL WHERE no IN (
      SELECT p.no FROM node g JOIN node p ON p.no = g.parent_no AND p.last_no = g.no WHERE ${inTreeByIdSql('g')} AND g.id IN ${list('$2')}
    )`,
    base,
    ids,
  );
}

function* removedTogetherWith(dialect: SqlDialect, { id: tree, base }: StoredTree, id: NodeId): SqlTask<NodeId[]> {
  const found = yield* queryRow(`SELECT n.removed_in FROM node n WHERE ${inTreeByIdSql('n')} AND n.id = $2`, base, id);
  if (found === undefined || found.removed_in === null)
    return refuse('tree/unknown-node', `There is no message ${id} in the trash of ${tree}.`, { nodeId: id });
  const removedIn = readNumberColumn(found, 'removed_in');
  const gone = yield* listRemovedTogether(base, yield* removalTopRow(base, id, removedIn), removedIn);
  // Descendants that an earlier commit removed could never be restored, so they are purged too.
  return yield* withAllBelow(dialect, base, gone);
}

/** Returns the root of the subtree that one commit removed together with a node. */
function* removalTopRow(base: number, id: NodeId, removedIn: number): SqlTask<NodeId> {
  const found = yield* queryRows(
    `WITH RECURSIVE up(no, id, parent_no) AS (
      SELECT s.no, s.id, s.parent_no FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2
      UNION
      SELECT n.no, n.id, n.parent_no FROM up JOIN node n ON n.no = up.parent_no WHERE n.removed_in = $3
    ) SELECT no, id, parent_no FROM up`,
    base,
    id,
    removedIn,
  );
  const together = new Set(found.map((one) => readNumberColumn(one, 'no')));
  const top = found.find((one) => !together.has(readNumberColumnOrNull(one, 'parent_no') ?? 0));
  return top === undefined ? throwCycle(id) : nodeId(readTextColumn(top, 'id'));
}

/** Returns nodes together with all their descendants. */
function* withAllBelow({ list }: SqlDialect, base: number, ids: readonly NodeId[]): SqlTask<NodeId[]> {
  const found = yield* queryRows(
    `WITH RECURSIVE below(no, id) AS (
      SELECT s.no, s.id FROM node s WHERE ${inTreeByIdSql('s')} AND s.id IN ${list('$2')}
      UNION
      SELECT n.no, n.id FROM below JOIN node n ON n.parent_no = below.no
    ) SELECT id FROM below`,
    base,
    JSON.stringify(ids),
  );
  return found.map((one) => nodeId(readTextColumn(one, 'id')));
}

function* removedUpTo(dialect: SqlDialect, base: number, version: number): SqlTask<NodeId[]> {
  const found = yield* queryRows(
    `SELECT n.id FROM node n WHERE ${inTreeByIndexSql('n')} AND n.removed_in IS NOT NULL AND n.removed_in <= $2`,
    base,
    version,
  );
  return yield* withAllBelow(
    dialect,
    base,
    found.map((one) => nodeId(readTextColumn(one, 'id'))),
  );
}

/** Purges a whole tree, and the attachments that only this tree referred to. */
export function* purgeTree(
  scope: TreeScope,
  tree: TreeId,
  { grace, unindex }: PurgeOptions,
): SqlTask<PurgedRowsReport> {
  const base = baseOfScope(scope);
  const named = yield* namedByPurge(scope, null);
  const all = yield* queryRows(`SELECT n.id FROM node n WHERE ${inTreeSql('n')}`, base);
  const ids = all.map((one) => readTextColumn(one, 'id'));
  const copies = yield* findCopiesInTables(scope.dialect, scope.owner, tree, JSON.stringify(ids));
  if (unindex !== undefined) yield* unindex(base, null);
  yield* execute('UPDATE tree SET active_node_id = NULL WHERE id = $1', tree);
  yield* execute('DELETE FROM run_chunk WHERE run_id IN (SELECT id FROM run WHERE tree_id = $1)', tree);
  yield* execute(`DELETE FROM node_copy WHERE node_id IN (SELECT n.id FROM node n WHERE ${inTreeSql('n')})`, base);
  for (const table of ['run', 'share', 'external_id', 'provenance', 'bookmark', 'node_alias', 'log_start'])
    yield* execute(`DELETE FROM ${table} WHERE tree_id = $1`, tree);
  const contents = yield* execute('DELETE FROM node_content WHERE tree_id = $1', tree);
  yield* execute('DELETE FROM change WHERE tree_id = $1', tree);
  const nodes = yield* execute(`DELETE FROM node WHERE ${inTreeSql('node')}`, base);
  yield* execute('DELETE FROM tree WHERE id = $1', tree);
  const waitingAttachments = yield* deleteUnusedBlobs({ dialect: scope.dialect, owner: scope.owner, grace }, named);
  return { nodes, contents, copies, waitingAttachments };
}

/** Taking for good: rows, former contents, and the texts that the log holds. */
import { type NodeId, nodeId, type PurgeReport, refuse, type TreeId } from '@coppice/core';
import { addHashes, blobMark } from '../attachments.ts';
import { collectBlobs } from './attachments.ts';
import { copiesOf } from './copies.ts';
import { removedTogether } from './lists.ts';
import {
  execute,
  parsed,
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

/** The attachments that nodes of a tree name, now or in what they said before; all of its nodes where none are given. */
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

/** What a purge needs to know of the store that carries it out. */
export interface PurgeOptions {
  /** For how many milliseconds attachments that were put wait for a message. */
  readonly grace: number;
  /** Takes nodes of a tree out of an index of their texts before they are deleted; all of it where no list is given. */
  readonly unindex: ((tree: TreeId, ids: string | null) => SqlTask<void>) | undefined;
}

/** What a purge did, without what only the database knows. */
export type PurgedRows = Omit<PurgeReport, 'uncleared'>;

/** Purges a removed node with what went with it, or everything that was removed up to a version. */
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
  // What hung below and went earlier has nowhere to come back to.
  return yield* withAllBelow(dialect, tree, gone);
}

/** The top of what one commit removed together with a node. */
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

/** Nodes and everything below them. */
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

interface LoggedNote {
  readonly type: string;
  readonly nodeId?: string;
  readonly after?: unknown;
  readonly before?: unknown;
}

function untitled(mark: unknown): unknown {
  return typeof mark === 'object' && mark !== null ? { ...mark, title: 'purged' } : null;
}

/** Notes, titles and bookmarks of purged nodes leave the log; which steps there were stays. */
function* redactLog(tree: TreeId, ids: ReadonlySet<string>): SqlTask<void> {
  for (const one of yield* queryRows(
    "SELECT version, steps FROM change WHERE tree_id = $1 AND (steps LIKE '%annotate%' OR steps LIKE '%bookmark%')",
    tree,
  )) {
    const steps = parsed(one, 'steps') as readonly LoggedNote[];
    let changed = false;
    const kept = steps.map((step) => {
      if ((step.type !== 'annotate' && step.type !== 'bookmark') || step.nodeId === undefined || !ids.has(step.nodeId))
        return step;
      changed = true;
      return step.type === 'annotate'
        ? { ...step, after: {}, before: {} }
        : { ...step, after: untitled(step.after), before: untitled(step.before) };
    });
    if (changed)
      yield* execute(
        'UPDATE change SET steps = $3 WHERE tree_id = $1 AND version = $2',
        tree,
        sqlNumber(one, 'version'),
        JSON.stringify(kept),
      );
  }
}

/** Takes a tree for good: nothing of it remains, nor of attachments that only it named. */
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

/** What every read of a tree in a database stands on: whose it is, its row, and single nodes of it. */
import { type Node, type NodeHead, type NodeId, nodeId, refuse, type TreeId } from '@coppice/core';
import type { MatchCache } from './match-cache.ts';
import { queryRow, queryRows, type SqlDialect, type SqlRow, type SqlTask, sqlNumber, sqlText } from './query.ts';
import { headColumns, nodeColumns, nodeHeadOf, nodeOfRow, type StoredTree, storedTreeOf, treeColumns } from './rows.ts';

/** What answering needs to know: whose trees, which tree, and the tree row where the caller holds it already. */
export interface TreeScope {
  readonly dialect: SqlDialect;
  readonly owner: string;
  readonly treeId: TreeId;
  /** The row, read under the lock or in this snapshot; null where there is no such tree of this owner. */
  readonly tree: StoredTree | null;
  /** Live nodes that were read while nothing is written: what one read found, the next need not look up again. */
  readonly heads?: Map<string, NodeHead>;
  /** What was fetched together with the lock, for the planner is going to ask it. Good until something is written. */
  readonly foreseen?: PrefetchedRows;
  /** Which messages were found below which, where a process keeps that. Only good under the lock. */
  readonly ways?: MatchCache;
  /** Whether others, the caller among them, have turns while it is written: then each node is looked at once more. */
  readonly inTurns?: boolean;
}

/** Answers that were fetched before they were asked for. */
export interface PrefetchedRows {
  /** The node that something is to hang below, and the last position there; null where there is no such live node. */
  readonly parentInfo: { readonly head: NodeHead; readonly edge: string | null } | null;
  /** The ids that were looked for, and those of them that are taken. */
  readonly ids: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

// A walk longer than this runs in a circle: no tree of ours is that deep.
export const maxDepth = 10_000_000;

/** Reads a tree row of an owner. */
export function* treeRow(owner: string, id: TreeId, lock = ''): SqlTask<StoredTree | null> {
  // Callers without types hand on what they have, and no driver takes everything.
  if (typeof id !== 'string') return null;
  const found = yield* queryRow(`SELECT ${treeColumns} FROM tree WHERE id = $1 AND owner = $2${lock}`, id, owner);
  return found === undefined ? null : storedTreeOf(found);
}

/**
 * Finds which ids of a list are taken, by a node or by a tree: where something is looked for by its id alone, a tree's own
 * stands for its root.
 */
export function takenIds({ list }: SqlDialect): string {
  const holders = ['node', 'tree'];
  return holders.map((table) => `SELECT id FROM ${table} WHERE id IN ${list('$1')}`).join(' UNION ALL ');
}

/** The id in a row. */
export function idOfRow(found: SqlRow): NodeId {
  return nodeId(sqlText(found, 'id'));
}

/** One node, live or (with no condition) also removed. */
export function* nodeById(scope: TreeScope, tree: string, id: NodeId, live: string): SqlTask<Node | null> {
  const found = yield* queryRow(`SELECT ${nodeColumns} FROM node WHERE tree_id = $1 AND id = $2${live}`, tree, id);
  return found === undefined ? null : nodeOfRow(found, yield* aliasesOfNode(scope, tree, id));
}

function* aliasesOfNode(scope: TreeScope, tree: string, id: string): SqlTask<Node['aliases']> {
  if (scope.tree?.hasAliases !== true) return [];
  const found = yield* queryRows(
    'SELECT match_parent, equality_key FROM node_alias WHERE tree_id = $1 AND node_id = $2 ORDER BY place',
    tree,
    id,
  );
  return found.map((alias) => ({
    matchParent: nodeId(sqlText(alias, 'match_parent')),
    key: sqlText(alias, 'equality_key'),
  }));
}

/** Nodes from rows, each with its aliases, which only trees that were split have. */
export function* nodesFrom(scope: TreeScope, tree: string, found: readonly SqlRow[]): SqlTask<Node[]> {
  if (scope.tree?.hasAliases !== true) return found.map((one) => nodeOfRow(one, []));
  const aliases = new Map<string, { matchParent: NodeId; key: string }[]>();
  const ids = JSON.stringify(found.map((one) => sqlText(one, 'id')));
  for (const alias of yield* queryRows(
    `SELECT * FROM node_alias WHERE tree_id = $1 AND node_id IN ${scope.dialect.list('$2')} ORDER BY node_id, place`,
    tree,
    ids,
  )) {
    const list = aliases.get(sqlText(alias, 'node_id')) ?? [];
    list.push({ matchParent: nodeId(sqlText(alias, 'match_parent')), key: sqlText(alias, 'equality_key') });
    aliases.set(sqlText(alias, 'node_id'), list);
  }
  return found.map((one) => nodeOfRow(one, aliases.get(sqlText(one, 'id')) ?? []));
}

/** A path with more nodes than the tree ever had is a circle. */
export function longestPath({ tree }: TreeScope): number {
  return Math.min(maxDepth, (tree?.nextSeq ?? 0) + 1);
}

/** Refuses a tree in which a node is below itself. */
export function refuseCycle(id: string): never {
  return refuse('store/damaged', `The node ${id} is below itself: coppice fsck --repair puts it in place.`, {
    nodeId: id,
  });
}

// Without repetition, so that a circle of parents ends the walk.
const upwards = `WITH RECURSIVE up(id, parent_id) AS (
    SELECT id, parent_id FROM node WHERE tree_id = $1 AND id = $2
    UNION
    SELECT n.id, n.parent_id FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.parent_id
  )`;

/** Whether one node is another or lies above it. Raw parents count, so it also tells of removed nodes. */
export function* ancestorsOf(tree: string, id: string, below: string): SqlTask<boolean> {
  if (id === below)
    return (yield* queryRow('SELECT 1 AS yes FROM node WHERE tree_id = $1 AND id = $2', tree, id)) !== undefined;
  const found = yield* queryRow(
    `${upwards} SELECT coalesce(max(CASE WHEN id = $3 THEN 1 ELSE 0 END), 0) AS yes, ${endless} FROM up`,
    tree,
    below,
    id,
  );
  if (found === undefined) return false;
  if (sqlNumber(found, 'endless') === 1) refuseCycle(below);
  return sqlNumber(found, 'yes') === 1;
}

// Every way up ends at a row whose parent is none, or is missing: in a circle each row's parent is another row of the way.
const endless = `CASE WHEN count(*) > 0 AND NOT EXISTS (
    SELECT 1 FROM up e WHERE e.parent_id IS NULL OR NOT EXISTS (SELECT 1 FROM node p WHERE p.tree_id = $1 AND p.id = e.parent_id)
  ) THEN 1 ELSE 0 END AS endless`;

/** Refuses a node from which the way up is a circle. */
export function* assertReachesTop(tree: string, id: string): SqlTask<void> {
  const found = yield* queryRow(`${upwards} SELECT ${endless} FROM up`, tree, id);
  if (found !== undefined && sqlNumber(found, 'endless') === 1) refuseCycle(id);
}

/** A live node without what it says. */
export function* liveHead(tree: string, id: string): SqlTask<NodeHead | null> {
  const found = yield* queryRow(
    `SELECT ${headColumns} FROM node WHERE tree_id = $1 AND id = $2 AND removed_in IS NULL`,
    tree,
    id,
  );
  return found === undefined ? null : nodeHeadOf(found);
}

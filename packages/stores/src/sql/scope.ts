/** The context of every read of a tree in a database, and lookups of single nodes in it. */
import { type Node, type NodeHead, type NodeId, nodeId, refuse, type TreeId } from '@coppice/core';
import { firstNodeNumberOfTree, inTreeByIdSql, nodeNumberByIdSql, unknownTreeBase } from './numbers.ts';
import {
  queryCells,
  queryRow,
  queryRows,
  readJsonColumn,
  readNumberColumn,
  readTextColumn,
  type SqlCells,
  type SqlDialect,
  type SqlRow,
  type SqlTask,
} from './query.ts';
import type { MatchCache } from './row-cache.ts';
import {
  decodeNodeHead,
  missingNodePrefix,
  nodeColumns,
  nodeHeadColumns,
  nodeOfRow,
  type StoredTree,
  selectCells,
  storedTreeOf,
  treeColumns,
} from './rows.ts';

/** The context of a read or a change: owner, tree, and rows that were already read. */
export interface TreeScope {
  readonly dialect: SqlDialect;
  readonly owner: string;
  readonly treeId: TreeId;
  /** The tree row, read under the lock or in this snapshot. Null if the owner has no such tree. */
  readonly tree: StoredTree | null;
  /** Live nodes that were already read, by id. Valid until something is written. */
  readonly heads?: Map<string, NodeHead>;
  /** The parent of the active node, if it is known. */
  readonly parentOfActive?: NodeId | null;
  /** Rows that were read together with the lock, for the planner. Valid until something is written. */
  readonly prefetched?: PrefetchedRows;
  /** The match cache; undefined if the database has none. Valid only under the lock. */
  readonly matchCache?: MatchCache;
  /**
   * Whether other work, also that of the caller, can run between writes. If so, each node is validated again before it
   * is written.
   */
  readonly inTurns?: boolean;
}

/** The rows that were read for a planner in advance. */
export interface PrefetchedRows {
  /** The parent of new nodes and the position of its last child; null if no live node has the requested id. */
  readonly parentInfo: { readonly head: NodeHead; readonly edge: string | null } | null;
  /** The ids that were looked up, and which of them are taken. */
  readonly ids: ReadonlySet<string>;
  readonly taken: ReadonlySet<string>;
}

// No tree is that deep, so a longer path is a cycle.
export const maxTreeDepth = 10_000_000;

/** Reads the row of an owner's tree; null if the owner has no such tree. */
export function* readTreeRow(owner: string, id: TreeId, lock = ''): SqlTask<StoredTree | null> {
  // A JavaScript caller may pass any value, and drivers throw on some of them.
  if (typeof id !== 'string') return null;
  const found = yield* queryRow(`SELECT ${treeColumns} FROM tree WHERE id = $1 AND owner = $2${lock}`, id, owner);
  return found === undefined ? null : storedTreeOf(found);
}

/**
 * Returns a statement that selects which ids of a list a node or a tree has. Ids of trees count as taken, because a
 * root may have the id of its tree.
 */
export function takenIdsSql({ list }: SqlDialect): string {
  const holders = ['node', 'tree'];
  return holders.map((table) => `SELECT id FROM ${table} WHERE id IN ${list('$1')}`).join(' UNION ALL ');
}

/** Returns the base of the tree's row numbers. The base of an unknown tree has no nodes. */
export function baseOfScope({ tree }: TreeScope): number {
  return tree?.base ?? unknownTreeBase;
}

/** Returns the base of the numbers of a tree of any owner. */
export function* readTreeBase(id: TreeId): SqlTask<number> {
  const found = yield* queryRow('SELECT no FROM tree WHERE id = $1', id);
  return found === undefined ? unknownTreeBase : firstNodeNumberOfTree(readNumberColumn(found, 'no'));
}

export function nodeIdOfRow(found: SqlRow): NodeId {
  return nodeId(readTextColumn(found, 'id'));
}

/**
 * Reads one node; null if the tree has no such node. `live` is a SQL condition for live nodes; an empty text also
 * returns removed ones.
 */
export function* readNodeById(scope: TreeScope, id: NodeId, live: string): SqlTask<Node | null> {
  const [found] = yield* queryCells(
    `SELECT ${selectCells('n', nodeColumns)} FROM node n WHERE ${inTreeByIdSql('n')} AND n.id = $2${live}`,
    baseOfScope(scope),
    id,
  );
  if (found === undefined) return null;
  const node = nodeOfRow(found, yield* aliasesOfNode(scope, id));
  if (node.parentId?.startsWith(missingNodePrefix) !== true) return node;
  return { ...node, parentId: nodeId(yield* findMissingParentId(scope, id, node.parentId)) };
}

/**
 * Returns the id of a parent whose row is missing. The log may contain the id; otherwise the placeholder is returned.
 */
export function* findMissingParentId({ treeId }: TreeScope, child: string, placeholder: string): SqlTask<string> {
  const found = yield* queryRow(
    'SELECT c.steps FROM change c JOIN node n ON n.id = $2 AND c.version = n.added_in WHERE c.tree_id = $1',
    treeId,
    child,
  );
  const steps =
    found === undefined
      ? []
      : (readJsonColumn(found, 'steps', 'objects') as readonly Partial<Record<string, unknown>>[]);
  const parent = steps.find((step) => step['type'] === 'insert' && step['id'] === child)?.['parentId'];
  return typeof parent === 'string' ? parent : placeholder;
}

function* aliasesOfNode(scope: TreeScope, id: string): SqlTask<Node['aliases']> {
  if (scope.tree?.hasAliases !== true) return [];
  const found = yield* queryRows(
    'SELECT match_parent, equality_key FROM node_alias WHERE tree_id = $1 AND node_id = $2 ORDER BY place',
    scope.treeId,
    id,
  );
  return found.map((alias) => ({
    matchParent: nodeId(readTextColumn(alias, 'match_parent')),
    key: readTextColumn(alias, 'equality_key'),
  }));
}

/** Decodes nodes from rows and adds their aliases, which only trees with split texts have. */
export function* decodeNodesOfRows(scope: TreeScope, found: readonly SqlCells[]): SqlTask<Node[]> {
  if (scope.tree?.hasAliases !== true) return found.map((one) => nodeOfRow(one, []));
  const aliases = new Map<string, { matchParent: NodeId; key: string }[]>();
  const ids = JSON.stringify(found.map(([id]) => id));
  for (const alias of yield* queryRows(
    `SELECT * FROM node_alias WHERE tree_id = $1 AND node_id IN ${scope.dialect.list('$2')} ORDER BY node_id, place`,
    scope.treeId,
    ids,
  )) {
    const list = aliases.get(readTextColumn(alias, 'node_id')) ?? [];
    list.push({
      matchParent: nodeId(readTextColumn(alias, 'match_parent')),
      key: readTextColumn(alias, 'equality_key'),
    });
    aliases.set(readTextColumn(alias, 'node_id'), list);
  }
  return found.map((one) => nodeOfRow(one, aliases.get(String(one[0])) ?? []));
}

/** Returns the maximum length of a path. A path with more nodes than the tree ever had is a cycle. */
export function longestPathLength({ tree }: TreeScope): number {
  return Math.min(maxTreeDepth, (tree?.nextSeq ?? 0) + 1);
}

/** Throws the error for a node that is its own ancestor. */
export function throwCycle(id: string): never {
  return refuse('store/damaged', `The message ${id} is its own ancestor: coppice fsck --repair fixes this.`, {
    nodeId: id,
  });
}

// UNION instead of UNION ALL ends the recursion if the parents form a cycle.
const upwards = `WITH RECURSIVE up(no, parent_no) AS (
    SELECT s.no, s.parent_no FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2
    UNION
    SELECT n.no, n.parent_no FROM up JOIN node n ON n.no = up.parent_no
  )`;

/** Whether a node is the same as another node or an ancestor of it. Removed nodes count too. */
export function* isAncestorInTables(base: number, id: string, below: string): SqlTask<boolean> {
  if (id === below)
    return (
      (yield* queryRow(`SELECT 1 AS yes FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2`, base, id)) !== undefined
    );
  const found = yield* queryRow(
    `${upwards} SELECT coalesce(max(CASE WHEN no = ${nodeNumberByIdSql('$3')} THEN 1 ELSE 0 END), 0) AS yes, ${endless} FROM up`,
    base,
    below,
    id,
  );
  if (found === undefined) return false;
  if (readNumberColumn(found, 'endless') === 1) throwCycle(below);
  return readNumberColumn(found, 'yes') === 1;
}

// A path ends at a row whose parent is null or missing. If the parent of every row is a row of the path, it is a cycle.
const endless = `CASE WHEN count(*) > 0 AND NOT EXISTS (
    SELECT 1 FROM up e WHERE e.parent_no IS NULL OR NOT EXISTS (SELECT 1 FROM node p WHERE p.no = e.parent_no)
  ) THEN 1 ELSE 0 END AS endless`;

/** Throws if the path up from a node contains a cycle. */
export function* assertPathHasNoCycle(base: number, id: string): SqlTask<void> {
  const found = yield* queryRow(`${upwards} SELECT ${endless} FROM up`, base, id);
  if (found !== undefined && readNumberColumn(found, 'endless') === 1) throwCycle(id);
}

/** Reads a live node without its content; null if no live node has the id. */
export function* readLiveHead(base: number, id: string): SqlTask<NodeHead | null> {
  const [found] = yield* queryCells(
    `SELECT ${selectCells('n', nodeHeadColumns)} FROM node n WHERE ${inTreeByIdSql('n')} AND n.id = $2 AND n.removed_in IS NULL`,
    base,
    id,
  );
  return found === undefined ? null : decodeNodeHead(found);
}

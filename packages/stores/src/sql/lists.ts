/** Lists trees, commits and removed nodes of a database. */
import {
  actId,
  type CommitKind,
  type CommitSummary,
  libraryProject,
  type Node,
  type NodeId,
  nodeId,
  type Page,
  type TrashItem,
  type TreeId,
  type TreeQuery,
  type TreeSummary,
} from '@coppice/core';
import { previewOf, rowOf } from '@coppice/core/tree';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { clampPageLength } from '../limits.ts';
import { foldCase } from '../search.ts';
import { countLoggedSteps } from './log.ts';
import { inTreeByIdSql, inTreeByIndexSql } from './numbers.ts';
import {
  queryRow,
  queryRows,
  readJsonColumn,
  readNumberColumn,
  readTextColumn,
  readTextColumnOrNull,
  type SqlParameter,
  type SqlRow,
  type SqlTask,
} from './query.ts';
import { messageOfRow, nodeColumns, searchTextOf, selectNamedColumns, storedTreeOf, treeColumns } from './rows.ts';
import { baseOfScope, type TreeScope, throwCycle } from './scope.ts';

/** The position of a tree in a list, after which the next page begins. */
interface ListPosition {
  readonly at: number;
  readonly id: string;
}

/** Trees in the trash are sorted by when they were deleted, others by last change. */
function listPositionOf({ id, updatedAt, attributes: { trashedAt } }: TreeSummary): ListPosition {
  return { at: trashedAt ?? updatedAt, id };
}

/** Returns a page of an owner's trees, sorted by last change or, in the trash, by deletion, newest first. */
export function* listStoredTrees(owner: string, query: TreeQuery): SqlTask<Page<TreeSummary>> {
  const limit = clampPageLength(query.limit);
  const from = query.cursor == null ? null : decodeCursor('trees', ['number', 'string'], query.cursor);
  let after: ListPosition | null = from === null ? null : { at: Number(from[0]), id: String(from[1]) };
  const items: TreeSummary[] = [];
  // Titles and tags are compared in this process, because databases fold case differently and cannot tell in which JSON
  // field a text is.
  const { tag } = query;
  const title = query.title === undefined ? undefined : foldCase(query.title);
  const fits = ({ attributes }: TreeSummary) =>
    (title === undefined || foldCase(attributes.title ?? attributes.autoTitle ?? '').includes(title)) &&
    (tag === undefined || attributes.tags?.includes(tag) === true);
  const size = title === undefined && tag === undefined ? limit + 1 : Math.max(limit + 1, comparedAtOnce);
  for (;;) {
    const found: TreeSummary[] = (yield* someTrees(owner, query, after, size)).map((one) => {
      const tree = storedTreeOf(one);
      return { ...rowOf(tree), format: tree.format };
    });
    for (const tree of found) if (fits(tree)) items.push(tree);
    const end = found[found.length - 1];
    if (end === undefined || found.length < size || items.length > limit) break;
    after = listPositionOf(end);
  }
  const shown = items.slice(0, limit);
  const end = shown[shown.length - 1];
  const last = items.length > limit && end !== undefined ? listPositionOf(end) : null;
  return { items: shown, cursor: last === null ? null : encodeCursor('trees', [last.at, last.id]) };
}

const comparedAtOnce = 200;

/**
 * Returns tree rows after a position. The caller filters them: titles are not compared here, and tags only by their
 * text.
 */
function* someTrees(
  owner: string,
  query: TreeQuery,
  after: ListPosition | null,
  size: number,
): SqlTask<readonly SqlRow[]> {
  const params: SqlParameter[] = [owner, size];
  const [sorted, membership] =
    query.trashed === true ? ['trashed_at', 'trashed_at IS NOT NULL'] : ['updated_at', 'trashed_at IS NULL'];
  const conditions = ['owner = $1', membership];
  const also = (condition: (parameter: string) => string, value: SqlParameter) => {
    params.push(value);
    conditions.push(condition(`$${params.length}`));
  };
  if (query.project !== undefined) also((p) => `project = ${p}`, query.project);
  else also((p) => `project <> ${p}`, libraryProject);
  if (query.folder !== undefined) also((p) => `folder = ${p}`, query.folder);
  if (query.pinned !== undefined) also((p) => `pinned = ${p}`, query.pinned ? 1 : 0);
  if (query.forest !== undefined) conditions.push(query.forest ? 'forest_key IS NOT NULL' : 'forest_key IS NULL');
  // Tags are a list in the JSON of the attributes. The tag is searched as JSON text, which other fields may contain
  // too.
  if (query.tag !== undefined)
    also((p) => `attributes LIKE ${p} ESCAPE '!'`, `%"tags":[%${escapedLike(JSON.stringify(query.tag))}%`);
  if (after !== null) {
    params.push(after.at, after.id);
    conditions.push(`(${sorted}, id) < ($${params.length - 1}, $${params.length})`);
  }
  return yield* queryRows(
    `SELECT ${treeColumns} FROM tree WHERE ${conditions.join(' AND ')} ORDER BY ${sorted} DESC, id DESC LIMIT $2`,
    ...params,
  );
}

function escapedLike(part: string): string {
  return part.replace(/[!%_]/g, '!$&');
}

/** Returns the commits of a tree, newest first. */
export function* listCommits(tree: TreeId, before: number, limit: number): SqlTask<CommitSummary[]> {
  const found = yield* queryRows(
    'SELECT * FROM change WHERE tree_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3',
    tree,
    before,
    clampPageLength(limit),
  );
  return found.map((one) => ({
    version: readNumberColumn(one, 'version'),
    actId: actId(readTextColumn(one, 'act_id')),
    actor: readTextColumn(one, 'actor'),
    at: readNumberColumn(one, 'at'),
    kind: readTextColumn(one, 'kind') as CommitKind,
    structural: readNumberColumn(one, 'structural') === 1,
    steps: countLoggedSteps(one),
  }));
}

/** Returns the trash of a tree: the root of each removed subtree with its number of nodes, newest removal first. */
export function* listStoredTrash(scope: TreeScope): SqlTask<TrashItem[]> {
  const tree = scope.treeId;
  const removedRoots = yield* queryRows(
    `SELECT ${selectNamedColumns('n', nodeColumns)}, coalesce(c.at, (SELECT f.at FROM change f WHERE f.tree_id = $2 ORDER BY f.version LIMIT 1)) AS removed_at FROM node n
    LEFT JOIN node p ON p.no = n.parent_no
    LEFT JOIN change c ON c.tree_id = $2 AND c.version = n.removed_in
    WHERE ${inTreeByIndexSql('n')} AND n.removed_in IS NOT NULL AND (p.removed_in IS NULL OR p.removed_in <> n.removed_in)
    ORDER BY n.removed_in DESC, n.no`,
    baseOfScope(scope),
    tree,
  );
  const items: TrashItem[] = [];
  for (const one of removedRoots) {
    const removedIn = readNumberColumn(one, 'removed_in');
    const id = nodeId(readTextColumn(one, 'id'));
    const message = messageOfRow(one, readTextColumn(one, 'role') as 'user');
    const count = (yield* listRemovedTogether(baseOfScope(scope), id, removedIn)).length;
    items.push({
      treeId: tree,
      nodeId: id,
      removedIn,
      at: one.removed_at === null ? 0 : readNumberColumn(one, 'removed_at'),
      count,
      preview: previewOf(
        { text: searchTextOf(one, message), meta: readJsonColumn(one, 'meta', 'object') as Node['meta'] },
        count - 1,
      ),
    });
  }
  return items;
}

/** Returns the ids of a node and of all nodes that the same commit removed below it. */
export function* listRemovedTogether(base: number, top: NodeId, removedIn: number): SqlTask<NodeId[]> {
  const found = yield* queryRows(
    `WITH RECURSIVE gone(no, id) AS (
      SELECT s.no, s.id FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2 AND s.removed_in = $3
      UNION ALL
      SELECT n.no, n.id FROM gone JOIN node n ON n.parent_no = gone.no WHERE n.removed_in = $3 AND n.id <> $2
    ) SELECT id FROM gone`,
    base,
    top,
    removedIn,
  );
  const ids = found.map((one) => nodeId(readTextColumn(one, 'id')));
  const above = yield* queryRow(
    'SELECT p.id AS parent_id FROM node n LEFT JOIN node p ON p.no = n.parent_no WHERE n.id = $1',
    top,
  );
  const parent = above === undefined ? null : readTextColumnOrNull(above, 'parent_id');
  if (parent !== null && ids.includes(nodeId(parent))) throwCycle(top);
  return ids;
}

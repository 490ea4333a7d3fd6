/**
 * Answers the reads of core with queries. The cost of reading a path depends on its length, not on the size of the
 * tree.
 */
import {
  type Answer,
  type Node,
  type NodeId,
  nodeId,
  type ParentLink,
  type Read,
  type Reads,
  refuse,
  treeId,
} from '@coppice/core';
import { rowOf } from '@coppice/core/tree';
import { findUndoRecord, readLogWithContents } from './log.ts';
import { matchKeysInTables } from './match.ts';
import { queryAncestorLinks, queryNodesWithSharedMatch } from './node-links.ts';
import { inTreeByIdSql, inTreeSql, treeNoSql } from './numbers.ts';
import {
  queryCells,
  queryRow,
  queryRows,
  readNumberColumn,
  readTextColumn,
  readTextColumnOrNull,
  type SqlCells,
  type SqlParameter,
  type SqlTask,
} from './query.ts';
import {
  bookmarkOfRow,
  decodeNodeHead,
  fillPathIds,
  fillRowIds,
  missingNodeId,
  nodeCellCount,
  nodeColumns,
  nodeHeadColumns,
  pathMetaColumns,
  pathMetaOfRow,
  selectCells,
  selectNumberCells,
} from './rows.ts';
import {
  baseOfScope,
  decodeNodesOfRows,
  findMissingParentId,
  isAncestorInTables,
  longestPathLength,
  maxTreeDepth,
  nodeIdOfRow,
  readLiveHead,
  readNodeById,
  readTreeRow,
  type TreeScope,
  takenIdsSql,
  throwCycle,
} from './scope.ts';
import {
  countSubtree,
  followVisitMarks,
  queryAddedByOthers,
  queryNewestLeafBelow,
  queryNewestLeaves,
  querySubtree,
  querySubtreeInfo,
  queryTopology,
} from './subtree.ts';

// The SQL expression for the number of the node `$2` in the tree with base `$1`.
const byId = `(SELECT s.no FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2)`;

/**
 * Answers a read from prefetched rows, without a query; undefined if a query is needed. Nearly every chat message is
 * planned from prefetched rows alone.
 */
export function answerFromPrefetch(scope: TreeScope, read: Read): Answer | undefined {
  if (scope.tree === null || ('treeId' in read && read.treeId !== undefined && read.treeId !== scope.treeId))
    return undefined;
  switch (read.ask) {
    case 'pause':
      return null;
    case 'tree':
      return rowOf(scope.tree);
    case 'head': {
      const parentInfo = parentInfoAt(scope, read.id);
      if (parentInfo === null) return undefined;
      scope.heads?.set(parentInfo.head.id, parentInfo.head);
      return parentInfo.head;
    }
    case 'lastPosition': {
      const parentInfo = parentInfoAt(scope, read.of);
      return parentInfo === null ? undefined : parentInfo.edge;
    }
    default:
      return undefined;
  }
}

/** Answers one read with queries, or from rows that were read before. */
export function* answerRead(scope: TreeScope, read: Read): SqlTask<Answer> {
  const other = 'treeId' in read && read.treeId !== undefined && read.treeId !== scope.treeId ? read.treeId : null;
  if (other === null) return yield* answerHere(scope, read);
  const { dialect, owner } = scope;
  return yield* answerHere({ dialect, owner, treeId: other, tree: yield* readTreeRow(owner, other) }, read);
}

function* answerHere(scope: TreeScope, read: Read): SqlTask<Answer> {
  // An unknown tree, or a tree of another owner, gets a base without nodes, so every read finds nothing.
  const base = baseOfScope(scope);
  switch (read.ask) {
    case 'pause':
      return null;
    case 'tree':
      return scope.tree === null ? null : rowOf(scope.tree);
    case 'node':
      return yield* readNodeById(scope, read.id, ' AND n.removed_in IS NULL');
    case 'head': {
      const head = yield* readLiveHead(base, read.id);
      if (head !== null) scope.heads?.set(head.id, head);
      return head;
    }
    case 'anyNode':
      return yield* readNodeById(scope, read.id, '');
    case 'taken':
      return yield* answerTaken(scope, read.ids);
    case 'nodes':
      return yield* answerNodes(scope, read.ids);
    case 'path':
      return yield* answerPath(scope, read);
    case 'pathMeta':
      return yield* pathNotes(scope, read);
    case 'ancestors':
      return yield* queryAncestorLinks(base, read.of, read.limit);
    case 'sharedMatch':
      return yield* queryNodesWithSharedMatch(base, read.of);
    case 'isAncestorOrSelf':
      return yield* isAncestorInTables(base, read.id, read.below);
    case 'withoutDescendants':
      return yield* answerTopmost(scope, read.ids);
    case 'children':
      return (yield* queryCells(
        `SELECT ${selectCells('n', nodeHeadColumns)} FROM node n WHERE n.parent_no = ${byId} AND n.removed_in IS NULL ORDER BY n.position`,
        base,
        read.of,
      )).map(decodeNodeHead);
    case 'childIds':
      return yield* answerChildIds(scope, read.of);
    case 'subtree':
      return yield* querySubtree(scope, read.of, read.depth);
    case 'topology':
      return yield* queryTopology(scope, read.of, read.depth);
    case 'leaves':
      return yield* queryNewestLeaves(scope, read.limit);
    case 'count':
      return yield* countSubtree(base, read.of);
    case 'subtreeInfo':
      return yield* querySubtreeInfo(scope, read.of);
    case 'addedByOthers':
      return yield* queryAddedByOthers(scope, read);
    case 'newestLeaf':
      return yield* queryNewestLeafBelow(scope, read.below, read.without);
    case 'lastVisited':
      return yield* followVisitMarks(scope, read.from);
    case 'match':
      return yield* matchKeysInTables(scope, read.from, read.keys);
    default:
      return yield* answerPositions(scope, read);
  }
}

type OutsideRead = Extract<Read, { ask: 'undoable' | 'redoable' | 'rows' | 'log' | 'home' | 'forest' }>;
type PositionRead = Extract<
  Read,
  { ask: 'lastPosition' | 'groupMax' | 'neighbourPositions' | 'childAt' | 'bookmark' | 'bookmarks' | 'links' }
>;

/** Answers reads about positions and bookmarks. All other reads are passed to {@link answerWhole}. */
function* answerPositions(scope: TreeScope, read: PositionRead | OutsideRead): SqlTask<Answer> {
  const base = baseOfScope(scope);
  // Bookmarks are looked up by tree id. For a tree of another owner an empty id is used, which finds nothing.
  const known = scope.tree === null ? '' : scope.treeId;
  switch (read.ask) {
    case 'lastPosition': {
      const last = `SELECT max(n.position) AS p FROM node n WHERE n.parent_no = ${byId}`;
      return readTextColumnOrNull((yield* queryRow(last, base, read.of)) ?? {}, 'p');
    }
    case 'groupMax':
      return readNumberColumn(
        (yield* queryRow(
          `SELECT coalesce(max(n.group_id), 0) AS g FROM node n WHERE n.parent_no = ${byId} AND n.group_id > 0`,
          base,
          read.of,
        )) ?? { g: 0 },
        'g',
      );
    case 'neighbourPositions':
      return yield* answerGap(base, read.of, read.position);
    case 'childAt': {
      // A node that was removed with its parent gets its old position back when both are restored, so the position
      // counts as taken.
      const there = yield* queryRow(
        `SELECT n.id FROM node n JOIN node p ON p.no = n.parent_no
        WHERE n.parent_no = ${byId} AND n.position = $3 AND (n.removed_in IS NULL OR n.removed_in = p.removed_in)`,
        base,
        read.of,
        read.position,
      );
      return there === undefined ? null : nodeIdOfRow(there);
    }
    case 'bookmark': {
      const mark = yield* queryRow('SELECT * FROM bookmark WHERE tree_id = $1 AND node_id = $2', known, read.on);
      return mark === undefined ? null : bookmarkOfRow(mark);
    }
    case 'links':
      return yield* links(base);
    case 'bookmarks': {
      if (read.on === undefined)
        return (yield* queryRows('SELECT * FROM bookmark WHERE tree_id = $1 ORDER BY created_at, node_id', known)).map(
          bookmarkOfRow,
        );
      const marks = yield* queryRows(
        `SELECT * FROM bookmark WHERE tree_id = $1 AND node_id IN ${scope.dialect.list('$2')}`,
        known,
        JSON.stringify(read.on),
      );
      return inIdOrder(read.on, marks.map(bookmarkOfRow), (mark) => mark.nodeId);
    }
    default:
      return yield* answerWhole(scope, read);
  }
}

/** Answers reads about the whole tree, its log and other trees. */
function* answerWhole(scope: TreeScope, read: OutsideRead): SqlTask<Answer> {
  switch (read.ask) {
    case 'undoable':
    case 'redoable':
      return scope.tree === null ? null : yield* findUndoRecord(scope, scope.tree, read.ask, read.actor, read.actId);
    case 'rows':
      return yield* allRows(scope);
    case 'log':
      return scope.tree === null ? [] : yield* readLogWithContents(scope, read.since, read.limit);
    case 'home': {
      const home = yield* queryRow(
        `SELECT t.id AS tree_id FROM node n JOIN tree t ON t.no = ${treeNoSql('n')} WHERE n.id = $1 AND t.owner = $2 AND n.removed_in IS NULL`,
        read.id,
        scope.owner,
      );
      return home === undefined ? null : treeId(readTextColumn(home, 'tree_id'));
    }
    case 'forest': {
      const found = yield* queryRow(
        'SELECT id FROM tree WHERE owner = $1 AND project = $2 AND forest_key = $3 AND trashed_at IS NULL',
        scope.owner,
        read.project,
        read.key,
      );
      return found === undefined ? null : treeId(readTextColumn(found, 'id'));
    }
  }
}

function* answerTaken(scope: TreeScope, ids: readonly NodeId[]): SqlTask<readonly NodeId[]> {
  const { prefetched: foreseen } = scope;
  if (foreseen !== undefined && ids.every((id) => foreseen.ids.has(id)))
    return ids.filter((id) => foreseen.taken.has(id));
  const found = yield* queryRows(takenIdsSql(scope.dialect), JSON.stringify(ids));
  const taken = new Set(found.map(nodeIdOfRow));
  return ids.filter((id) => taken.has(id));
}

/** Returns the prefetched parent of new nodes, if it is the given node. */
function parentInfoAt(scope: TreeScope, id: NodeId): NonNullable<TreeScope['prefetched']>['parentInfo'] {
  const parentInfo = scope.tree === null ? undefined : scope.prefetched?.parentInfo;
  return parentInfo?.head.id === id ? parentInfo : null;
}

// Throws if a path is broken; otherwise the caller would get a truncated path without an error. The first two cells of
// a row are its id and its parent's id.
function refuseBroken(scope: TreeScope, to: NodeId, found: readonly SqlCells[], limit: number): void {
  const top = found.at(-1);
  if (top === undefined || found.length >= limit) return;
  const id = String(top[0]);
  if (top[1] === scope.tree?.rootId) return;
  if (found.length >= longestPathLength(scope))
    refuse('tree/cycle', `The path to ${to} contains a cycle at ${id}.`, { nodeId: id });
  const above = String(top[1]);
  refuse('tree/broken-path', `The path to ${to} is incomplete: the parent ${above} of ${id} is missing.`, {
    nodeId: above,
  });
}

type PathRequest = Pick<Read<'path'>, 'to' | 'limit' | 'until'>;

/**
 * Returns the rows from a node up to the child of the root. Throws if a parent is missing or the parents form a cycle.
 */
function* walkUp(
  scope: TreeScope,
  { to, limit = maxTreeDepth, until }: PathRequest,
  columns: string,
): SqlTask<readonly SqlCells[]> {
  const most = Math.min(limit, longestPathLength(scope));
  const rows = yield* queryCells(scope.dialect.pathWalk(columns), baseOfScope(scope), to, most, until ?? '');
  const found = yield* withIds(scope, rows, columns.split(', ').length);
  if (until === undefined || found.at(-1)?.[0] !== until) refuseBroken(scope, to, found, limit);
  return found;
}

/** Adds the ids of the parents to the rows of a path. */
function* withIds(scope: TreeScope, rows: readonly SqlCells[], width: number): SqlTask<readonly SqlCells[]> {
  const last = rows.at(-1);
  if (last === undefined) return rows;
  const above = Number(last[1]);
  // The root is the first node of its tree, so its id is known. A repaired tree may have a different root.
  if (above === baseOfScope(scope)) return fillPathIds(rows, scope.tree?.rootId ?? null);
  const found = width < last.length ? last[width] : (yield* queryRow('SELECT id FROM node WHERE no = $1', above))?.id;
  if (typeof found === 'string') return fillPathIds(rows, found);
  return fillPathIds(rows, yield* findMissingParentId(scope, String(last[0]), missingNodeId(above)));
}

function isCompletePath({ tree }: TreeScope, first: { readonly parentId: NodeId | null } | undefined): boolean {
  return first === undefined || first.parentId === tree?.rootId;
}

function* answerPath(scope: TreeScope, read: PathRequest): SqlTask<Reads['path']['answer']> {
  const found = yield* walkUp(scope, read, nodeColumns);
  const nodes = (yield* decodeNodesOfRows(scope, found)).reverse();
  return { nodes, complete: isCompletePath(scope, nodes[0]) };
}

function* pathNotes(scope: TreeScope, read: PathRequest): SqlTask<Reads['pathMeta']['answer']> {
  const notes = (yield* walkUp(scope, read, pathMetaColumns)).map(pathMetaOfRow).reverse();
  return { entries: notes, complete: isCompletePath(scope, notes[0]) };
}

function* answerNodes(scope: TreeScope, ids: readonly NodeId[]): SqlTask<readonly Node[]> {
  const found = yield* queryCells(
    `SELECT ${selectCells('n', nodeColumns)} FROM node n WHERE ${inTreeByIdSql('n')} AND n.id IN ${scope.dialect.list('$2')} AND n.removed_in IS NULL`,
    baseOfScope(scope),
    JSON.stringify(ids),
  );
  return inIdOrder(ids, yield* decodeNodesOfRows(scope, found), (node) => node.id);
}

/** Sorts results in the order of the requested ids. Ids without a result are left out. */
function inIdOrder<T>(ids: readonly NodeId[], found: readonly T[], idOf: (one: T) => NodeId): readonly T[] {
  const byId = new Map(found.map((one) => [idOf(one), one]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function* answerChildIds(scope: TreeScope, of: readonly NodeId[]): SqlTask<Reads['childIds']['answer']> {
  const children = new Map<string, NodeId[]>();
  const found = yield* queryRows(
    `SELECT n.id, p.id AS parent_id FROM node p JOIN node n ON n.parent_no = p.no
    WHERE ${inTreeByIdSql('p')} AND p.id IN ${scope.dialect.list('$2')} AND n.removed_in IS NULL ORDER BY n.parent_no, n.position`,
    baseOfScope(scope),
    JSON.stringify(of),
  );
  for (const one of found) {
    const parent = readTextColumn(one, 'parent_id');
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [nodeIdOfRow(one)]);
    else list.push(nodeIdOfRow(one));
  }
  return of.map((id) => children.get(id) ?? []);
}

function* answerTopmost(scope: TreeScope, ids: readonly NodeId[]): SqlTask<NodeId[]> {
  if (scope.tree === null) return [];
  if (ids.length < 2) return [...ids];
  const list = scope.dialect.list('$2');
  const covered = yield* queryRows(
    `WITH RECURSIVE wanted(no) AS (SELECT s.no FROM node s WHERE ${inTreeByIdSql('s')} AND s.id IN ${list}),
    up(origin, at) AS (
      SELECT s.no, s.parent_no FROM node s WHERE s.no IN (SELECT no FROM wanted)
      UNION
      SELECT up.origin, n.parent_no FROM up JOIN node n ON n.no = up.at
    ) SELECT DISTINCT o.id, CASE WHEN up.at = up.origin THEN 1 ELSE 0 END AS circle FROM up JOIN node o ON o.no = up.origin
    WHERE up.at IN (SELECT no FROM wanted)`,
    baseOfScope(scope),
    JSON.stringify(ids),
  );
  for (const one of covered) if (readNumberColumn(one, 'circle') === 1) throwCycle(readTextColumn(one, 'id'));
  const below = new Set(covered.map((one) => readTextColumn(one, 'id')));
  return ids.filter((id) => !below.has(id));
}

function* answerGap(base: number, parent: NodeId, position: string): SqlTask<Reads['neighbourPositions']['answer']> {
  const params: SqlParameter[] = [base, parent, position];
  const before = yield* queryRow(
    `SELECT max(n.position) AS p FROM node n WHERE n.parent_no = ${byId} AND n.position < $3`,
    ...params,
  );
  const after = yield* queryRow(
    `SELECT min(n.position) AS p FROM node n WHERE n.parent_no = ${byId} AND n.position > $3`,
    ...params,
  );
  return { before: readTextColumnOrNull(before ?? {}, 'p'), after: readTextColumnOrNull(after ?? {}, 'p') };
}

function* allRows(scope: TreeScope): SqlTask<Reads['rows']['answer']> {
  if (scope.tree === null) return null;
  const found = yield* queryCells(
    `SELECT ${selectNumberCells('n', nodeColumns)} FROM node n WHERE ${inTreeSql('n')} ORDER BY n.no`,
    baseOfScope(scope),
  );
  const marks = yield* queryRows(
    'SELECT * FROM bookmark WHERE tree_id = $1 ORDER BY created_at, node_id',
    scope.treeId,
  );
  return {
    row: rowOf(scope.tree),
    nodes: yield* decodeNodesOfRows(scope, fillRowIds(found, nodeCellCount)),
    bookmarks: marks.map(bookmarkOfRow),
  };
}

// Links are read in batches of this many rows. The driver would otherwise hold the rows of a whole tree in memory three
// times.
const linksAtOnce = 10_000;

function* links(base: number): SqlTask<ParentLink[]> {
  const found: ParentLink[] = [];
  for (let after = base - 1; ; ) {
    const some = yield* queryCells(
      `SELECT n.id, p.id, n.no FROM node n JOIN node p ON p.no = n.parent_no
       WHERE ${inTreeSql('n')} AND n.removed_in IS NULL AND n.no > $2 ORDER BY n.no LIMIT ${linksAtOnce}`,
      base,
      after,
    );
    for (const [id, parentId] of some) found.push({ id: nodeId(String(id)), parentId: nodeId(String(parentId)) });
    const last = some.at(-1);
    if (last === undefined || some.length < linksAtOnce) return found;
    after = Number(last[2]);
  }
}

/** Answers core's reads with queries. For a path the cost depends on the path or the index, never on the tree. */
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
import { hydratedLog, undoRecord } from './log.ts';
import { matchKeys } from './match.ts';
import { ancestorLinks, sharedMatch } from './node-links.ts';
import {
  type Param,
  queryCells,
  queryRow,
  queryRows,
  type SqlCells,
  type SqlTask,
  sqlNumber,
  sqlText,
  sqlTextOrNull,
} from './query.ts';
import { bookmarkOfRow, headColumns, nodeColumns, nodeHeadOf, noteColumns, noteOfRow, selectCells } from './rows.ts';
import {
  ancestorsOf,
  idOfRow,
  liveHead,
  longestPath,
  maxDepth,
  nodeById,
  nodesFrom,
  refuseCycle,
  type TreeScope,
  takenIds,
  treeRow,
} from './scope.ts';
import {
  addedByOthersRows,
  count,
  lastVisited,
  leafRows,
  newestLeafRow,
  subtreeInfoRows,
  subtreeRows,
  topologyRows,
} from './subtree.ts';

/**
 * Answers a read without a query from prefetched rows; undefined if that is not possible. Nearly every chat message is
 * planned from these alone.
 */
export function fromPrefetch(scope: TreeScope, read: Read): Answer | undefined {
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

/** Answers one read. */
export function* answerRead(scope: TreeScope, read: Read): SqlTask<Answer> {
  const other = 'treeId' in read && read.treeId !== undefined && read.treeId !== scope.treeId ? read.treeId : null;
  if (other === null) return yield* answerHere(scope, read);
  const { dialect, owner } = scope;
  return yield* answerHere({ dialect, owner, treeId: other, tree: yield* treeRow(owner, other) }, read);
}

function* answerHere(scope: TreeScope, read: Read): SqlTask<Answer> {
  const { treeId: tree } = scope;
  // Foreign and unknown trees have no nodes, so every read about them finds nothing.
  const known = scope.tree !== null ? tree : '';
  switch (read.ask) {
    case 'pause':
      return null;
    case 'tree':
      return scope.tree === null ? null : rowOf(scope.tree);
    case 'node':
      return yield* nodeById(scope, known, read.id, ' AND removed_in IS NULL');
    case 'head': {
      const head = yield* liveHead(known, read.id);
      if (head !== null) scope.heads?.set(head.id, head);
      return head;
    }
    case 'anyNode':
      return yield* nodeById(scope, known, read.id, '');
    case 'taken':
      return yield* answerTaken(scope, read.ids);
    case 'nodes':
      return yield* answerNodes(scope, known, read.ids);
    case 'path':
      return yield* answerPath(scope, known, read);
    case 'pathMeta':
      return yield* pathNotes(scope, known, read);
    case 'ancestors':
      return yield* ancestorLinks(known, read.of, read.limit);
    case 'sharedMatch':
      return yield* sharedMatch(known, read.of);
    case 'isAncestorOrSelf':
      return yield* ancestorsOf(known, read.id, read.below);
    case 'withoutDescendants':
      return yield* answerTopmost(scope, known, read.ids);
    case 'children':
      return (yield* queryCells(
        `SELECT ${selectCells('node', headColumns)} FROM node WHERE tree_id = $1 AND parent_id = $2 AND removed_in IS NULL ORDER BY position`,
        known,
        read.of,
      )).map(nodeHeadOf);
    case 'childIds':
      return yield* answerChildIds(scope, known, read.of);
    case 'subtree':
      return yield* subtreeRows(scope, known, read.of, read.depth);
    case 'topology':
      return yield* topologyRows(scope, known, read.of, read.depth);
    case 'leaves':
      return yield* leafRows(scope, known, read.limit);
    case 'count':
      return yield* count(known, read.of);
    case 'subtreeInfo':
      return yield* subtreeInfoRows(scope, known, read.of);
    case 'addedByOthers':
      return yield* addedByOthersRows(scope, known, read);
    case 'newestLeaf':
      return yield* newestLeafRow(scope, known, read.below, read.without);
    case 'lastVisited':
      return yield* lastVisited(scope, known, read.from);
    case 'match':
      return yield* matchKeys(scope, known, read.from, read.keys);
    default:
      return yield* answerPositions(scope, known, read);
  }
}

type OutsideRead = Extract<Read, { ask: 'undoable' | 'redoable' | 'rows' | 'log' | 'home' | 'forest' }>;
type PositionRead = Extract<
  Read,
  { ask: 'lastPosition' | 'groupMax' | 'neighbourPositions' | 'childAt' | 'bookmark' | 'bookmarks' | 'links' }
>;

/** Answers reads about positions and bookmarks. */
function* answerPositions(scope: TreeScope, known: string, read: PositionRead | OutsideRead): SqlTask<Answer> {
  switch (read.ask) {
    case 'lastPosition': {
      const last = 'SELECT max(position) AS p FROM node WHERE tree_id = $1 AND parent_id = $2';
      return sqlTextOrNull((yield* queryRow(last, known, read.of)) ?? {}, 'p');
    }
    case 'groupMax':
      return sqlNumber(
        (yield* queryRow(
          'SELECT coalesce(max(group_id), 0) AS g FROM node WHERE tree_id = $1 AND parent_id = $2 AND group_id > 0',
          known,
          read.of,
        )) ?? { g: 0 },
        'g',
      );
    case 'neighbourPositions':
      return yield* answerGap(known, read.of, read.position);
    case 'childAt': {
      // A node removed together with its parent is restored with it at its position, so it counts.
      const there = yield* queryRow(
        `SELECT n.id FROM node n JOIN node p ON p.tree_id = n.tree_id AND p.id = n.parent_id
        WHERE n.tree_id = $1 AND n.parent_id = $2 AND n.position = $3 AND (n.removed_in IS NULL OR n.removed_in = p.removed_in)`,
        known,
        read.of,
        read.position,
      );
      return there === undefined ? null : idOfRow(there);
    }
    case 'bookmark': {
      const mark = yield* queryRow('SELECT * FROM bookmark WHERE tree_id = $1 AND node_id = $2', known, read.on);
      return mark === undefined ? null : bookmarkOfRow(mark);
    }
    case 'links':
      return yield* links(known);
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
      return yield* answerWhole(scope, known, read);
  }
}

/** Answers reads about the whole tree and its log, and about other trees. */
function* answerWhole(scope: TreeScope, known: string, read: OutsideRead): SqlTask<Answer> {
  switch (read.ask) {
    case 'undoable':
    case 'redoable':
      return scope.tree === null ? null : yield* undoRecord(scope, scope.tree, read.ask, read.actor, read.actId);
    case 'rows':
      return yield* allRows(scope, known);
    case 'log':
      return scope.tree === null ? [] : yield* hydratedLog(scope, read.since);
    case 'home': {
      const home = yield* queryRow(
        'SELECT n.tree_id FROM node n JOIN tree t ON t.id = n.tree_id WHERE n.id = $1 AND t.owner = $2 AND n.removed_in IS NULL',
        read.id,
        scope.owner,
      );
      return home === undefined ? null : treeId(sqlText(home, 'tree_id'));
    }
    case 'forest': {
      const found = yield* queryRow(
        'SELECT id FROM tree WHERE owner = $1 AND project = $2 AND forest_key = $3 AND trashed_at IS NULL',
        scope.owner,
        read.project,
        read.key,
      );
      return found === undefined ? null : treeId(sqlText(found, 'id'));
    }
  }
}

function* answerTaken(scope: TreeScope, ids: readonly NodeId[]): SqlTask<readonly NodeId[]> {
  const { foreseen } = scope;
  if (foreseen !== undefined && ids.every((id) => foreseen.ids.has(id)))
    return ids.filter((id) => foreseen.taken.has(id));
  const found = yield* queryRows(takenIds(scope.dialect), JSON.stringify(ids));
  const taken = new Set(found.map(idOfRow));
  return ids.filter((id) => taken.has(id));
}

/** Returns what was prefetched about a node. */
function parentInfoAt(scope: TreeScope, id: NodeId): NonNullable<TreeScope['foreseen']>['parentInfo'] {
  const parentInfo = scope.tree === null ? undefined : scope.foreseen?.parentInfo;
  return parentInfo?.head.id === id ? parentInfo : null;
}

// Otherwise the part above the break would be missing silently. A row begins with its id and its parent's.
function refuseBroken(scope: TreeScope, to: NodeId, found: readonly SqlCells[], limit: number): void {
  const top = found.at(-1);
  if (top === undefined || found.length >= limit) return;
  const [id, above] = [String(top[0]), String(top[1])];
  if (above === scope.tree?.rootId) return;
  if (found.length >= longestPath(scope))
    refuse('tree/cycle', `The path to ${to} runs in a circle at ${id}.`, { nodeId: id });
  refuse('tree/broken-path', `The path to ${to} breaks off: the parent ${above} of ${id} is missing.`, {
    nodeId: above,
  });
}

type PathRequest = Pick<Read<'path'>, 'to' | 'limit' | 'until'>;

/** Returns the rows from a node up to below the root. Throws if the path ends before the root, or is a cycle. */
function* walkUp(
  scope: TreeScope,
  tree: string,
  { to, limit = maxDepth, until }: PathRequest,
  columns: string,
): SqlTask<readonly SqlCells[]> {
  const most = Math.min(limit, longestPath(scope));
  const found = yield* queryCells(scope.dialect.pathWalk(columns), tree, to, most, until ?? '');
  if (until === undefined || found.at(-1)?.[0] !== until) refuseBroken(scope, to, found, limit);
  return found;
}

function isCompletePath({ tree }: TreeScope, first: { readonly parentId: NodeId | null } | undefined): boolean {
  return first === undefined || first.parentId === tree?.rootId;
}

function* answerPath(scope: TreeScope, tree: string, read: PathRequest): SqlTask<Reads['path']['answer']> {
  const found = yield* walkUp(scope, tree, read, nodeColumns);
  const nodes = (yield* nodesFrom(scope, tree, found)).reverse();
  return { nodes, complete: isCompletePath(scope, nodes[0]) };
}

function* pathNotes(scope: TreeScope, tree: string, read: PathRequest): SqlTask<Reads['pathMeta']['answer']> {
  const notes = (yield* walkUp(scope, tree, read, noteColumns)).map(noteOfRow).reverse();
  return { entries: notes, complete: isCompletePath(scope, notes[0]) };
}

function* answerNodes(scope: TreeScope, tree: string, ids: readonly NodeId[]): SqlTask<readonly Node[]> {
  const found = yield* queryCells(
    `SELECT ${selectCells('node', nodeColumns)} FROM node WHERE tree_id = $1 AND id IN ${scope.dialect.list('$2')} AND removed_in IS NULL`,
    tree,
    JSON.stringify(ids),
  );
  return inIdOrder(ids, yield* nodesFrom(scope, tree, found), (node) => node.id);
}

/** Sorts results in the order of the requested ids; missing ones are left out. */
function inIdOrder<T>(ids: readonly NodeId[], found: readonly T[], idOf: (one: T) => NodeId): readonly T[] {
  const byId = new Map(found.map((one) => [idOf(one), one]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function* answerChildIds(scope: TreeScope, tree: string, of: readonly NodeId[]): SqlTask<Reads['childIds']['answer']> {
  const children = new Map<string, NodeId[]>();
  const found = yield* queryRows(
    `SELECT id, parent_id FROM node WHERE tree_id = $1 AND parent_id IN ${scope.dialect.list('$2')} AND removed_in IS NULL ORDER BY parent_id, position`,
    tree,
    JSON.stringify(of),
  );
  for (const one of found) {
    const parent = sqlText(one, 'parent_id');
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [idOfRow(one)]);
    else list.push(idOfRow(one));
  }
  return of.map((id) => children.get(id) ?? []);
}

function* answerTopmost(scope: TreeScope, tree: string, ids: readonly NodeId[]): SqlTask<NodeId[]> {
  if (scope.tree === null) return [];
  if (ids.length < 2) return [...ids];
  const list = scope.dialect.list('$2');
  const covered = yield* queryRows(
    `WITH RECURSIVE up(origin, at) AS (
      SELECT id, parent_id FROM node WHERE tree_id = $1 AND id IN ${list}
      UNION
      SELECT up.origin, n.parent_id FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.at
    ) SELECT DISTINCT origin AS id, CASE WHEN at = origin THEN 1 ELSE 0 END AS circle FROM up WHERE at IN ${list}`,
    tree,
    JSON.stringify(ids),
  );
  for (const one of covered) if (sqlNumber(one, 'circle') === 1) refuseCycle(sqlText(one, 'id'));
  const below = new Set(covered.map((one) => sqlText(one, 'id')));
  return ids.filter((id) => !below.has(id));
}

function* answerGap(tree: string, parent: NodeId, position: string): SqlTask<Reads['neighbourPositions']['answer']> {
  const params: Param[] = [tree, parent, position];
  const before = yield* queryRow(
    'SELECT max(position) AS p FROM node WHERE tree_id = $1 AND parent_id = $2 AND position < $3',
    ...params,
  );
  const after = yield* queryRow(
    'SELECT min(position) AS p FROM node WHERE tree_id = $1 AND parent_id = $2 AND position > $3',
    ...params,
  );
  return { before: sqlTextOrNull(before ?? {}, 'p'), after: sqlTextOrNull(after ?? {}, 'p') };
}

function* allRows(scope: TreeScope, tree: string): SqlTask<Reads['rows']['answer']> {
  if (scope.tree === null) return null;
  const found = yield* queryCells(
    `SELECT ${selectCells('node', nodeColumns)} FROM node WHERE tree_id = $1 ORDER BY seq`,
    tree,
  );
  const marks = yield* queryRows('SELECT * FROM bookmark WHERE tree_id = $1 ORDER BY created_at, node_id', tree);
  return {
    row: rowOf(scope.tree),
    nodes: yield* nodesFrom(scope, tree, found),
    bookmarks: marks.map(bookmarkOfRow),
  };
}

// The rows of a whole tree would be in memory three times on their way from the driver, so they are read in parts.
const linksAtOnce = 10_000;

function* links(tree: string): SqlTask<ParentLink[]> {
  const found: ParentLink[] = [];
  for (let after = -1; ; ) {
    const some = yield* queryRows(
      `SELECT id, parent_id, seq FROM node
       WHERE tree_id = $1 AND parent_id IS NOT NULL AND removed_in IS NULL AND seq > $2 ORDER BY seq LIMIT ${linksAtOnce}`,
      tree,
      after,
    );
    for (const one of some) found.push({ id: idOfRow(one), parentId: nodeId(sqlText(one, 'parent_id')) });
    const last = some.at(-1);
    if (last === undefined || some.length < linksAtOnce) return found;
    after = sqlNumber(last, 'seq');
  }
}

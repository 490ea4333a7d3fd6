/** Core's reads as queries. Cost follows the path or the index, never the tree, where only a path is asked for. */
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
import { hydratedLog, undoRecord } from './log.ts';
import { matchKeys } from './match.ts';
import {
  type Param,
  queryRow,
  queryRows,
  type SqlRow,
  type SqlTask,
  sqlNumber,
  sqlText,
  sqlTextOrNull,
} from './query.ts';
import {
  bookmarkOfRow,
  headColumns,
  nodeColumns,
  nodeHeadOf,
  noteColumns,
  noteOfRow,
  prefixed,
  toTreeRow,
} from './rows.ts';
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
 * The answer to a read that needs no query, for what it asks is at hand; undefined for any other. Nearly every message of a
 * chat is planned from these alone.
 */
export function fromPrefetch(scope: TreeScope, read: Read): Answer | undefined {
  if (scope.tree === null || ('treeId' in read && read.treeId !== undefined && read.treeId !== scope.treeId))
    return undefined;
  switch (read.ask) {
    case 'pause':
      return null;
    case 'tree':
      return toTreeRow(scope.tree);
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
  // Foreign and unknown trees have no nodes: every question about them finds nothing.
  const known = scope.tree !== null ? tree : '';
  switch (read.ask) {
    case 'pause':
      return null;
    case 'tree':
      return scope.tree === null ? null : toTreeRow(scope.tree);
    case 'node':
      return yield* nodeById(scope, known, read.id, ' AND removed_in IS NULL');
    case 'head': {
      const head = yield* liveHead(known, read.id);
      if (head !== null) scope.heads?.set(head.id, head);
      return head;
    }
    case 'anyNode':
      return yield* nodeById(scope, known, read.id, '');
    case 'taken': {
      const { foreseen } = scope;
      if (foreseen !== undefined && read.ids.every((id) => foreseen.ids.has(id)))
        return read.ids.filter((id) => foreseen.taken.has(id));
      const found = yield* queryRows(takenIds(scope.dialect), JSON.stringify(read.ids));
      const taken = new Set(found.map(idOfRow));
      return read.ids.filter((id) => taken.has(id));
    }
    case 'nodes':
      return yield* answerNodes(scope, known, read.ids);
    case 'path':
      return yield* answerPath(scope, known, read.to, read.limit);
    case 'pathMeta':
      return yield* pathNotes(scope, known, read.to, read.limit);
    case 'isAncestorOrSelf':
      return yield* ancestorsOf(known, read.id, read.below);
    case 'withoutDescendants':
      return yield* answerTopmost(scope, known, read.ids);
    case 'children':
      return (yield* queryRows(
        `SELECT ${headColumns} FROM node WHERE tree_id = $1 AND parent_id = $2 AND removed_in IS NULL ORDER BY position`,
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
      // What went together with its parent comes back with it, to its place.
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

/** What was fetched of a node before it was asked for. */
function parentInfoAt(scope: TreeScope, id: NodeId): NonNullable<TreeScope['foreseen']>['parentInfo'] {
  const parentInfo = scope.tree === null ? undefined : scope.foreseen?.parentInfo;
  return parentInfo?.head.id === id ? parentInfo : null;
}

// What is above the end of it would be missing in silence.
function refuseBroken(scope: TreeScope, to: NodeId, found: readonly SqlRow[], limit: number): void {
  const top = found.at(-1);
  if (top === undefined || found.length >= limit) return;
  const above = sqlTextOrNull(top, 'parent_id');
  if (above === scope.tree?.rootId) return;
  if (found.length >= longestPath(scope))
    refuse('tree/cycle', `The path to ${to} runs in a circle at ${sqlText(top, 'id')}.`, {
      nodeId: sqlText(top, 'id'),
    });
  refuse(
    'tree/broken-path',
    `The path to ${to} breaks off: ${sqlText(top, 'id')} hangs on ${above}, which is missing.`,
    {
      nodeId: above,
    },
  );
}

/** The rows from a node up to below the root. Refuses a way that ends before the root, or never. */
function* walkUp(
  scope: TreeScope,
  tree: string,
  to: NodeId,
  limit: number,
  columns: string,
): SqlTask<readonly SqlRow[]> {
  const found = yield* queryRows(
    `WITH RECURSIVE up AS (
      SELECT ${columns}, 1 AS level FROM node WHERE tree_id = $1 AND id = $2 AND parent_id IS NOT NULL AND removed_in IS NULL
      UNION ALL
      SELECT ${prefixed('n', columns)}, up.level + 1 FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.parent_id
      WHERE up.level < $3 AND n.parent_id IS NOT NULL AND n.removed_in IS NULL
    ) SELECT * FROM up`,
    tree,
    to,
    Math.min(limit, longestPath(scope)),
  );
  refuseBroken(scope, to, found, limit);
  return found;
}

function isCompletePath({ tree }: TreeScope, first: { readonly parentId: NodeId | null } | undefined): boolean {
  return first === undefined || first.parentId === tree?.rootId;
}

function* answerPath(scope: TreeScope, tree: string, to: NodeId, limit = maxDepth): SqlTask<Reads['path']['answer']> {
  const found = yield* walkUp(scope, tree, to, limit, nodeColumns);
  const nodes = (yield* nodesFrom(scope, tree, found)).reverse();
  return { nodes, complete: isCompletePath(scope, nodes[0]) };
}

function* pathNotes(
  scope: TreeScope,
  tree: string,
  to: NodeId,
  limit = maxDepth,
): SqlTask<Reads['pathMeta']['answer']> {
  const notes = (yield* walkUp(scope, tree, to, limit, noteColumns)).map(noteOfRow).reverse();
  return { entries: notes, complete: isCompletePath(scope, notes[0]) };
}

function* answerNodes(scope: TreeScope, tree: string, ids: readonly NodeId[]): SqlTask<readonly Node[]> {
  const found = yield* queryRows(
    `SELECT ${nodeColumns} FROM node WHERE tree_id = $1 AND id IN ${scope.dialect.list('$2')} AND removed_in IS NULL`,
    tree,
    JSON.stringify(ids),
  );
  return inIdOrder(ids, yield* nodesFrom(scope, tree, found), (node) => node.id);
}

/** What was found, in the order in which it was asked for; what was not is left out. */
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
  const found = yield* queryRows(`SELECT ${nodeColumns} FROM node WHERE tree_id = $1 ORDER BY seq`, tree);
  const marks = yield* queryRows('SELECT * FROM bookmark WHERE tree_id = $1 ORDER BY created_at, node_id', tree);
  return {
    row: toTreeRow(scope.tree),
    nodes: yield* nodesFrom(scope, tree, found),
    bookmarks: marks.map(bookmarkOfRow),
  };
}

// Rows of a whole tree at once would be held three times over on their way from the driver.
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

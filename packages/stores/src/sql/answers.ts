/** Core's reads as queries. Cost follows the path or the index, never the tree, where only a path is asked for. */
import {
  type Answer,
  type Link,
  type Node,
  type NodeId,
  nodeId,
  type Read,
  type Reads,
  refuse,
  treeId,
} from '@coppice/core';
import { hydratedLog, undoRecord } from './log.ts';
import { match } from './match.ts';
import { number, type Param, type Row, row, rows, text, textOrNull, type Work } from './query.ts';
import { bookmarkOf, headColumns, headOf, nodeColumns, noteColumns, noteOf, of, plainRow } from './rows.ts';
import {
  above,
  deepest,
  idOf,
  liveHead,
  longestPath,
  nodesFrom,
  oneNode,
  refuseCycle,
  type Scope,
  takenIds,
  treeRow,
} from './scope.ts';
import { count, inside, lastVisited, leaves, newestLeaf, strangers, subtree, topology } from './subtree.ts';

/**
 * The answer to a read that needs no query, for what it asks is at hand; undefined for any other. Nearly every message of a
 * chat is planned from these alone.
 */
export function atHand(scope: Scope, read: Read): Answer | undefined {
  if (scope.tree === null || ('treeId' in read && read.treeId !== undefined && read.treeId !== scope.treeId))
    return undefined;
  switch (read.ask) {
    case 'tree':
      return plainRow(scope.tree);
    case 'head': {
      const ground = groundAt(scope, read.id);
      if (ground === null) return undefined;
      scope.heads?.set(ground.head.id, ground.head);
      return ground.head;
    }
    case 'edge': {
      const ground = groundAt(scope, read.of);
      return ground === null ? undefined : ground.edge;
    }
    default:
      return undefined;
  }
}

/** Answers one read. */
export function* answerRead(scope: Scope, read: Read): Work<Answer> {
  const other = 'treeId' in read && read.treeId !== undefined && read.treeId !== scope.treeId ? read.treeId : null;
  if (other === null) return yield* answerHere(scope, read);
  const { dialect, owner } = scope;
  return yield* answerHere({ dialect, owner, treeId: other, tree: yield* treeRow(owner, other) }, read);
}

const homeOfList =
  'SELECT l.tree_id FROM linear_node l JOIN tree t ON t.id = l.tree_id WHERE l.id = $1 AND t.owner = $2';

function* answerHere(scope: Scope, read: Read): Work<Answer> {
  const { treeId: tree } = scope;
  // Foreign and unknown trees have no nodes: every question about them finds nothing.
  const known = scope.tree !== null ? tree : '';
  switch (read.ask) {
    case 'tree':
      return scope.tree === null ? null : plainRow(scope.tree);
    case 'node':
      return yield* oneNode(scope, known, read.id, ' AND removed_in IS NULL');
    case 'head': {
      const head = yield* liveHead(known, read.id);
      if (head !== null) scope.heads?.set(head.id, head);
      return head;
    }
    case 'anyNode':
      return yield* oneNode(scope, known, read.id, '');
    case 'taken': {
      const { foreseen } = scope;
      if (foreseen !== undefined && read.ids.every((id) => foreseen.ids.has(id)))
        return read.ids.filter((id) => foreseen.taken.has(id));
      const found = yield* rows(takenIds(scope.dialect), JSON.stringify(read.ids));
      const taken = new Set(found.map(idOf));
      return read.ids.filter((id) => taken.has(id));
    }
    case 'nodes':
      return yield* nodes(scope, known, read.ids);
    case 'path':
      return yield* path(scope, known, read.to, read.limit);
    case 'pathNotes':
      return yield* pathNotes(scope, known, read.to, read.limit);
    case 'above':
      return yield* above(known, read.id, read.below);
    case 'topmost':
      return yield* topmost(scope, known, read.ids);
    case 'children':
      return (yield* rows(
        `SELECT ${headColumns} FROM node WHERE tree_id = $1 AND parent_id = $2 AND removed_in IS NULL ORDER BY position`,
        known,
        read.of,
      )).map(headOf);
    case 'childIds':
      return yield* childIds(scope, known, read.of);
    case 'subtree':
      return yield* subtree(scope, known, read.of, read.depth);
    case 'topology':
      return yield* topology(scope, known, read.of, read.depth);
    case 'leaves':
      return yield* leaves(scope, known, read.limit);
    case 'count':
      return yield* count(known, read.of);
    case 'inside':
      return yield* inside(scope, known, read.of);
    case 'strangers':
      return yield* strangers(scope, known, read);
    case 'newestLeaf':
      return yield* newestLeaf(scope, known, read.below, read.without);
    case 'lastVisited':
      return yield* lastVisited(scope, known, read.from);
    case 'match':
      return yield* match(scope, known, read.from, read.keys);
    case 'edge': {
      const last = 'SELECT max(position) AS p FROM node WHERE tree_id = $1 AND parent_id = $2';
      return textOrNull((yield* row(last, known, read.of)) ?? {}, 'p');
    }
    case 'groupMax':
      return number(
        (yield* row(
          'SELECT coalesce(max(group_id), 0) AS g FROM node WHERE tree_id = $1 AND parent_id = $2 AND group_id > 0',
          known,
          read.of,
        )) ?? { g: 0 },
        'g',
      );
    case 'gap':
      return yield* gap(known, read.of, read.position);
    case 'at': {
      // What went together with its parent comes back with it, to its place.
      const there = yield* row(
        `SELECT n.id FROM node n JOIN node p ON p.tree_id = n.tree_id AND p.id = n.parent_id
        WHERE n.tree_id = $1 AND n.parent_id = $2 AND n.position = $3 AND (n.removed_in IS NULL OR n.removed_in = p.removed_in)`,
        known,
        read.of,
        read.position,
      );
      return there === undefined ? null : idOf(there);
    }
    case 'bookmark': {
      const mark = yield* row('SELECT * FROM bookmark WHERE tree_id = $1 AND node_id = $2', known, read.on);
      return mark === undefined ? null : bookmarkOf(mark);
    }
    case 'links':
      return yield* links(known);
    case 'bookmarks': {
      if (read.on === undefined)
        return (yield* rows('SELECT * FROM bookmark WHERE tree_id = $1 ORDER BY created_at, node_id', known)).map(
          bookmarkOf,
        );
      const marks = yield* rows(
        `SELECT * FROM bookmark WHERE tree_id = $1 AND node_id IN ${scope.dialect.list('$2')}`,
        known,
        JSON.stringify(read.on),
      );
      return inOrder(read.on, marks.map(bookmarkOf), (mark) => mark.nodeId);
    }
    case 'undoable':
    case 'redoable':
      return scope.tree === null ? null : yield* undoRecord(scope, scope.tree, read.ask, read.actor, read.actId);
    case 'rows':
      return yield* allRows(scope, known);
    case 'log':
      return scope.tree === null ? [] : yield* hydratedLog(scope, read.since);
    case 'home': {
      const home = yield* row(
        'SELECT n.tree_id FROM node n JOIN tree t ON t.id = n.tree_id WHERE n.id = $1 AND t.owner = $2 AND n.removed_in IS NULL',
        read.id,
        scope.owner,
      );
      const found = home ?? (yield* row(homeOfList, read.id, scope.owner));
      return found === undefined ? null : treeId(text(found, 'tree_id'));
    }
    case 'forest': {
      const found = yield* row(
        'SELECT id FROM tree WHERE owner = $1 AND project = $2 AND forest_key = $3 AND trashed_at IS NULL',
        scope.owner,
        read.project,
        read.key,
      );
      return found === undefined ? null : treeId(text(found, 'id'));
    }
  }
}

/** What was fetched of a node before it was asked for. */
function groundAt(scope: Scope, id: NodeId): NonNullable<Scope['foreseen']>['ground'] {
  const ground = scope.tree === null ? undefined : scope.foreseen?.ground;
  return ground?.head.id === id ? ground : null;
}

// What is above the end of it would be missing in silence.
function refuseBroken(scope: Scope, to: NodeId, found: readonly Row[], limit: number): void {
  const top = found.at(-1);
  if (top === undefined || found.length >= limit) return;
  const above = textOrNull(top, 'parent_id');
  if (above === scope.tree?.rootId) return;
  if (found.length >= longestPath(scope))
    refuse('tree/cycle', `The path to ${to} runs in a circle at ${text(top, 'id')}.`, { nodeId: text(top, 'id') });
  refuse('tree/broken-path', `The path to ${to} breaks off: ${text(top, 'id')} hangs on ${above}, which is missing.`, {
    nodeId: above,
  });
}

/** The rows from a node up to below the root. Refuses a way that ends before the root, or never. */
function* wayUp(scope: Scope, tree: string, to: NodeId, limit: number, columns: string): Work<readonly Row[]> {
  const found = yield* rows(
    `WITH RECURSIVE up AS (
      SELECT ${columns}, 1 AS level FROM node WHERE tree_id = $1 AND id = $2 AND parent_id IS NOT NULL AND removed_in IS NULL
      UNION ALL
      SELECT ${of('n', columns)}, up.level + 1 FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.parent_id
      WHERE up.level < $3 AND n.parent_id IS NOT NULL AND n.removed_in IS NULL
    ) SELECT * FROM up`,
    tree,
    to,
    Math.min(limit, longestPath(scope)),
  );
  refuseBroken(scope, to, found, limit);
  return found;
}

function isWhole({ tree }: Scope, first: { readonly parentId: NodeId | null } | undefined): boolean {
  return first === undefined || first.parentId === tree?.rootId;
}

function* path(scope: Scope, tree: string, to: NodeId, limit = deepest): Work<Reads['path']['answer']> {
  const found = yield* wayUp(scope, tree, to, limit, nodeColumns);
  const nodes = (yield* nodesFrom(scope, tree, found)).reverse();
  return { nodes, complete: isWhole(scope, nodes[0]) };
}

function* pathNotes(scope: Scope, tree: string, to: NodeId, limit = deepest): Work<Reads['pathNotes']['answer']> {
  const notes = (yield* wayUp(scope, tree, to, limit, noteColumns)).map(noteOf).reverse();
  return { notes, complete: isWhole(scope, notes[0]) };
}

function* nodes(scope: Scope, tree: string, ids: readonly NodeId[]): Work<readonly Node[]> {
  const found = yield* rows(
    `SELECT ${nodeColumns} FROM node WHERE tree_id = $1 AND id IN ${scope.dialect.list('$2')} AND removed_in IS NULL`,
    tree,
    JSON.stringify(ids),
  );
  return inOrder(ids, yield* nodesFrom(scope, tree, found), (node) => node.id);
}

/** What was found, in the order in which it was asked for; what was not is left out. */
function inOrder<T>(ids: readonly NodeId[], found: readonly T[], idOf: (one: T) => NodeId): readonly T[] {
  const byId = new Map(found.map((one) => [idOf(one), one]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function* childIds(scope: Scope, tree: string, of: readonly NodeId[]): Work<Reads['childIds']['answer']> {
  const children = new Map<string, NodeId[]>();
  const found = yield* rows(
    `SELECT id, parent_id FROM node WHERE tree_id = $1 AND parent_id IN ${scope.dialect.list('$2')} AND removed_in IS NULL ORDER BY parent_id, position`,
    tree,
    JSON.stringify(of),
  );
  for (const one of found) {
    const parent = text(one, 'parent_id');
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [idOf(one)]);
    else list.push(idOf(one));
  }
  return of.map((id) => children.get(id) ?? []);
}

function* topmost(scope: Scope, tree: string, ids: readonly NodeId[]): Work<NodeId[]> {
  if (scope.tree === null) return [];
  if (ids.length < 2) return [...ids];
  const list = scope.dialect.list('$2');
  const covered = yield* rows(
    `WITH RECURSIVE up(origin, at) AS (
      SELECT id, parent_id FROM node WHERE tree_id = $1 AND id IN ${list}
      UNION
      SELECT up.origin, n.parent_id FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.at
    ) SELECT DISTINCT origin AS id, CASE WHEN at = origin THEN 1 ELSE 0 END AS circle FROM up WHERE at IN ${list}`,
    tree,
    JSON.stringify(ids),
  );
  for (const one of covered) if (number(one, 'circle') === 1) refuseCycle(text(one, 'id'));
  const below = new Set(covered.map((one) => text(one, 'id')));
  return ids.filter((id) => !below.has(id));
}

function* gap(tree: string, parent: NodeId, position: string): Work<Reads['gap']['answer']> {
  const params: Param[] = [tree, parent, position];
  const before = yield* row(
    'SELECT max(position) AS p FROM node WHERE tree_id = $1 AND parent_id = $2 AND position < $3',
    ...params,
  );
  const after = yield* row(
    'SELECT min(position) AS p FROM node WHERE tree_id = $1 AND parent_id = $2 AND position > $3',
    ...params,
  );
  return { before: textOrNull(before ?? {}, 'p'), after: textOrNull(after ?? {}, 'p') };
}

function* allRows(scope: Scope, tree: string): Work<Reads['rows']['answer']> {
  if (scope.tree === null) return null;
  const found = yield* rows(`SELECT ${nodeColumns} FROM node WHERE tree_id = $1 ORDER BY seq`, tree);
  const marks = yield* rows('SELECT * FROM bookmark WHERE tree_id = $1 ORDER BY created_at, node_id', tree);
  return { row: plainRow(scope.tree), nodes: yield* nodesFrom(scope, tree, found), bookmarks: marks.map(bookmarkOf) };
}

// Rows of a whole tree at once would be held three times over on their way from the driver.
const linksAtOnce = 10_000;

function* links(tree: string): Work<Link[]> {
  const found: Link[] = [];
  for (let after = -1; ; ) {
    const some = yield* rows(
      `SELECT id, parent_id, seq FROM node
       WHERE tree_id = $1 AND parent_id IS NOT NULL AND removed_in IS NULL AND seq > $2 ORDER BY seq LIMIT ${linksAtOnce}`,
      tree,
      after,
    );
    for (const one of some) found.push({ id: idOf(one), parentId: nodeId(text(one, 'parent_id')) });
    const last = some.at(-1);
    if (last === undefined || some.length < linksAtOnce) return found;
    after = number(last, 'seq');
  }
}

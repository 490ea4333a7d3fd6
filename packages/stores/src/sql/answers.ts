/** Core's reads as queries. Cost follows the path or the index, never the tree, where only a path is asked for. */
import {
  type Answer,
  type Bookmark,
  matchParentBelow,
  type Node,
  type NodeHead,
  type NodeId,
  nodeId,
  previewLength,
  previewOf,
  type Read,
  type Reads,
  type TopologyNode,
  type TreeId,
  treeId,
} from '@coppice/core';
import { hydratedLog, undoRecord } from './log.ts';
import { type Dialect, number, type Param, type Row, row, rows, text, textOrNull, type Work } from './query.ts';
import {
  bookmarkOf,
  headColumns,
  headOf,
  messageOf,
  nodeColumns,
  nodeOf,
  of,
  plainRow,
  type StoredTree,
  searchTextOf,
  treeColumns,
  treeOf,
} from './rows.ts';

/** What answering needs to know: whose trees, which tree, and the tree row where the caller holds it already. */
export interface Scope {
  readonly dialect: Dialect;
  readonly owner: string;
  readonly treeId: TreeId;
  /** The row, read under the lock or in this snapshot; null where there is no such tree of this owner. */
  readonly tree: StoredTree | null;
  /** Live nodes that were read while nothing is written: what one read found, the next need not look up again. */
  readonly heads?: Map<string, NodeHead>;
}

// A walk longer than this runs in a circle: no tree of ours is that deep.
const deepest = 10_000_000;

/** Reads a tree row of an owner. */
export function* treeRow(owner: string, id: TreeId, lock = ''): Work<StoredTree | null> {
  const found = yield* row(`SELECT ${treeColumns} FROM tree WHERE id = $1 AND owner = $2${lock}`, id, owner);
  return found === undefined ? null : treeOf(found);
}

/** Answers one read. */
export function* answerRead(scope: Scope, read: Read): Work<Answer> {
  const other = 'treeId' in read && read.treeId !== undefined && read.treeId !== scope.treeId ? read.treeId : null;
  if (other === null) return yield* answerHere(scope, read);
  return yield* answerHere({ ...scope, treeId: other, tree: yield* treeRow(scope.owner, other) }, read);
}

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
      const found = yield* rows(
        `SELECT id FROM node WHERE id IN ${scope.dialect.list('$1')}`,
        JSON.stringify(read.ids),
      );
      const taken = new Set(found.map(idOf));
      return read.ids.filter((id) => taken.has(id));
    }
    case 'path':
      return yield* path(scope, known, read.to, read.limit);
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
    case 'subtree':
      return yield* subtree(scope, known, read.of, read.depth);
    case 'topology':
      return yield* topology(scope, known, read.of, read.depth);
    case 'leaves':
      return yield* leaves(scope, known, read.limit);
    case 'count':
      return number((yield* row(`${down('')} SELECT count(*) AS n FROM below`, known, read.of)) ?? { n: 0 }, 'n');
    case 'inside':
      return yield* inside(scope, known, read.of);
    case 'strangers':
      return yield* strangers(scope, known, read);
    case 'newestLeaf':
      return yield* newestLeaf(scope, known, read.below, read.without);
    case 'lastVisited':
      return yield* lastVisited(known, read.from);
    case 'match':
      return yield* match(scope, known, read.from, read.keys);
    case 'edge':
      return textOrNull(
        (yield* row('SELECT max(position) AS p FROM node WHERE tree_id = $1 AND parent_id = $2', known, read.of)) ?? {},
        'p',
      );
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
      const there = yield* row(
        'SELECT id FROM node WHERE tree_id = $1 AND parent_id = $2 AND position = $3 AND removed_in IS NULL',
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
      return home === undefined ? null : treeId(text(home, 'tree_id'));
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

function idOf(found: Row): NodeId {
  return nodeId(text(found, 'id'));
}

function* oneNode(scope: Scope, tree: string, id: NodeId, live: string): Work<Node | null> {
  const found = yield* row(`SELECT ${nodeColumns} FROM node WHERE tree_id = $1 AND id = $2${live}`, tree, id);
  return found === undefined ? null : nodeOf(found, yield* aliasesOf(scope, tree, id));
}

function* aliasesOf(scope: Scope, tree: string, id: string): Work<Node['aliases']> {
  if (scope.tree?.hasAliases !== true) return [];
  const found = yield* rows(
    'SELECT match_parent, equality_key FROM node_alias WHERE tree_id = $1 AND node_id = $2 ORDER BY place',
    tree,
    id,
  );
  return found.map((alias) => ({ matchParent: nodeId(text(alias, 'match_parent')), key: text(alias, 'equality_key') }));
}

/** Nodes from rows, each with its aliases, which only trees that were split have. */
export function* nodesFrom(scope: Scope, tree: string, found: readonly Row[]): Work<Node[]> {
  if (scope.tree?.hasAliases !== true) return found.map((one) => nodeOf(one, []));
  const aliases = new Map<string, { matchParent: NodeId; key: string }[]>();
  const ids = JSON.stringify(found.map((one) => text(one, 'id')));
  for (const alias of yield* rows(
    `SELECT * FROM node_alias WHERE tree_id = $1 AND node_id IN ${scope.dialect.list('$2')} ORDER BY node_id, place`,
    tree,
    ids,
  )) {
    const list = aliases.get(text(alias, 'node_id')) ?? [];
    list.push({ matchParent: nodeId(text(alias, 'match_parent')), key: text(alias, 'equality_key') });
    aliases.set(text(alias, 'node_id'), list);
  }
  return found.map((one) => nodeOf(one, aliases.get(text(one, 'id')) ?? []));
}

function* path(scope: Scope, tree: string, to: NodeId, limit = deepest): Work<Reads['path']['answer']> {
  const found = yield* rows(
    `WITH RECURSIVE up AS (
      SELECT ${nodeColumns}, 1 AS level FROM node WHERE tree_id = $1 AND id = $2 AND parent_id IS NOT NULL AND removed_in IS NULL
      UNION ALL
      SELECT ${of('n', nodeColumns)}, up.level + 1 FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.parent_id
      WHERE up.level < $3 AND n.parent_id IS NOT NULL
    ) SELECT * FROM up`,
    tree,
    to,
    Math.min(limit, deepest),
  );
  const nodes = (yield* nodesFrom(scope, tree, found)).reverse();
  const first = nodes[0];
  return { nodes, complete: first === undefined || first.parentId === scope.tree?.rootId };
}

/** Whether one node is another or lies above it. Raw parents count, so it also tells of removed nodes. */
function* above(tree: string, id: string, below: string): Work<boolean> {
  if (id === below)
    return (yield* row('SELECT 1 AS yes FROM node WHERE tree_id = $1 AND id = $2', tree, id)) !== undefined;
  const found = yield* row(
    `WITH RECURSIVE up(id, parent_id) AS (
      SELECT id, parent_id FROM node WHERE tree_id = $1 AND id = $2
      UNION ALL
      SELECT n.id, n.parent_id FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.parent_id
    ) SELECT 1 AS yes FROM up WHERE id = $3 LIMIT 1`,
    tree,
    below,
    id,
  );
  return found !== undefined;
}

function* topmost(scope: Scope, tree: string, ids: readonly NodeId[]): Work<NodeId[]> {
  if (scope.tree === null) return [];
  if (ids.length < 2) return [...ids];
  const list = scope.dialect.list('$2');
  const covered = yield* rows(
    `WITH RECURSIVE up(origin, at) AS (
      SELECT id, parent_id FROM node WHERE tree_id = $1 AND id IN ${list}
      UNION ALL
      SELECT up.origin, n.parent_id FROM up JOIN node n ON n.tree_id = $1 AND n.id = up.at
    ) SELECT DISTINCT origin AS id FROM up WHERE at IN ${list}`,
    tree,
    JSON.stringify(ids),
  );
  const below = new Set(covered.map((one) => text(one, 'id')));
  return ids.filter((id) => !below.has(id));
}

/** The live subtree of `$2` as `below(id, level)`. */
function down(condition: string): string {
  return `WITH RECURSIVE below(id, level) AS (
    SELECT id, 0 FROM node WHERE tree_id = $1 AND id = $2 AND removed_in IS NULL
    UNION ALL
    SELECT n.id, below.level + 1 FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id
    WHERE n.removed_in IS NULL${condition}
  )`;
}

function* subtree(scope: Scope, tree: string, top: NodeId, depth = deepest): Work<Node[]> {
  const found = yield* rows(
    `${down(' AND below.level < $3')} SELECT ${of('n', nodeColumns)} FROM below JOIN node n ON n.tree_id = $1 AND n.id = below.id`,
    tree,
    top,
    Math.min(depth, deepest),
  );
  return breadthFirst(yield* nodesFrom(scope, tree, found), top);
}

/** Rows without contents but for the beginning of each text, which is all that a preview shows. */
function* topology(scope: Scope, tree: string, top: NodeId, depth?: number): Work<TopologyNode[]> {
  const whole = depth === undefined && top === scope.tree?.rootId;
  const columns = of('n', headColumns);
  const shown = `CASE WHEN n.search_text IS NULL THEN n.content ELSE NULL END AS content, substr(n.search_text, 1, ${previewLength * 4}) AS search_text, n.tool_call_id, n.meta,
    (SELECT count(*) FROM node c WHERE c.tree_id = n.tree_id AND c.parent_id = n.id AND c.removed_in IS NULL) AS children`;
  const found = whole
    ? yield* rows(
        `SELECT ${columns}, ${shown} FROM node n WHERE n.tree_id = $1 AND n.removed_in IS NULL ORDER BY n.seq`,
        tree,
      )
    : yield* rows(
        `${down(' AND below.level < $3')} SELECT ${columns}, ${shown} FROM below JOIN node n ON n.tree_id = $1 AND n.id = below.id`,
        tree,
        top,
        Math.min(depth ?? deepest, deepest),
      );
  const nodes = found.map((one) => ({ ...headOf(one), row: one }));
  const ordered = depth === undefined ? nodes.sort((a, b) => a.seq - b.seq) : breadthFirst(nodes, top);
  const list: TopologyNode[] = [];
  for (const { row: one, parentId, ...head } of ordered) {
    if (parentId === null) continue;
    const said = one.search_text === null ? searchTextOf(one, messageOf(one, head.role)) : text(one, 'search_text');
    const children = number(one, 'children');
    const { id, role, kind, groupId, seq, position, status, tokens } = head;
    const preview = previewOf({ text: said, meta: JSON.parse(text(one, 'meta')) as Node['meta'] }, children);
    list.push({
      id,
      parentId,
      role,
      kind,
      groupId,
      seq,
      position,
      status,
      childCount: children,
      hasChildren: children > 0,
      preview,
      tokens,
    });
  }
  return list;
}

function* leaves(scope: Scope, tree: string, limit: number): Work<Node[]> {
  const found = yield* rows(
    `SELECT ${nodeColumns} FROM node n WHERE n.tree_id = $1 AND n.removed_in IS NULL AND n.parent_id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM node c WHERE c.tree_id = n.tree_id AND c.parent_id = n.id AND c.removed_in IS NULL
    ) ORDER BY n.seq DESC LIMIT $2`,
    tree,
    Math.max(0, Math.min(limit, deepest)),
  );
  return yield* nodesFrom(scope, tree, found);
}

/** Nodes level by level from a top, siblings in their order. */
export function breadthFirst<N extends NodeHead>(nodes: readonly N[], top: NodeId): N[] {
  const children = new Map<string | null, N[]>();
  let first: N | undefined;
  for (const node of nodes) {
    if (node.id === top) first = node;
    const list = children.get(node.parentId);
    if (list === undefined) children.set(node.parentId, [node]);
    else list.push(node);
  }
  if (first === undefined) return [];
  const ordered: N[] = [first];
  for (let at = 0; at < ordered.length; at++) {
    const list = children.get(ordered[at]?.id ?? null);
    if (list === undefined) continue;
    list.sort((a, b) => (a.position < b.position ? -1 : 1));
    for (const child of list) ordered.push(child);
  }
  return ordered;
}

/** Pending nodes and bookmarks are few: each is asked whether it lies inside, instead of walking all that does. */
function* inside(scope: Scope, tree: string, top: NodeId): Work<Reads['inside']['answer']> {
  const pending: NodeId[] = [];
  for (const one of yield* rows(
    "SELECT id FROM node WHERE tree_id = $1 AND status = 'pending' AND removed_in IS NULL ORDER BY seq",
    tree,
  ))
    if (yield* above(tree, top, idOf(one))) pending.push(idOf(one));
  const bookmarks: Bookmark[] = [];
  for (const one of yield* rows('SELECT * FROM bookmark WHERE tree_id = $1 ORDER BY created_at, node_id', tree)) {
    const mark = bookmarkOf(one);
    if (yield* above(tree, top, mark.nodeId)) bookmarks.push(mark);
  }
  const active = scope.tree?.activeNodeId ?? null;
  return { pending, bookmarks, active: active !== null && (yield* above(tree, top, active)) };
}

function* strangers(scope: Scope, tree: string, read: Read<'strangers'>): Work<NodeHead[]> {
  const { dialect } = scope;
  const found = yield* rows(
    `WITH RECURSIVE below(id) AS (
      SELECT id FROM node WHERE tree_id = $1 AND id = $2 AND removed_in IS NULL AND id NOT IN ${dialect.list('$3')}
      UNION ALL
      SELECT n.id FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id
      WHERE n.removed_in IS NULL AND n.id NOT IN ${dialect.list('$3')}
    )
    SELECT ${of('n', headColumns)} FROM below JOIN node n ON n.tree_id = $1 AND n.id = below.id
    WHERE n.added_in > $5 AND CAST(n.added_in AS TEXT) NOT IN ${dialect.list('$4')} ORDER BY n.seq LIMIT 10`,
    tree,
    read.of,
    JSON.stringify(read.without),
    JSON.stringify(read.versions.map(String)),
    read.since,
  );
  return found.map(headOf);
}

function* newestLeaf(scope: Scope, tree: string, top: NodeId, without: readonly NodeId[]): Work<NodeId | null> {
  const skipped = scope.dialect.list('$3');
  const found = yield* row(
    `WITH RECURSIVE below(id, seq) AS (
      SELECT id, seq FROM node WHERE tree_id = $1 AND id = $2 AND removed_in IS NULL AND id NOT IN ${skipped}
      UNION ALL
      SELECT n.id, n.seq FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id
      WHERE n.removed_in IS NULL AND n.id NOT IN ${skipped}
    )
    SELECT below.id FROM below WHERE below.id <> $2 AND NOT EXISTS (
      SELECT 1 FROM node c WHERE c.tree_id = $1 AND c.parent_id = below.id AND c.removed_in IS NULL AND c.id NOT IN ${skipped}
    ) ORDER BY below.seq DESC LIMIT 1`,
    tree,
    top,
    JSON.stringify(without),
  );
  return found === undefined ? null : idOf(found);
}

function* lastVisited(tree: string, from: NodeId): Work<NodeId> {
  const found = yield* row(
    `WITH RECURSIVE way(id, level) AS (
      SELECT CAST($2 AS TEXT), 0
      UNION ALL
      SELECT coalesce(
        (SELECT c.id FROM node p JOIN node c ON c.tree_id = $1 AND c.id = p.last_child_id AND c.parent_id = p.id AND c.removed_in IS NULL
          WHERE p.tree_id = $1 AND p.id = way.id),
        (SELECT c.id FROM node c WHERE c.tree_id = $1 AND c.parent_id = way.id AND c.removed_in IS NULL ORDER BY c.position DESC LIMIT 1)
      ), way.level + 1 FROM way WHERE way.id IS NOT NULL
    ) SELECT id FROM way WHERE id IS NOT NULL ORDER BY level DESC LIMIT 1`,
    tree,
    from,
  );
  return found === undefined ? from : idOf(found);
}

function* liveHead(tree: string, id: string): Work<NodeHead | null> {
  const found = yield* row(
    `SELECT ${headColumns} FROM node WHERE tree_id = $1 AND id = $2 AND removed_in IS NULL`,
    tree,
    id,
  );
  return found === undefined ? null : headOf(found);
}

function* match(scope: Scope, tree: string, from: NodeId, keys: readonly string[]): Work<Reads['match']['answer']> {
  const head = scope.heads?.get(from) ?? (yield* liveHead(tree, from));
  if (head === null || keys.length === 0) return { nodes: [], aliases: [] };
  const through = head.kind === 'message' || head.kind === 'root';
  const first = through ? null : yield* belowMarker(tree, head, keys[0] ?? '');
  if (!through && first === null)
    return { nodes: [], aliases: yield* aliased(scope, tree, matchParentBelow(head), keys[0] ?? '') };
  const nodes: NodeId[] = first === null ? [] : [first];
  const rest = keys.slice(nodes.length);
  for (const id of yield* walked(scope.dialect, tree, first ?? from, rest)) nodes.push(id);
  const missing = keys[nodes.length];
  if (missing === undefined) return { nodes, aliases: [] };
  return { nodes, aliases: yield* aliased(scope, tree, nodes[nodes.length - 1] ?? from, missing) };
}

/** One statement walks the whole prefix: a lookup per message, and no round trip for each. */
function* walked(dialect: Dialect, tree: string, from: NodeId, keys: readonly string[]): Work<NodeId[]> {
  if (keys.length === 0) return [];
  if (keys.length === 1) {
    const one = yield* row(
      'SELECT id FROM node WHERE tree_id = $1 AND match_parent = $2 AND equality_key = $3 AND removed_in IS NULL ORDER BY position, seq LIMIT 1',
      tree,
      from,
      keys[0] ?? '',
    );
    return one === undefined ? [] : [idOf(one)];
  }
  const found = yield* rows(
    `WITH RECURSIVE walk(id, at) AS (
      SELECT CAST($2 AS TEXT), 0
      UNION ALL
      SELECT (SELECT n.id FROM node n WHERE n.tree_id = $1 AND n.match_parent = walk.id AND n.equality_key = ${dialect.item('$3', 'walk.at')}
        AND n.removed_in IS NULL ORDER BY n.position, n.seq LIMIT 1), walk.at + 1
      FROM walk WHERE walk.id IS NOT NULL AND walk.at < $4
    ) SELECT id FROM walk WHERE id IS NOT NULL AND at > 0 ORDER BY at`,
    tree,
    from,
    JSON.stringify(keys),
    keys.length,
  );
  return found.map(idOf);
}

/** From a marker only what hangs below it counts, though its first messages match under what is above it. */
function* belowMarker(tree: string, head: NodeHead, key: string): Work<NodeId | null> {
  const found = yield* rows(
    'SELECT id FROM node WHERE tree_id = $1 AND match_parent = $2 AND equality_key = $3 AND removed_in IS NULL ORDER BY position, seq',
    tree,
    matchParentBelow(head),
    key,
  );
  for (const one of found) if (yield* above(tree, head.id, idOf(one))) return idOf(one);
  return null;
}

function* aliased(scope: Scope, tree: string, matchParent: string, key: string): Work<NodeId[]> {
  if (scope.tree?.hasAliases !== true) return [];
  const found = yield* rows(
    `SELECT n.id FROM node_alias a JOIN node n ON n.tree_id = a.tree_id AND n.id = a.node_id
    WHERE a.tree_id = $1 AND a.match_parent = $2 AND a.equality_key = $3 AND n.removed_in IS NULL ORDER BY n.seq`,
    tree,
    matchParent,
    key,
  );
  return found.map(idOf);
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

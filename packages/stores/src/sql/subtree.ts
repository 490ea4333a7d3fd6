/** Reads downwards: what hangs below a node. */
import type { Bookmark, Node, NodeHead, NodeId, Read, Reads, TopologyNode } from '@coppice/core';
import { previewLength, previewOf } from '@coppice/core/tree';
import { parsed, queryRow, queryRows, type SqlTask, sqlNumber, sqlText } from './query.ts';
import { bookmarkOfRow, headColumns, nodeColumns, nodeHeadOf, prefixed, storedTextOf } from './rows.ts';
import {
  ancestorsOf,
  assertReachesTop,
  idOfRow,
  longestPath,
  maxDepth,
  nodesFrom,
  refuseCycle,
  type TreeScope,
} from './scope.ts';

/**
 * The live subtree of `$2` as `below(id, level)`. A walk down only comes back to a node in a circle of parents, and then to
 * its own top first: without that it ends.
 */
function walkDown(condition: string): string {
  return `WITH RECURSIVE below(id, level) AS (
    SELECT id, 0 FROM node WHERE tree_id = $1 AND id = $2 AND removed_in IS NULL
    UNION ALL
    SELECT n.id, below.level + 1 FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id
    WHERE n.removed_in IS NULL AND n.id <> $2${condition}
  )`;
}

/** The live subtree, breadth first. */
export function* subtreeRows(scope: TreeScope, tree: string, top: NodeId, depth = maxDepth): SqlTask<Node[]> {
  const found = yield* queryRows(
    `${walkDown(' AND below.level < $3')} SELECT ${prefixed('n', nodeColumns)} FROM below JOIN node n ON n.tree_id = $1 AND n.id = below.id`,
    tree,
    top,
    Math.min(depth, maxDepth),
  );
  const nodes = yield* nodesFrom(scope, tree, found);
  refuseCircle(nodes, top);
  return breadthFirst(nodes, top);
}

// A preview looks at four times its length, and beyond that for where the character ends that it would cut in two.
const looked = previewLength * 5;
// A text is written with up to six characters for each of its own. What is cut is always one plain text, which begins so.
const plainBegins = '[{"type":"text","text":"';
const longBeginning = plainBegins.length + looked * 6;
const beginning = `CASE WHEN n.search_text IS NOT NULL THEN NULL
  WHEN length(n.content) > ${longBeginning} AND substr(n.content, 1, ${plainBegins.length}) = '${plainBegins}' THEN substr(n.content, 1, ${longBeginning})
  ELSE n.content END`;
const wholeUnits = /^(?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*/;

/** The text of a plain message, or the beginning of it, from the JSON text of its content or the beginning of that. */
function previewText(content: string): string {
  if (content.length < longBeginning || !content.startsWith(plainBegins))
    return storedTextOf({ content, search_text: null });
  const units = wholeUnits.exec(content.slice(plainBegins.length))?.[0] ?? '';
  return JSON.parse(`"${units}"`) as string;
}

/** Rows without contents but for the beginning of each text, which is all that a preview shows. */
export function* topologyRows(scope: TreeScope, tree: string, top: NodeId, depth?: number): SqlTask<TopologyNode[]> {
  const whole = depth === undefined && top === scope.tree?.rootId;
  const columns = prefixed('n', headColumns);
  const shown = `${beginning} AS content, substr(n.search_text, 1, ${looked}) AS search_text, n.meta,
    (SELECT count(*) FROM node c WHERE c.tree_id = n.tree_id AND c.parent_id = n.id AND c.removed_in IS NULL) AS children`;
  const found = whole
    ? yield* queryRows(
        `SELECT ${columns}, ${shown} FROM node n WHERE n.tree_id = $1 AND n.removed_in IS NULL ORDER BY n.seq`,
        tree,
      )
    : yield* queryRows(
        `${walkDown(' AND below.level < $3')} SELECT ${columns}, ${shown} FROM below JOIN node n ON n.tree_id = $1 AND n.id = below.id`,
        tree,
        top,
        Math.min(depth ?? maxDepth, maxDepth),
      );
  const nodes = found.map((one) => ({ ...nodeHeadOf(one), row: one }));
  if (!whole) refuseCircle(nodes, top);
  const ordered = depth === undefined ? nodes.sort((a, b) => a.seq - b.seq) : breadthFirst(nodes, top);
  const list: TopologyNode[] = [];
  for (const { row: one, parentId, ...head } of ordered) {
    if (parentId === null) continue;
    const said = one.search_text === null ? previewText(sqlText(one, 'content')) : sqlText(one, 'search_text');
    const children = sqlNumber(one, 'children');
    const { id, role, kind, groupId, seq, position, status, tokens, createdAt } = head;
    const preview = previewOf({ text: said, meta: parsed(one, 'meta') as Node['meta'] }, children);
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
      createdAt,
    });
  }
  return list;
}

/** How many live nodes there are from a node downwards, itself included. */
export function* count(tree: string, top: NodeId): SqlTask<number> {
  const found = yield* queryRow(
    `${walkDown('')} SELECT count(*) AS n, coalesce(max(CASE WHEN id = (SELECT t.parent_id FROM node t WHERE t.tree_id = $1 AND t.id = $2) THEN 1 ELSE 0 END), 0) AS circle FROM below`,
    tree,
    top,
  );
  if (found === undefined) return 0;
  if (sqlNumber(found, 'circle') === 1) refuseCycle(top);
  return sqlNumber(found, 'n');
}

/** The newest leaves, newest first. */
export function* leafRows(scope: TreeScope, tree: string, limit: number): SqlTask<Node[]> {
  const found = yield* queryRows(
    `SELECT ${nodeColumns} FROM node n WHERE n.tree_id = $1 AND n.removed_in IS NULL AND n.parent_id IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM node c WHERE c.tree_id = n.tree_id AND c.parent_id = n.id AND c.removed_in IS NULL
    ) ORDER BY n.seq DESC LIMIT $2`,
    tree,
    Math.max(0, Math.min(limit, maxDepth)),
  );
  return yield* nodesFrom(scope, tree, found);
}

/** Refuses nodes below a top that is itself below one of them. */
function refuseCircle(nodes: readonly NodeHead[], top: NodeId): void {
  const above = nodes.find((node) => node.id === top)?.parentId;
  if (above != null && nodes.some((node) => node.id === above)) refuseCycle(top);
}

/** Nodes level by level from a top, siblings in their order. */
function breadthFirst<N extends NodeHead>(nodes: readonly N[], top: NodeId): N[] {
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
export function* subtreeInfoRows(scope: TreeScope, tree: string, top: NodeId): SqlTask<Reads['subtreeInfo']['answer']> {
  const pending: NodeId[] = [];
  for (const one of yield* queryRows(
    "SELECT id FROM node WHERE tree_id = $1 AND status = 'pending' AND removed_in IS NULL ORDER BY seq",
    tree,
  ))
    if (yield* ancestorsOf(tree, top, idOfRow(one))) pending.push(idOfRow(one));
  const bookmarks: Bookmark[] = [];
  for (const one of yield* queryRows('SELECT * FROM bookmark WHERE tree_id = $1 ORDER BY created_at, node_id', tree)) {
    const mark = bookmarkOfRow(one);
    if (yield* ancestorsOf(tree, top, mark.nodeId)) bookmarks.push(mark);
  }
  const active = scope.tree?.activeNodeId ?? null;
  return { pending, bookmarks, active: active !== null && (yield* ancestorsOf(tree, top, active)) };
}

/** What others hung below a node. */
export function* addedByOthersRows(scope: TreeScope, tree: string, read: Read<'addedByOthers'>): SqlTask<NodeHead[]> {
  const { dialect } = scope;
  yield* assertReachesTop(tree, read.of);
  const found = yield* queryRows(
    `WITH RECURSIVE below(id) AS (
      SELECT id FROM node WHERE tree_id = $1 AND id = $2 AND removed_in IS NULL AND id NOT IN ${dialect.list('$3')}
      UNION ALL
      SELECT n.id FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id
      WHERE n.removed_in IS NULL AND n.id <> $2 AND n.id NOT IN ${dialect.list('$3')}
    )
    SELECT ${prefixed('n', headColumns)} FROM below JOIN node n ON n.tree_id = $1 AND n.id = below.id
    WHERE n.added_in > $5 AND CAST(n.added_in AS TEXT) NOT IN ${dialect.list('$4')} ORDER BY n.seq LIMIT 10`,
    tree,
    read.of,
    JSON.stringify(read.without),
    JSON.stringify(read.versions.map(String)),
    read.since,
  );
  return found.map(nodeHeadOf);
}

/** The newest leaf that is left below a node. */
export function* newestLeafRow(
  scope: TreeScope,
  tree: string,
  top: NodeId,
  without: readonly NodeId[],
): SqlTask<NodeId | null> {
  const skipped = scope.dialect.list('$3');
  yield* assertReachesTop(tree, top);
  const found = yield* queryRow(
    `WITH RECURSIVE below(id, seq) AS (
      SELECT id, seq FROM node WHERE tree_id = $1 AND id = $2 AND removed_in IS NULL AND id NOT IN ${skipped}
      UNION ALL
      SELECT n.id, n.seq FROM below JOIN node n ON n.tree_id = $1 AND n.parent_id = below.id
      WHERE n.removed_in IS NULL AND n.id <> $2 AND n.id NOT IN ${skipped}
    )
    SELECT below.id FROM below WHERE below.id <> $2 AND NOT EXISTS (
      SELECT 1 FROM node c WHERE c.tree_id = $1 AND c.parent_id = below.id AND c.removed_in IS NULL AND c.id NOT IN ${skipped}
    ) ORDER BY below.seq DESC LIMIT 1`,
    tree,
    top,
    JSON.stringify(without),
  );
  return found === undefined ? null : idOfRow(found);
}

/** The leaf that visit marks lead to; one statement walks the whole way. */
export function* lastVisited(scope: TreeScope, tree: string, from: NodeId): SqlTask<NodeId> {
  const most = longestPath(scope);
  const found = yield* queryRow(
    `WITH RECURSIVE way(id, level) AS (
      SELECT CAST($2 AS TEXT), 0
      UNION ALL
      SELECT coalesce(
        (SELECT c.id FROM node p JOIN node c ON c.tree_id = $1 AND c.id = p.last_child_id AND c.parent_id = p.id AND c.removed_in IS NULL
          WHERE p.tree_id = $1 AND p.id = way.id),
        (SELECT c.id FROM node c WHERE c.tree_id = $1 AND c.parent_id = way.id AND c.removed_in IS NULL ORDER BY c.position DESC LIMIT 1)
      ), way.level + 1 FROM way WHERE way.id IS NOT NULL AND way.level <= $3
    ) SELECT id, level FROM way WHERE id IS NOT NULL ORDER BY level DESC LIMIT 1`,
    tree,
    from,
    most,
  );
  if (found !== undefined && sqlNumber(found, 'level') > most) refuseCycle(from);
  return found === undefined ? from : idOfRow(found);
}

/** Reads the descendants of a node. */
import type { Bookmark, Node, NodeHead, NodeId, Read, Reads, TopologyNode } from '@coppice/core';
import { maxPreviewLength, previewOf, previewOfBeginning } from '@coppice/core/tree';
import { inTreeByIdSql, inTreeByIndexSql, inTreeSql } from './numbers.ts';
import {
  queryCells,
  queryRow,
  queryRows,
  readJsonColumn,
  readNumberColumn,
  readTextColumn,
  type SqlCells,
  type SqlTask,
} from './query.ts';
import {
  bookmarkOfRow,
  decodeNodeHead,
  missingNodeId,
  nodeColumns,
  nodeHeadColumns,
  selectCells,
  storedTextOf,
} from './rows.ts';
import {
  assertPathHasNoCycle,
  baseOfScope,
  decodeNodesOfRows,
  isAncestorInTables,
  longestPathLength,
  maxTreeDepth,
  nodeIdOfRow,
  type TreeScope,
  throwCycle,
} from './scope.ts';

/**
 * Returns a statement that selects the live subtree of `$2` as `below(no, level)`. It stops when it reaches its start
 * again, which happens if the parents form a cycle.
 */
function walkDown(condition: string): string {
  return `WITH RECURSIVE below(no, level) AS (
    SELECT s.no, 0 FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2 AND s.removed_in IS NULL
    UNION ALL
    SELECT n.no, below.level + 1 FROM below JOIN node n ON n.parent_no = below.no
    WHERE n.removed_in IS NULL AND n.id <> $2${condition}
  )`;
}

/** Returns the live subtree, breadth first. */
export function* querySubtree(scope: TreeScope, top: NodeId, depth = maxTreeDepth): SqlTask<Node[]> {
  const found = yield* queryCells(
    `${walkDown(' AND below.level < $3')} SELECT ${selectCells('n', nodeColumns)} FROM below JOIN node n ON n.no = below.no`,
    baseOfScope(scope),
    top,
    Math.min(depth, maxTreeDepth),
  );
  const nodes = yield* decodeNodesOfRows(scope, found);
  assertNoCycle(nodes, top);
  return breadthFirst(nodes, top);
}

// The text that `previewOf` reads: four preview lengths, and one more to see whether the text continues.
const looked = maxPreviewLength * 5;
// The content of a message with a single text block begins like this. Only such a content can be cut.
const plainBegins = '[{"type":"text","text":"';
// Enough for the preview of nearly every text, although JSON escapes take up to six characters for one.
const shortBeginning = plainBegins.length + maxPreviewLength * 2;
const longBeginning = plainBegins.length + looked * 6;
const wholeUnits = /^(?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*/;

/** Returns the text of a message with one text block, or the beginning of it, from whole or cut JSON. */
function previewText(content: string, isBeginning: boolean): string {
  if (!isBeginning || !content.startsWith(plainBegins)) return storedTextOf({ content, search_text: null });
  const units = wholeUnits.exec(content.slice(plainBegins.length))?.[0] ?? '';
  return JSON.parse(`"${units}"`) as string;
}

/** Returns a preview from the beginning of a content; null if more of the content is needed. */
function previewFromBeginning(content: string): string | null {
  // The database counts characters, of which there are at most as many as code units. So this content was not cut.
  if (content.length < shortBeginning)
    return previewOf({ text: storedTextOf({ content, search_text: null }), meta: {} }, 1);
  return content.startsWith(plainBegins) ? previewOfBeginning(previewText(content, true)) : null;
}

/** Returns the previews of messages for which the short beginning is not enough, by id. */
function* longPreviews(scope: TreeScope, ids: readonly string[]): SqlTask<ReadonlyMap<string, string>> {
  const previews = new Map<string, string>();
  if (ids.length === 0) return previews;
  for (const [id, content, length] of yield* queryCells(
    `SELECT id, CASE WHEN length(content) > ${longBeginning} AND substr(content, 1, ${plainBegins.length}) = '${plainBegins}'
        THEN substr(content, 1, ${longBeginning}) ELSE content END, length(content)
      FROM node n WHERE ${inTreeByIdSql('n')} AND n.id IN ${scope.dialect.list('$2')}`,
    baseOfScope(scope),
    JSON.stringify(ids),
  ))
    previews.set(
      String(id),
      previewOf({ text: previewText(String(content), Number(length) > longBeginning), meta: {} }, 1),
    );
  return previews;
}

// The code below decodes the columns in this order.
const topologyColumns = selectCells(
  'n',
  'id, parent_id, role, kind, group_id, seq, position, status, tokens, created_at, meta',
);
const shownText = `CASE WHEN n.search_text IS NULL THEN substr(n.content, 1, ${shortBeginning}) END, substr(n.search_text, 1, ${looked})`;
const childCount = '(SELECT count(*) FROM node c WHERE c.parent_no = n.no AND c.removed_in IS NULL)';

// Selects the parent's number instead of its id, because the same result contains the row of the parent.
const wholeColumns = topologyColumns.replace(/^n\.id AS id, .+? AS parent_id/, 'n.id AS id, n.parent_no AS parent_id');

/** Replaces the numbers of parents by their ids. The number of a node is its last cell. */
function withParentIds(found: readonly SqlCells[]): SqlCells[] {
  const ids = new Map(found.map((cells) => [Number(cells[13]), cells[0]]));
  return found.map((cells) => {
    const linked = cells.slice(0, 13);
    linked[1] = cells[1] === null ? null : (ids.get(Number(cells[1])) ?? missingNodeId(Number(cells[1])));
    return linked;
  });
}

/** Reads the rows of a subtree with previews but without contents. Only the beginning of each text is read. */
export function* queryTopology(scope: TreeScope, top: NodeId, depth?: number): SqlTask<TopologyNode[]> {
  const whole = depth === undefined && top === scope.tree?.rootId;
  const found = whole
    ? withParentIds(
        yield* queryCells(
          `SELECT ${wholeColumns}, ${shownText}, n.no FROM node n WHERE ${inTreeSql('n')} AND n.removed_in IS NULL ORDER BY n.no`,
          baseOfScope(scope),
        ),
      )
    : yield* queryCells(
        `${walkDown(' AND below.level < $3')} SELECT ${topologyColumns}, ${shownText}, ${childCount}
        FROM below JOIN node n ON n.no = below.no`,
        baseOfScope(scope),
        top,
        Math.min(depth ?? maxTreeDepth, maxTreeDepth),
      );
  const counts = whole ? countChildren(found) : null;
  const undecided: string[] = [];
  const rows = found.map((cells): TopologyRow => {
    const id = String(cells[0]);
    const children = Number(counts?.get(id) ?? cells[13] ?? 0);
    const preview = titleIn(cells, children) ?? textPreview(cells);
    if (preview === null) undecided.push(id);
    return topologyRowOf(cells, children, preview);
  });
  const long = yield* longPreviews(scope, undecided);
  for (const row of rows) row.preview ??= long.get(row.id) ?? '';
  if (!whole) assertNoCycle(rows, top);
  const ordered = depth === undefined ? rows.sort((a, b) => a.seq - b.seq) : breadthFirst(rows, top);
  return ordered.filter(isTopologyNode);
}

/** A row whose preview may have to be read separately. `parentId` is null for the root. */
type TopologyRow = Omit<TopologyNode, 'parentId' | 'preview'> & {
  readonly parentId: NodeId | null;
  preview: string | null;
};

function isTopologyNode(row: TopologyRow): row is TopologyRow & TopologyNode {
  return row.parentId !== null;
}

/** Returns the title that a preview shows instead of the text; null if the node has no title. */
function titleIn(cells: SqlCells, children: number): string | null {
  if (cells[10] === null) return null;
  const { title, autoTitle } = readJsonColumn({ id: cells[0], meta: cells[10] }, 'meta', 'object') as Node['meta'];
  return title ?? (children === 0 ? autoTitle : undefined) ?? null;
}

function textPreview(cells: SqlCells): string | null {
  const [content, searchText] = [cells[11], cells[12]];
  if (typeof searchText === 'string') return previewOf({ text: searchText, meta: {} }, 1);
  return cells[1] === null ? '' : previewFromBeginning(readTextColumn({ id: cells[0], content }, 'content'));
}

function topologyRowOf(cells: SqlCells, children: number, preview: string | null): TopologyRow {
  return {
    id: cells[0] as NodeId,
    parentId: cells[1] as NodeId | null,
    role: cells[2] as TopologyNode['role'],
    kind: (cells[3] ?? 'message') as TopologyNode['kind'],
    groupId: cells[4] as number,
    seq: typeof cells[5] === 'number' ? cells[5] : readNumberColumn({ id: cells[0], seq: cells[5] }, 'seq'),
    position: cells[6] as string,
    status: (cells[7] ?? 'success') as TopologyNode['status'],
    childCount: children,
    hasChildren: children > 0,
    preview,
    tokens: cells[8] as number,
    createdAt: cells[9] as number,
  };
}

function countChildren(found: readonly SqlCells[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [id, parent] of found) {
    if (!counts.has(String(id))) counts.set(String(id), 0);
    if (parent !== null) counts.set(String(parent), (counts.get(String(parent)) ?? 0) + 1);
  }
  return counts;
}

/** Counts the live nodes of a subtree, its root included. */
export function* countSubtree(base: number, top: NodeId): SqlTask<number> {
  const found = yield* queryRow(
    `${walkDown('')} SELECT count(*) AS n, coalesce(max(CASE WHEN no = (SELECT t.parent_no FROM node t WHERE t.id = $2) THEN 1 ELSE 0 END), 0) AS circle FROM below`,
    base,
    top,
  );
  if (found === undefined) return 0;
  if (readNumberColumn(found, 'circle') === 1) throwCycle(top);
  return readNumberColumn(found, 'n');
}

/** Returns the newest leaves, newest first. */
export function* queryNewestLeaves(scope: TreeScope, limit: number): SqlTask<Node[]> {
  const found = yield* queryCells(
    `SELECT ${selectCells('n', nodeColumns)} FROM node n WHERE ${inTreeSql('n')} AND n.removed_in IS NULL AND n.parent_no IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM node c WHERE c.parent_no = n.no AND c.removed_in IS NULL
    ) ORDER BY n.no DESC LIMIT $2`,
    baseOfScope(scope),
    Math.max(0, Math.min(limit, maxTreeDepth)),
  );
  return yield* decodeNodesOfRows(scope, found);
}

/** The fields that determine the order of a subtree. */
type LinkedRow = Pick<NodeHead, 'id' | 'parentId' | 'position'>;

/** Throws if the parent of the subtree's root is in the subtree, which is a cycle. */
function assertNoCycle(nodes: readonly LinkedRow[], top: NodeId): void {
  const above = nodes.find((node) => node.id === top)?.parentId;
  if (above != null && nodes.some((node) => node.id === above)) throwCycle(top);
}

/** Sorts nodes by level, and siblings by position. */
function breadthFirst<N extends LinkedRow>(nodes: readonly N[], top: NodeId): N[] {
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

/**
 * Returns the pending nodes and bookmarks in a subtree. A tree has few of them, so each one is checked for whether it
 * is in the subtree.
 */
export function* querySubtreeInfo(scope: TreeScope, top: NodeId): SqlTask<Reads['subtreeInfo']['answer']> {
  const base = baseOfScope(scope);
  const tree = scope.tree === null ? '' : scope.treeId;
  const pending: NodeId[] = [];
  for (const one of yield* queryRows(
    `SELECT n.id FROM node n WHERE ${inTreeByIndexSql('n')} AND n.status = 'pending' AND n.removed_in IS NULL ORDER BY n.no`,
    base,
  ))
    if (yield* isAncestorInTables(base, top, nodeIdOfRow(one))) pending.push(nodeIdOfRow(one));
  const bookmarks: Bookmark[] = [];
  for (const one of yield* queryRows('SELECT * FROM bookmark WHERE tree_id = $1 ORDER BY created_at, node_id', tree)) {
    const mark = bookmarkOfRow(one);
    if (yield* isAncestorInTables(base, top, mark.nodeId)) bookmarks.push(mark);
  }
  const active = scope.tree?.activeNodeId ?? null;
  return { pending, bookmarks, active: active !== null && (yield* isAncestorInTables(base, top, active)) };
}

/** Returns at most ten nodes of a subtree that other users added, as `addedByOthers` of core describes. */
export function* queryAddedByOthers(scope: TreeScope, read: Read<'addedByOthers'>): SqlTask<NodeHead[]> {
  const { dialect } = scope;
  yield* assertPathHasNoCycle(baseOfScope(scope), read.of);
  const found = yield* queryCells(
    `WITH RECURSIVE below(no) AS (
      SELECT s.no FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2 AND s.removed_in IS NULL AND s.id NOT IN ${dialect.list('$3')}
      UNION ALL
      SELECT n.no FROM below JOIN node n ON n.parent_no = below.no
      WHERE n.removed_in IS NULL AND n.id <> $2 AND n.id NOT IN ${dialect.list('$3')}
    )
    SELECT ${selectCells('n', nodeHeadColumns)} FROM below JOIN node n ON n.no = below.no
    WHERE n.added_in > $5 AND CAST(n.added_in AS TEXT) NOT IN ${dialect.list('$4')} ORDER BY n.no LIMIT 10`,
    baseOfScope(scope),
    read.of,
    JSON.stringify(read.without),
    JSON.stringify(read.versions.map(String)),
    read.since,
  );
  return found.map(decodeNodeHead);
}

/** Returns the newest leaf below a node, without the nodes that are about to be removed. */
export function* queryNewestLeafBelow(
  scope: TreeScope,
  top: NodeId,
  without: readonly NodeId[],
): SqlTask<NodeId | null> {
  const skipped = scope.dialect.list('$3');
  yield* assertPathHasNoCycle(baseOfScope(scope), top);
  const found = yield* queryRow(
    `WITH RECURSIVE below(no, id) AS (
      SELECT s.no, s.id FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2 AND s.removed_in IS NULL AND s.id NOT IN ${skipped}
      UNION ALL
      SELECT n.no, n.id FROM below JOIN node n ON n.parent_no = below.no
      WHERE n.removed_in IS NULL AND n.id <> $2 AND n.id NOT IN ${skipped}
    )
    SELECT below.id FROM below WHERE below.id <> $2 AND NOT EXISTS (
      SELECT 1 FROM node c WHERE c.parent_no = below.no AND c.removed_in IS NULL AND c.id NOT IN ${skipped}
    ) ORDER BY below.no DESC LIMIT 1`,
    baseOfScope(scope),
    top,
    JSON.stringify(without),
  );
  return found === undefined ? null : nodeIdOfRow(found);
}

/** Follows the visit marks from a node to a leaf, with one statement. */
export function* followVisitMarks(scope: TreeScope, from: NodeId): SqlTask<NodeId> {
  const most = longestPathLength(scope);
  const found = yield* queryRow(
    `WITH RECURSIVE way(no, level) AS (
      SELECT s.no, 0 FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2
      UNION ALL
      SELECT coalesce(
        (SELECT c.no FROM node p JOIN node c ON c.no = p.last_no AND c.parent_no = p.no AND c.removed_in IS NULL WHERE p.no = way.no),
        (SELECT c.no FROM node c WHERE c.parent_no = way.no AND c.removed_in IS NULL ORDER BY c.position DESC LIMIT 1)
      ), way.level + 1 FROM way WHERE way.no IS NOT NULL AND way.level <= $3
    ) SELECT f.id, w.level FROM (SELECT no, level FROM way WHERE no IS NOT NULL ORDER BY level DESC LIMIT 1) w JOIN node f ON f.no = w.no`,
    baseOfScope(scope),
    from,
    most,
  );
  if (found !== undefined && readNumberColumn(found, 'level') > most) throwCycle(from);
  return found === undefined ? from : nodeIdOfRow(found);
}

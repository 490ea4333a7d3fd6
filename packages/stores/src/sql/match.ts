/** Finds the longest prefix of a message history that exists in a tree. */
import { matchParentOfChildren, type NodeHead, type NodeId, nodeId, type Reads } from '@coppice/core';
import { decodeColumnText } from './exact-text.ts';
import { inTreeByIdSql, nodeNumberOf } from './numbers.ts';
import { queryRow, queryRows, readTextColumn, type SqlDialect, type SqlTask } from './query.ts';
import { baseOfScope, isAncestorInTables, nodeIdOfRow, readLiveHead, type TreeScope } from './scope.ts';

/** Returns the nodes of the longest prefix of a list of keys that exists below a node, in order. */
export function* matchKeysInTables(
  scope: TreeScope,
  from: NodeId,
  keys: readonly string[],
): SqlTask<Reads['match']['answer']> {
  const base = baseOfScope(scope);
  const head = scope.heads?.get(from) ?? (yield* readLiveHead(base, from));
  if (head === null || keys.length === 0) return { nodes: [], aliases: [] };
  const through = head.kind === 'message' || head.kind === 'root';
  const first = through ? null : yield* belowMarker(base, head, keys[0] ?? '');
  if (!through && first === null)
    return { nodes: [], aliases: yield* nodesByAlias(scope, matchParentOfChildren(head), keys[0] ?? '') };
  const nodes: NodeId[] = first === null ? [] : [first];
  const rest = keys.slice(nodes.length);
  const start = first === null ? { id: from, no: nodeNumberOf(base, head.seq) } : { id: first, no: null };
  for (const id of yield* walkMatches(scope, start, rest)) nodes.push(id);
  const missing = keys[nodes.length];
  if (missing === undefined) return { nodes, aliases: [] };
  return { nodes, aliases: yield* nodesByAlias(scope, nodes[nodes.length - 1] ?? from, missing) };
}

/** The node at which a match begins. `no` is its row number; null if it has to be looked up. */
interface WalkStart {
  readonly id: NodeId;
  readonly no: number | null;
}

/**
 * Returns the messages that match a list of keys, each below the one before. The cache answers first, then the
 * database.
 */
function* walkMatches(scope: TreeScope, from: WalkStart, keys: readonly string[]): SqlTask<readonly NodeId[]> {
  const base = baseOfScope(scope);
  const cache = keys.length < shortest ? undefined : scope.matchCache?.of(scope.treeId);
  if (cache === undefined) return yield* queryMatch(scope.dialect, base, from, keys);
  const ids: NodeId[] = [];
  let at = from.id;
  for (const key of keys) {
    const next = cache.next(at, key);
    if (next === undefined) break;
    ids.push(next);
    at = next;
  }
  const start = at === from.id ? from : { id: at, no: null };
  for (const id of yield* queryMatch(scope.dialect, base, start, keys.slice(ids.length))) {
    cache.learn(at, keys[ids.length] ?? '', id);
    ids.push(id);
    at = id;
  }
  const missing = keys[ids.length];
  if (missing !== undefined) cache.missed(at, missing);
  return ids;
}

// Shorter histories are not cached: one query finds them quickly.
const shortest = 4;

const withKey = 'n.equality_key = $3 AND n.removed_in IS NULL ORDER BY n.position, n.no';
const startNo = `(SELECT s.no FROM node s WHERE ${inTreeByIdSql('s')} AND s.id = $2)`;
const matched = `SELECT n.id FROM node n WHERE n.match_no = ${startNo} AND ${withKey}`;
const onlyOne = `SELECT n.id FROM node n WHERE n.match_no = coalesce(CAST($4 AS BIGINT), ${startNo}) AND ${withKey} LIMIT 1`;

/** Finds the prefix with one statement. It looks up each message by an index, without a round trip for each. */
function* queryMatch(
  dialect: SqlDialect,
  base: number,
  { id: from, no }: WalkStart,
  keys: readonly string[],
): SqlTask<readonly NodeId[]> {
  if (keys.length === 0) return [];
  if (keys.length === 1) {
    const one = yield* queryRow(onlyOne, base, from, keys[0] ?? '', no);
    return one === undefined ? [] : [nodeIdOfRow(one)];
  }
  const { sql, params } = dialect.prefixWalk(base, from, keys);
  const answer = yield* queryRow(sql, ...params);
  // The ids come as one JSON text, because fetching a row for each would take as long as the search itself.
  const ids = JSON.parse(readTextColumn(answer ?? { ids: '[]' }, 'ids')) as readonly string[];
  return ids.map((id) => nodeId(decodeColumnText(id)));
}

/** Returns the SQL that finds the next message of a match by its key. */
export function nextMatchSql(key: string): string {
  return `(SELECT n.no FROM node n WHERE n.match_no = walk.no AND n.equality_key = ${key}
    AND n.removed_in IS NULL ORDER BY n.position, n.no LIMIT 1)`;
}

/**
 * Finds a message below a marker. Its match parent is above the marker, so only descendants of the marker may be
 * returned.
 */
function* belowMarker(base: number, head: NodeHead, key: string): SqlTask<NodeId | null> {
  const found = yield* queryRows(matched, base, matchParentOfChildren(head), key);
  for (const one of found) if (yield* isAncestorInTables(base, head.id, nodeIdOfRow(one))) return nodeIdOfRow(one);
  return null;
}

function* nodesByAlias(scope: TreeScope, matchParent: string, key: string): SqlTask<NodeId[]> {
  if (scope.tree?.hasAliases !== true) return [];
  const found = yield* queryRows(
    `SELECT n.id FROM node_alias a JOIN node n ON n.id = a.node_id
    WHERE a.tree_id = $1 AND a.match_parent = $2 AND a.equality_key = $3 AND n.removed_in IS NULL ORDER BY n.no`,
    scope.treeId,
    matchParent,
    key,
  );
  return found.map(nodeIdOfRow);
}

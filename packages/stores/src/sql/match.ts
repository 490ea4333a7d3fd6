/** Prefix matching: finds how much of a history exists in a tree. */
import { matchParentBelow, type NodeHead, type NodeId, nodeId, type Reads } from '@coppice/core';
import { fromColumn } from './exact-text.ts';
import { queryRow, queryRows, type SqlDialect, type SqlTask, sqlText } from './query.ts';
import { ancestorsOf, idOfRow, liveHead, type TreeScope } from './scope.ts';

/** Returns the longest prefix of a list of keys that exists. */
export function* matchKeys(
  scope: TreeScope,
  tree: string,
  from: NodeId,
  keys: readonly string[],
): SqlTask<Reads['match']['answer']> {
  const head = scope.heads?.get(from) ?? (yield* liveHead(tree, from));
  if (head === null || keys.length === 0) return { nodes: [], aliases: [] };
  const through = head.kind === 'message' || head.kind === 'root';
  const first = through ? null : yield* belowMarker(tree, head, keys[0] ?? '');
  if (!through && first === null)
    return { nodes: [], aliases: yield* aliased(scope, tree, matchParentBelow(head), keys[0] ?? '') };
  const nodes: NodeId[] = first === null ? [] : [first];
  const rest = keys.slice(nodes.length);
  for (const id of yield* walkMatches(scope, tree, first ?? from, rest)) nodes.push(id);
  const missing = keys[nodes.length];
  if (missing === undefined) return { nodes, aliases: [] };
  return { nodes, aliases: yield* aliased(scope, tree, nodes[nodes.length - 1] ?? from, missing) };
}

/** Returns the messages for a list of keys, each below the one before: first from the cache, then with a statement. */
function* walkMatches(
  scope: TreeScope,
  tree: string,
  from: NodeId,
  keys: readonly string[],
): SqlTask<readonly NodeId[]> {
  const ways = keys.length < shortest ? undefined : scope.ways?.of(scope.treeId);
  if (ways === undefined) return yield* foundMatch(scope.dialect, tree, from, keys);
  const ids: NodeId[] = [];
  let at = from;
  for (const key of keys) {
    const next = ways.next(at, key);
    if (next === undefined) break;
    ids.push(next);
    at = next;
  }
  for (const id of yield* foundMatch(scope.dialect, tree, at, keys.slice(ids.length))) {
    ways.learn(at, keys[ids.length] ?? '', id);
    ids.push(id);
    at = id;
  }
  const missing = keys[ids.length];
  if (missing !== undefined) ways.missed(at, missing);
  return ids;
}

// A shorter list costs little, and is probably not resent.
const shortest = 4;

const onlyOne =
  'SELECT id FROM node WHERE tree_id = $1 AND match_parent = $2 AND equality_key = $3 AND removed_in IS NULL ORDER BY position, seq LIMIT 1';

/** Walks the whole prefix with one statement: one lookup per message, without a round trip for each. */
function* foundMatch(
  dialect: SqlDialect,
  tree: string,
  from: NodeId,
  keys: readonly string[],
): SqlTask<readonly NodeId[]> {
  if (keys.length === 0) return [];
  if (keys.length === 1) {
    const one = yield* queryRow(onlyOne, tree, from, keys[0] ?? '');
    return one === undefined ? [] : [idOfRow(one)];
  }
  const { sql, params } = dialect.prefixWalk(tree, from, keys);
  const answer = yield* queryRow(sql, ...params);
  // One text instead of a row for each id: rows would cost as much as the walk.
  const ids = JSON.parse(sqlText(answer ?? { ids: '[]' }, 'ids')) as readonly string[];
  return ids.map((id) => nodeId(fromColumn(id)));
}

/** Returns the SQL for the next message of a walk, given its key. */
export function nextInWalk(key: string): string {
  return `(SELECT n.id FROM node n WHERE n.tree_id = $1 AND n.match_parent = walk.id AND n.equality_key = ${key}
    AND n.removed_in IS NULL ORDER BY n.position, n.seq LIMIT 1)`;
}

/** Finds a message below a marker: only descendants count, although they match under the message above it. */
function* belowMarker(tree: string, head: NodeHead, key: string): SqlTask<NodeId | null> {
  const found = yield* queryRows(
    'SELECT id FROM node WHERE tree_id = $1 AND match_parent = $2 AND equality_key = $3 AND removed_in IS NULL ORDER BY position, seq',
    tree,
    matchParentBelow(head),
    key,
  );
  for (const one of found) if (yield* ancestorsOf(tree, head.id, idOfRow(one))) return idOfRow(one);
  return null;
}

function* aliased(scope: TreeScope, tree: string, matchParent: string, key: string): SqlTask<NodeId[]> {
  if (scope.tree?.hasAliases !== true) return [];
  const found = yield* queryRows(
    `SELECT n.id FROM node_alias a JOIN node n ON n.tree_id = a.tree_id AND n.id = a.node_id
    WHERE a.tree_id = $1 AND a.match_parent = $2 AND a.equality_key = $3 AND n.removed_in IS NULL ORDER BY n.seq`,
    tree,
    matchParent,
    key,
  );
  return found.map(idOfRow);
}

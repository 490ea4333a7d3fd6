/**
 * What is read of a tree without changing it, as readings that every store answers: cost follows the path that is asked
 * for, never the tree. The functions of the same meaning on a tree value are in path.ts.
 */

import { assertArgument, limit as atLeastOne, exactFields, integer, optionalOrNull, requiredText } from './decode.ts';
import { refuse } from './errors.ts';
import { groupBy } from './group-by.ts';
import { type NodeId, nodeId, type TreeId } from './ids.ts';
import type { Content, Node } from './node.ts';
import { type BranchPage, type PageRequest, pageRequest, type TopologyNode } from './path.ts';
import { ask, type Commit, type ReadProgram } from './reads.ts';
import { fromRows, rewind } from './rewind.ts';
import type { Step } from './steps/types.ts';
import { findAnyNode, type Tree, type TreeRow } from './tree.ts';

/** The tree row; refused where there is no such tree. */
export function* readTree(treeId: TreeId): ReadProgram<TreeRow> {
  const row = yield* ask('tree', {});
  if (row === null) return refuse('tree/unknown-tree', `There is no tree ${treeId}.`, { treeId });
  assertSameTree(row.id, treeId);
  return row;
}

/** Refuses to answer from one tree what was asked of another: `store.read(a, () => readPage(b))`. */
function assertSameTree(read: TreeId, asked: TreeId): void {
  if (read !== asked)
    refuse(
      'command/invalid',
      `The store was asked to read the tree ${read}, and this reads ${asked}: name one of them.`,
      {
        treeId: read,
        asked,
      },
    );
}

function* liveNode(id: string): ReadProgram<Node> {
  const node = yield* ask('node', { id: nodeId(id) });
  return node ?? refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}

/**
 * The nodes from `from` (or the first turn) down to `to`, both included, the root left out. Refuses an unknown node, a
 * `from` that is not on the way, and a chain that breaks off.
 */
export function* readPath(ends: { readonly from?: string; readonly to: string }): ReadProgram<readonly Node[]> {
  const to = yield* liveNode(ends.to);
  const from = ends.from === undefined ? undefined : yield* liveNode(ends.from);
  if (to.parentId === null) {
    if (from !== undefined && from.id !== to.id) return offPath(from.id, to.id);
    return [];
  }
  const { nodes } = yield* ask('path', { to: to.id });
  if (nodes.length === 0) return brokenAt(to.id);
  if (from === undefined || from.parentId === null) return nodes;
  const at = nodes.findIndex((node) => node.id === from.id);
  return at === -1 ? offPath(from.id, to.id) : nodes.slice(at);
}

/** Refuses a way that has nothing where something must be: a reader would take what is left for all there was. */
function brokenAt(nodeId: NodeId): never {
  return refuse('tree/broken-path', `The path breaks off at ${nodeId}, or runs in a circle.`, { nodeId });
}

function offPath(id: string, to: string): never {
  return refuse('tree/not-on-path', `The node ${id} is not on the path to ${to}.`, { nodeId: id });
}

/** The path through a node down to the leaf that it leads to. */
export function* readPathThrough(id: string): ReadProgram<readonly Node[]> {
  const node = yield* liveNode(id);
  return yield* readPath({ to: yield* ask('lastVisited', { from: node.id }) });
}

/** The last `limit` nodes (20 if not given) of a branch, or the ones above a cursor. A cursor off the path is refused. */
export function* readPage(treeId: TreeId, request: PageRequest = {}): ReadProgram<BranchPage> {
  assertArgument('request', request, pageRequest);
  const { rootId, activeNodeId, version } = yield* readTree(treeId);
  const end = yield* liveNode(request.nodeId ?? activeNodeId ?? rootId);
  const to = request.before === undefined ? end.id : yield* readAncestors(end.id, request.before);
  const { nodes } = yield* ask('path', { to, limit: request.limit ?? 20 });
  const first = nodes[0];
  if (first === undefined && to !== rootId) return brokenAt(to);
  const before = first === undefined || first.parentId === rootId ? null : first.id;
  const groups = yield* othersOf(request.siblings === true ? nodes : []);
  return { rootId, activeNodeId, version, nodes, groups, before };
}

/** What is right above a cursor on the way to a node. */
function* readAncestors(below: NodeId, before: string): ReadProgram<NodeId> {
  const cursor = yield* ask('node', { id: nodeId(before) });
  if (cursor === null || !(yield* ask('isAncestorOrSelf', { id: cursor.id, below }))) return offPath(before, below);
  return cursor.parentId ?? offPath(before, below);
}

function* othersOf(nodes: readonly Node[]): ReadProgram<ReadonlyMap<NodeId, readonly Node[]>> {
  const grouped = nodes.flatMap(({ id, groupId, parentId }) =>
    groupId === 0 || parentId === null ? [] : [{ id, groupId, parentId }],
  );
  if (grouped.length === 0) return new Map();
  // Two questions for the whole page: a database far away is not asked for each message.
  const variants = yield* ask('childIds', { of: grouped.map((node) => node.parentId) });
  const others = yield* ask('nodes', {
    ids: variants.flatMap((ids, at) => ids.filter((id) => id !== grouped[at]?.id)),
  });
  const byParent = groupBy(others, (other) => other.parentId);
  return new Map(
    grouped.map(({ id, groupId, parentId }) => [
      id,
      (byParent.get(parentId) ?? []).filter((other) => other.groupId === groupId),
    ]),
  );
}

/** The tree without content: all of it in creation order, or what is below a node, breadth first down to a depth. */
export function* readTopology(
  treeId: TreeId,
  options: { readonly from?: string; readonly depth?: number } = {},
): ReadProgram<readonly TopologyNode[]> {
  assertArgument('options', options, topologyOptions);
  const { rootId } = yield* readTree(treeId);
  const of = options.from === undefined ? rootId : (yield* liveNode(options.from)).id;
  return yield* ask('topology', options.depth === undefined ? { of } : { of, depth: options.depth });
}

const topologyOptions = exactFields('The request', {
  from: optionalOrNull(requiredText),
  depth: optionalOrNull(integer),
});

/** The newest leaves, newest first; refused for less than one. */
export function* readRecentLeaves(limit = 20): ReadProgram<readonly Node[]> {
  assertArgument('limit', limit, atLeastOne);
  return yield* ask('leaves', { limit });
}

/**
 * Those of the nodes that live, with what they said after a version, whatever was put in its place since. Costs nothing
 * beyond the nodes themselves where nothing was.
 */
export function* readNodesAsOf(ids: readonly NodeId[], version: number): ReadProgram<readonly Node[]> {
  const nodes = yield* ask('nodes', { ids });
  const changed = new Set(nodes.flatMap((node) => (node.contentIn > version ? [node.id] : [])));
  if (changed.size === 0) return nodes;
  const then = new Map<NodeId, Content>();
  for (const { steps } of yield* ask('log', { since: version }))
    for (const step of steps)
      if (step.type === 'replace' && changed.has(step.nodeId) && !then.has(step.nodeId))
        then.set(step.nodeId, step.before);
  return nodes.map((node) => ({ ...node, ...then.get(node.id) }));
}

/**
 * The tree as it was after a version, removed nodes included and visit marks as they are today. Refuses a version that
 * the tree has not had, and one that lies before a purge of what it needs.
 */
export function* readTreeAsOf(treeId: TreeId, version: number): ReadProgram<Tree> {
  return (yield* readPastAndPresent(treeId, version)).past;
}

/** As {@link readTreeAsOf}, with the tree as it is now, from one look at its rows. */
export function* readPastAndPresent(
  treeId: TreeId,
  version: number,
): ReadProgram<{ readonly past: Tree; readonly present: Tree }> {
  const rows = yield* ask('rows', {});
  if (rows === null) return refuse('tree/unknown-tree', `There is no tree ${treeId}.`, { treeId });
  const { row, nodes, bookmarks } = rows;
  assertSameTree(row.id, treeId);
  if (!Number.isSafeInteger(version) || version < 1 || version > row.version)
    return refuse('tree/unknown-version', `The tree ${row.id} has the versions 1 to ${row.version}, not ${version}.`, {
      version,
    });
  const present = fromRows(row, nodes, bookmarks);
  const since = yield* ask('log', { since: version });
  refusePurged(present, since);
  return { past: rewind(present, since, version), present };
}

/** A node that the log names and the tree has no more was purged, and the way back leads through it. */
function refusePurged(now: Tree, log: readonly Commit[]): void {
  for (const commit of log)
    for (const step of commit.steps)
      for (const id of nodesNamedByCommits(step))
        if (findAnyNode(now, id) === undefined)
          refuse('undo/purged', `The node ${id} of version ${commit.version} was purged.`, { nodeId: id });
}

function nodesNamedByCommits(step: Step): readonly NodeId[] {
  if (step.type === 'insert') return [step.node.id];
  if (step.type === 'move') return [step.nodeId, step.to.parentId, step.from.parentId];
  // A pointer and a bookmark may have been on what is purged since: neither is needed to find the way.
  return 'nodeId' in step && step.type !== 'bookmark' ? [step.nodeId] : [];
}

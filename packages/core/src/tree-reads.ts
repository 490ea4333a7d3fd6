/**
 * Read programs that every store can answer. Their cost depends on the path that is read, not on the size of the tree.
 * path.ts has the same functions for a tree value.
 */

import {
  assertArgument,
  limitField as atLeastOne,
  exactObjectField,
  integerField,
  jsonField,
  optionalNonNullField,
  requiredText,
} from './decode.ts';
import { refuse } from './errors.ts';
import { groupBy } from './group-by.ts';
import { assertLogComplete } from './history-start.ts';
import { type NodeId, nodeId, type TreeId } from './ids.ts';
import type { ContentFields, Node } from './node.ts';
import { type BranchPage, type PageRequest, pageRequestField, type TopologyNode } from './path.ts';
import { isPurgedContent } from './purged-content.ts';
import { ask, type Commit, type ReadProgram } from './reads.ts';
import { rewindTree, treeFromRows } from './rewind.ts';
import type { Step } from './steps/types.ts';
import { findAnyNode, type Tree, type TreeRow } from './tree.ts';

/** Returns the tree row; throws if the tree does not exist. */
export function* readTree(treeId: TreeId): ReadProgram<TreeRow> {
  const row = yield* ask('tree', {});
  if (row === null) return refuse('tree/unknown-tree', `There is no chat ${treeId}.`, { treeId });
  assertSameTree(row.id, treeId);
  return row;
}

/** Throws if a program reads another tree than `store.read` opened, as in `store.read(a, () => readPage(b))`. */
function assertSameTree(read: TreeId, asked: TreeId): void {
  if (read !== asked)
    refuse(
      'command/invalid',
      `The store opened the tree ${read}, but the program reads ${asked}: pass the same id to both.`,
      {
        treeId: read,
        asked,
      },
    );
}

function* requireLiveNode(id: string): ReadProgram<Node> {
  const node = yield* ask('node', { id: nodeId(id) });
  return node ?? refuse('tree/unknown-node', `There is no message ${id}.`, { nodeId: id });
}

/**
 * Returns the nodes from `from` (or the first message) down to `to`, both included, without the root. Throws if a node
 * is unknown, if `from` is not on the path, or if a parent is missing.
 */
export function* readPath(ends: { readonly from?: string; readonly to: string }): ReadProgram<readonly Node[]> {
  assertArgument('ends', ends, pathEnds);
  // The last node is part of its path, so it is read separately only if the path is empty.
  const { nodes } = yield* ask('path', { to: nodeId(ends.to) });
  if (nodes.length === 0 && (yield* requireLiveNode(ends.to)).parentId !== null)
    return throwBrokenPath(nodeId(ends.to));
  if (ends.from === undefined) return nodes;
  const at = nodes.findIndex((node) => node.id === ends.from);
  if (at !== -1) return nodes.slice(at);
  const from = yield* requireLiveNode(ends.from);
  return from.parentId === null ? nodes : throwOffPath(from.id, ends.to);
}

const pathEnds = exactObjectField('The request', { from: jsonField, to: jsonField });

/** Throws on an incomplete path; a caller would take a truncated path for the whole one. */
function throwBrokenPath(nodeId: NodeId): never {
  return refuse(
    'tree/broken-path',
    `The path is incomplete at ${nodeId}: a parent is missing, or the rows contain a cycle.`,
    { nodeId },
  );
}

function throwOffPath(id: string, to: string): never {
  return refuse('tree/not-on-path', `The message ${id} is not on the path to ${to}.`, { nodeId: id });
}

/** Returns the path through a node down to its last visited leaf. */
export function* readPathThrough(id: string): ReadProgram<readonly Node[]> {
  const node = yield* requireLiveNode(id);
  return yield* readPath({ to: yield* ask('lastVisited', { from: node.id }) });
}

/**
 * Returns the last `limit` nodes (default 20) of a branch, or the last nodes above a cursor. Throws if the cursor is
 * not on the path.
 */
export function* readPage(treeId: TreeId, request: PageRequest = {}): ReadProgram<BranchPage> {
  assertArgument('request', request, pageRequestField);
  const { rootId, activeNodeId, version } = yield* readTree(treeId);
  const end = nodeId(request.nodeId ?? activeNodeId ?? rootId);
  const { before: cursor } = request;
  const to = cursor === undefined ? end : yield* readNodeAboveCursor((yield* requireLiveNode(end)).id, cursor);
  const { nodes } = yield* ask('path', { to, limit: request.limit ?? 20 });
  const first = nodes[0];
  if (first === undefined && to !== rootId) {
    // The last node is part of its path, so it is read separately only if the path is empty, as for an unknown node.
    if (cursor === undefined) yield* requireLiveNode(end);
    return throwBrokenPath(to);
  }
  const before = first === undefined || first.parentId === rootId ? null : first.id;
  const groups = yield* othersOf(request.siblings === true ? nodes : []);
  return { rootId, activeNodeId, version, nodes, groups, before };
}

/** Returns the node directly above a cursor; throws if the cursor is not on the path to `below`. */
function* readNodeAboveCursor(below: NodeId, before: string): ReadProgram<NodeId> {
  const cursor = yield* ask('node', { id: nodeId(before) });
  if (cursor === null || !(yield* ask('isAncestorOrSelf', { id: cursor.id, below })))
    return throwOffPath(before, below);
  return cursor.parentId ?? throwOffPath(before, below);
}

function* othersOf(nodes: readonly Node[]): ReadProgram<ReadonlyMap<NodeId, readonly Node[]>> {
  const grouped = nodes.flatMap(({ id, groupId, parentId }) =>
    groupId === 0 || parentId === null ? [] : [{ id, groupId, parentId }],
  );
  if (grouped.length === 0) return new Map();
  // Two reads are enough for the whole page, so that a remote database needs no round trip per message.
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

/**
 * Returns the nodes of a tree without contents: all nodes in creation order, or the part below a node breadth first
 * down to a depth.
 */
export function* readTopology(
  treeId: TreeId,
  options: { readonly from?: string; readonly depth?: number } = {},
): ReadProgram<readonly TopologyNode[]> {
  assertArgument('options', options, topologyOptions);
  const { rootId } = yield* readTree(treeId);
  const of = options.from === undefined ? rootId : (yield* requireLiveNode(options.from)).id;
  return yield* ask('topology', options.depth === undefined ? { of } : { of, depth: options.depth });
}

const topologyOptions = exactObjectField('The request', {
  from: optionalNonNullField(requiredText),
  depth: optionalNonNullField(integerField),
});

/** Returns the newest leaves, newest first; throws if the limit is below one. */
export function* readRecentLeaves(limit = 20): ReadProgram<readonly Node[]> {
  assertArgument('limit', limit, atLeastOne);
  return yield* ask('leaves', { limit });
}

/**
 * Returns those of the given nodes that are live, with the content they had at a version. Needs no further read if the
 * content has not changed since.
 */
export function* readNodesAsOf(ids: readonly NodeId[], version: number): ReadProgram<readonly Node[]> {
  const nodes = yield* ask('nodes', { ids });
  const changed = new Set(nodes.flatMap((node) => (node.contentIn > version ? [node.id] : [])));
  if (changed.size === 0) return nodes;
  const then = new Map<NodeId, ContentFields>();
  const log = yield* ask('log', { since: version });
  const [first] = log;
  if (first !== undefined) assertLogComplete(first.treeId, version, log);
  for (const { steps } of log)
    for (const step of steps)
      if (step.type === 'replace' && changed.has(step.nodeId) && !then.has(step.nodeId))
        then.set(step.nodeId, step.before);
  return nodes.map((node) => ({ ...node, ...then.get(node.id) }));
}

/**
 * Returns the tree at a version, removed nodes included, with the current visit marks. Throws for a version that the
 * tree has not reached, for one from before the beginning of its history, and for one whose contents were purged.
 */
export function* readTreeAsOf(treeId: TreeId, version: number): ReadProgram<Tree> {
  return (yield* readPastAndPresent(treeId, version)).past;
}

/** Like {@link readTreeAsOf}, but also returns the current tree. Both come from one read of the rows. */
export function* readPastAndPresent(
  treeId: TreeId,
  version: number,
): ReadProgram<{ readonly past: Tree; readonly present: Tree }> {
  const rows = yield* ask('rows', {});
  if (rows === null) return refuse('tree/unknown-tree', `There is no chat ${treeId}.`, { treeId });
  const { row, nodes, bookmarks } = rows;
  assertSameTree(row.id, treeId);
  if (!Number.isSafeInteger(version) || version < 1 || version > row.version)
    return refuse('tree/unknown-version', `The chat ${row.id} has the versions 1 to ${row.version}, not ${version}.`, {
      version,
    });
  const present = treeFromRows(row, nodes, bookmarks);
  const since = yield* ask('log', { since: version });
  assertLogComplete(row.id, version, since);
  refusePurged(present, since);
  return { past: rewindTree(present, since, version), present };
}

/** Throws if the log refers to a node or a former content that was purged, because the rewind would need it. */
function refusePurged(now: Tree, log: readonly Commit[]): void {
  for (const commit of log)
    for (const step of commit.steps) {
      for (const id of nodesNamedByStep(step))
        if (findAnyNode(now, id) === undefined)
          refuse('undo/purged', `The message ${id} of version ${commit.version} was purged.`, { nodeId: id });
      if (step.type === 'replace' && isPurgedContent(step.before))
        refuse('undo/purged', `The text of ${step.nodeId} before version ${commit.version} was purged.`, {
          nodeId: step.nodeId,
        });
    }
}

function nodesNamedByStep(step: Step): readonly NodeId[] {
  if (step.type === 'insert') return [step.node.id];
  if (step.type === 'move') return [step.nodeId, step.to.parentId, step.from.parentId];
  // The active node and bookmarks may refer to purged nodes, because a rewind does not need those.
  return 'nodeId' in step && step.type !== 'bookmark' ? [step.nodeId] : [];
}

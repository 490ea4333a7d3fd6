/** Reading a tree value. Every walk is iterative and bounded. */

import { childAtIndex, childListSize, indexOfPosition } from './child-list.ts';
import { assertArgument, limit as atLeastOne, exactFields, flag, optionalOrNull, requiredText } from './decode.ts';
import { ok, type Result, refusedResult } from './errors.ts';
import { boundaryBefore, truncate } from './graphemes.ts';
import type { NodeId } from './ids.ts';
import type { Node, NodeHead } from './node.ts';
import { mapEntries, mapGet } from './persistent-map.ts';
import {
  childIds,
  childListOf,
  childrenOf,
  commonAncestorId,
  findNode,
  parentEntry,
  type Tree,
  type TreeEntry,
} from './tree.ts';

function unknownNodeError(id: string): Result<never> {
  return refusedResult('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}

/**
 * The nodes from `from` (or the first turn) down to `to`, both included, the root left out.
 * Refuses an unknown node, a `from` that is not on the way, a chain that breaks off (naming the missing id) and a cycle.
 */
export function path(tree: Tree, ends: { readonly from?: string; readonly to: string }): Result<Node[]> {
  const { from, to } = ends;
  if (findNode(tree, to) === undefined) return unknownNodeError(to);
  if (from !== undefined && findNode(tree, from) === undefined) return unknownNodeError(from);
  const nodes: Node[] = [];
  let entry = mapGet(tree.nodes, to);
  for (let steps = 0; entry !== undefined; steps++) {
    if (steps > tree.nodes.size)
      return brokenPath('tree/cycle', `The path to ${to} runs in a circle at ${entry.key}.`, entry.key);
    const { node }: TreeEntry = entry;
    if (node.parentId === null) {
      if (from !== undefined && from !== node.id)
        return brokenPath('tree/not-on-path', `The node ${from} is not on the path to ${to}.`, from);
      break;
    }
    nodes.push(node);
    if (node.id === from) break;
    const parent: TreeEntry | undefined = parentEntry(tree, entry);
    // To a reader a removed node is not there; nothing that lives hangs on one in a whole tree.
    if (parent === undefined || parent.node.removedIn !== null) return brokenPathError(to, node.id, node.parentId);
    entry = parent;
  }
  return ok(nodes.reverse());
}

function brokenPath(
  code: 'tree/cycle' | 'tree/not-on-path' | 'tree/broken-path',
  message: string,
  nodeId: string,
): Result<never> {
  return refusedResult(code, message, { nodeId });
}

function brokenPathError(to: string, at: string, missing: string): Result<never> {
  return brokenPath(
    'tree/broken-path',
    `The path to ${to} breaks off: ${at} hangs on ${missing}, which is missing.`,
    missing,
  );
}

/** The nodes of the active path; empty in an empty tree. */
export function activePath(tree: Tree): Node[] {
  if (tree.activeNodeId === null) return [];
  const found = path(tree, { to: tree.activeNodeId });
  return found.ok ? found.value : [];
}

/** Whether the first node is the second or lies above it. */
export function isAbove(tree: Tree, id: string, below: string): boolean {
  let entry = mapGet(tree.nodes, below);
  for (let steps = 0; entry !== undefined && steps <= tree.nodes.size; steps++) {
    if (entry.key === id) return true;
    entry = parentEntry(tree, entry);
  }
  return false;
}

/** The deepest node above or equal to both, the root at the latest; undefined if one is unknown. */
export function commonAncestor(tree: Tree, a: string, b: string): NodeId | undefined {
  return findNode(tree, a) === undefined || findNode(tree, b) === undefined ? undefined : commonAncestorId(tree, a, b);
}

/** The variants that a node is one of, itself included, in stored order; the root is its own only one. */
export function siblings(tree: Tree, id: string): NodeId[] {
  const node = findNode(tree, id);
  if (node === undefined) return [];
  return node.parentId === null ? [node.id] : childIds(tree, node.parentId);
}

/** A node's place among its variants as `[index, total]`; `[0, 1]` for the root and for an only child. */
export function siblingIndex(tree: Tree, id: string): readonly [number, number] {
  const node = findNode(tree, id);
  if (node === undefined || node.parentId === null) return [0, 1];
  const order = childListOf(tree, node.parentId);
  return [indexOfPosition(order, node.position), childListSize(order)];
}

/** The subtree breadth first, the node itself first. Depth 0 is the node alone; without a depth, all of it. */
export function subtree(tree: Tree, id: string, depth = Number.POSITIVE_INFINITY): Node[] {
  const top = findNode(tree, id);
  const nodes = top === undefined ? [] : [top];
  let level = nodes;
  // Rows that run in a circle would give more nodes than there are.
  for (let at = 0; at < depth && level.length > 0 && nodes.length <= tree.nodes.size; at++) {
    level = level.flatMap((node) => childrenOf(tree, node.id));
    for (const node of level) nodes.push(node);
  }
  return nodes;
}

/** The leaves below a node (the node itself if it is one), in creation order. The root of an empty tree is no leaf. */
export function leaves(tree: Tree, below: string = tree.rootId): Node[] {
  return subtree(tree, below)
    .filter((node) => node.kind !== 'root' && childListSize(childListOf(tree, node.id)) === 0)
    .sort((a, b) => a.seq - b.seq);
}

/** The newest leaves of the tree, newest first. */
export function recentLeaves(tree: Tree, limit = 20): Node[] {
  assertArgument('limit', limit, atLeastOne);
  const found: Node[] = [];
  for (const { node, children: order } of mapEntries(tree.nodes))
    if (node.removedIn === null && node.kind !== 'root' && childListSize(order) === 0) found.push(node);
  return found.sort((a, b) => b.seq - a.seq).slice(0, limit);
}

/**
 * The leaf that a node leads to: at each fork the child last on the active path, else the one with the largest
 * position. A node without children is its own.
 */
export function lastVisitedLeaf(tree: Tree, from: string): NodeId | undefined {
  let node = findNode(tree, from);
  for (let steps = 0; node !== undefined && steps <= tree.nodes.size; steps++) {
    const order = childListOf(tree, node.id);
    const size = childListSize(order);
    if (size === 0) return node.id;
    const marked: Node | undefined = node.lastChildId === null ? undefined : findNode(tree, node.lastChildId);
    const next = marked?.parentId === node.id ? marked.id : childAtIndex(order, size - 1)?.id;
    node = next === undefined ? undefined : findNode(tree, next);
  }
  return undefined;
}

/** The path through a node down to the leaf it leads to. */
export function pathThrough(tree: Tree, id: string): Result<Node[]> {
  const leaf = lastVisitedLeaf(tree, id);
  if (leaf === undefined) return unknownNodeError(id);
  return leaf === tree.rootId ? ok([]) : path(tree, { to: leaf });
}

/** A node as the map and the outline need it: no content, and trees cross every wire as flat lists of these. */
export interface TopologyNode
  extends Pick<NodeHead, 'id' | 'kind' | 'role' | 'groupId' | 'seq' | 'position' | 'status' | 'tokens' | 'createdAt'> {
  readonly parentId: NodeId;
  readonly childCount: number;
  /** Also true where a depth cuts the children off. */
  readonly hasChildren: boolean;
  /** The title, or the beginning of the text; an ellipsis at its end says that the text goes on. */
  readonly preview: string;
}

/** The longest preview of a text, in code units. */
export const previewLength = 80;

/**
 * The first line's worth of a node: its title, a machine's where nothing hangs below, or the beginning of its text, with an
 * ellipsis where that goes on: only who cuts knows it.
 */
export function previewOf(node: Pick<Node, 'text' | 'meta'>, childCount: number): string {
  const { title, autoTitle } = node.meta;
  return title ?? (childCount === 0 ? autoTitle : undefined) ?? previewOfText(node.text);
}

function previewOfText(text: string): string {
  const end = boundaryBefore(text, previewLength * 4);
  const line = truncate(text.slice(0, end), end);
  // Databases hand on no more of a long text than five previews, and every store shows the same.
  const goesOn = line.length > previewLength || /\S/.test(text.slice(end, previewLength * 5));
  return goesOn ? `${truncate(line, previewLength - 1).trimEnd()}…` : line;
}

/** The tree without content, the root left out: all of it in creation order, or breadth first down to a depth. */
export function topology(
  tree: Tree,
  options: { readonly from?: string; readonly depth?: number | undefined } = {},
): TopologyNode[] {
  const from = options.from ?? tree.rootId;
  const nodes = subtree(tree, from, options.depth);
  if (options.depth === undefined) nodes.sort((a, b) => a.seq - b.seq);
  const rows: TopologyNode[] = [];
  for (const node of nodes) {
    if (node.parentId === null) continue;
    rows.push(topologyNode(node, node.parentId, childListSize(childListOf(tree, node.id))));
  }
  return rows;
}

/** One row of a topology. */
export function topologyNode(node: Node, parentId: NodeId, children: number): TopologyNode {
  return {
    id: node.id,
    parentId,
    role: node.role,
    kind: node.kind,
    groupId: node.groupId,
    seq: node.seq,
    position: node.position,
    status: node.status,
    childCount: children,
    hasChildren: children > 0,
    preview: previewOf(node, children),
    tokens: node.tokens,
    createdAt: node.createdAt,
  };
}

/** A page of a branch, newest last. */
export interface BranchPage {
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
  readonly nodes: readonly Node[];
  /** The other members of each node's group, by node id, when asked for. */
  readonly groups: ReadonlyMap<NodeId, readonly Node[]>;
  /** Pass it as `before` to get the page above; null at the first turn. */
  readonly before: NodeId | null;
}

/** What page of a branch is wanted. */
export interface PageRequest {
  /** The branch's end; the active node if not given. */
  readonly nodeId?: string;
  readonly limit?: number;
  /** The nodes above this one. */
  readonly before?: string;
  readonly siblings?: boolean;
}

/** The fields of a {@link PageRequest}. */
export const pageRequest = exactFields('The request', {
  nodeId: optionalOrNull(requiredText),
  limit: optionalOrNull(atLeastOne),
  before: optionalOrNull(requiredText),
  siblings: optionalOrNull(flag),
});

/** The last `limit` nodes (20 if not given) of a branch, or the ones above a cursor. A cursor off the path is refused. */
export function branchPage(tree: Tree, request: PageRequest = {}): Result<BranchPage> {
  assertArgument('request', request, pageRequest);
  const { rootId, activeNodeId, version } = tree;
  const nodes = pathSlice(tree, request.nodeId ?? activeNodeId ?? rootId, request);
  if (!nodes.ok) return nodes;
  const first = nodes.value[0];
  const before = first === undefined || first.parentId === rootId ? null : first.id;
  const groups = groupsOf(tree, request.siblings === true ? nodes.value : []);
  return ok({ rootId, activeNodeId, version, nodes: nodes.value, groups, before });
}

function pathSlice(tree: Tree, to: string, { before, limit = 20 }: PageRequest): Result<Node[]> {
  const end = findNode(tree, to);
  if (end === undefined) return unknownNodeError(to);
  if (before !== undefined && (before === tree.rootId || !isAbove(tree, before, to)))
    return brokenPath('tree/not-on-path', `The node ${before} is not on the path to ${to}.`, before);
  const nodes: Node[] = [];
  let at = before === undefined ? end : findNode(tree, findNode(tree, before)?.parentId ?? '');
  const most = Math.min(limit, tree.nodes.size);
  while (at !== undefined && at.parentId !== null && nodes.length < most) {
    nodes.push(at);
    const parent = findNode(tree, at.parentId);
    if (parent === undefined) return brokenPathError(to, at.id, at.parentId);
    at = parent;
  }
  return ok(nodes.reverse());
}

function groupsOf(tree: Tree, nodes: readonly Node[]): Map<NodeId, Node[]> {
  const groups = new Map<NodeId, Node[]>();
  for (const node of nodes) {
    if (node.groupId === 0 || node.parentId === null) continue;
    const members = childrenOf(tree, node.parentId).filter(
      (other) => other.id !== node.id && other.groupId === node.groupId,
    );
    groups.set(node.id, members);
  }
  return groups;
}

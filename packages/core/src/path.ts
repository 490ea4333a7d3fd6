/** Reads a tree value. Every walk is iterative and bounded. */

import { childAtIndex, childListSize, indexOfPosition } from './child-list.ts';
import {
  assertArgument,
  limitField as atLeastOne,
  booleanField,
  exactObjectField,
  optionalNonNullField,
  requiredText,
} from './decode.ts';
import { makeRefusedResult, ok, type Result } from './errors.ts';
import { lastCharacterBoundary, truncateToLine } from './graphemes.ts';
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
  return makeRefusedResult('tree/unknown-node', `There is no message ${id}.`, { nodeId: id });
}

/**
 * Returns the nodes from `from` (or the first message) down to `to`, both included, without the root. Refuses an
 * unknown node, a `from` that is not on the path, a missing parent (with its id) and a cycle.
 */
export function path(tree: Tree, ends: { readonly from?: string; readonly to: string }): Result<Node[]> {
  const { from, to } = ends;
  if (findNode(tree, to) === undefined) return unknownNodeError(to);
  if (from !== undefined && findNode(tree, from) === undefined) return unknownNodeError(from);
  const nodes: Node[] = [];
  let entry = mapGet(tree.nodes, to);
  for (let steps = 0; entry !== undefined; steps++) {
    if (steps > tree.nodes.size)
      return refuseBrokenPath('tree/cycle', `The path to ${to} contains a cycle at ${entry.key}.`, entry.key);
    const { node }: TreeEntry = entry;
    if (node.parentId === null) {
      if (from !== undefined && from !== node.id)
        return refuseBrokenPath('tree/not-on-path', `The message ${from} is not on the path to ${to}.`, from);
      break;
    }
    nodes.push(node);
    if (node.id === from) break;
    const parent: TreeEntry | undefined = parentEntry(tree, entry);
    // Readers do not see removed nodes; in an intact tree no live node has a removed parent.
    if (parent === undefined || parent.node.removedIn !== null) return brokenPathError(to, node.id, node.parentId);
    entry = parent;
  }
  return ok(nodes.reverse());
}

function refuseBrokenPath(
  code: 'tree/cycle' | 'tree/not-on-path' | 'tree/broken-path',
  message: string,
  nodeId: string,
): Result<never> {
  return makeRefusedResult(code, message, { nodeId });
}

function brokenPathError(to: string, at: string, missing: string): Result<never> {
  return refuseBrokenPath(
    'tree/broken-path',
    `The path to ${to} is incomplete: the parent ${missing} of ${at} is missing.`,
    missing,
  );
}

/** Returns the nodes of the active path; empty in an empty tree. */
export function activePath(tree: Tree): Node[] {
  if (tree.activeNodeId === null) return [];
  const found = path(tree, { to: tree.activeNodeId });
  return found.ok ? found.value : [];
}

/** Whether the first node is the second node or one of its ancestors. */
export function isAncestorOrSelf(tree: Tree, id: string, below: string): boolean {
  let entry = mapGet(tree.nodes, below);
  for (let steps = 0; entry !== undefined && steps <= tree.nodes.size; steps++) {
    if (entry.key === id) return true;
    entry = parentEntry(tree, entry);
  }
  return false;
}

/** Returns the deepest node that is an ancestor of both nodes or one of them; undefined if one node is unknown. */
export function commonAncestor(tree: Tree, a: string, b: string): NodeId | undefined {
  return findNode(tree, a) === undefined || findNode(tree, b) === undefined ? undefined : commonAncestorId(tree, a, b);
}

/** Returns the variants of a node, including the node, in stored order. For the root it returns the root alone. */
export function siblings(tree: Tree, id: string): NodeId[] {
  const node = findNode(tree, id);
  if (node === undefined) return [];
  return node.parentId === null ? [node.id] : childIds(tree, node.parentId);
}

/** Returns a node's index among its variants and their number; `[0, 1]` for the root and an only child. */
export function siblingIndex(tree: Tree, id: string): readonly [number, number] {
  const node = findNode(tree, id);
  if (node === undefined || node.parentId === null) return [0, 1];
  const order = childListOf(tree, node.parentId);
  return [indexOfPosition(order, node.position), childListSize(order)];
}

/**
 * Returns a subtree breadth first, starting with the node. Depth 0 is the node alone; the default is the whole subtree.
 */
export function subtree(tree: Tree, id: string, depth = Number.POSITIVE_INFINITY): Node[] {
  const top = findNode(tree, id);
  const nodes = top === undefined ? [] : [top];
  let level = nodes;
  // If the rows contain a cycle, the walk would return more nodes than the tree has.
  for (let at = 0; at < depth && level.length > 0 && nodes.length <= tree.nodes.size; at++) {
    level = level.flatMap((node) => childrenOf(tree, node.id));
    for (const node of level) nodes.push(node);
  }
  return nodes;
}

/**
 * Returns the leaves below a node in creation order; the node itself if it is a leaf. The root of an empty tree is not
 * a leaf.
 */
export function leaves(tree: Tree, below: string = tree.rootId): Node[] {
  return subtree(tree, below)
    .filter((node) => node.kind !== 'root' && childListSize(childListOf(tree, node.id)) === 0)
    .sort((a, b) => a.seq - b.seq);
}

/** Returns the newest leaves of the tree, newest first. */
export function recentLeaves(tree: Tree, limit = 20): Node[] {
  assertArgument('limit', limit, atLeastOne);
  const found: Node[] = [];
  for (const { node, children: order } of mapEntries(tree.nodes))
    if (node.removedIn === null && node.kind !== 'root' && childListSize(order) === 0) found.push(node);
  return found.sort((a, b) => b.seq - a.seq).slice(0, limit);
}

/**
 * Follows the visit marks down to a leaf. At a node without a mark, chooses the child with the largest position.
 * Returns the given node if it is a leaf.
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

/** Returns the path through a node down to its last visited leaf. */
export function pathThrough(tree: Tree, id: string): Result<Node[]> {
  const leaf = lastVisitedLeaf(tree, id);
  if (leaf === undefined) return unknownNodeError(id);
  return leaf === tree.rootId ? ok([]) : path(tree, { to: leaf });
}

/** A node without content, for the map and the outline. APIs send trees as flat lists of these. */
export interface TopologyNode
  extends Pick<NodeHead, 'id' | 'kind' | 'role' | 'groupId' | 'seq' | 'position' | 'status' | 'tokens' | 'createdAt'> {
  readonly parentId: NodeId;
  readonly childCount: number;
  /** Whether the node has children, even if the depth limit leaves them out. */
  readonly hasChildren: boolean;
  /** The title or the beginning of the text, with an ellipsis if the text is longer. */
  readonly preview: string;
}

/** The maximum length of a preview, in code units. */
export const maxPreviewLength = 80;

/**
 * Returns a one-line preview: the title, the generated title of a leaf, or the beginning of the text, with an ellipsis
 * if the text is longer.
 */
export function previewOf(node: Pick<Node, 'text' | 'meta'>, childCount: number): string {
  const { title, autoTitle } = node.meta;
  return title ?? (childCount === 0 ? autoTitle : undefined) ?? previewOfText(node.text);
}

function previewOfText(text: string): string {
  return previewOfSimpleText(text, true) ?? previewOfAnyText(text);
}

/** Returns the preview of a text whose beginning is known; null if more of the text is needed. */
export function previewOfBeginning(beginning: string): string | null {
  return previewOfSimpleText(beginning, false);
}

function isSimpleSpace(unit: number): boolean {
  return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d) || unit === 0xa0;
}

/**
 * Like {@link previewOfAnyText}, but ten times as fast, for a text that begins without characters of several code
 * units. Returns null if the first few hundred units are not enough to decide.
 */
function previewOfSimpleText(text: string, isWhole: boolean): string | null {
  const end = Math.min(text.length, maxPreviewLength * 4);
  let length = 0;
  // A run of white space counts as one space; leading white space is dropped.
  let space = false;
  let plain = true;
  for (let at = 0; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x300) return null;
    if (isSimpleSpace(unit)) {
      if (unit !== 0x20 || space || length === 0) plain = false;
      space = true;
      continue;
    }
    if (space && length > 0) length++;
    space = false;
    length++;
    if (length <= maxPreviewLength) continue;
    const line = plain
      ? text.slice(0, maxPreviewLength)
      : text
          .slice(0, at + 1)
          .replace(/\s+/g, ' ')
          .trim();
    return `${line.slice(0, maxPreviewLength - 1).trimEnd()}…`;
  }
  if (!isWhole || text.length > end) return null;
  return plain && !space ? text : text.replace(/\s+/g, ' ').trim();
}

function previewOfAnyText(text: string): string {
  const end = lastCharacterBoundary(text, maxPreviewLength * 4);
  const line = truncateToLine(text.slice(0, end), end);
  // Databases return at most five preview lengths of a long text, and all stores must produce the same preview.
  const isLonger = line.length > maxPreviewLength || /\S/.test(text.slice(end, maxPreviewLength * 5));
  return isLonger ? `${truncateToLine(line, maxPreviewLength - 1).trimEnd()}…` : line;
}

/**
 * Returns the nodes of a tree without contents and without the root: all nodes in creation order, or breadth first down
 * to a depth.
 */
export function topology(
  tree: Tree,
  options: { readonly from?: string; readonly depth?: number | undefined } = {},
): TopologyNode[] {
  const from = options.from ?? tree.rootId;
  if (from === tree.rootId && options.depth === undefined) return wholeTopology(tree);
  const nodes = subtree(tree, from, options.depth);
  if (options.depth === undefined) nodes.sort((a, b) => a.seq - b.seq);
  const rows: TopologyNode[] = [];
  for (const node of nodes) {
    if (node.parentId === null) continue;
    rows.push(toTopologyNode(node, node.parentId, childListSize(childListOf(tree, node.id))));
  }
  return rows;
}

/** Returns the topology of a whole tree in one pass over its entries. */
function wholeTopology(tree: Tree): TopologyNode[] {
  const rows: TopologyNode[] = [];
  for (const { node, children } of mapEntries(tree.nodes))
    if (node.parentId !== null && node.removedIn === null)
      rows.push(toTopologyNode(node, node.parentId, childListSize(children)));
  return rows.sort((a, b) => a.seq - b.seq);
}

/** Builds the topology row of a node; the caller has counted the children. */
export function toTopologyNode(node: Node, parentId: NodeId, children: number): TopologyNode {
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

/** A page of a branch. The last node of `nodes` is the newest. */
export interface BranchPage {
  readonly rootId: NodeId;
  readonly activeNodeId: NodeId | null;
  readonly version: number;
  readonly nodes: readonly Node[];
  /** The other members of each node's group, by node id, if requested. */
  readonly groups: ReadonlyMap<NodeId, readonly Node[]>;
  /** The cursor of the previous page, to be passed as `before`; null if the page starts at the first message. */
  readonly before: NodeId | null;
}

/** Selects a page of a branch: its end, its length, or the nodes above a cursor. */
export interface PageRequest {
  /** The end of the branch; defaults to the active node. */
  readonly nodeId?: string;
  readonly limit?: number;
  /** A cursor: only nodes above this one are returned. */
  readonly before?: string;
  readonly siblings?: boolean;
}

/** Validates a {@link PageRequest}. */
export const pageRequestField = exactObjectField('The request', {
  nodeId: optionalNonNullField(requiredText),
  limit: optionalNonNullField(atLeastOne),
  before: optionalNonNullField(requiredText),
  siblings: optionalNonNullField(booleanField),
});

/**
 * Returns the last `limit` nodes (default 20) of a branch, or the last nodes above a cursor. Refuses a cursor that is
 * not on the path.
 */
export function branchPage(tree: Tree, request: PageRequest = {}): Result<BranchPage> {
  assertArgument('request', request, pageRequestField);
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
  if (before !== undefined && (before === tree.rootId || !isAncestorOrSelf(tree, before, to)))
    return refuseBrokenPath('tree/not-on-path', `The message ${before} is not on the path to ${to}.`, before);
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

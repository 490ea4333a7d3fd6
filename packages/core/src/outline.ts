/** Converts a tree to a list of lines, as the page, `/tree` and `coppice tree` show it. */
import type { NodeId } from './ids.ts';
import type { TopologyNode } from './path.ts';

/** A tree to outline: its nodes by id, and the children of each node in order. */
export interface OutlineShape {
  node(id: NodeId): TopologyNode | undefined;
  children(id: NodeId): readonly TopologyNode[];
  /** The nodes whose parent is not part of this outline. */
  readonly topNodes: readonly TopologyNode[];
}

/** What an outline shows and hides. */
export interface OutlineRequest {
  /** The active node; the path to it is marked. */
  readonly current: NodeId | null;
  /** Whether a node gets its own line; hidden nodes are counted with the next line below them. */
  readonly shows: (node: TopologyNode) => boolean;
  /** The minimum number of hideable nodes in a chain without forks for them to be folded; null folds no chain. */
  readonly fold: number | null;
  /** Whether a node must not be hidden in a chain. */
  readonly keeps?: (node: TopologyNode) => boolean;
  /** Chains that stay expanded, by their first hidden node. */
  readonly opened?: ReadonlySet<NodeId>;
  /** `path`: each branch beside the path to the current node becomes one line with its size. */
  readonly branches: 'all' | 'path';
  readonly limit: number;
}

/** One line of an outline. Lines are a flat list in reading order; `parentId` and `depth` give the structure. */
export interface OutlineLine {
  readonly node: TopologyNode;
  /** The nearest shown ancestor; null at the top. */
  readonly parentId: NodeId | null;
  /** The number of shown forks above. */
  readonly depth: number;
  /** Whether the line is one of several below the same shown node, and whether it is the last of them. */
  readonly forked: boolean;
  readonly last: boolean;
  /** The number of hidden nodes between the shown ancestor and this node, and the first hidden node. */
  readonly folded: number;
  readonly foldedFrom: NodeId | null;
  /** The number of nodes of a branch that is shown as one line, including its first node; otherwise 0. */
  readonly size: number;
  readonly onPath: boolean;
  readonly current: boolean;
}

interface ShownNode {
  readonly node: TopologyNode;
  /** The index of the nearest shown ancestor; -1 at the top. */
  readonly above: number;
  readonly folded: number;
  readonly foldedFrom: NodeId | null;
  /** Whether the rest of the branch is collapsed into this line. */
  readonly closed: boolean;
}

interface Waiting extends Omit<ShownNode, 'closed'> {
  /** The index of the node's line if the line exists already, so that only the children are missing. */
  readonly index: number | null;
}

/** Groups the nodes of a topology by parent, in order. Nodes whose parent is missing are at the top. */
export function buildOutlineShape(nodes: readonly TopologyNode[]): OutlineShape {
  const byId = new Map<NodeId, TopologyNode>();
  for (const node of nodes) byId.set(node.id, node);
  const below = new Map<NodeId | null, TopologyNode[]>();
  for (const node of nodes) {
    const parent = byId.has(node.parentId) ? node.parentId : null;
    const siblings = below.get(parent);
    if (siblings === undefined) below.set(parent, [node]);
    else siblings.push(node);
  }
  for (const siblings of below.values()) siblings.sort((a, b) => (a.position < b.position ? -1 : 1));
  return { node: (id) => byId.get(id), children: (id) => below.get(id) ?? [], topNodes: below.get(null) ?? [] };
}

/**
 * Builds an outline of at most `limit` lines; `left` is the number of lines beyond the limit. Visits every node once.
 */
export function outlineOf(
  shape: OutlineShape,
  request: OutlineRequest,
): { readonly lines: readonly OutlineLine[]; readonly left: number } {
  const { current, limit } = request;
  const path = pathTo(shape, current);
  const shown = walk(shape, request, path);
  const parted = new Map<number, number>();
  for (const { above } of shown) parted.set(above, (parted.get(above) ?? 0) + 1);
  const numbered = new Map<number, number>();
  const depths: number[] = [];
  const lines: OutlineLine[] = [];
  for (const { node, above, folded, foldedFrom, closed } of shown) {
    if (lines.length >= limit) break;
    const siblings = parted.get(above) ?? 0;
    const number = (numbered.get(above) ?? 0) + 1;
    numbered.set(above, number);
    const depth = (depths[above] ?? 0) + (siblings > 1 ? 1 : 0);
    depths.push(depth);
    lines.push({
      node,
      parentId: shown[above]?.node.id ?? null,
      depth,
      forked: siblings > 1,
      last: number === siblings,
      folded,
      foldedFrom,
      size: closed ? sizeOf(shape, node) : 0,
      onPath: path.has(node.id),
      current: node.id === current,
    });
  }
  return { lines, left: shown.length - lines.length };
}

function walk(shape: OutlineShape, request: OutlineRequest, path: ReadonlySet<NodeId>): ShownNode[] {
  const { shows, fold, opened, branches } = request;
  const shown: ShownNode[] = [];
  const waiting: Waiting[] = [];
  const enter = (list: readonly TopologyNode[], above: number, folded: number, foldedFrom: NodeId | null) => {
    const next = branches === 'path' ? list.find((node) => path.has(node.id)) : undefined;
    // The path ends at the current node.
    if (branches === 'path' && next === undefined) return;
    if (next === undefined || list.length === 1) {
      for (let at = list.length - 1; at >= 0; at--) {
        const node = list[at];
        if (node !== undefined) waiting.push({ node, above, folded, foldedFrom, index: null });
      }
      return;
    }
    // The path comes first, then the branches beside it.
    waiting.push({ node: next, above, folded: 0, foldedFrom: null, index: shown.length });
    shown.push({ node: next, above, folded, foldedFrom, closed: false });
    for (const node of list) if (node !== next) shown.push({ node, above, folded: 0, foldedFrom: null, closed: true });
  };
  enter(shape.topNodes, -1, 0, null);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.index !== null) {
      enter(shape.children(next.node.id), next.index, 0, null);
      continue;
    }
    let { node, above, folded, foldedFrom } = next;
    const chain = fold === null ? [] : hideableChain(shape, node, request);
    const isOpened = chain[0] !== undefined && opened?.has(chain[0].id) === true;
    const hides = !isOpened && chain.filter(shows).length >= (fold ?? 0);
    for (const each of chain) {
      if (hides || !shows(each)) {
        folded++;
        foldedFrom ??= each.id;
      } else {
        shown.push({ node: each, above, folded, foldedFrom, closed: false });
        [above, folded, foldedFrom] = [shown.length - 1, 0, null];
      }
      node = shape.children(each.id)[0] ?? node;
    }
    if (shows(node)) {
      shown.push({ node, above, folded, foldedFrom, closed: false });
      enter(shape.children(node.id), shown.length - 1, 0, null);
    } else enter(shape.children(node.id), above, folded + 1, foldedFrom ?? node.id);
  }
  return shown;
}

/**
 * Returns the nodes of a chain that may be hidden. Each of them has exactly one child and is not the first node of the
 * chain, a variant or kept.
 */
function hideableChain(shape: OutlineShape, from: TopologyNode, { current, keeps }: OutlineRequest): TopologyNode[] {
  const chain: TopologyNode[] = [];
  for (let node: TopologyNode | undefined = from; node !== undefined; ) {
    const children: readonly TopologyNode[] = shape.children(node.id);
    const isBeginning = shape.node(node.parentId) === undefined || shape.children(node.parentId).length !== 1;
    if (isBeginning || children.length !== 1 || node.id === current || keeps?.(node) === true) break;
    chain.push(node);
    node = children[0];
  }
  return chain;
}

function pathTo(shape: OutlineShape, current: NodeId | null): ReadonlySet<NodeId> {
  const path = new Set<NodeId>();
  let node = current === null ? undefined : shape.node(current);
  for (; node !== undefined && !path.has(node.id); node = shape.node(node.parentId)) path.add(node.id);
  return path;
}

function sizeOf(shape: OutlineShape, top: TopologyNode): number {
  let size = 0;
  const waiting = [top.id];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    size++;
    for (const child of shape.children(next)) waiting.push(child.id);
  }
  return size;
}

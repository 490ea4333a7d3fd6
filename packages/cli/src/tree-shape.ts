/**
 * Reads the shape of large trees: the parent links of all messages, which are little data, and only the rows of shown
 * messages. The whole topology of 100,000 messages would take seconds and half a gigabyte.
 */
import {
  ask,
  type Node,
  type NodeId,
  type OutlineLine,
  type OutlineShape,
  type ReadProgram,
  type TopologyNode,
} from '@coppice/core';
import { outlineOf, toTopologyNode } from '@coppice/core/tree';

/**
 * The nodes of a tree that are shown: first nodes, forks, leaves and nodes that the caller requests. The nodes between
 * them are only counted. Contains ids and positions; {@link readTopologyNodes} reads contents.
 */
export interface SignificantNodes extends OutlineShape {
  /** The number of all messages, shown or hidden. */
  readonly size: number;
  /** The number of hidden messages between a node and the next shown node above it. */
  hiddenAbove(id: NodeId): number;
}

// A compromise between one long read and many short reads.
const forksPerRead = 1000;
// The first reads are small, because they show whether the messages are long.
const firstRowsPerRead = 4;
const mostRowsPerRead = 50;
const mostTokensPerRead = 50_000;

/** Reads the shape of a tree, or of the subtree of a node. */
export function* readTreeShape(
  rootId: NodeId,
  keep: ReadonlySet<NodeId> = new Set(),
  from: NodeId = rootId,
): ReadProgram<SignificantNodes> {
  const links = new ParentLinks(yield* ask('links', {}), from, keep);
  const forks = links.forks();
  const childOrder = new Map<NodeId, readonly NodeId[]>();
  for (let at = 0; at < forks.length; at += forksPerRead) {
    const some = forks.slice(at, at + forksPerRead);
    const ordered = yield* ask('childIds', { of: some });
    for (const [index, id] of some.entries()) childOrder.set(id, ordered[index] ?? []);
  }
  return links.shape(childOrder);
}

/** The parent links of a tree as numbers, because 100,000 objects would dominate the memory use. */
class ParentLinks {
  readonly #ids: readonly NodeId[];
  readonly #top: NodeId;
  readonly #index = new Map<NodeId, number>();
  /** The index of the parent; -1 is the top node, -2 means that the node is not below the top node. */
  readonly #parents: Int32Array;
  readonly #children: Int32Array;
  readonly #keep: ReadonlySet<NodeId>;

  constructor(
    links: readonly { readonly id: NodeId; readonly parentId: NodeId }[],
    top: NodeId,
    keep: ReadonlySet<NodeId>,
  ) {
    this.#top = top;
    this.#keep = keep;
    this.#ids = links.map((link) => link.id);
    this.#parents = new Int32Array(links.length).fill(outside);
    this.#children = new Int32Array(links.length);
    for (const [at, id] of this.#ids.entries()) this.#index.set(id, at);
    for (const [at, { parentId }] of links.entries()) {
      const parent = parentId === top ? belowTop : (this.#index.get(parentId) ?? outside);
      this.#parents[at] = parent;
      if (parent >= 0) this.#children[parent] = (this.#children[parent] ?? 0) + 1;
    }
    this.#markOutside();
  }

  /** Marks the nodes that are not below the top node. */
  #markOutside(): void {
    const membership = new Int8Array(this.#ids.length);
    for (let at = 0; at < membership.length; at++) {
      const visited: number[] = [];
      let next = at;
      while (next >= 0 && membership[next] === 0) {
        visited.push(next);
        membership[next] = 3;
        next = this.#parents[next] ?? outside;
      }
      const inside = next === belowTop || (next >= 0 && membership[next] === 1);
      for (const one of visited) membership[one] = inside ? 1 : 2;
    }
    for (let at = 0; at < membership.length; at++) if (membership[at] === 2) this.#parents[at] = outside;
  }

  /** Returns the nodes with several children. The links do not contain the order of the children. */
  forks(): NodeId[] {
    const firstNodeCount = this.#parents.reduce((count, parent) => count + (parent === belowTop ? 1 : 0), 0);
    const found = firstNodeCount > 1 ? [this.#top] : [];
    for (const [at, id] of this.#ids.entries())
      if ((this.#children[at] ?? 0) > 1 && this.#parents[at] !== outside) found.push(id);
    return found;
  }

  #isShown(at: number): boolean {
    const parent = this.#parents[at] ?? outside;
    if (parent === outside) return false;
    if (parent === belowTop || this.#children[at] !== 1 || (this.#children[parent] ?? 0) > 1) return true;
    return this.#keep.size > 0 && this.#keep.has(this.#idAt(at));
  }

  #idAt(at: number): NodeId {
    return this.#ids[at] ?? this.#top;
  }

  shape(childOrder: ReadonlyMap<NodeId, readonly NodeId[]>): SignificantNodes {
    const nodes = new Map<NodeId, TopologyNode>();
    const childrenByParent = new Map<NodeId, TopologyNode[]>();
    const hidden = new Map<NodeId, number>();
    let size = 0;
    for (const [at, id] of this.#ids.entries()) {
      if (this.#parents[at] !== outside) size++;
      if (!this.#isShown(at)) continue;
      // A hidden node has only one child, so each is visited once.
      let above = this.#parents[at] ?? belowTop;
      let hiddenCount = 0;
      for (; above >= 0 && !this.#isShown(above); above = this.#parents[above] ?? belowTop) hiddenCount++;
      const parentId = above < 0 ? this.#top : this.#idAt(above);
      const node = placeholderNode(id, parentId, this.#children[at] ?? 0);
      nodes.set(id, node);
      if (hiddenCount > 0) hidden.set(id, hiddenCount);
      const siblings = childrenByParent.get(parentId);
      if (siblings === undefined) childrenByParent.set(parentId, [node]);
      else siblings.push(node);
    }
    for (const [id, ordered] of childOrder) {
      const rank = new Map(ordered.map((child, at) => [child, at]));
      childrenByParent.get(id)?.sort((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
    }
    return {
      size,
      node: (id) => nodes.get(id),
      children: (id) => childrenByParent.get(id) ?? noNodes,
      topNodes: childrenByParent.get(this.#top) ?? noNodes,
      hiddenAbove: (id) => hidden.get(id) ?? 0,
    };
  }
}

const [belowTop, outside] = [-1, -2];
const noNodes: readonly TopologyNode[] = [];

function placeholderNode(id: NodeId, parentId: NodeId, childCount: number): TopologyNode {
  return {
    id,
    parentId,
    role: 'user',
    kind: 'message',
    groupId: 0,
    seq: 0,
    position: '',
    status: 'success',
    childCount,
    hasChildren: childCount > 0,
    preview: '',
    tokens: 0,
    createdAt: 0,
  };
}

/** Returns the outline lines of a shape, with the hidden nodes counted. */
export function chooseShapeLines(
  shape: SignificantNodes,
  current: NodeId | null,
  limit: number,
  shows: (id: NodeId) => boolean = () => true,
): { readonly lines: readonly OutlineLine[]; readonly left: number } {
  const { lines, left } = outlineOf(shape, {
    current,
    shows: ({ id }) => shows(id),
    fold: null,
    branches: 'all',
    limit,
  });
  return { left, lines: lines.map((line) => ({ ...line, folded: line.folded + shape.hiddenAbove(line.node.id) })) };
}

/** Reads the rows of those nodes that still exist. After a batch of long messages no further contents are read. */
export function* readTopologyNodes(
  ids: readonly NodeId[],
  shape: SignificantNodes,
): ReadProgram<Map<NodeId, TopologyNode>> {
  const rows = new Map<NodeId, TopologyNode>();
  let batch = firstRowsPerRead;
  for (let at = 0; at < ids.length; ) {
    const nodes: readonly Node[] = yield* ask('nodes', { ids: ids.slice(at, at + batch) });
    for (const node of nodes) {
      if (node.parentId === null) continue;
      rows.set(node.id, toTopologyNode(node, node.parentId, shape.node(node.id)?.childCount ?? 0));
    }
    if (nodes.reduce((sum, { tokens }) => sum + tokens, 0) > mostTokensPerRead) {
      // One read per row takes longer on a database server, but reads only the beginning of each text.
      for (const id of ids.slice(at + batch))
        for (const row of yield* ask('topology', { of: id, depth: 0 })) rows.set(id, row);
      return rows;
    }
    at += batch;
    batch = Math.min(batch * 2, mostRowsPerRead);
  }
  return rows;
}

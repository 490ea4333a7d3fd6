/**
 * The layout of the map. A tree is drawn with its root at the bottom and branches upwards. Each branch has its own
 * column; the oldest child continues straight, younger ones go to a side. Columns come from an in-order walk with the
 * lowest forks outermost. So lines do not cross, and changing the active branch moves nothing.
 */

import type { Topology } from '@coppice/client';
import type { NodeId, TopologyNode } from '@coppice/core';

/** A branch: a run of messages in one column. */
export interface MapBranch {
  readonly index: number;
  /** The branch from which this one forks; null at the root. */
  readonly parent: MapBranch | null;
  /** The index on the parent branch of the message above the fork; −1 at the root. */
  readonly forkAt: number;
  readonly side: -1 | 1;
  readonly nodes: TopologyNode[];
  readonly kids: MapBranch[];
  /** The x position of the column at the root; columns lean outwards above it. */
  column: number;
  /** The height of its first message; heights are negative upwards. */
  base: number;
  fork: { x: number; y: number };
  /** The number of messages at and above each message of the branch. */
  weights: Float64Array;
}

/** The branch of a message, and its index on that branch. */
interface MapSpot {
  readonly branch: MapBranch;
  readonly at: number;
}

/** The positions of all branches of a tree, in units of the layout. */
export interface MapLayout {
  readonly branches: readonly MapBranch[];
  readonly spots: ReadonlyMap<NodeId, MapSpot>;
  /** The x position of the root. */
  readonly x0: number;
  readonly width: number;
  readonly height: number;
  /** The x positions of the outermost columns. */
  readonly left: number;
  readonly right: number;
}

/** The height per message. */
export const messageHeight = 23;
const columnWidth = 47;

/** The x position of a column at a height: columns lean outwards a little. */
export function computeColumnX(layout: Pick<MapLayout, 'x0' | 'width'>, x: number, y: number): number {
  const tilt = ((x - layout.x0) / Math.max(layout.width, 600)) * 0.22;
  // Limited, because tall trees would lean out of bounds.
  return x + Math.min(-y, 900) * tilt;
}

/** Computes the position of a message, in units of the layout. */
export function computeMessagePosition(
  layout: MapLayout,
  branch: MapBranch,
  at: number,
): { readonly x: number; readonly y: number } {
  const y = branch.base - at * messageHeight;
  return { x: computeColumnX(layout, branch.column, y), y };
}

/** Computes the layout. Every walk is iterative: a chain of 100,000 messages is one column. */
export function layOutTree(topology: Topology): MapLayout {
  const branches: MapBranch[] = [];
  const spots = new Map<NodeId, MapSpot>();
  const stems = splitIntoBranches(topology, branches, spots);
  countMessagesAbove(branches);
  const columns = assignColumns(stems);
  const width = columns * columnWidth;
  const middle = stems[0];
  const x0 = middle === undefined ? 0 : middle.column - 6;
  const frame = { x0, width };
  let height = 0;
  let left = 0;
  let right = 0;
  for (const branch of branches) {
    raiseBranch(branch, frame);
    const top = branch.base - (branch.nodes.length - 1) * messageHeight;
    height = Math.max(height, -top);
    const x = computeColumnX(frame, branch.column, top);
    left = Math.min(left, x, branch.column);
    right = Math.max(right, x, branch.column);
  }
  return { branches, spots, x0, width, height, left, right };
}

/** Splits the tree into branches, parents before children; returns those at the root. */
function splitIntoBranches(topology: Topology, branches: MapBranch[], spots: Map<NodeId, MapSpot>): MapBranch[] {
  interface Start {
    readonly node: TopologyNode;
    readonly parent: MapBranch | null;
    readonly forkAt: number;
    readonly side: -1 | 1;
  }
  const stems: MapBranch[] = [];
  const firsts = topology.children(topology.rootId);
  const waiting: Start[] = firsts.map((node, index) => ({
    node,
    parent: null,
    forkAt: -1,
    side: index % 2 === 0 ? 1 : -1,
  }));
  for (let next = 0; next < waiting.length; next++) {
    const start = waiting[next];
    if (start === undefined) continue;
    const branch: MapBranch = {
      index: branches.length,
      parent: start.parent,
      forkAt: start.forkAt,
      side: start.side,
      nodes: [],
      kids: [],
      column: 0,
      base: 0,
      fork: { x: 0, y: 0 },
      weights: new Float64Array(0),
    };
    branches.push(branch);
    if (start.parent === null) stems.push(branch);
    else start.parent.kids.push(branch);
    for (let node: TopologyNode | undefined = start.node; node !== undefined; ) {
      spots.set(node.id, { branch, at: branch.nodes.length });
      branch.nodes.push(node);
      const children: readonly TopologyNode[] = topology.children(node.id);
      const forkAt = branch.nodes.length - 1;
      for (let younger = 1; younger < children.length; younger++) {
        const child = children[younger];
        // Children go outwards first, then alternate between the sides: a position never depends on the size of a
        // branch.
        const outwards = branch.side;
        const side = younger % 2 === 1 ? outwards : outwards === 1 ? -1 : 1;
        if (child !== undefined) waiting.push({ node: child, parent: branch, forkAt, side });
      }
      node = children[0];
    }
  }
  return stems;
}

/** Counts the messages at and above each message; children come after their parents in the list. */
function countMessagesAbove(branches: readonly MapBranch[]): void {
  for (const branch of branches) branch.weights = new Float64Array(branch.nodes.length);
  for (let index = branches.length - 1; index >= 0; index--) {
    const branch = branches[index];
    if (branch === undefined) continue;
    const { weights, nodes } = branch;
    for (const kid of branch.kids) weights[kid.forkAt] = (weights[kid.forkAt] ?? 0) + (kid.weights[0] ?? 0);
    for (let at = nodes.length - 1; at >= 0; at--) weights[at] = (weights[at] ?? 0) + 1 + (weights[at + 1] ?? 0);
  }
}

interface LayoutVisit {
  readonly branch: MapBranch;
  readonly self: boolean;
}

/** Assigns each branch its column, from left to right; returns the number of columns. */
function assignColumns(stems: readonly MapBranch[]): number {
  let column = 0;
  const waiting: LayoutVisit[] = [];
  const push = (branch: MapBranch) => {
    const lefts = branch.kids.filter((kid) => kid.side < 0).sort((a, b) => a.forkAt - b.forkAt);
    const rights = branch.kids.filter((kid) => kid.side > 0).sort((a, b) => b.forkAt - a.forkAt);
    // A stack is last in, first out: the rightmost is pushed first.
    for (let at = rights.length - 1; at >= 0; at--) add(rights[at]);
    waiting.push({ branch, self: true });
    for (let at = lefts.length - 1; at >= 0; at--) add(lefts[at]);
  };
  const add = (branch: MapBranch | undefined) => {
    if (branch !== undefined) waiting.push({ branch, self: false });
  };
  const lefts = stems.filter((stem, index) => index > 0 && stem.side < 0);
  const rights = stems.filter((stem, index) => index === 0 || stem.side > 0);
  for (let at = rights.length - 1; at >= 0; at--) add(rights[at]);
  for (const stem of lefts) add(stem);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (!next.self && next.branch.kids.length > 0) {
      push(next.branch);
      continue;
    }
    const width = next.branch.nodes.length === 1 ? 0.62 : 1;
    next.branch.column = (column + width / 2) * columnWidth;
    column += width;
  }
  return column;
}

/** Raises a branch above its fork: the further it is to the side, the higher it starts. */
function raiseBranch(branch: MapBranch, frame: Pick<MapLayout, 'x0' | 'width'>): void {
  const { parent } = branch;
  if (parent === null) {
    const x = frame.x0 + (branch.column - frame.x0) * 0.05;
    branch.fork = { x, y: -8 };
    branch.base = -8 - (26 + Math.min(320, Math.abs(branch.column - frame.x0) * 0.4));
    return;
  }
  const y = parent.base - branch.forkAt * messageHeight;
  branch.fork = { x: computeColumnX(frame, parent.column, y), y };
  branch.base = y - (16 + Math.min(120, Math.abs(branch.column - parent.column) * 0.42));
}

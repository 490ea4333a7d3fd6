/**
 * Repairs rows so that they form a tree again, without losing a row. Unreachable nodes become children of the root, and
 * their metadata keeps the old parent.
 */
import { type Bookmark, matchParentOfChildren, type Node, type NodeId, nodeId, type TreeRow } from '@coppice/core';
import { attachRoots, isPosition, positionBetween } from '@coppice/core/tree';
import { deriveId } from './linear.ts';

/** The rows of one tree: the tree's own row, its nodes and its bookmarks. */
export interface TreeRows {
  readonly row: TreeRow;
  readonly nodes: readonly Node[];
  readonly bookmarks: readonly Bookmark[];
}

/** Repaired rows, and one sentence in `repaired` for each change; no sentence if the rows were valid. */
export interface RepairedRows extends TreeRows {
  readonly repaired: readonly string[];
}

/**
 * Repairs rows by moving nodes and marking them as removed. It handles several roots, missing or removed parents,
 * cycles, invalid and duplicate positions, duplicate numbers, and pointers to missing nodes. A second call changes
 * nothing. Texts are never changed.
 */
export function repairRows(rows: TreeRows): RepairedRows {
  const repaired: string[] = [];
  const rooted = withOneRoot(rows, repaired);
  const attached = withParents(rooted.nodes, rooted.rootId, repaired);
  const placed = withUniquePositions(withValidPositions(attached, repaired), repaired);
  const nodes = withMatchParents(withNumbers(placed, repaired), rooted.rootId, repaired);
  const live = new Map<NodeId, Node>();
  for (const node of nodes) if (node.removedIn === null) live.set(node.id, node);
  const bookmarks = rows.bookmarks.filter((mark) => live.has(mark.nodeId));
  for (const { nodeId: id } of rows.bookmarks)
    if (!live.has(id)) repaired.push(`the bookmark on ${id} was removed, because the node does not exist`);
  const row = withPointer({ ...rows.row, rootId: rooted.rootId }, nodes, live, repaired);
  const nextSeq = nodes.reduce((next, node) => Math.max(next, node.seq + 1), row.nextSeq);
  return { row: nextSeq === row.nextSeq ? row : { ...row, nextSeq }, nodes, bookmarks, repaired };
}

function bySeq(a: Node, b: Node): number {
  return a.seq - b.seq;
}

/**
 * Ensures that the tree has one root: the root that the tree row names, else the oldest, else a new one. Nodes without
 * a parent become its children.
 */
function withOneRoot(
  { row, nodes }: TreeRows,
  repaired: string[],
): { readonly nodes: readonly Node[]; readonly rootId: NodeId } {
  const roots = nodes.filter((node) => node.kind === 'root' && node.removedIn === null).sort(bySeq);
  const root = roots.find((node) => node.id === row.rootId) ?? roots[0] ?? repairRoot(row);
  if (roots.length === 0) repaired.push(`${root.id} is the new root of ${row.id}, which had none`);
  const all = (roots.length === 0 ? [...nodes, root] : nodes).map((node) => {
    if (node.kind !== 'root' || node.id === root.id || node.removedIn !== null) return node;
    // This second root is now removed, so `withParents` moves its children below the first root.
    repaired.push(`${node.id}, a second root of ${row.id}, is in the trash`);
    return { ...node, removedIn: row.version };
  });
  const former = all.map((node) => ({ ...node, isRoot: node.kind === 'root' }));
  const attached = attachRoots(former, root.id);
  const last = lastRepairPosition(all, root.id);
  let position = last;
  return {
    rootId: root.id,
    nodes: attached.map(({ isRoot: _, ...node }, at) => {
      if (all[at]?.parentId === node.parentId) return all[at] ?? node;
      position = positionBetween(position, null);
      repaired.push(`${node.id} had no parent and is a child of the root now`);
      return { ...node, parentId: root.id, position, groupId: 0 };
    }),
  };
}

function repairRoot(row: TreeRow): Node {
  return {
    id: nodeId(deriveId('mended-root', row.id)),
    parentId: null,
    position: positionBetween(null, null),
    seq: row.nextSeq,
    kind: 'root',
    role: 'root',
    status: 'success',
    groupId: 0,
    createdAt: row.createdAt,
    matchParent: null,
    key: null,
    tokens: 0,
    addedIn: Math.max(1, row.version),
    contentIn: Math.max(1, row.version),
    removedIn: null,
    lastChildId: null,
    message: null,
    text: '',
    meta: {},
    marker: null,
    aliases: [],
  };
}

function lastRepairPosition(nodes: readonly Node[], parentId: NodeId): string | null {
  let last: string | null = null;
  for (const node of nodes)
    if (node.parentId === parentId && (last === null || node.position > last)) last = node.position;
  return last;
}

/** Makes the topmost node of each unreachable part, removed or not, a child of the root. */
function withParents(nodes: readonly Node[], rootId: NodeId, repaired: string[]): readonly Node[] {
  const byId = new Map<NodeId, Node>();
  const below = new Map<NodeId, Node[]>();
  for (const node of nodes) {
    byId.set(node.id, node);
    if (node.parentId === null) continue;
    const list = below.get(node.parentId);
    if (list === undefined) below.set(node.parentId, [node]);
    else list.push(node);
  }
  const reached = new Set<NodeId>();
  // A live node must not have a removed parent.
  const canHold = (parent: Node | undefined, child: Node) =>
    parent !== undefined && (parent.removedIn === null || child.removedIn !== null);
  const reach = (from: NodeId) => {
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reached.has(at)) continue;
      reached.add(at);
      for (const child of below.get(at) ?? []) if (canHold(byId.get(at), child)) open.push(child.id);
    }
  };
  reach(rootId);
  const moved = new Map<NodeId, Node>();
  let position = lastRepairPosition(nodes, rootId);
  const attachToRoot = (node: Node) => {
    position = positionBetween(position, null);
    const meta = { ...node.meta, recoveredFrom: node.parentId };
    moved.set(node.id, { ...node, parentId: rootId, position, groupId: 0, meta });
    repaired.push(`${node.id} had the invalid parent ${node.parentId} and is a child of the root now`);
    reach(node.id);
  };
  const unreached = nodes.filter((node) => node.parentId !== null && !reached.has(node.id)).sort(bySeq);
  // First the nodes without a valid parent are attached, with their descendants. The remaining nodes form cycles, which
  // are cut at the oldest node.
  for (const node of unreached)
    if (node.parentId !== null && !canHold(byId.get(node.parentId), node)) attachToRoot(node);
  for (const node of unreached) if (!reached.has(node.id)) attachToRoot(node);
  return moved.size === 0 ? nodes : nodes.map((node) => moved.get(node.id) ?? node);
}

/** Replaces invalid positions, beside which no planner could insert a node. The nodes stay in their order. */
function withValidPositions(nodes: readonly Node[], repaired: string[]): readonly Node[] {
  if (nodes.every(({ position }) => isPosition(position))) return nodes;
  const siblings = new Map<NodeId | null, Node[]>();
  for (const node of nodes) {
    const list = siblings.get(node.parentId);
    if (list === undefined) siblings.set(node.parentId, [node]);
    else list.push(node);
  }
  const moved = new Map<NodeId, Node>();
  for (const list of siblings.values()) {
    const valid = list.flatMap(({ position }) => (isPosition(position) ? [position] : [])).sort();
    list.sort((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : bySeq(a, b)));
    let before: string | null = null;
    for (const node of list) {
      if (isPosition(node.position)) {
        before = node.position;
        continue;
      }
      const last: string | null = before;
      before = positionBetween(last, valid.find((position) => last === null || position > last) ?? null);
      moved.set(node.id, { ...node, position: before });
      repaired.push(`${node.id} had the invalid position ${JSON.stringify(node.position)} and got ${before}`);
    }
  }
  return nodes.map((node) => moved.get(node.id) ?? node);
}

/** Ensures that no two live siblings have the same position. The newer one moves directly behind the older one. */
function withUniquePositions(nodes: readonly Node[], repaired: string[]): readonly Node[] {
  const taken = new Map<NodeId, string[]>();
  for (const { parentId, position, removedIn } of nodes)
    if (parentId !== null && removedIn === null) {
      const list = taken.get(parentId);
      if (list === undefined) taken.set(parentId, [position]);
      else list.push(position);
    }
  for (const list of taken.values()) list.sort();
  const seen = new Set<string>();
  const moved = new Map<NodeId, Node>();
  for (const node of [...nodes].sort(bySeq)) {
    if (node.parentId === null || node.removedIn !== null) continue;
    const place = `${node.parentId} ${node.position}`;
    if (!seen.has(place)) {
      seen.add(place);
      continue;
    }
    const around = taken.get(node.parentId) ?? [];
    const after = around.find((position) => position > node.position) ?? null;
    const position = positionBetween(node.position, after);
    around.push(position);
    around.sort();
    seen.add(`${node.parentId} ${position}`);
    moved.set(node.id, { ...node, position });
    repaired.push(`${node.id} shared its position with a sibling and was moved behind it`);
  }
  return moved.size === 0 ? nodes : nodes.map((node) => moved.get(node.id) ?? node);
}

function withNumbers(nodes: readonly Node[], repaired: string[]): readonly Node[] {
  const seen = new Set<number>();
  let next = nodes.reduce((top, node) => Math.max(top, node.seq), -1) + 1;
  const renumbered = nodes.map((node) => {
    if (!seen.has(node.seq)) {
      seen.add(node.seq);
      return node;
    }
    repaired.push(`${node.id} shared its creation number and has a new one`);
    return { ...node, seq: next++ };
  });
  return next === nodes.length && renumbered.every((node, at) => node === nodes[at]) ? nodes : renumbered;
}

function withMatchParents(nodes: readonly Node[], rootId: NodeId, repaired: string[]): readonly Node[] {
  const below = new Map<NodeId, Node[]>();
  const byId = new Map<NodeId, Node>();
  for (const node of nodes) {
    byId.set(node.id, node);
    if (node.parentId === null || node.removedIn !== null) continue;
    const list = below.get(node.parentId);
    if (list === undefined) below.set(node.parentId, [node]);
    else list.push(node);
  }
  const mended = new Map<NodeId, Node>();
  const open = [rootId];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const parent = mended.get(at) ?? byId.get(at);
    if (parent === undefined) continue;
    const matchParent = matchParentOfChildren(parent);
    for (const child of below.get(at) ?? []) {
      if (child.matchParent !== matchParent) mended.set(child.id, { ...child, matchParent });
      open.push(child.id);
    }
  }
  if (mended.size > 0) repaired.push(`${mended.size} nodes have the right match parent again`);
  return mended.size === 0 ? nodes : nodes.map((node) => mended.get(node.id) ?? node);
}

/** Returns the tree row with a valid active node: the old one if it is live, else the newest leaf, else null. */
function withPointer(
  row: TreeRow,
  nodes: readonly Node[],
  live: ReadonlyMap<NodeId, Node>,
  repaired: string[],
): TreeRow {
  const parents = new Set<NodeId | null>();
  for (const node of live.values()) parents.add(node.parentId);
  let newest: Node | null = null;
  for (const node of nodes)
    if (node.removedIn === null && node.kind !== 'root' && !parents.has(node.id) && node.seq > (newest?.seq ?? -1))
      newest = node;
  const there = row.activeNodeId === null ? undefined : live.get(row.activeNodeId);
  const right = there === undefined || there.kind === 'root' ? (newest?.id ?? null) : there.id;
  if (right === row.activeNodeId) return row;
  repaired.push(`the active node of ${row.id} is ${right ?? 'none'} instead of ${row.activeNodeId ?? 'none'}`);
  return { ...row, activeNodeId: right };
}

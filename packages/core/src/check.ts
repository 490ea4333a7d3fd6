/** The invariants of a tree as a list of what is broken: used by tests, by stores and by fsck. */
import type { NodeId } from './ids.ts';
import { isBlank, isToolUse } from './message.ts';
import { type Bookmark, isMessageKind, matchParentBelow, type Node, nodeStatuses } from './node.ts';
import { orderIds } from './order.ts';
import { mapEntries } from './persistent-map.ts';
import { isPosition } from './position.ts';
import { allBookmarks, allNodes, type Tree, type TreeRow } from './tree.ts';

/** One broken invariant. A warning is odd but harmless. */
export interface Finding {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** The node it was found at, or the tree. */
  readonly id: string;
  readonly message: string;
}

class Findings {
  readonly list: Finding[] = [];
  error(code: string, id: string, message: string): void {
    this.list.push({ code, severity: 'error', id, message });
  }
  warning(code: string, id: string, message: string): void {
    this.list.push({ code, severity: 'warning', id, message });
  }
}

/** Lists every broken invariant of a tree value, the lists of children included. */
export function checkTree(tree: Tree): Finding[] {
  const nodes = allNodes(tree);
  const found = new Findings();
  found.list.push(...checkRows(tree, nodes, allBookmarks(tree)));
  const byId = new Map<string, Node>(nodes.map((node) => [node.id, node]));
  let listed = 0;
  for (const { key, node, order } of mapEntries(tree.nodes)) {
    for (const id of orderIds(order)) {
      const child = byId.get(id);
      if (child?.parentId !== key)
        found.error('children-list', id, `${key} lists ${id} as its child, which it is not.`);
      if (node.removedIn === null && child?.removedIn === null) listed++;
    }
  }
  const live = nodes.filter((node) => node.removedIn === null && node.parentId !== null).length;
  if (listed !== live) found.error('children-list', tree.id, `${live} nodes live, ${listed} are listed as children.`);
  if (tree.size !== live) found.error('size', tree.id, `The tree counts ${tree.size} nodes, ${live} live.`);
  return found.list;
}

/** Lists every broken invariant of a store's rows, removed ones included. */
export function checkRows(row: TreeRow, nodes: readonly Node[], bookmarks: readonly Bookmark[]): Finding[] {
  const found = new Findings();
  const byId = new Map<string, Node>();
  const seqs = new Set<number>();
  for (const node of nodes) {
    if (byId.has(node.id)) found.error('I07 duplicate-id', node.id, `The id ${node.id} is there twice.`);
    byId.set(node.id, node);
    if (seqs.has(node.seq)) found.error('seq-twice', node.id, `The creation number ${node.seq} is there twice.`);
    seqs.add(node.seq);
    if (node.seq >= row.nextSeq)
      found.error('seq-twice', node.id, `The creation number ${node.seq} will be given again.`);
  }
  const live = nodes.filter((node) => node.removedIn === null);
  checkRoot(row, live, found);
  for (const node of nodes) checkNode(row, node, found);
  for (const node of live) checkLinks(node, byId, found);
  checkReachable(row, live, found);
  checkPlaces(live, found);
  checkPointers(row, live, byId, bookmarks, found);
  checkCalls(live, byId, found);
  return found.list;
}

function checkRoot(row: TreeRow, live: readonly Node[], found: Findings): void {
  const roots = live.filter((node) => node.parentId === null);
  if (roots.length !== 1) found.error('I01 root-count', row.id, `The tree has ${roots.length} roots.`);
  if (roots.length === 1 && roots[0]?.id !== row.rootId)
    found.error('I01 root-count', row.id, `The tree names ${row.rootId} as its root.`);
  if (row.version < 0) found.error('I14 version-negative', row.id, `The version is ${row.version}.`);
}

function checkNode(row: TreeRow, node: Node, found: Findings): void {
  const { id, message } = node;
  if ((node.kind === 'root') !== (node.parentId === null))
    found.error('I02 root<=>null-parent', id, `${id} is a ${node.kind} with the parent ${node.parentId}.`);
  if ((node.kind === 'root') !== (message === null))
    found.error('I15 root-has-content', id, `${id} is a ${node.kind} with ${message === null ? 'no' : 'a'} message.`);
  if (node.role !== (message?.role ?? 'root')) found.error('I11 bad-role', id, `${id} has the role ${node.role}.`);
  if (message !== null && (message.role === 'tool') !== (message.tool_call_id !== undefined))
    found.error(
      'I12 tool_call_id<=>tool-role',
      id,
      `${id} has the role ${message.role} and ${message.tool_call_id === undefined ? 'no' : 'a'} tool_call_id.`,
    );
  if (!Number.isSafeInteger(node.groupId) || node.groupId < 0 || (node.kind === 'root' && node.groupId !== 0))
    found.error('I13 bad-group', id, `${id} is in the group ${node.groupId}.`);
  if (message !== null && (!Array.isArray(message.content) || message.content.length === 0))
    found.error('I16 empty-content', id, `${id} has no content.`);
  else if (message !== null && isMessageKind(node.kind) && node.status === 'success' && isBlank(message))
    found.error('J1 blank', id, `${id} says nothing.`);
  if (message?.role !== 'assistant' && message?.content.some(isToolUse))
    found.error('J2 tool-use', id, `${id} calls a tool but is no assistant's.`);
  if (!nodeStatuses.includes(node.status)) found.error('J27 status', id, `${id} has the status ${node.status}.`);
  if (isMessageKind(node.kind) !== (node.key !== null))
    found.error('key', id, `${id} is a ${node.kind} with ${node.key === null ? 'no' : 'an'} equality key.`);
  if (!isPosition(node.position)) found.error('position', id, `${id} has the place ${JSON.stringify(node.position)}.`);
  if (node.addedIn > row.version || node.contentIn > row.version || (node.removedIn ?? 0) > row.version)
    found.error('version-ahead', id, `${id} is of a version that the tree has not reached.`);
}

function checkLinks(node: Node, byId: ReadonlyMap<string, Node>, found: Findings): void {
  if (node.parentId === null) return;
  const parent = byId.get(node.parentId);
  if (parent === undefined)
    return found.error('I03 dangling-parent', node.id, `${node.id} hangs on ${node.parentId}, which is missing.`);
  if (parent.removedIn !== null)
    return found.error('live-below-removed', node.id, `${node.id} lives below ${parent.id}, which is removed.`);
  if (node.matchParent !== matchParentBelow(parent))
    found.error(
      'match-parent',
      node.id,
      `${node.id} matches below ${node.matchParent}, not ${matchParentBelow(parent)}.`,
    );
}

function checkReachable(row: TreeRow, live: readonly Node[], found: Findings): void {
  const below = new Map<string, Node[]>();
  for (const node of live) {
    if (node.parentId === null) continue;
    const list = below.get(node.parentId);
    if (list === undefined) below.set(node.parentId, [node]);
    else list.push(node);
  }
  const seen = new Set<string>([row.rootId]);
  const open: string[] = [row.rootId];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const node of below.get(at) ?? []) {
      if (seen.has(node.id)) continue;
      seen.add(node.id);
      open.push(node.id);
    }
  for (const node of live)
    if (!seen.has(node.id))
      found.error('I06 unreachable(cycle/orphan)', node.id, `${node.id} cannot be reached from the root.`);
}

function checkPlaces(live: readonly Node[], found: Findings): void {
  const places = new Set<string>();
  for (const node of live) {
    const place = `${node.parentId} ${node.position}`;
    if (places.has(place)) found.error('position-twice', node.id, `${node.id} shares its place with a sibling.`);
    places.add(place);
  }
}

function checkPointers(
  row: TreeRow,
  live: readonly Node[],
  byId: ReadonlyMap<string, Node>,
  bookmarks: readonly Bookmark[],
  found: Findings,
): void {
  const { activeNodeId: active } = row;
  const node = active === null ? undefined : byId.get(active);
  if (active !== null && node?.removedIn !== null)
    found.error('I08 active-missing-or-foreign', row.id, `The active node ${active} is not there.`);
  if (node?.kind === 'root') found.error('I09 active-is-root', row.id, 'The active node is the root.');
  const empty = live.every((one) => one.parentId === null);
  if ((active === null) !== empty)
    found.error(
      'I10 active-null-iff-empty',
      row.id,
      `The active node is ${active} in ${empty ? 'an empty' : 'a filled'} tree.`,
    );
  for (const mark of bookmarks)
    if (byId.get(mark.nodeId)?.removedIn !== null)
      found.error('bookmark-dangling', mark.nodeId, `A bookmark points at ${mark.nodeId}, which is not there.`);
}

/** A tool result answers a call above it, with only tool results and markers in between. */
function checkCalls(live: readonly Node[], byId: ReadonlyMap<string, Node>, found: Findings): void {
  for (const node of live) {
    const call = node.message?.tool_call_id;
    if (call === undefined || node.parentId === null) continue;
    let at: NodeId | null = node.parentId;
    let caller: Node | undefined;
    for (let steps = 0; at !== null && steps < live.length; steps++) {
      caller = byId.get(at);
      if (caller === undefined || (caller.role !== 'tool' && isMessageKind(caller.kind))) break;
      at = caller.parentId;
    }
    const answers = caller?.message?.content.some((block) => isToolUse(block) && block.id === call) === true;
    if (!answers)
      found.warning('J3 tool-result', node.id, `${node.id} answers the call ${call}, which is not above it.`);
  }
}

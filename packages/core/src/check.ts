/** The invariants of a tree as a list of what is broken: used by tests, by stores and by fsck. */
import { isBlank, isToolUse, type Message } from './message.ts';
import { type Bookmark, isMessageKind, matchParentBelow, type Node, nodeStatuses } from './node.ts';
import { orderIds } from './order.ts';
import { mapEntries } from './persistent-map.ts';
import { isPosition } from './position.ts';
import { allBookmarks, allNodes, type Tree, type TreeRow } from './tree.ts';

/** Everything that can be found wrong. A warning is odd but harmless. */
export const findingSeverities = {
  'I01 root-count': 'error',
  'I02 root<=>null-parent': 'error',
  'I03 dangling-parent': 'error',
  'I06 unreachable(cycle/orphan)': 'error',
  'I07 duplicate-id': 'error',
  'I08 active-missing-or-foreign': 'error',
  'I09 active-is-root': 'error',
  'I10 active-null-iff-empty': 'error',
  'I11 bad-role': 'error',
  'I12 tool_call_id<=>tool-role': 'error',
  'I13 bad-group': 'error',
  'I14 version-negative': 'error',
  'I15 root-has-content': 'error',
  'I16 empty-content': 'error',
  'J1 blank': 'error',
  'J1 block': 'error',
  'J2 tool-use': 'error',
  'J3 tool-call': 'warning',
  'J3 tool-result': 'warning',
  'J6 equal-siblings': 'warning',
  'J27 status': 'error',
  'bookmark-dangling': 'error',
  'bookmark-twice': 'error',
  'children-list': 'error',
  key: 'error',
  'live-below-removed': 'error',
  'match-parent': 'error',
  position: 'error',
  'position-twice': 'error',
  'seq-twice': 'error',
  size: 'error',
  'version-ahead': 'error',
} as const satisfies Record<string, 'error' | 'warning'>;

/** The name of something found wrong. */
export type FindingCode = keyof typeof findingSeverities;

/** One broken invariant. */
export interface Finding {
  /** One of {@link FindingCode}, or a code of a store's own check. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** The node it was found at, or the tree. */
  readonly id: string;
  readonly message: string;
}

class Findings {
  readonly list: Finding[] = [];
  add(code: FindingCode, id: string, message: string): void {
    this.list.push({ code, severity: findingSeverities[code], id, message });
  }
}

/** Lists every broken invariant of a tree value, the lists of children included. */
export function checkTree(tree: Tree): Finding[] {
  const nodes = allNodes(tree);
  const found = new Findings();
  checkAll(tree, nodes, allBookmarks(tree), found);
  checkLists(tree, nodes, found);
  return found.list;
}

/** Lists every broken invariant of a store's rows, removed ones included. */
export function checkRows(row: TreeRow, nodes: readonly Node[], bookmarks: readonly Bookmark[]): Finding[] {
  const found = new Findings();
  checkAll(row, nodes, bookmarks, found);
  return found.list;
}

function checkLists(tree: Tree, nodes: readonly Node[], found: Findings): void {
  const byId = new Map<string, Node>(nodes.map((node) => [node.id, node]));
  let listed = 0;
  for (const { key, node, order } of mapEntries(tree.nodes)) {
    for (const id of orderIds(order)) {
      const child = byId.get(id);
      if (child?.parentId !== key) found.add('children-list', id, `${key} lists ${id} as its child, which it is not.`);
      if (node.removedIn === null && child?.removedIn === null) listed++;
    }
  }
  const live = nodes.filter((node) => node.removedIn === null && node.parentId !== null).length;
  if (listed !== live) found.add('children-list', tree.id, `${live} nodes live, ${listed} are listed as children.`);
  if (tree.size !== live) found.add('size', tree.id, `The tree counts ${tree.size} nodes, ${live} live.`);
}

function checkAll(row: TreeRow, nodes: readonly Node[], bookmarks: readonly Bookmark[], found: Findings): void {
  const byId = new Map<string, Node>();
  const seqs = new Set<number>();
  for (const node of nodes) {
    if (byId.has(node.id)) found.add('I07 duplicate-id', node.id, `The id ${node.id} is there twice.`);
    byId.set(node.id, node);
    if (seqs.has(node.seq)) found.add('seq-twice', node.id, `The creation number ${node.seq} is there twice.`);
    seqs.add(node.seq);
    if (node.seq >= row.nextSeq)
      found.add('seq-twice', node.id, `The creation number ${node.seq} will be given again.`);
  }
  const live = nodes.filter((node) => node.removedIn === null);
  checkRow(row, live, found);
  for (const node of nodes) checkNode(row, node, found);
  for (const node of nodes) checkLinks(node, byId, found);
  const fromTheTop = reached(row, nodes, found);
  checkSiblings(live, found);
  checkActive(row, live, byId, found);
  checkBookmarks(byId, bookmarks, found);
  checkCalls(fromTheTop, found);
}

function checkRow(row: TreeRow, live: readonly Node[], found: Findings): void {
  const roots = live.filter((node) => node.parentId === null);
  if (roots.length !== 1) found.add('I01 root-count', row.id, `The tree has ${roots.length} roots.`);
  if (roots.length === 1 && roots[0]?.id !== row.rootId)
    found.add('I01 root-count', row.id, `The tree names ${row.rootId} as its root.`);
  if (row.version < 0) found.add('I14 version-negative', row.id, `The version is ${row.version}.`);
  if (row.structureVersion > row.version)
    found.add('version-ahead', row.id, `The structure is of version ${row.structureVersion}, the tree ${row.version}.`);
}

function checkNode(row: TreeRow, node: Node, found: Findings): void {
  const { id, message } = node;
  if ((node.kind === 'root') !== (node.parentId === null))
    found.add('I02 root<=>null-parent', id, `${id} is a ${node.kind} with the parent ${node.parentId}.`);
  if ((node.kind === 'root') !== (message === null))
    found.add('I15 root-has-content', id, `${id} is a ${node.kind} with ${message === null ? 'no' : 'a'} message.`);
  if (node.role !== (message?.role ?? 'root')) found.add('I11 bad-role', id, `${id} has the role ${node.role}.`);
  if (!Number.isSafeInteger(node.groupId) || node.groupId < 0 || (node.kind === 'root' && node.groupId !== 0))
    found.add('I13 bad-group', id, `${id} is in the group ${node.groupId}.`);
  if (message !== null) checkContent(node, message, found);
  if (!nodeStatuses.includes(node.status)) found.add('J27 status', id, `${id} has the status ${node.status}.`);
  if (isMessageKind(node.kind) !== (node.key !== null))
    found.add('key', id, `${id} is a ${node.kind} with ${node.key === null ? 'no' : 'an'} equality key.`);
  if (!isPosition(node.position)) found.add('position', id, `${id} has the place ${JSON.stringify(node.position)}.`);
  if (node.addedIn > row.version || node.contentIn > row.version || (node.removedIn ?? 0) > row.version)
    found.add('version-ahead', id, `${id} is of a version that the tree has not reached.`);
}

function checkContent(node: Node, message: Message, found: Findings): void {
  const { id } = node;
  if ((message.role === 'tool') !== (message.tool_call_id !== undefined))
    found.add(
      'I12 tool_call_id<=>tool-role',
      id,
      `${id} has the role ${message.role} and ${message.tool_call_id === undefined ? 'no' : 'a'} tool_call_id.`,
    );
  if (!Array.isArray(message.content) || message.content.length === 0)
    return found.add('I16 empty-content', id, `${id} has no content.`);
  if (message.content.some((block) => typeof block?.type !== 'string'))
    return found.add('J1 block', id, `${id} has a block without a type.`);
  if (isMessageKind(node.kind) && node.status === 'success' && isBlank(message))
    found.add('J1 blank', id, `${id} says nothing.`);
  const calls = message.content.filter(isToolUse);
  if (calls.length > 0 && message.role !== 'assistant')
    found.add('J2 tool-use', id, `${id} calls a tool but is no assistant's.`);
  if (new Set(calls.map((call) => call.id)).size < calls.length)
    found.add('J2 tool-use', id, `${id} uses one tool call id twice.`);
  const formed = calls.every(
    (call) =>
      typeof call.id === 'string' &&
      typeof call.name === 'string' &&
      typeof call.parameters === 'object' &&
      call.parameters !== null &&
      !Array.isArray(call.parameters),
  );
  if (!formed) found.add('J2 tool-use', id, `${id} calls a tool without id, name and parameters object.`);
}

function checkLinks(node: Node, byId: ReadonlyMap<string, Node>, found: Findings): void {
  if (node.parentId === null) return;
  const parent = byId.get(node.parentId);
  if (parent === undefined)
    return found.add('I03 dangling-parent', node.id, `${node.id} hangs on ${node.parentId}, which is missing.`);
  // What lies in the trash gets its match parent when it comes back.
  if (node.removedIn !== null) return;
  if (parent.removedIn !== null)
    return found.add('live-below-removed', node.id, `${node.id} lives below ${parent.id}, which is removed.`);
  if (node.matchParent !== matchParentBelow(parent))
    found.add(
      'match-parent',
      node.id,
      `${node.id} matches below ${node.matchParent}, not ${matchParentBelow(parent)}.`,
    );
}

/** Every node that hangs on the root, parents before children. Removed ones too: a walk up from the trash must end. */
function reached(row: TreeRow, nodes: readonly Node[], found: Findings): readonly Node[] {
  const below = new Map<string, Node[]>();
  for (const node of nodes) {
    if (node.parentId === null) continue;
    const list = below.get(node.parentId);
    if (list === undefined) below.set(node.parentId, [node]);
    else list.push(node);
  }
  const order: Node[] = [];
  const open: string[] = [row.rootId];
  // A second root that a repair put into the trash hangs on nothing either: a walk up from there ends with it.
  for (const { id, kind, parentId, removedIn } of nodes)
    if (kind === 'root' && parentId === null && removedIn !== null) open.push(id);
  const seen = new Set<string>(open);
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const node of below.get(at) ?? []) {
      if (seen.has(node.id)) continue;
      seen.add(node.id);
      order.push(node);
      open.push(node.id);
    }
  for (const node of nodes)
    if (!seen.has(node.id))
      found.add('I06 unreachable(cycle/orphan)', node.id, `${node.id} cannot be reached from the root.`);
  return order;
}

function checkSiblings(live: readonly Node[], found: Findings): void {
  const places = new Set<string>();
  const said = new Set<string>();
  for (const node of live) {
    const place = `${node.parentId} ${node.position}`;
    if (places.has(place)) found.add('position-twice', node.id, `${node.id} shares its place with a sibling.`);
    places.add(place);
    // Members of a group were made side by side on purpose.
    if (node.key === null || node.groupId > 0 || node.status !== 'success') continue;
    const text = `${node.parentId} ${node.key}`;
    if (said.has(text)) found.add('J6 equal-siblings', node.id, `${node.id} says the same as a sibling.`);
    said.add(text);
  }
}

function checkActive(row: TreeRow, live: readonly Node[], byId: ReadonlyMap<string, Node>, found: Findings): void {
  const { activeNodeId: active } = row;
  const node = active === null ? undefined : byId.get(active);
  if (active !== null && node?.removedIn !== null)
    found.add('I08 active-missing-or-foreign', row.id, `The active node ${active} is not there.`);
  if (node?.kind === 'root') found.add('I09 active-is-root', row.id, 'The active node is the root.');
  const empty = live.every((one) => one.parentId === null);
  if ((active === null) !== empty)
    found.add(
      'I10 active-null-iff-empty',
      row.id,
      `The active node is ${active} in ${empty ? 'an empty' : 'a filled'} tree.`,
    );
}

function checkBookmarks(byId: ReadonlyMap<string, Node>, bookmarks: readonly Bookmark[], found: Findings): void {
  const marked = new Set<string>();
  for (const { nodeId } of bookmarks) {
    const node = byId.get(nodeId);
    if (node?.removedIn !== null || node.kind === 'root')
      found.add('bookmark-dangling', nodeId, `A bookmark points at ${nodeId}, which is no live message.`);
    if (marked.has(nodeId)) found.add('bookmark-twice', nodeId, `${nodeId} has two bookmarks.`);
    marked.add(nodeId);
  }
}

/** The calls of the nearest message above that are, and are not yet, answered on the way down. */
interface Calls {
  readonly caller: Node;
  readonly all: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
}

/** A tool result answers a call above it, with only tool results and markers in between; a turn goes on once all are answered. */
function checkCalls(fromTheTop: readonly Node[], found: Findings): void {
  const states = new Map<string, Calls>();
  const unanswered = new Set<string>();
  for (const node of fromTheTop) {
    if (node.removedIn !== null || node.message === null || node.parentId === null) continue;
    const above = states.get(node.parentId);
    const below = callsBelow(node, node.message, above);
    if (below !== undefined) states.set(node.id, below);
    const call = node.message.tool_call_id;
    if (call !== undefined && above?.all.has(call) !== true)
      found.add('J3 tool-result', node.id, `${node.id} answers the call ${call}, which is not above it.`);
    if (isMessageKind(node.kind) && node.role !== 'tool' && above !== undefined && above.open.size > 0)
      unanswered.add(above.caller.id);
  }
  for (const id of unanswered)
    found.add('J3 tool-call', id, `${id} calls a tool, and the talk goes on without its result.`);
}

function callsBelow(node: Node, message: Message, above: Calls | undefined): Calls | undefined {
  if (!isMessageKind(node.kind)) return above;
  if (node.role === 'tool') {
    if (above === undefined || !above.open.has(message.tool_call_id ?? '')) return above;
    const open = new Set(above.open);
    open.delete(message.tool_call_id ?? '');
    return { ...above, open };
  }
  if (!Array.isArray(message.content)) return undefined;
  const all = new Set(message.content.filter((block) => block && isToolUse(block)).map((call) => call.id));
  return all.size === 0 ? undefined : { caller: node, all, open: all };
}

/** Checks the invariants of a tree and lists those that are broken; used by tests, stores and fsck. */

import { childListIds } from './child-list.ts';
import { isFieldMap } from './decode.ts';
import { groupBy } from './group-by.ts';
import type { NodeId } from './ids.ts';
import { isBlank, isToolUse, type Message, type ToolUseBlock } from './message.ts';
import { type Bookmark, isMessageKind, matchParentOfChildren, type Node, nodeStatuses, roleOf } from './node.ts';
import { mapEntries } from './persistent-map.ts';
import { isPosition } from './position.ts';
import { allBookmarks, allNodes, type Tree, type TreeRow } from './tree.ts';

/** Every finding code with its severity. A warning is harmless; an error breaks reads or writes. */
export const treeFindingSeverities = {
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

/** A key of {@link treeFindingSeverities}. */
export type TreeFindingCode = keyof typeof treeFindingSeverities;

/** A broken invariant, and the node or tree that breaks it. */
export interface TreeFinding {
  /** One of {@link TreeFindingCode}, or a code of a store's own check. */
  readonly code: string;
  readonly severity: 'error' | 'warning';
  /** The id of the affected node or tree. */
  readonly id: string;
  readonly message: string;
}

/** Adds a finding to the list. `what` is the rest of a sentence that starts with the id. */
type CheckNote = (code: TreeFindingCode, id: string, what: string) => void;

function findings(check: (note: CheckNote) => void): TreeFinding[] {
  const list: TreeFinding[] = [];
  check((code, id, what) => list.push({ code, severity: treeFindingSeverities[code], id, message: `${id} ${what}.` }));
  return list;
}

/** Returns whether the value was seen before, and marks it as seen. */
function isRepeated<T>(met: Set<T>, one: T): boolean {
  return met.has(one) || !met.add(one);
}

/** Lists every broken invariant of a tree value, child lists included. */
export function checkTree(tree: Tree): TreeFinding[] {
  const nodes = allNodes(tree);
  return findings((note) => {
    checkAll(tree, nodes, allBookmarks(tree), note);
    checkLists(tree, nodes, note);
  });
}

/** Lists every broken invariant of a store's rows, removed nodes included. */
export function checkRows(row: TreeRow, nodes: readonly Node[], bookmarks: readonly Bookmark[]): TreeFinding[] {
  return findings((note) => checkAll(row, nodes, bookmarks, note));
}

function checkLists(tree: Tree, nodes: readonly Node[], note: CheckNote): void {
  const byId = new Map<string, Node>(nodes.map((node) => [node.id, node]));
  let listed = 0;
  for (const { key, node, children: order } of mapEntries(tree.nodes))
    for (const id of childListIds(order)) {
      const child = byId.get(id);
      if (child?.parentId !== key) note('children-list', id, `is listed as a child of ${key}, but has another parent`);
      if (node.removedIn === null && child?.removedIn === null) listed++;
    }
  const live = nodes.filter((node) => node.removedIn === null && node.parentId !== null).length;
  if (listed !== live) note('children-list', tree.id, `has ${live} live nodes, but lists ${listed} as children`);
  if (tree.size !== live) note('size', tree.id, `has ${live} live nodes, but counts ${tree.size}`);
}

function checkAll(row: TreeRow, nodes: readonly Node[], bookmarks: readonly Bookmark[], note: CheckNote): void {
  const byId = new Map<string, Node>();
  const seqs = new Set<number>();
  for (const node of nodes) {
    const { id, seq } = node;
    if (byId.has(id)) note('I07 duplicate-id', id, 'exists twice');
    byId.set(id, node);
    if (isRepeated(seqs, seq)) note('seq-twice', id, `has the creation number ${seq}, like another node`);
    if (seq >= row.nextSeq)
      note('seq-twice', id, `has the creation number ${seq}, which the next node would get again`);
  }
  const live = nodes.filter((node) => node.removedIn === null);
  checkRow(row, live, byId, note);
  for (const node of nodes) checkNodeRow(row, node, note);
  for (const node of nodes) checkLinks(node, byId, note);
  checkSiblings(live, note);
  checkBookmarks(byId, bookmarks, note);
  checkCalls(reachableNodes(row, nodes, note), note);
}

function checkRow(row: TreeRow, live: readonly Node[], byId: ReadonlyMap<string, Node>, note: CheckNote): void {
  const { id, rootId, version, structureVersion, activeNodeId: active } = row;
  const roots = live.filter((node) => node.parentId === null);
  if (roots.length !== 1) note('I01 root-count', id, `has ${roots.length} roots`);
  else if (roots[0]?.id !== rootId)
    note('I01 root-count', id, `names ${rootId} as its root, but another node is the root`);
  if (version < 0) note('I14 version-negative', id, `has the version ${version}`);
  if (structureVersion > version)
    note('version-ahead', id, `has the version ${version}, its structure ${structureVersion}`);
  const node = active === null ? undefined : byId.get(active);
  if (active !== null && node?.removedIn !== null)
    note('I08 active-missing-or-foreign', id, `has the active node ${active}, which is missing`);
  if (node?.kind === 'root') note('I09 active-is-root', id, 'has its root as the active node');
  const empty = live.length === roots.length;
  if ((active === null) !== empty)
    note('I10 active-null-iff-empty', id, `has the active node ${active} and is ${empty ? '' : 'not '}empty`);
}

function checkNodeRow(row: TreeRow, node: Node, note: CheckNote): void {
  const { id, kind, parentId, message, role, groupId, status, key, position } = node;
  const root = kind === 'root';
  if (root !== (parentId === null)) note('I02 root<=>null-parent', id, `is a ${kind} with the parent ${parentId}`);
  if (root !== (message === null))
    note('I15 root-has-content', id, `is a ${kind} with ${message === null ? 'no' : 'a'} message`);
  if (role !== roleOf(message)) note('I11 bad-role', id, `has the role ${role}`);
  if (!Number.isSafeInteger(groupId) || groupId < 0 || (root && groupId !== 0))
    note('I13 bad-group', id, `is in the group ${groupId}`);
  if (message !== null) checkContent(node, message, note);
  if (!nodeStatuses.includes(status)) note('J27 status', id, `has the status ${status}`);
  if (isMessageKind(kind) !== (key !== null))
    note('key', id, `is a ${kind} with ${key === null ? 'no' : 'an'} equality key`);
  if (!isPosition(position)) note('position', id, `has the invalid position ${JSON.stringify(position)}`);
  if (Math.max(node.addedIn, node.contentIn, node.removedIn ?? 0) > row.version)
    note('version-ahead', id, 'has a version that the tree has not reached');
}

function checkContent({ id, kind, status }: Node, message: Message, note: CheckNote): void {
  const { role, content, tool_call_id: call } = message;
  if ((role === 'tool') !== (call !== undefined))
    note(
      'I12 tool_call_id<=>tool-role',
      id,
      `has the role ${role} and ${call === undefined ? 'no' : 'a'} tool_call_id`,
    );
  if (!Array.isArray(content) || content.length === 0) return note('I16 empty-content', id, 'has no content');
  if (content.some((block) => typeof block?.type !== 'string'))
    return note('J1 block', id, 'has a block without a type');
  if (isMessageKind(kind) && status === 'success' && isBlank(message)) note('J1 blank', id, 'is empty');
  const calls = content.filter(isToolUse);
  if (calls.length > 0 && role !== 'assistant')
    note('J2 tool-use', id, 'calls a tool, but is not an assistant message');
  if (new Set(calls.map((one) => one.id)).size < calls.length)
    note('J2 tool-use', id, 'uses the same tool call id twice');
  if (!calls.every(isFormed)) note('J2 tool-use', id, 'has a tool-use block without id, name and parameters object');
}

function isFormed({ id, name, parameters }: ToolUseBlock): boolean {
  return typeof id === 'string' && typeof name === 'string' && isFieldMap(parameters);
}

function checkLinks(
  { id, parentId, removedIn, matchParent }: Node,
  byId: ReadonlyMap<string, Node>,
  note: CheckNote,
): void {
  if (parentId === null) return;
  const parent = byId.get(parentId);
  if (parent === undefined) return note('I03 dangling-parent', id, `has the parent ${parentId}, which is missing`);
  // The match parent of a removed node is recomputed when it is restored.
  if (removedIn !== null) return;
  if (parent.removedIn !== null) return note('live-below-removed', id, `has the parent ${parentId}, which is removed`);
  const right = matchParentOfChildren(parent);
  if (matchParent !== right) note('match-parent', id, `matches under ${matchParent}, not ${right}`);
}

/**
 * Returns every node below the root, parents before children. Removed nodes are included, because walks up from removed
 * nodes must end as well.
 */
function reachableNodes(row: TreeRow, nodes: readonly Node[], note: CheckNote): readonly Node[] {
  const below = groupBy<Node, string>(nodes, (node) => node.parentId);
  const order: Node[] = [];
  const open: string[] = [row.rootId];
  // A second root that a repair moved to the trash has no parent, so walks up from its descendants end there.
  for (const { id, kind, parentId, removedIn } of nodes)
    if (kind === 'root' && parentId === null && removedIn !== null) open.push(id);
  const seen = new Set<string>(open);
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const node of below.get(at) ?? []) {
      if (isRepeated(seen, node.id)) continue;
      order.push(node);
      open.push(node.id);
    }
  for (const { id } of nodes)
    if (!seen.has(id)) note('I06 unreachable(cycle/orphan)', id, 'cannot be reached from the root');
  return order;
}

function checkSiblings(live: readonly Node[], note: CheckNote): void {
  const places = new Set<string>();
  const contents = new Set<string>();
  for (const { id, parentId, position, key, groupId, status } of live) {
    if (isRepeated(places, `${parentId} ${position}`)) note('position-twice', id, 'has the same position as a sibling');
    // Members of one group may be equal, because one action created them on purpose.
    if (key !== null && groupId <= 0 && status === 'success' && isRepeated(contents, `${parentId} ${key}`))
      note('J6 equal-siblings', id, 'has the same content as a sibling');
  }
}

function checkBookmarks(byId: ReadonlyMap<string, Node>, bookmarks: readonly Bookmark[], note: CheckNote): void {
  const marked = new Set<string>();
  for (const { nodeId } of bookmarks) {
    const node = byId.get(nodeId);
    if (node?.removedIn !== null || node.kind === 'root')
      note('bookmark-dangling', nodeId, 'has a bookmark, but is not a live message');
    if (isRepeated(marked, nodeId)) note('bookmark-twice', nodeId, 'has two bookmarks');
  }
}

/** The tool calls of the nearest message above, and the calls among them that have no result yet. */
interface OpenToolCalls {
  readonly caller: NodeId;
  readonly all: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
}

/**
 * Checks that only tool results and markers are between a tool call and its result, and that the conversation continues
 * only after all calls have a result.
 */
function checkCalls(parentsFirst: readonly Node[], note: CheckNote): void {
  const states = new Map<string, OpenToolCalls>();
  const unanswered = new Set<string>();
  for (const node of parentsFirst) {
    if (node.removedIn !== null || node.message === null || node.parentId === null) continue;
    const above = states.get(node.parentId);
    const below = callsBelow(node, node.message, above);
    if (below !== undefined) states.set(node.id, below);
    const call = node.message.tool_call_id;
    if (call !== undefined && above?.all.has(call) !== true)
      note('J3 tool-result', node.id, `answers the call ${call}, which is not above it`);
    if (isMessageKind(node.kind) && node.role !== 'tool' && above !== undefined && above.open.size > 0)
      unanswered.add(above.caller);
  }
  for (const id of unanswered) note('J3 tool-call', id, 'calls a tool, but later messages follow without its result');
}

function callsBelow(
  { id, kind, role }: Node,
  message: Message,
  above: OpenToolCalls | undefined,
): OpenToolCalls | undefined {
  const { content, tool_call_id: call = '' } = message;
  if (!isMessageKind(kind)) return above;
  if (role === 'tool') {
    if (above === undefined || !above.open.has(call)) return above;
    const open = new Set(above.open);
    open.delete(call);
    return { ...above, open };
  }
  if (!Array.isArray(content)) return undefined;
  const all = new Set(content.filter((block) => block && isToolUse(block)).map((one) => one.id));
  return all.size === 0 ? undefined : { caller: id, all, open: all };
}

import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { nodeId } from '../ids.ts';
import { textMessage } from '../message.ts';
import { isMessageKind, type Marker, type NewNode, type Node, type NodeMeta } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type Reading } from '../reads.ts';
import type { Step } from '../steps/types.ts';
import {
  type Ground,
  grow,
  type PlanContext,
  type Planner,
  plan,
  pointing,
  settled,
  theMessage,
  theNode,
  theTree,
} from './context.ts';

/** Copies a branch of another tree below a node, with new ids. */
export interface GraftCommand {
  readonly type: 'graft';
  readonly treeId: TreeId;
  readonly from: { readonly treeId: TreeId; readonly nodeId: NodeId };
  readonly parentId: NodeId;
  readonly select?: boolean;
}

/** Copies a message, or a range of a path, to the end of the active branch. */
export interface CherryPickCommand {
  readonly type: 'cherry-pick';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  /** The end of the range, below `nodeId`. */
  readonly to?: NodeId;
  /** The tree to pick from; this one if not given. */
  readonly from?: TreeId;
  /** Where the copy hangs; the active node if not given. */
  readonly parentId?: NodeId;
}

/** Brings a side branch back: as one summary, or as its messages. */
export interface MergeCommand {
  readonly type: 'merge';
  readonly treeId: TreeId;
  /** The tip of the branch that is brought back. */
  readonly nodeId: NodeId;
  readonly mode?: 'summary' | 'messages';
  /** What the branch came to; needed for a summary. */
  readonly summary?: string;
  /** The end of the branch that it is brought back to; the active node if not given. */
  readonly parentId?: NodeId;
  /** Notes and particulars of the summary. */
  readonly meta?: NodeMeta;
  readonly details?: Marker['details'];
}

/** What was copied. */
export interface Copied {
  /** The copy of what was named last. */
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
}

/** A copy's metadata: what the user and the model noted goes along, and where it came from. */
function copiedMeta(
  node: Node,
  treeId: TreeId,
  how: 'copiedFrom' | 'pickedFrom',
  ids: ReadonlyMap<string, NodeId>,
): NodeMeta {
  const { splitSource, ...noted } = node.meta;
  // The other half is the copy of it, or none: a half never points out of its tree.
  const half = splitSource === undefined ? undefined : ids.get(splitSource);
  const halves = half === undefined ? {} : { splitSource: half };
  return { ...noted, ...halves, [how]: { treeId, nodeId: node.id } };
}

/** A copied node: a reply that was pending there never ends here, so it is an error. */
function copyOf(
  context: PlanContext,
  node: Node,
  parent: Ground,
  position: string,
  id: NodeId,
  meta: NodeMeta,
  groupId: number,
): NewNode {
  const { message } = node;
  if (message === null) return refuse('tree/root-protected', 'The root cannot be copied.', { nodeId: node.id });
  return grow(context, parent, position, {
    id,
    message,
    kind: node.kind,
    status: node.status === 'pending' ? 'error' : node.status,
    groupId,
    meta,
    createdAt: node.createdAt,
    ...(node.marker === null ? {} : { marker: node.marker }),
  });
}

/** What is copied and where to. */
export interface Copying {
  readonly treeId: TreeId;
  /** Parents before their children. */
  readonly nodes: readonly Node[];
  /** The copied tops hang on this node there, and on this one here. */
  readonly from: NodeId;
  readonly ground: Ground;
  /** The place of a single top; tops keep their places if not given. */
  readonly position?: string;
  readonly groups: 'kept' | 'reset';
}

/** Insert steps that copy nodes with new ids. A top is in no group unless all siblings come along. */
export function copyNodes(
  context: PlanContext,
  copying: Copying,
): { readonly steps: Step[]; readonly ids: Map<NodeId, NodeId> } {
  const steps: Step[] = [];
  const ids = new Map<NodeId, NodeId>();
  const grown = new Map<NodeId, Ground>([[copying.from, copying.ground]]);
  for (const node of copying.nodes) ids.set(node.id, nodeId(context.newId()));
  for (const node of copying.nodes) {
    const parent = grown.get(node.parentId ?? node.id);
    const id = ids.get(node.id);
    if (parent === undefined || id === undefined) continue;
    const top = node.parentId === copying.from;
    const place = top ? (copying.position ?? node.position) : node.position;
    const groupId = copying.groups === 'reset' || (top && copying.position !== undefined) ? 0 : node.groupId;
    const meta = copiedMeta(node, copying.treeId, 'copiedFrom', ids);
    const copy = copyOf(context, node, parent, place, id, meta, groupId);
    const landed = { ...copy, marker: copy.marker === null ? null : remarked(copy.marker, ids) };
    grown.set(node.id, landed);
    steps.push({ type: 'insert', node: landed });
  }
  return { steps, ids };
}

/** Pointers of a marker at nodes that are copied too go to their copies. */
function remarked(marker: Marker, ids: ReadonlyMap<NodeId, NodeId>): Marker {
  const firstKept = marker.firstKept === undefined ? undefined : ids.get(marker.firstKept);
  const from = marker.from === undefined ? undefined : ids.get(marker.from);
  return { ...marker, ...(firstKept === undefined ? {} : { firstKept }), ...(from === undefined ? {} : { from }) };
}

/** Copies a subtree from another tree of the same owner. */
export const graft: Planner<GraftCommand, Copied> = function* (command, context) {
  const { from } = command;
  const row = yield* theTree(context);
  const parent = yield* theNode(command.parentId);
  const top = yield* theNode(from.nodeId, from.treeId);
  if (top.parentId === null)
    refuse('tree/root-protected', `The root of ${from.treeId} cannot be grafted: name a message.`, { nodeId: top.id });
  const nodes = yield* ask('subtree', { of: top.id, treeId: from.treeId });
  const edge = yield* ask('edge', { of: parent.id });
  const { steps, ids } = copyNodes(context, {
    treeId: from.treeId,
    nodes,
    from: top.parentId ?? top.id,
    ground: parent,
    position: positionBetween(edge, null),
    groups: 'kept',
  });
  const copy = ids.get(top.id) ?? refuse('tree/unknown-node', `There is no node ${top.id}.`, { nodeId: top.id });
  if (command.select === true || row.activeNodeId === null) {
    const leaf = yield* ask('lastVisited', { from: top.id, treeId: from.treeId });
    steps.push(...pointing(row, ids.get(leaf) ?? copy));
  }
  return plan(steps, { nodeId: copy, added: [...ids.values()] });
};

/** Copies messages below the active node; markers in the range stay where they are. */
export const cherryPick: Planner<CherryPickCommand, Copied> = function* (command, context) {
  const treeId = command.from ?? context.treeId;
  const first = yield* theNode(command.nodeId, command.from);
  if (first.parentId === null)
    refuse('tree/root-protected', `The root of ${treeId} is no message: it cannot be picked.`, { nodeId: first.id });
  const range =
    command.to === undefined || command.to === first.id ? [first] : yield* rangeOf(first, command.to, command.from);
  return yield* picked(context, treeId, range, command.parentId);
};

function* rangeOf(first: Node, to: NodeId, from: TreeId | undefined): Reading<Node[]> {
  yield* theNode(to, from);
  const { nodes } = yield* ask('path', from === undefined ? { to } : { to, treeId: from });
  const start = nodes.findIndex((node) => node.id === first.id);
  if (start === -1)
    refuse('tree/not-on-path', `The node ${first.id} is not on the path to ${to}.`, { nodeId: first.id });
  return nodes.slice(start);
}

function* picked(context: PlanContext, treeId: TreeId, range: readonly Node[], parentId: NodeId | undefined) {
  const row = yield* theTree(context);
  const messages = range.filter((node) => isMessageKind(node.kind));
  const [first] = messages;
  if (first === undefined)
    return refuse('command/invalid', 'There is no message in this range to copy.', {
      nodeIds: range.map((node) => node.id),
    });
  for (const node of messages) settled(node);
  let parent: Ground = yield* theNode(parentId ?? row.activeNodeId ?? row.rootId);
  let position = positionBetween(yield* ask('edge', { of: parent.id }), null);
  const steps: Step[] = [];
  const added: NodeId[] = [];
  for (const node of messages) {
    const id = nodeId(context.newId());
    const meta = copiedMeta(node, treeId, 'pickedFrom', new Map());
    // A pick is said again here and now; a copied branch keeps its times.
    const createdAt = Math.max(context.now, parent.createdAt);
    const copy = { ...copyOf(context, node, parent, position, id, meta, 0), createdAt };
    steps.push({ type: 'insert', node: copy });
    added.push(id);
    parent = copy;
    position = positionBetween(null, null);
  }
  return plan<Copied>([...steps, ...pointing(row, added[added.length - 1] ?? null)], {
    nodeId: added[added.length - 1] ?? first.id,
    added,
  });
}

/** How many nodes of a path, from its beginning, the path to another node has too. */
function* sharedWith(nodes: readonly Node[], other: NodeId): Reading<number> {
  let shared = 0;
  let parted = nodes.length;
  // The shared ones come first, so that halving finds the fork in a few reads, however deep it lies.
  while (shared < parted) {
    const mid = (shared + parted) >> 1;
    const id = nodes[mid]?.id;
    if (id !== undefined && (yield* ask('above', { id, below: other }))) shared = mid + 1;
    else parted = mid;
  }
  return shared;
}

/** Brings a branch back to the end of the active one. */
export const merge: Planner<MergeCommand, Copied> = function* (command, context) {
  const row = yield* theTree(context);
  const tip = yield* theMessage(command.nodeId, 'merged');
  const active =
    command.parentId ??
    row.activeNodeId ??
    refuse('command/invalid', 'There is no active branch to merge into.', { treeId: row.id });
  if (yield* ask('above', { id: tip.id, below: active }))
    refuse('command/invalid', `The node ${tip.id} is on the active branch already.`, { nodeId: tip.id });
  if (command.mode === 'messages') {
    const { nodes } = yield* ask('path', { to: tip.id });
    return yield* picked(context, context.treeId, nodes.slice(yield* sharedWith(nodes, active)), active);
  }
  const { summary } = command;
  if (summary === undefined || summary.trim() === '')
    return refuse('message/blank', `A merge of ${tip.id} needs a summary.`, { nodeId: tip.id });
  const parent = yield* theNode(active);
  const position = positionBetween(yield* ask('edge', { of: parent.id }), null);
  const id = nodeId(context.newId());
  const details = command.details === undefined ? {} : { details: command.details };
  const node = grow(context, parent, position, {
    id,
    kind: 'branch-summary',
    message: textMessage('system', summary),
    marker: { from: tip.id, mergedFrom: { treeId: context.treeId, nodeId: tip.id }, ...details },
    ...(command.meta === undefined ? {} : { meta: command.meta }),
  });
  return plan<Copied>([{ type: 'insert', node }, ...pointing(row, id)], { nodeId: id, added: [id] });
};

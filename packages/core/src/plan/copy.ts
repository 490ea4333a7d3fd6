import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { nodeId } from '../ids.ts';
import { isMessageKind, type Marker, type Node, type NodeMeta } from '../node.ts';
import { positionBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import { omitNullish } from '../rows.ts';
import type { Step } from '../steps/types.ts';
import {
  assertNotPending,
  buildNode,
  buildSelectSteps,
  type ParentInfo,
  type PlanContext,
  type Planner,
  positionAfterLast,
  requireMessage,
  requireNode,
  requireTree,
  toPlan,
} from './context.ts';
import { parseSummary, planMarkerInsertion } from './marker.ts';

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
  /** The tree of the copied messages; by default this tree. */
  readonly from?: TreeId;
  /** The parent of the copy; defaults to the active node. */
  readonly parentId?: NodeId;
}

/** Merges a side branch into another branch: as one summary, or as copies of its messages. */
export interface MergeCommand {
  readonly type: 'merge';
  readonly treeId: TreeId;
  /** The last node of the branch to merge. */
  readonly nodeId: NodeId;
  readonly mode?: 'summary' | 'messages';
  /** The summary of the branch; required in summary mode. */
  readonly summary?: string;
  /** The end of the branch to merge into; defaults to the active node. */
  readonly parentId?: NodeId;
  /** Metadata of the summary. */
  readonly meta?: NodeMeta;
  readonly details?: Marker['details'];
}

/** The copies that a graft, a cherry-pick or a merge added. */
export interface CopyResult {
  /** The copy of the last node; the target itself if nothing was copied. */
  readonly nodeId: NodeId;
  readonly added: readonly NodeId[];
}

/** Which nodes {@link copyNodes} copies, and below which parent. */
export interface NodeCopyRequest {
  readonly treeId: TreeId;
  /** The nodes to copy, parents before their children. */
  readonly nodes: readonly Node[];
  /** The parent of the copied roots in the source; `parentInfo` is their new parent. */
  readonly from: NodeId;
  readonly parentInfo: ParentInfo;
  /** The position of a single copied root. Without it each copy keeps its position. */
  readonly position?: string;
  readonly groups: 'kept' | 'reset';
  /**
   * `pickedFrom` gives the copies the current time, `copiedFrom` keeps the times. Also the metadata field that records
   * the origin.
   */
  readonly how: 'copiedFrom' | 'pickedFrom';
}

/**
 * Builds insert steps that copy nodes with new ids. A root that is copied to a given position is in no group, because
 * its siblings are not copied.
 */
export function copyNodes(
  context: PlanContext,
  { treeId, nodes, from, parentInfo, position, groups, how }: NodeCopyRequest,
): { readonly steps: Step[]; readonly ids: Map<NodeId, NodeId> } {
  const steps: Step[] = [];
  const ids = new Map<NodeId, NodeId>();
  const grown = new Map<NodeId, ParentInfo>([[from, parentInfo]]);
  const again = how === 'pickedFrom';
  const copyOf = (id: string | undefined) => (id === undefined || again ? undefined : ids.get(nodeId(id)));
  for (const node of nodes) ids.set(node.id, nodeId(context.newId()));
  for (const node of nodes) {
    const { message, kind, status, marker } = node;
    const { splitSource, continues, ...noted } = node.meta;
    const parent = grown.get(node.parentId ?? node.id);
    const id = ids.get(node.id);
    if (parent === undefined || id === undefined || message === null) continue;
    const put = node.parentId === from ? position : undefined;
    const made = buildNode(context, parent, put ?? node.position, {
      id,
      message,
      kind,
      // No run will finish the copy of a pending reply.
      status: status === 'pending' ? 'error' : status,
      groupId: groups === 'reset' || put !== undefined ? 0 : node.groupId,
      // Metadata of the user and the model is copied. A link to the other half of a split text is changed to that
      // half's copy, or dropped, because it must not refer to another tree.
      meta: {
        ...noted,
        ...omitNullish({ splitSource: copyOf(splitSource), continues: copyOf(continues) }),
        [how]: { treeId, nodeId: node.id },
      },
      createdAt: again ? undefined : node.createdAt,
      // References to nodes that are copied as well are changed to their copies.
      marker: marker && {
        ...marker,
        ...omitNullish<Marker>({ firstKept: copyOf(marker.firstKept), from: copyOf(marker.from) }),
      },
    });
    grown.set(node.id, made);
    steps.push({ type: 'insert', node: made });
  }
  return { steps, ids };
}

/** Copies a subtree from another tree of the same owner. */
export const planGraft: Planner<GraftCommand, CopyResult> = function* (command, context) {
  const { from } = command;
  const row = yield* requireTree(context);
  const parent = yield* requireNode(command.parentId);
  const top = yield* requireMessage(from.nodeId, 'moved', from.treeId);
  const nodes = yield* ask('subtree', { of: top.id, treeId: from.treeId });
  const position = yield* positionAfterLast(parent.id);
  const { steps, ids } = copyNodes(context, {
    treeId: from.treeId,
    nodes,
    from: top.parentId,
    parentInfo: parent,
    position,
    groups: 'kept',
    how: 'copiedFrom',
  });
  const copy = ids.get(top.id) ?? refuse('tree/unknown-node', `There is no message ${top.id}.`, { nodeId: top.id });
  if (command.select === true || row.activeNodeId === null) {
    const leaf = yield* ask('lastVisited', { from: top.id, treeId: from.treeId });
    steps.push(...buildSelectSteps(row, ids.get(leaf) ?? copy));
  }
  return toPlan(steps, { nodeId: copy, added: [...ids.values()] });
};

/** Copies messages to the end of the active branch; markers in the range are left out. */
export const planCherryPick: Planner<CherryPickCommand, CopyResult> = function* (command, context) {
  const treeId = command.from ?? context.treeId;
  const first = yield* requireMessage(command.nodeId, 'copied', command.from);
  const range =
    command.to === undefined || command.to === first.id ? [first] : yield* copyRange(first, command.to, command.from);
  return yield* pickRange(context, treeId, range, command.parentId);
};

function* copyRange(first: Node, to: NodeId, from: TreeId | undefined): ReadProgram<Node[]> {
  yield* requireNode(to, from);
  const { nodes } = yield* ask('path', { to, treeId: from });
  const start = nodes.findIndex((node) => node.id === first.id);
  if (start === -1)
    refuse('tree/not-on-path', `The message ${first.id} is not on the path to ${to}.`, { nodeId: first.id });
  return nodes.slice(start);
}

function* pickRange(context: PlanContext, treeId: TreeId, range: readonly Node[], parentId: NodeId | undefined) {
  const row = yield* requireTree(context);
  const messages = range.filter((node) => isMessageKind(node.kind));
  const [first] = messages;
  if (first === undefined)
    return refuse('command/invalid', 'There is no message in this range to copy.', {
      nodeIds: range.map((node) => node.id),
    });
  for (const node of messages) assertNotPending(node);
  const parentInfo = yield* requireNode(parentId ?? row.activeNodeId ?? row.rootId);
  const from = first.parentId ?? first.id;
  const position = yield* positionAfterLast(parentInfo.id);
  const below = positionBetween(null, null);
  const { steps, ids } = copyNodes(context, {
    treeId,
    // The copies form one chain, even if markers were between the originals.
    nodes: messages.map((node, at) => ({ ...node, parentId: messages[at - 1]?.id ?? from, position: below })),
    from,
    parentInfo,
    position,
    groups: 'reset',
    how: 'pickedFrom',
  });
  const added = [...ids.values()];
  const last = added.at(-1) ?? parentInfo.id;
  return toPlan<CopyResult>([...steps, ...buildSelectSteps(row, last)], { nodeId: last, added });
}

/** Counts the nodes at the start of a path that are also on the path to another node. */
function* countShared(nodes: readonly Node[], other: NodeId): ReadProgram<number> {
  let shared = 0;
  let parted = nodes.length;
  // Shared nodes are at the start of the path, so a binary search finds the fork with few reads at any depth.
  while (shared < parted) {
    const mid = (shared + parted) >> 1;
    const id = nodes[mid]?.id;
    if (id !== undefined && (yield* ask('isAncestorOrSelf', { id, below: other }))) shared = mid + 1;
    else parted = mid;
  }
  return shared;
}

/** Merges a branch into the end of the active branch. */
export const planMerge: Planner<MergeCommand, CopyResult> = function* (command, context) {
  const row = yield* requireTree(context);
  const tip = yield* requireMessage(command.nodeId, 'merged');
  const active =
    command.parentId ??
    row.activeNodeId ??
    refuse('command/invalid', 'There is no active branch to merge into.', { treeId: row.id });
  if (yield* ask('isAncestorOrSelf', { id: tip.id, below: active }))
    refuse(
      'command/invalid',
      `The message ${tip.id} is already on the active branch. Name a message of another branch.`,
      { nodeId: tip.id },
    );
  if (command.mode === 'messages') {
    const { nodes } = yield* ask('path', { to: tip.id });
    return yield* pickRange(context, context.treeId, nodes.slice(yield* countShared(nodes, active)), active);
  }
  const parent = yield* requireNode(active);
  const marker = omitNullish<Marker>({
    from: tip.id,
    mergedFrom: { treeId: context.treeId, nodeId: tip.id },
    details: command.details,
  });
  const message = parseSummary(command.summary, tip.id);
  return yield* planMarkerInsertion(command, context, row, { kind: 'branch-summary', message, parent, marker });
};

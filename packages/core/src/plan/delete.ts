import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { type Bookmark, isMessageKind, type Node, type NodeHead } from '../node.ts';
import { positionsBetween } from '../position.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { BookmarkStep, MoveStep, RestoreStep, Step } from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';
import {
  assertNotPending,
  buildSelectSteps,
  type PlanContext,
  type Planner,
  refusePendingReplies,
  requireMessage,
  requireTree,
  toPlan,
} from './context.ts';

/** Moves nodes to the trash. */
export interface DeleteCommand {
  readonly type: 'delete';
  readonly treeId: TreeId;
  readonly nodeIds: readonly NodeId[];
  /** Splice (the default) moves the children to the removed node's parent; cascade removes the whole subtree. */
  readonly mode?: 'splice' | 'cascade';
}

/** Removes all members of a node's group; their children become children of the parent. */
export interface DeleteGroupCommand {
  readonly type: 'delete-group';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/** Removes every message; the root stays. */
export interface ClearCommand {
  readonly type: 'clear';
  readonly treeId: TreeId;
}

/** What a delete removed, and the active node and bookmarks afterwards. */
export interface DeleteResult {
  /** The named nodes that were removed; with cascade only the roots of the removed subtrees. */
  readonly removed: readonly NodeId[];
  /** The parent of the first removed node. */
  readonly parentId: NodeId | null;
  readonly activeNodeId: NodeId | null;
  readonly bookmarks: { readonly moved: readonly Bookmark[]; readonly removed: readonly Bookmark[] };
}

/** A preview of a delete: the number of removed nodes, and which of them are active, bookmarked or pending. */
export interface DeleteImpact {
  /** The number of nodes that would be removed. */
  readonly count: number;
  readonly bookmarks: readonly Bookmark[];
  /** Replies in the subtree that are still being generated. While there are any, the delete is refused. */
  readonly pending: readonly NodeId[];
  /** Whether the active node would be removed. */
  readonly active: boolean;
}

type DeleteTarget = Node & { readonly parentId: NodeId };

/** Deletes nodes in one commit, by splice or by cascade. */
export const planDelete: Planner<DeleteCommand, DeleteResult> = function* (command, context) {
  const targets = yield* targetsOf(command);
  return command.mode === 'cascade' ? yield* cascade(context, targets) : yield* splice(context, targets);
};

/** Previews {@link planDelete}. Throws for the same reasons, except for pending replies. */
export function* readDeleteImpact(command: DeleteCommand, context: PlanContext): ReadProgram<DeleteImpact> {
  const row = yield* requireTree(context);
  const targets = yield* targetsOf(command);
  const ids = targets.map((node) => node.id);
  const bookmarks: Bookmark[] = [];
  const pending = new Set<NodeId>();
  let count = 0;
  let active = false;
  if (command.mode === 'cascade') {
    for (const of of yield* ask('withoutDescendants', { ids })) {
      const inside = yield* ask('subtreeInfo', { of });
      for (const mark of inside.bookmarks) bookmarks.push(mark);
      for (const id of inside.pending) pending.add(id);
      count += yield* ask('count', { of });
      active ||= inside.active;
    }
    return { count, bookmarks, pending: [...pending], active };
  }
  for (const node of targets) {
    const mark = yield* ask('bookmark', { on: node.id });
    if (mark !== null) bookmarks.push(mark);
    for (const { id, status } of [node, ...(yield* ask('children', { of: node.id }))])
      if (status === 'pending') pending.add(id);
    active ||= node.id === row.activeNodeId;
  }
  return { count: targets.length, bookmarks, pending: [...pending], active };
}

function* targetsOf(command: DeleteCommand): ReadProgram<DeleteTarget[]> {
  const targets: DeleteTarget[] = [];
  for (const id of new Set(command.nodeIds)) targets.push(yield* requireMessage(id, 'deleted alone'));
  if (targets.length === 0) refuse('command/invalid', 'The list of messages is empty: name at least one.');
  return targets;
}

/**
 * Deletes the group of a node by splice; a node without a group is deleted alone. Refused while a member is pending.
 */
export const planDeleteGroup: Planner<DeleteGroupCommand, DeleteResult> = function* (command, context) {
  const node = yield* requireMessage(command.nodeId, 'deleted alone');
  const targets: DeleteTarget[] = [];
  for (const child of yield* ask('children', { of: node.parentId }))
    if (child.id === node.id || (node.groupId > 0 && child.groupId === node.groupId))
      targets.push(yield* requireMessage(child.id, 'deleted'));
  return yield* splice(context, targets);
};

/** Removes all messages of a tree. Does nothing in an empty tree. */
export const planClear: Planner<ClearCommand, DeleteResult> = function* (_command, context) {
  const row = yield* requireTree(context);
  const turns = yield* ask('children', { of: row.rootId });
  const inside = yield* ask('subtreeInfo', { of: row.rootId });
  refusePendingReplies(inside.pending);
  const steps: Step[] = inside.bookmarks.map(removeBookmarks);
  for (const turn of turns) steps.push({ type: 'remove', nodeId: turn.id });
  if (turns.length > 0) steps.push(...buildSelectSteps(row, null));
  const removed = turns.map((turn) => turn.id);
  return toPlan(steps, {
    removed,
    parentId: row.rootId,
    activeNodeId: null,
    bookmarks: { moved: [], removed: inside.bookmarks },
  });
};

function removeBookmarks(before: Bookmark): BookmarkStep {
  return { type: 'bookmark', nodeId: before.nodeId, after: null, before };
}

function* cascade(context: PlanContext, targets: readonly DeleteTarget[]) {
  const row = yield* requireTree(context);
  const removed = yield* ask('withoutDescendants', { ids: targets.map((node) => node.id) });
  const topmost = new Set<string>(removed);
  const topTargets = targets.filter((node) => topmost.has(node.id));
  const steps: Step[] = [];
  const removedBookmarks: Bookmark[] = [];
  let home: NodeId | null = null;
  for (const top of topTargets) {
    const inside = yield* ask('subtreeInfo', { of: top.id });
    refusePendingReplies(inside.pending);
    for (const mark of inside.bookmarks) {
      steps.push(removeBookmarks(mark));
      removedBookmarks.push(mark);
    }
    if (inside.active) home = top.parentId;
    steps.push({ type: 'remove', nodeId: top.id });
  }
  const active = home === null ? row.activeNodeId : yield* findNextActive(row, home, removed);
  const result: DeleteResult = {
    removed,
    parentId: topTargets[0]?.parentId ?? null,
    activeNodeId: active,
    bookmarks: { moved: [], removed: removedBookmarks },
  };
  return toPlan([...steps, ...buildSelectSteps(row, active)], result);
}

/** Returns the next active node after a removal: the newest remaining leaf below the parent, or the parent itself. */
export function* findNextActive(row: TreeRow, home: NodeId, without: readonly NodeId[]): ReadProgram<NodeId | null> {
  const leaf = yield* ask('newestLeaf', { below: home, without });
  return leaf ?? (home === row.rootId ? null : home);
}

/** The state of a splice: the removed nodes, their children, and the new parents of the remaining children. */
interface Splice {
  readonly removed: ReadonlyMap<string, DeleteTarget>;
  readonly children: ReadonlyMap<string, readonly NodeHead[]>;
  /** The nearest remaining ancestor of each removed node. */
  readonly newParents: ReadonlyMap<string, NodeId>;
  /** The nodes that were already moved up. */
  readonly hoisted: Set<string>;
}

function* spliceTargets(targets: readonly DeleteTarget[]): ReadProgram<Splice> {
  const removed = new Map<string, DeleteTarget>(targets.map((node) => [node.id, node]));
  const children = new Map<string, readonly NodeHead[]>();
  for (const node of targets) {
    assertNotPending(node);
    const below = yield* ask('children', { of: node.id });
    // A pending reply among the children would lose the message that it answers.
    below.forEach(assertNotPending);
    children.set(node.id, below);
  }
  const newParents = new Map<string, NodeId>();
  for (const node of targets) {
    // Results are cached per node, so that removing a whole chain visits each node once.
    const chain: DeleteTarget[] = [];
    let at: DeleteTarget | undefined = node;
    let home: NodeId | undefined;
    while (at !== undefined && home === undefined) {
      if (chain.push(at) > removed.size) throwCycleError(at.id);
      home = newParents.get(at.parentId) ?? (removed.has(at.parentId) ? undefined : at.parentId);
      at = removed.get(at.parentId);
    }
    for (const below of chain) newParents.set(below.id, home ?? below.parentId);
  }
  return { removed, children, newParents, hoisted: new Set() };
}

function* splice(context: PlanContext, targets: readonly DeleteTarget[]) {
  const row = yield* requireTree(context);
  const state = yield* spliceTargets(targets);
  const topTargets = targets.filter((node) => !state.removed.has(node.parentId));
  const steps: Step[] = [];
  const freshGroups = new Map<string, number>();
  for (const top of topTargets) for (const step of yield* hoistChildren(top, state, freshGroups)) steps.push(step);
  const marks = yield* hoistBookmarks(row, targets, state);
  for (const step of marks.steps) steps.push(step);
  for (const top of topTargets) steps.push({ type: 'remove', nodeId: top.id });
  const active = yield* afterSplice(row, state);
  const result: DeleteResult = {
    removed: targets.map((node) => node.id),
    parentId: topTargets[0]?.parentId ?? null,
    activeNodeId: active,
    bookmarks: { moved: marks.moved, removed: marks.removed },
  };
  return toPlan([...steps, ...buildSelectSteps(row, active)], result);
}

/**
 * Moves the remaining children of a removed node to its position, in order. Each group of variants gets a new number.
 */
function* hoistChildren(top: DeleteTarget, state: Splice, freshGroups: Map<string, number>): ReadProgram<MoveStep[]> {
  const remaining = remainingChildren(top, state);
  if (remaining.length === 0) return [];
  const matchParent = yield* matchParentIn(top.parentId, state);
  const gap = yield* ask('neighbourPositions', { of: top.parentId, position: top.position });
  const highest = yield* ask('groupMax', { of: top.parentId });
  // The positions are before that of the removed node, so that undo finds the old position free.
  const positions = positionsBetween(gap.before, top.position, remaining.length);
  const counter = `next ${top.parentId}`;
  for (const child of remaining) state.hoisted.add(child.id);
  return remaining.map((child, index): MoveStep => {
    const old = `${child.parentId} ${child.groupId}`;
    if (child.groupId > 0 && !freshGroups.has(old)) {
      const next = (freshGroups.get(counter) ?? highest) + 1;
      freshGroups.set(counter, next);
      freshGroups.set(old, next);
    }
    const groupId = child.groupId === 0 ? 0 : (freshGroups.get(old) ?? 0);
    return {
      type: 'move',
      nodeId: child.id,
      to: {
        parentId: top.parentId,
        position: positions[index] ?? child.position,
        groupId,
        matchParent,
      },
      from: treePositionOf(child),
    };
  });
}

/** Throws for a node that is its own ancestor; only damaged rows contain one. */
export function throwCycleError(id: NodeId): never {
  return refuse('store/damaged', `The message ${id} is its own ancestor: coppice fsck --repair fixes this.`, {
    nodeId: id,
  });
}

/** Returns the match parent that a child has after the splice. */
function* matchParentIn(parentId: NodeId, { removed, hoisted: up, newParents }: Splice): ReadProgram<NodeId> {
  let at = parentId;
  const passed = new Set<NodeId>();
  for (;;) {
    const node = yield* ask('node', { id: at });
    if (node === null) return refuse('tree/broken-path', `The message ${at} is missing.`, { nodeId: at });
    if (node.parentId === null || isMessageKind(node.kind)) return at;
    if (passed.has(at)) throwCycleError(at);
    passed.add(at);
    // A marker that was already moved up has its new parent. A marker that is moved later moves its messages as well.
    at = up.has(at) && removed.has(node.parentId) ? (newParents.get(node.parentId) ?? node.parentId) : node.parentId;
  }
}

/** Builds the step that restores a removed node, with a new position if its old one is taken. */
export function buildRestoreStep({ id, position: old }: NodeHead, version: number, position: string): RestoreStep {
  return { type: 'restore', nodeId: id, version, ...(position === old ? {} : { position }) };
}

/** Returns the parent, position, group and match parent of a node; throws for the root. */
export function treePositionOf(node: NodeHead): MoveStep['from'] {
  const parentId =
    node.parentId ??
    refuse('tree/root-protected', 'The beginning of a chat cannot be moved: choose a message.', { nodeId: node.id });
  return { parentId, position: node.position, groupId: node.groupId, matchParent: node.matchParent ?? parentId };
}

/** Returns the children that remain, in order; removed children are replaced by their own remaining children. */
function remainingChildren(top: DeleteTarget, { removed, children }: Splice): NodeHead[] {
  const remaining: NodeHead[] = [];
  const open: NodeHead[] = [...(children.get(top.id) ?? [])].reverse();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (!removed.has(at.id)) remaining.push(at);
    else for (const child of [...(children.get(at.id) ?? [])].reverse()) open.push(child);
  }
  return remaining;
}

function* hoistBookmarks(row: TreeRow, targets: readonly DeleteTarget[], { newParents }: Splice) {
  const steps: BookmarkStep[] = [];
  const moved: Bookmark[] = [];
  const removed: Bookmark[] = [];
  const taken = new Set<string>();
  for (const node of targets) {
    const before = yield* ask('bookmark', { on: node.id });
    if (before === null) continue;
    steps.push(removeBookmarks(before));
    const home = newParents.get(node.id) ?? node.parentId;
    const free = home !== row.rootId && !taken.has(home) && (yield* ask('bookmark', { on: home })) === null;
    if (!free) {
      removed.push(before);
      continue;
    }
    const after = { ...before, nodeId: home };
    taken.add(home);
    moved.push(after);
    steps.push({ type: 'bookmark', nodeId: home, after, before: null });
  }
  return { steps, moved, removed };
}

function* afterSplice(row: TreeRow, { removed, children, newParents }: Splice): ReadProgram<NodeId | null> {
  const home = row.activeNodeId === null ? undefined : newParents.get(row.activeNodeId);
  if (home === undefined) return row.activeNodeId;
  // A removed node with remaining descendants is never chosen, because it is not a leaf. A removed node without
  // remaining descendants must be excluded with its subtree.
  const withRemaining = new Set<string>();
  for (const [id, heads] of children) {
    if (heads.every((head) => removed.has(head.id))) continue;
    for (let at = removed.get(id); at !== undefined && !withRemaining.has(at.id); at = removed.get(at.parentId))
      withRemaining.add(at.id);
  }
  const emptyTargets: NodeId[] = [];
  for (const { id } of removed.values()) if (!withRemaining.has(id)) emptyTargets.push(id);
  return yield* findNextActive(row, home, emptyTargets);
}

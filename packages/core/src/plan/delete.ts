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
  /** Splice (the default) moves the children up to the place of the node; cascade removes the whole subtree. */
  readonly mode?: 'splice' | 'cascade';
}

/** Removes all members of a node's group; their children move up. */
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

/** The result of a delete. */
export interface DeleteResult {
  /** The roots of the removed subtrees. */
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
export const deleteNodes: Planner<DeleteCommand, DeleteResult> = function* (command, context) {
  const doomed = yield* targetsOf(command);
  return command.mode === 'cascade' ? yield* cascade(context, doomed) : yield* splice(context, doomed);
};

/** Previews {@link deleteNodes}. Throws for the same reasons, except for pending replies. */
export function* impactOf(command: DeleteCommand, context: PlanContext): ReadProgram<DeleteImpact> {
  const row = yield* requireTree(context);
  const doomed = yield* targetsOf(command);
  const ids = doomed.map((node) => node.id);
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
  for (const node of doomed) {
    const mark = yield* ask('bookmark', { on: node.id });
    if (mark !== null) bookmarks.push(mark);
    for (const { id, status } of [node, ...(yield* ask('children', { of: node.id }))])
      if (status === 'pending') pending.add(id);
    active ||= node.id === row.activeNodeId;
  }
  return { count: doomed.length, bookmarks, pending: [...pending], active };
}

function* targetsOf(command: DeleteCommand): ReadProgram<DeleteTarget[]> {
  const doomed: DeleteTarget[] = [];
  for (const id of new Set(command.nodeIds))
    doomed.push(yield* requireMessage(id, 'deleted alone: it goes with its tree'));
  if (doomed.length === 0) refuse('command/invalid', 'No node was named.');
  return doomed;
}

/** Deletes a group of variants. Refused while one of them is pending. */
export const deleteGroup: Planner<DeleteGroupCommand, DeleteResult> = function* (command, context) {
  const node = yield* requireMessage(command.nodeId, 'deleted alone: it goes with its tree');
  const doomed: DeleteTarget[] = [];
  for (const child of yield* ask('children', { of: node.parentId }))
    if (child.id === node.id || (node.groupId > 0 && child.groupId === node.groupId))
      doomed.push(yield* requireMessage(child.id, 'deleted'));
  return yield* splice(context, doomed);
};

/** Removes all messages of a tree. An empty tree does not change. */
export const clear: Planner<ClearCommand, DeleteResult> = function* (_command, context) {
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

function* cascade(context: PlanContext, doomed: readonly DeleteTarget[]) {
  const row = yield* requireTree(context);
  const removed = yield* ask('withoutDescendants', { ids: doomed.map((node) => node.id) });
  const topmost = new Set<string>(removed);
  const tops = doomed.filter((node) => topmost.has(node.id));
  const steps: Step[] = [];
  const gone: Bookmark[] = [];
  let home: NodeId | null = null;
  for (const top of tops) {
    const inside = yield* ask('subtreeInfo', { of: top.id });
    refusePendingReplies(inside.pending);
    for (const mark of inside.bookmarks) {
      steps.push(removeBookmarks(mark));
      gone.push(mark);
    }
    if (inside.active) home = top.parentId;
    steps.push({ type: 'remove', nodeId: top.id });
  }
  const active = home === null ? row.activeNodeId : yield* findNextActive(row, home, removed);
  const result: DeleteResult = {
    removed,
    parentId: tops[0]?.parentId ?? null,
    activeNodeId: active,
    bookmarks: { moved: [], removed: gone },
  };
  return toPlan([...steps, ...buildSelectSteps(row, active)], result);
}

/** Returns the next active node after a removal: the newest remaining leaf below the parent, or the parent itself. */
export function* findNextActive(row: TreeRow, home: NodeId, without: readonly NodeId[]): ReadProgram<NodeId | null> {
  const leaf = yield* ask('newestLeaf', { below: home, without });
  return leaf ?? (home === row.rootId ? null : home);
}

/** The nodes that a splice removes, their children, and the new parents of the remaining children. */
interface Splice {
  readonly goes: ReadonlyMap<string, DeleteTarget>;
  readonly children: ReadonlyMap<string, readonly NodeHead[]>;
  /** The nearest remaining ancestor of each removed node. */
  readonly homes: ReadonlyMap<string, NodeId>;
  /** The nodes that were already moved up. */
  readonly raised: Set<string>;
}

function* spliceTargets(doomed: readonly DeleteTarget[]): ReadProgram<Splice> {
  const goes = new Map<string, DeleteTarget>(doomed.map((node) => [node.id, node]));
  const children = new Map<string, readonly NodeHead[]>();
  for (const node of doomed) {
    assertNotPending(node);
    const below = yield* ask('children', { of: node.id });
    // A pending reply among the children would lose the message that it answers.
    below.forEach(assertNotPending);
    children.set(node.id, below);
  }
  const homes = new Map<string, NodeId>();
  for (const node of doomed) {
    // Results are cached per node, so that removing a whole chain visits each node once.
    const way: DeleteTarget[] = [];
    let at: DeleteTarget | undefined = node;
    let home: NodeId | undefined;
    while (at !== undefined && home === undefined) {
      if (way.push(at) > goes.size) throwCycleError(at.id);
      home = homes.get(at.parentId) ?? (goes.has(at.parentId) ? undefined : at.parentId);
      at = goes.get(at.parentId);
    }
    for (const below of way) homes.set(below.id, home ?? below.parentId);
  }
  return { goes, children, homes, raised: new Set() };
}

function* splice(context: PlanContext, doomed: readonly DeleteTarget[]) {
  const row = yield* requireTree(context);
  const going = yield* spliceTargets(doomed);
  const tops = doomed.filter((node) => !going.goes.has(node.parentId));
  const steps: Step[] = [];
  const freshGroups = new Map<string, number>();
  for (const top of tops) for (const step of yield* hoistChildren(top, going, freshGroups)) steps.push(step);
  const marks = yield* hoistBookmarks(row, doomed, going);
  for (const step of marks.steps) steps.push(step);
  for (const top of tops) steps.push({ type: 'remove', nodeId: top.id });
  const active = yield* afterSplice(row, going);
  const result: DeleteResult = {
    removed: doomed.map((node) => node.id),
    parentId: tops[0]?.parentId ?? null,
    activeNodeId: active,
    bookmarks: { moved: marks.moved, removed: marks.removed },
  };
  return toPlan([...steps, ...buildSelectSteps(row, active)], result);
}

/** Moves the children of a removed node to its place, in order. Each group of variants gets a new group number. */
function* hoistChildren(top: DeleteTarget, going: Splice, freshGroups: Map<string, number>): ReadProgram<MoveStep[]> {
  const heirs = remainingChildren(top, going);
  if (heirs.length === 0) return [];
  const matchParent = yield* matchParentIn(top.parentId, going);
  const gap = yield* ask('neighbourPositions', { of: top.parentId, position: top.position });
  const highest = yield* ask('groupMax', { of: top.parentId });
  // The positions are before that of the removed node, so that undo finds the old position free.
  const positions = positionsBetween(gap.before, top.position, heirs.length);
  const counter = `next ${top.parentId}`;
  for (const heir of heirs) going.raised.add(heir.id);
  return heirs.map((heir, index): MoveStep => {
    const old = `${heir.parentId} ${heir.groupId}`;
    if (heir.groupId > 0 && !freshGroups.has(old)) {
      const next = (freshGroups.get(counter) ?? highest) + 1;
      freshGroups.set(counter, next);
      freshGroups.set(old, next);
    }
    const groupId = heir.groupId === 0 ? 0 : (freshGroups.get(old) ?? 0);
    return {
      type: 'move',
      nodeId: heir.id,
      to: {
        parentId: top.parentId,
        position: positions[index] ?? heir.position,
        groupId,
        matchParent,
      },
      from: treePositionOf(heir),
    };
  });
}

/** Throws the error for a node that is its own ancestor. */
export function throwCycleError(id: NodeId): never {
  return refuse('store/damaged', `The node ${id} is below itself.`, { nodeId: id });
}

/** Returns the match parent of a child after the removed ancestors are gone. */
function* matchParentIn(parentId: NodeId, { goes, raised: up, homes }: Splice): ReadProgram<NodeId> {
  let at = parentId;
  const passed = new Set<NodeId>();
  for (;;) {
    const node = yield* ask('node', { id: at });
    if (node === null) return refuse('tree/broken-path', `The node ${at} is missing.`, { nodeId: at });
    if (node.parentId === null || isMessageKind(node.kind)) return at;
    if (passed.has(at)) throwCycleError(at);
    passed.add(at);
    // A marker that was already moved up has its new parent. A marker that is moved later moves its messages as well.
    at = up.has(at) && goes.has(node.parentId) ? (homes.get(node.parentId) ?? node.parentId) : node.parentId;
  }
}

/** Builds the step that restores a removed node, with a new position if its old one is taken. */
export function buildRestoreStep({ id, position: old }: NodeHead, version: number, position: string): RestoreStep {
  return { type: 'restore', nodeId: id, version, ...(position === old ? {} : { position }) };
}

/** Returns the current parent and position of a node. */
export function treePositionOf(node: NodeHead): MoveStep['from'] {
  const parentId = node.parentId ?? refuse('tree/root-protected', 'The root cannot be moved.', { nodeId: node.id });
  return { parentId, position: node.position, groupId: node.groupId, matchParent: node.matchParent ?? parentId };
}

/** Returns the children that remain, in order; removed children are replaced by their own remaining children. */
function remainingChildren(top: DeleteTarget, { goes, children }: Splice): NodeHead[] {
  const heirs: NodeHead[] = [];
  const open: NodeHead[] = [...(children.get(top.id) ?? [])].reverse();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (!goes.has(at.id)) heirs.push(at);
    else for (const child of [...(children.get(at.id) ?? [])].reverse()) open.push(child);
  }
  return heirs;
}

function* hoistBookmarks(row: TreeRow, doomed: readonly DeleteTarget[], { homes }: Splice) {
  const steps: BookmarkStep[] = [];
  const moved: Bookmark[] = [];
  const removed: Bookmark[] = [];
  const taken = new Set<string>();
  for (const node of doomed) {
    const before = yield* ask('bookmark', { on: node.id });
    if (before === null) continue;
    steps.push(removeBookmarks(before));
    const home = homes.get(node.id) ?? node.parentId;
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

function* afterSplice(row: TreeRow, { goes, children, homes }: Splice): ReadProgram<NodeId | null> {
  const home = row.activeNodeId === null ? undefined : homes.get(row.activeNodeId);
  if (home === undefined) return row.activeNodeId;
  // A removed node with remaining descendants is never chosen, because it is not a leaf. A removed node without
  // remaining descendants must be excluded with its subtree.
  const fertile = new Set<string>();
  for (const [id, heads] of children) {
    if (heads.every((head) => goes.has(head.id))) continue;
    for (let at = goes.get(id); at !== undefined && !fertile.has(at.id); at = goes.get(at.parentId)) fertile.add(at.id);
  }
  const emptyTargets: NodeId[] = [];
  for (const { id } of goes.values()) if (!fertile.has(id)) emptyTargets.push(id);
  return yield* findNextActive(row, home, emptyTargets);
}

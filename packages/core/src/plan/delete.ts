import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import { type Bookmark, matchParentBelow, type Node, type NodeHead } from '../node.ts';
import { positionsBetween } from '../position.ts';
import { ask, type Reading } from '../reads.ts';
import type { BookmarkStep, MoveStep, Step } from '../steps/types.ts';
import type { TreeRow } from '../tree.ts';
import { type PlanContext, type Planner, plan, pointing, settled, theMessage, theTree } from './context.ts';

/** Takes nodes out of the tree, into the trash. */
export interface DeleteCommand {
  readonly type: 'delete';
  readonly treeId: TreeId;
  readonly nodeIds: readonly NodeId[];
  /** Splice (the default) puts the children in the node's place; cascade takes the whole subtree. */
  readonly mode?: 'splice' | 'cascade';
}

/** Takes all members of a node's group out, their children put in their places. */
export interface DeleteGroupCommand {
  readonly type: 'delete-group';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/** Takes every message out; the root stays. */
export interface ClearCommand {
  readonly type: 'clear';
  readonly treeId: TreeId;
}

/** What went and where the user is now. */
export interface Deleted {
  /** The tops of what went. */
  readonly removed: readonly NodeId[];
  /** The parent of the first of them. */
  readonly parentId: NodeId | null;
  readonly activeNodeId: NodeId | null;
  readonly bookmarks: { readonly moved: readonly Bookmark[]; readonly removed: readonly Bookmark[] };
}

type Doomed = Node & { readonly parentId: NodeId };

/** Deletes nodes in one commit, by splice or by cascade. */
export const deleteNodes: Planner<DeleteCommand, Deleted> = function* (command, context) {
  const doomed: Doomed[] = [];
  for (const id of new Set(command.nodeIds)) doomed.push(yield* theMessage(id, 'deleted alone: it goes with its tree'));
  if (doomed.length === 0) refuse('command/invalid', 'No node was named.', {});
  return command.mode === 'cascade' ? yield* cascade(context, doomed) : yield* splice(context, doomed);
};

/** Deletes a group of variants. Refused while one of them is pending. */
export const deleteGroup: Planner<DeleteGroupCommand, Deleted> = function* (command, context) {
  const node = yield* theMessage(command.nodeId, 'deleted alone: it goes with its tree');
  const doomed: Doomed[] = [];
  for (const child of yield* ask('children', { of: node.parentId }))
    if (child.id === node.id || (node.groupId > 0 && child.groupId === node.groupId))
      doomed.push(yield* theMessage(child.id, 'deleted'));
  return yield* splice(context, doomed);
};

/** Empties a tree. Nothing to do in an empty one. */
export const clear: Planner<ClearCommand, Deleted> = function* (_command, context) {
  const row = yield* theTree(context);
  const turns = yield* ask('children', { of: row.rootId });
  const inside = yield* ask('inside', { of: row.rootId });
  refusePending(inside.pending);
  const steps: Step[] = inside.bookmarks.map(unmark);
  for (const turn of turns) steps.push({ type: 'remove', nodeId: turn.id });
  if (turns.length > 0) steps.push(...pointing(row, null));
  const removed = turns.map((turn) => turn.id);
  return plan(steps, {
    removed,
    parentId: row.rootId,
    activeNodeId: null,
    bookmarks: { moved: [], removed: inside.bookmarks },
  });
};

function unmark(before: Bookmark): BookmarkStep {
  return { type: 'bookmark', nodeId: before.nodeId, after: null, before };
}

function refusePending(pending: readonly NodeId[]): void {
  const [first] = pending;
  if (first !== undefined)
    refuse('tree/pending', `A reply is still being written into ${first}: stop it first.`, { nodeIds: pending });
}

function* cascade(context: PlanContext, doomed: readonly Doomed[]) {
  const row = yield* theTree(context);
  const removed = yield* ask('topmost', { ids: doomed.map((node) => node.id) });
  const tops = doomed.filter((node) => removed.includes(node.id));
  const steps: Step[] = [];
  const gone: Bookmark[] = [];
  let home: NodeId | null = null;
  for (const top of tops) {
    const inside = yield* ask('inside', { of: top.id });
    refusePending(inside.pending);
    for (const mark of inside.bookmarks) {
      steps.push(unmark(mark));
      gone.push(mark);
    }
    if (inside.active) home = top.parentId;
    steps.push({ type: 'remove', nodeId: top.id });
  }
  const active = home === null ? row.activeNodeId : yield* survivor(row, home, removed);
  const result: Deleted = {
    removed,
    parentId: tops[0]?.parentId ?? null,
    activeNodeId: active,
    bookmarks: { moved: [], removed: gone },
  };
  return plan([...steps, ...pointing(row, active)], result);
}

/** Where the user is after the active node went: the newest leaf that is left below its parent, or the parent. */
export function* survivor(row: TreeRow, home: NodeId, without: readonly NodeId[]): Reading<NodeId | null> {
  const leaf = yield* ask('newestLeaf', { below: home, without });
  return leaf ?? (home === row.rootId ? null : home);
}

function* splice(context: PlanContext, doomed: readonly Doomed[]) {
  const row = yield* theTree(context);
  for (const node of doomed) settled(node);
  const goes = new Map<string, Doomed>(doomed.map((node) => [node.id, node]));
  const tops = doomed.filter((node) => !goes.has(node.parentId));
  const steps: Step[] = [];
  const freshGroups = new Map<string, number>();
  for (const top of tops) for (const step of yield* raised(top, goes, freshGroups)) steps.push(step);
  const marks = yield* carriedUp(row, doomed, goes);
  steps.push(...marks.steps);
  for (const top of tops) steps.push({ type: 'remove', nodeId: top.id });
  const active = yield* afterSplice(row, goes);
  const result: Deleted = {
    removed: doomed.map((node) => node.id),
    parentId: tops[0]?.parentId ?? null,
    activeNodeId: active,
    bookmarks: { moved: marks.moved, removed: marks.removed },
  };
  return plan([...steps, ...pointing(row, active)], result);
}

/** Moves what hangs below a node that goes into its place, in order, each group of variants as a fresh group. */
function* raised(
  top: Doomed,
  goes: ReadonlyMap<string, Doomed>,
  freshGroups: Map<string, number>,
): Reading<MoveStep[]> {
  const heirs = yield* heirsOf(top, goes);
  if (heirs.length === 0) return [];
  const parent = yield* ask('node', { id: top.parentId });
  if (parent === null)
    return refuse('tree/broken-path', `The parent ${top.parentId} of ${top.id} is missing.`, { nodeId: top.parentId });
  const gap = yield* ask('gap', { of: top.parentId, position: top.position });
  const highest = yield* ask('groupMax', { of: top.parentId });
  // Below the place of the node that goes, so that undo finds that place free.
  const positions = positionsBetween(gap.before, top.position, heirs.length);
  const counter = `next ${top.parentId}`;
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
        matchParent: matchParentBelow(parent),
      },
      from: placeOf(heir),
    };
  });
}

/** The place a node has now. */
export function placeOf(node: NodeHead): MoveStep['from'] {
  const parentId = node.parentId ?? refuse('tree/root-protected', 'The root cannot be moved.', { nodeId: node.id });
  return { parentId, position: node.position, groupId: node.groupId, matchParent: node.matchParent ?? parentId };
}

/** What stays of a node's children, those that go replaced by their own, in order. */
function* heirsOf(top: Doomed, goes: ReadonlyMap<string, Doomed>): Reading<NodeHead[]> {
  const heirs: NodeHead[] = [];
  const open: NodeHead[] = [...(yield* ask('children', { of: top.id }))].reverse();
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (!goes.has(at.id)) heirs.push(at);
    else for (const child of [...(yield* ask('children', { of: at.id }))].reverse()) open.push(child);
  }
  return heirs;
}

function* carriedUp(row: TreeRow, doomed: readonly Doomed[], goes: ReadonlyMap<string, Doomed>) {
  const steps: BookmarkStep[] = [];
  const moved: Bookmark[] = [];
  const removed: Bookmark[] = [];
  const taken = new Set<string>();
  for (const node of doomed) {
    const before = yield* ask('bookmark', { on: node.id });
    if (before === null) continue;
    steps.push(unmark(before));
    let home = node.parentId;
    for (let above = goes.get(home); above !== undefined; above = goes.get(home)) home = above.parentId;
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

function* afterSplice(row: TreeRow, goes: ReadonlyMap<string, Doomed>): Reading<NodeId | null> {
  const active = row.activeNodeId === null ? undefined : goes.get(row.activeNodeId);
  if (active === undefined) return row.activeNodeId;
  let home = active.parentId;
  for (let above = goes.get(home); above !== undefined; above = goes.get(home)) home = above.parentId;
  // A node that keeps heirs is no leaf and cannot be chosen; one without any must be left out with its whole chain.
  const barren: NodeId[] = [];
  for (const node of goes.values()) if ((yield* heirsOf(node, goes)).length === 0) barren.push(node.id);
  return yield* survivor(row, home, barren);
}

import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import type { Node } from '../node.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { Step } from '../steps/types.ts';
import { allNodes, findNode, type Tree } from '../tree.ts';
import { readPastAndPresent } from '../tree-reads.ts';
import { buildSelectSteps, type Planner, refusePendingReplies, requireTree, toPlan } from './context.ts';
import { buildRestoreStep, throwCycleError } from './delete.ts';
import { stepsBetween } from './steps-between.ts';
import { TreeOverlay } from './tree-overlay.ts';

/** Restores a removed node from the trash, with the nodes that were removed with it. */
export interface RestoreCommand {
  readonly type: 'restore';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/** Restores the state that the tree had at a version, as a new commit. */
export interface RestoreVersionCommand {
  readonly type: 'restore-version';
  readonly treeId: TreeId;
  readonly version: number;
}

/** The node that a restore made live, or that was live already. */
export interface RestoreResult {
  readonly nodeId: NodeId;
}

/** Restores a node. Its parent must be live, so nested removals are restored from the top down. */
export const planRestore: Planner<RestoreCommand, RestoreResult> = function* (command, context) {
  const row = yield* requireTree(context);
  const node = yield* ask('anyNode', { id: command.nodeId });
  if (node === null || node.parentId === null)
    return refuse('tree/unknown-node', `There is no message ${command.nodeId}.`, { nodeId: command.nodeId });
  if (node.removedIn === null) return toPlan([], { nodeId: node.id });
  const top = yield* removalRoot(node);
  const parent = yield* ask('node', { id: top.parentId ?? row.rootId });
  if (parent === null)
    return refuse('tree/unknown-node', `The parent ${top.parentId} of ${top.id} is removed: restore it first.`, {
      nodeId: top.parentId,
    });
  const position = yield* new TreeOverlay(row).findFreePosition(parent.id, top.position, top.id);
  const steps: Step[] = [buildRestoreStep(top, node.removedIn, position)];
  if (row.activeNodeId === null) steps.push(...buildSelectSteps(row, top.id));
  return toPlan(steps, { nodeId: top.id });
};

/** Returns the highest ancestor that the same commit removed; the node itself if its parent was not removed with it. */
function* removalRoot(from: Node): ReadProgram<Node> {
  let top = from;
  const passed = new Set<string>();
  while (top.parentId !== null) {
    const parent: Node | null = yield* ask('anyNode', { id: top.parentId });
    if (parent === null || parent.removedIn !== from.removedIn) return top;
    if (passed.has(parent.id)) throwCycleError(parent.id);
    passed.add(parent.id);
    top = parent;
  }
  return top;
}

/**
 * Restores an earlier version of the tree: newer nodes are removed, removed nodes are restored, and texts are reset.
 */
export const planRestoreVersion: Planner<RestoreVersionCommand, { readonly version: number }> = function* (
  command,
  context,
) {
  const { version } = command;
  const { past, present } = yield* readPastAndPresent(context.treeId, version);
  const { steps, draft } = stepsBetween(present, past);
  assertNoRunningReplies(present, draft);
  return toPlan(steps, { version });
};

/** Throws if a pending reply would be removed or changed, because its run is still writing text. */
function assertNoRunningReplies(now: Tree, then: Tree): void {
  for (const { id, status, removedIn, contentIn } of allNodes(now))
    if (status === 'pending' && removedIn === null && findNode(then, id)?.contentIn !== contentIn)
      refusePendingReplies([id]);
}

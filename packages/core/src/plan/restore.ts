import { refuse } from '../errors.ts';
import type { NodeId, TreeId } from '../ids.ts';
import type { Node } from '../node.ts';
import { ask, type ReadProgram } from '../reads.ts';
import type { Step } from '../steps/types.ts';
import { allNodes, findNode, type Tree } from '../tree.ts';
import { readPastAndPresent } from '../tree-reads.ts';
import { type Planner, refusePendingNode, requireTree, selectSteps, toPlan } from './context.ts';
import { refuseCircle, restoreStep } from './delete.ts';
import { stepsBetween } from './steps-between.ts';
import { TreeOverlay } from './tree-overlay.ts';

/** Takes a removed node, with what went with it, out of the trash. */
export interface RestoreCommand {
  readonly type: 'restore';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/** Makes the tree again what it was after a version, as a new commit. */
export interface RestoreVersionCommand {
  readonly type: 'restore-version';
  readonly treeId: TreeId;
  readonly version: number;
}

/** What came back. */
export interface Restored {
  readonly nodeId: NodeId;
}

/** Brings a node back. Its parent must live: what went first comes back last. */
export const restore: Planner<RestoreCommand, Restored> = function* (command, context) {
  const row = yield* requireTree(context);
  const node = yield* ask('anyNode', { id: command.nodeId });
  if (node === null || node.parentId === null)
    return refuse('tree/unknown-node', `There is no node ${command.nodeId}.`, { nodeId: command.nodeId });
  if (node.removedIn === null) return toPlan([], { nodeId: node.id });
  const top = yield* removalRoot(node);
  const parent = yield* ask('node', { id: top.parentId ?? row.rootId });
  if (parent === null)
    return refuse('tree/unknown-node', `The parent ${top.parentId} of ${top.id} is removed: restore it first.`, {
      nodeId: top.parentId,
    });
  const position = yield* new TreeOverlay(row).freePlace(parent.id, top.position, top.id);
  const steps: Step[] = [restoreStep(top, node.removedIn, position)];
  if (row.activeNodeId === null) steps.push(...selectSteps(row, top.id));
  return toPlan(steps, { nodeId: top.id });
};

/** The node that the same commit removed highest above this one. */
function* removalRoot(from: Node): ReadProgram<Node> {
  let top = from;
  const passed = new Set<string>();
  while (top.parentId !== null) {
    const parent: Node | null = yield* ask('anyNode', { id: top.parentId });
    if (parent === null || parent.removedIn !== from.removedIn) return top;
    if (passed.has(parent.id)) refuseCircle(parent.id);
    passed.add(parent.id);
    top = parent;
  }
  return top;
}

/** Turns the tree back to a version: what came since goes to the trash, what went comes back, texts are as they were. */
export const restoreVersion: Planner<RestoreVersionCommand, { readonly version: number }> = function* (
  command,
  context,
) {
  const { version } = command;
  const { past, present } = yield* readPastAndPresent(context.treeId, version);
  const { steps, draft } = stepsBetween(present, past);
  refuseRunning(present, draft);
  return toPlan(steps, { version });
};

/** A reply that is being written neither goes nor changes under the hand of its run. */
function refuseRunning(now: Tree, then: Tree): void {
  for (const { id, status, removedIn, contentIn } of allNodes(now))
    if (status === 'pending' && removedIn === null && findNode(then, id)?.contentIn !== contentIn)
      refusePendingNode([id]);
}

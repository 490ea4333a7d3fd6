import type { NodeId, TreeId } from '../ids.ts';
import { ask } from '../reads.ts';
import { buildSelectSteps, type Planner, requireMessage, requireTree, toPlan } from './context.ts';

/** Makes a node active. */
export interface SelectCommand {
  readonly type: 'select';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/** Makes the previous or next variant of a node active, at the leaf that was last visited below it. */
export interface NavigateCommand {
  readonly type: 'navigate';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly direction: 'next' | 'previous';
}

/** The node that is active now. */
export interface SelectResult {
  readonly nodeId: NodeId;
}

/** Makes a node active. Refuses the root and unknown nodes. */
export const planSelect: Planner<SelectCommand, SelectResult> = function* (command, context) {
  const row = yield* requireTree(context);
  const node = yield* requireMessage(command.nodeId, 'selected');
  return toPlan(buildSelectSteps(row, node.id), { nodeId: node.id });
};

/** Cycles through the variants of a node. With a single variant nothing changes. */
export const planNavigate: Planner<NavigateCommand, SelectResult> = function* (command, context) {
  const row = yield* requireTree(context);
  const node = yield* requireMessage(command.nodeId, 'switched');
  const variants = yield* ask('children', { of: node.parentId });
  const index = variants.findIndex((variant) => variant.id === node.id);
  const step = command.direction === 'next' ? 1 : -1;
  const to = variants[(index + step + variants.length) % variants.length];
  if (to === undefined || to.id === node.id) return toPlan([], { nodeId: row.activeNodeId ?? node.id });
  const leaf = yield* ask('lastVisited', { from: to.id });
  return toPlan(buildSelectSteps(row, leaf), { nodeId: leaf });
};

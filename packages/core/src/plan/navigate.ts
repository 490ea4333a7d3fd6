import type { NodeId, TreeId } from '../ids.ts';
import { ask } from '../reads.ts';
import { type Planner, requireMessage, requireTree, selectSteps, toPlan } from './context.ts';

/** Goes to a node. */
export interface SelectCommand {
  readonly type: 'select';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
}

/** Goes to the variant before or after a node, and down to the leaf that was last visited there. */
export interface NavigateCommand {
  readonly type: 'navigate';
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  readonly direction: 'next' | 'previous';
}

/** Where the pointer is now. */
export interface Selected {
  readonly nodeId: NodeId;
}

/** Makes a node active. Refuses the root and what is not there. */
export const select: Planner<SelectCommand, Selected> = function* (command, context) {
  const row = yield* requireTree(context);
  const node = yield* requireMessage(command.nodeId, 'the active node');
  return toPlan(selectSteps(row, node.id), { nodeId: node.id });
};

/** Goes round the variants of a node. A single variant stays where it is. */
export const navigate: Planner<NavigateCommand, Selected> = function* (command, context) {
  const row = yield* requireTree(context);
  const node = yield* requireMessage(command.nodeId, 'a variant');
  const variants = yield* ask('children', { of: node.parentId });
  const index = variants.findIndex((variant) => variant.id === node.id);
  const step = command.direction === 'next' ? 1 : -1;
  const to = variants[(index + step + variants.length) % variants.length];
  if (to === undefined || to.id === node.id) return toPlan([], { nodeId: row.activeNodeId ?? node.id });
  const leaf = yield* ask('lastVisited', { from: to.id });
  return toPlan(selectSteps(row, leaf), { nodeId: leaf });
};

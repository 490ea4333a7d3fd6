import type { CrossTreeAnswers } from '../answer-from-tree.ts';
import type { TreeId } from '../ids.ts';
import type { PlanContext } from '../plan/context.ts';
import { testKit } from './kit.ts';
import { createTestClock } from './test-tree.ts';

/** Creates the context of a plan that is not committed. */
export function createPlanContext(treeId: TreeId, start = 5): PlanContext {
  const { now, newId } = createTestClock(start);
  return { treeId, now: now(), newId, kit: testKit, actor: 'me', stale: false };
}

/** The answers of a store with one tree and without a log. */
export const noOtherTrees: CrossTreeAnswers = {
  tree: () => undefined,
  taken: () => [],
  home: () => null,
  forest: () => null,
  undoable: () => null,
  redoable: () => null,
  log: () => [],
};

/** The tree value: making, reading, changing and checking one in memory, and as JSON. */
export { apply, applyOrThrow } from '../apply.ts';
export { checkRows, checkTree, treeFindingSeverities } from '../check.ts';
export { treeFromJson, treeToJson } from '../json.ts';
export { attachRoots, fromLinear, linearSteps } from '../linear.ts';
export { outlineOf, outlineShape } from '../outline.ts';
export {
  activePath,
  branchPage,
  commonAncestor,
  isAbove,
  lastVisitedLeaf,
  leaves,
  pageRequest,
  path,
  pathThrough,
  previewLength,
  previewOf,
  previewOfBeginning,
  recentLeaves,
  siblingIndex,
  siblings,
  subtree,
  topology,
  topologyNode,
} from '../path.ts';
export { isPosition, positionBetween, positionsBetween } from '../position.ts';
export { applyPatch, inversePatch } from '../rows.ts';
export { orderParentsFirst, stepsFromRows, toNewNode } from '../rows-to-steps.ts';
export { silhouetteOf } from '../silhouette.ts';
export { definitionOf, stepsToJson } from '../steps/index.ts';
export { insertedNodes, invert, isStructural, nodeOfStep, rowChanges } from '../steps/kinds.ts';
export {
  attributesField,
  bookmarkShape,
  notesField,
  parseStep,
  parseSteps,
  readNewNode,
  stepTypes,
} from '../steps/parse.ts';
export {
  allBookmarks,
  allNodes,
  bookmarkOn,
  childCount,
  childIds,
  emptyTree,
  findAnyNode,
  findNode,
  rowOf,
} from '../tree.ts';

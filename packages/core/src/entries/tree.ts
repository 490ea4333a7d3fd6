/** Functions that create, read, change and check tree values in memory, and convert them to JSON. */
export { apply, applyOrThrow } from '../apply.ts';
export { checkRows, checkTree, treeFindingSeverities } from '../check.ts';
export { treeFromJson, treeToJson } from '../json.ts';
export { attachRoots, buildLinearSteps, treeFromLinear } from '../linear.ts';
export { buildOutlineShape, outlineOf } from '../outline.ts';
export {
  activePath,
  branchPage,
  commonAncestor,
  isAncestorOrSelf,
  lastVisitedLeaf,
  leaves,
  maxPreviewLength,
  pageRequestField,
  path,
  pathThrough,
  previewOf,
  previewOfBeginning,
  recentLeaves,
  siblingIndex,
  siblings,
  subtree,
  topology,
  toTopologyNode,
} from '../path.ts';
export { isPosition, positionBetween, positionsBetween } from '../position.ts';
export { applyPatch, inversePatch } from '../rows.ts';
export { orderParentsFirst, stepsFromRows, toNewNode } from '../rows-to-steps.ts';
export { silhouetteOf } from '../silhouette.ts';
export { stepDefinitionOf, stepsToJson } from '../steps/index.ts';
export { insertedNodes, invert, isStructural, nodeIdOfStep, rowChanges } from '../steps/kinds.ts';
export {
  attributesField,
  bookmarkShape,
  metadataField,
  parseStep,
  parseSteps,
  readNewNode,
  stepTypes,
} from '../steps/parse.ts';
export { decodeTopologyColumns, toTopologyColumns } from '../topology-columns.ts';
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

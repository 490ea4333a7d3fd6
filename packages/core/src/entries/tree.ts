/** The tree value: making, reading, changing and checking one in memory, and as JSON. */
export { type Applied, apply, applyOrThrow } from '../apply.ts';
export { checkRows, checkTree, type TreeFinding, type TreeFindingCode, treeFindingSeverities } from '../check.ts';
export { type TreeJson, treeFromJson, treeToJson } from '../json.ts';
export {
  attachRoots,
  type FormerRow,
  fromLinear,
  type Linear,
  type LinearContext,
  type Linearised,
  linearSteps,
} from '../linear.ts';
export { type OutlineLine, type OutlineRequest, type OutlineShape, outlineOf, outlineShape } from '../outline.ts';
export {
  activePath,
  type BranchPage,
  branchPage,
  commonAncestor,
  isAbove,
  lastVisitedLeaf,
  leaves,
  type PageRequest,
  pageRequest,
  path,
  pathThrough,
  previewLength,
  previewOf,
  recentLeaves,
  siblingIndex,
  siblings,
  subtree,
  type TopologyNode,
  topology,
  topologyNode,
} from '../path.ts';
export { isPosition, positionBetween, positionsBetween } from '../position.ts';
export { applyPatch, inversePatch, type RowChange } from '../rows.ts';
export { orderParentsFirst, stepsFromRows, toNewNode } from '../rows-to-steps.ts';
export { type Silhouette, type SilhouetteStem, silhouetteOf } from '../silhouette.ts';
export { definitionOf, stepsToJson } from '../steps/index.ts';
export { invert, isStructural, rowChanges } from '../steps/kinds.ts';
export { parseStep, parseSteps, stepTypes } from '../steps/parse.ts';
export type {
  AnnotateStep,
  AttributesStep,
  BookmarkStep,
  CommitNumbers,
  InsertStep,
  MoveStep,
  Patch,
  RegroupStep,
  RemoveStep,
  ReplaceStep,
  RestoreStep,
  SelectStep,
  Step,
  StepCheck,
  StepDefinition,
  StepKind,
  StepType,
  TreePosition,
} from '../steps/types.ts';
export {
  allBookmarks,
  allNodes,
  type BookmarkEntry,
  bookmarkOn,
  childCount,
  childIds,
  emptyTree,
  findAnyNode,
  findNode,
  type Tree,
  type TreeEntry,
  type TreeRow,
} from '../tree.ts';

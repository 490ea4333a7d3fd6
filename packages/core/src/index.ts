/** The public names of core, in reading order. */

export * from './acts.ts';
export { answerFromTree, type OutsideTree } from './answer-from-tree.ts';
export * from './apply.ts';
export * from './chatgpt-conversation.ts';
export * from './check.ts';
export * from './coalesce.ts';
export * from './commit.ts';
export * from './compaction.ts';
export * from './context.ts';
export { type ContextPage, type ContextPageRequest, type ContextShares, readContextPage } from './context-page.ts';
export * from './decode.ts';
export * from './diff.ts';
export * from './errors.ts';
export { boundaryBefore, truncate } from './graphemes.ts';
export * from './ids.ts';
export * from './json.ts';
export * from './linear.ts';
export * from './message.ts';
export * from './node.ts';
export {
  type OutlineLine,
  type OutlineRequest,
  type OutlineShape,
  outlineOf,
  outlineShape,
} from './outline.ts';
export * from './path.ts';
export type {
  AnnotateCommand,
  Annotated,
  BookmarkCommand,
  GroupCommand,
  TagCommand,
  TitleCommand,
} from './plan/annotate.ts';
export type { AppendCommand, Appended, NewMessage } from './plan/append.ts';
export { type CommandInput, type NewMessageInput, readCommand } from './plan/command-input.ts';
export type { NodeFields, Plan, PlanContext, Planner } from './plan/context.ts';
export type { CherryPickCommand, Copied, GraftCommand, MergeCommand } from './plan/copy.ts';
export {
  type AttributesCommand,
  type CreateCommand,
  type Created,
  type DeleteTreeCommand,
  type DuplicateCommand,
  type Duplicated,
  defaultProject,
  forestKey,
  type RestoreTreeCommand,
  rootNode,
} from './plan/create.ts';
export {
  type ClearCommand,
  type DeleteCommand,
  type Deleted,
  type DeleteGroupCommand,
  type Impact,
  impactOf,
} from './plan/delete.ts';
export type { EditCommand, Edited } from './plan/edit-types.ts';
export type { ImportCommand, Imported, ImportNode } from './plan/import.ts';
export { additive, type Command, type CommandOf, type CommandType, planners, type ResultOf } from './plan/index.ts';
export type { JoinCommand, Joined } from './plan/join.ts';
export type { BranchCommand, CompactCommand, MarkCommand, MarkResult } from './plan/marker.ts';
export type { MoveCommand, Moved } from './plan/move.ts';
export type { NavigateCommand, SelectCommand, Selected } from './plan/navigate.ts';
export type { FinishCommand, Finished, NewReply, RegenerateCommand, Replied, ReplyCommand } from './plan/reply.ts';
export type { RestoreCommand, Restored, RestoreVersionCommand } from './plan/restore.ts';
export type { Split, SplitCommand } from './plan/split.ts';
export type { RedoCommand, ReversalResult, UndoCommand } from './plan/undo.ts';
export { isPosition, positionBetween, positionsBetween } from './position.ts';
export * from './reads.ts';
export { fromRows, rewind } from './rewind.ts';
export { applyPatch, inversePatch, type RowChange } from './rows.ts';
export { orderParentsFirst, stepsFromRows, toNewNode } from './rows-to-steps.ts';
export * from './run.ts';
export { type ReverseAnywhere, runAnywhere } from './run-anywhere.ts';
export { type Silhouette, type SilhouetteStem, silhouetteOf } from './silhouette.ts';
export {
  definitionOf,
  invert,
  isStructural,
  parseStep,
  parseSteps,
  rowChanges,
  stepsToJson,
  stepTypes,
} from './steps/index.ts';
export * from './steps/types.ts';
export { assertStorable } from './storable-steps.ts';
export * from './store.ts';
export * from './store-services.ts';
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
} from './tree.ts';
export * from './tree-reads.ts';

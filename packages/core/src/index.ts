/** Runs commands and reads trees through a store: the part of core that most programs need. */
export type { ActCommits, NewestActOfTree } from './acts.ts';
export type { CrossTreeAnswers } from './answer-from-tree.ts';
export type { ApplyResult } from './apply.ts';
export type { ReplyLimit, ReplyLimitInput, TokenCount, TokenEstimate, TokenUsage } from './budget.ts';
export type {
  Conversation,
  ConversationFunctions,
  ConversationMapping,
  ConversationMessage,
  ConversationNode,
} from './chatgpt-conversation.ts';
export type { TreeFinding, TreeFindingCode } from './check.ts';
export type { AppliedCommit, PreparedCommit } from './commit.ts';
export type { CompactionBudget, CompactionCut, CompactionCutOptions } from './compaction.ts';
export type { Context, ContextOptions } from './context.ts';
export type { ActiveCompaction, ContextEntry, ContextEntryKind, ContextFlag } from './context-entries.ts';
export type { ContextPage, ContextPageRequest, ContextTokensByKind } from './context-page.ts';
export type { ContextTexts, TextWrapper } from './context-wrappers.ts';
export type { FieldMap, FieldReader, FieldReaders, FieldShapes, OptionNames } from './decode.ts';
export { announceDeprecation, type Deprecation, deprecate, deprecationText } from './deprecation.ts';
export type { BranchDiff, DiffedBlock, MessageDiff } from './diff.ts';
export {
  AppError,
  type AppErrorInit,
  type ErrorKind,
  httpStatusByErrorKind,
  isAppError,
  isErrorKind,
  makeRefusedResult,
  ok,
  type Refusal,
  type RefusalCode,
  type Result,
  refusal,
  refusalKinds,
  refuse,
  unwrapResult,
} from './errors.ts';
export { lastCharacterBoundary, truncateToLine } from './graphemes.ts';
export type { HistoryStart, TrimmableCommit } from './history-start.ts';
export {
  type ActId,
  actId,
  type Brand,
  isUuid,
  type NodeId,
  nodeId,
  parseActId,
  parseNodeId,
  parseTreeId,
  type TreeId,
  treeId,
} from './ids.ts';
export type { TreeJson } from './json.ts';
export type { FormerNodeRow, LinearContext, LinearConversation, LinearConversationSteps } from './linear.ts';
export {
  type Block,
  type BlockInput,
  checkMessage,
  expandShortMessage,
  hasToolUse,
  isBlank,
  isText,
  isTextOnly,
  isToolUse,
  type Json,
  type JsonObject,
  type Message,
  type MessageInput,
  type MessageKit,
  type Role,
  roles,
  type TextBlock,
  type ToolUseBlock,
  textMessage,
  textOf,
} from './message.ts';
export {
  type Alias,
  type Bookmark,
  type ContentFields,
  isCombinable,
  isMessageKind,
  type Marker,
  matchParentOfChildren,
  type NewNode,
  type Node,
  type NodeHead,
  type NodeKind,
  type NodeMeta,
  type NodeOrigin,
  type NodeStatus,
  nodeKinds,
  nodeStatuses,
  roleOf,
  type TreeAttributes,
} from './node.ts';
export type { OutlineLine, OutlineRequest, OutlineShape } from './outline.ts';
export type { BranchPage, PageRequest, TopologyNode } from './path.ts';
export type {
  AnnotateCommand,
  AnnotateResult,
  BookmarkCommand,
  GroupCommand,
  TagCommand,
  TitleCommand,
} from './plan/annotate.ts';
export type { AppendCommand, AppendResult, NewMessage } from './plan/append.ts';
export { type CommandInput, type NewMessageInput, parseCommandInput } from './plan/command-input.ts';
export type { NodeFields, Plan, PlanContext, Planner } from './plan/context.ts';
export type { CherryPickCommand, CopyResult, GraftCommand, MergeCommand } from './plan/copy.ts';
export {
  type AttributesCommand,
  buildRootNode,
  type CreateCommand,
  type CreateResult,
  type DeleteTreeCommand,
  type DuplicateCommand,
  type DuplicateResult,
  defaultProject,
  forestKey,
  type RestoreTreeCommand,
} from './plan/create.ts';
export {
  type ClearCommand,
  type DeleteCommand,
  type DeleteGroupCommand,
  type DeleteImpact,
  type DeleteResult,
  readDeleteImpact,
} from './plan/delete.ts';
export type { EditCommand, EditResult } from './plan/edit-types.ts';
export type { ImportCommand, ImportNode, ImportResult } from './plan/import.ts';
export {
  additiveCommands,
  type Command,
  type CommandOf,
  type CommandType,
  planners,
  type ResultOf,
} from './plan/index.ts';
export type { JoinCommand, JoinResult } from './plan/join.ts';
export type { BranchCommand, CompactCommand, MarkCommand, MarkResult } from './plan/marker.ts';
export type { MoveCommand, MoveResult } from './plan/move.ts';
export type { NavigateCommand, SelectCommand, SelectResult } from './plan/navigate.ts';
export {
  type FinishCommand,
  type FinishResult,
  findPromptOfReply,
  type InsertedReplies,
  type NewReply,
  type RegenerateCommand,
  type ReplyCommand,
} from './plan/reply.ts';
export type { RestoreCommand, RestoreResult, RestoreVersionCommand } from './plan/restore.ts';
export type { SplitCommand, SplitResult } from './plan/split.ts';
export type { RedoCommand, ReversalResult, UndoCommand } from './plan/undo.ts';
export {
  type ActRecord,
  type Answer,
  ask,
  type Commit,
  type CommitKind,
  type NodeLink,
  type ParentLink,
  type PathMeta,
  type PathMetaPart,
  type PathPart,
  type Read,
  type ReadName,
  type ReadProgram,
  type Reads,
  runReads,
  runReadsAsync,
  type SubtreeInfo,
} from './reads.ts';
export type { RequestCapabilities, RequestFlag, RequestMessages } from './request.ts';
export type { RowChange } from './rows.ts';
export { type MoveToTreeOptions, moveToTree, planCommand, type RunContext, run } from './run.ts';
export { type UndoOrRedoOptions, undoOrRedoAnywhere } from './run-anywhere.ts';
export type { Silhouette, SilhouetteStem } from './silhouette.ts';
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
} from './steps/types.ts';
export type {
  AbortSignalLike,
  ChangeOptions,
  ChangeResult,
  CommandOutcome,
  PlannerFactory,
  Prefetch,
  RemoteCommandOptions,
  RemoteCommands,
  StoreCapabilities,
  TreeStore,
} from './store.ts';
export type {
  AccountStore,
  ApiToken,
  BackfillProgress,
  BackupOptions,
  BlobInfo,
  BlobStore,
  CommitSummary,
  ConversationFormat,
  CounterLimit,
  ExternalId,
  FsckOptions,
  FsckReport,
  NewestAct,
  NewRun,
  OwnedRun,
  OwnerSpending,
  Page,
  Provenance,
  PurgeReport,
  Run,
  RunChunk,
  RunStore,
  SealedRecords,
  SearchHit,
  SearchQuery,
  SharedRecord,
  SharedRecords,
  SharedRecordWrite,
  SharedSpendingLedger,
  SharedState,
  ShareLink,
  Store,
  StoredLinearConversation,
  StoreInfo,
  TemporaryStore,
  TrashItem,
  TreeListEvent,
  TreeQuery,
  TreeSummary,
  TreeWriteScope,
  TrimHistoryOptions,
  TrimHistoryReport,
  UsedAmount,
  User,
  WorkProgress,
} from './store-services.ts';
export { libraryProject } from './store-services.ts';
export type { ToolPair, ToolPairs } from './tool-pairs.ts';
export type { DictionaryColumn, TopologyColumns } from './topology-columns.ts';
export type { BookmarkEntry, Tree, TreeEntry, TreeRow } from './tree.ts';
export {
  readNodesAsOf,
  readPage,
  readPastAndPresent,
  readPath,
  readPathThrough,
  readRecentLeaves,
  readTopology,
  readTree,
  readTreeAsOf,
} from './tree-reads.ts';
export { utf8Length } from './utf8-length.ts';
export type { TextDiffPart } from './word-diff.ts';

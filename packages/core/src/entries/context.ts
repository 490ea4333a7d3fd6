/** What a model sees of a path: context, request, token budget and compaction. */
export {
  clampReply,
  estimateTokens,
  fallbackModel,
  parseUsage,
  type ReplyLimit,
  type ReplySpace,
  shortestReply,
  type TokenCount,
  type TokenEstimate,
  type TokenUsage,
} from '../budget.ts';
export { coalesce } from '../coalesce.ts';
export {
  type CompactionBudget,
  type CompactionCut,
  type CutOptions,
  chooseCut,
  compactionBudget,
  compactionDue,
} from '../compaction.ts';
export {
  type Context,
  type ContextOptions,
  contextOf,
  holdsContext,
  readContextNotes,
  readContextPath,
} from '../context.ts';
export type { ActiveCompaction, ContextEntry, ContextFlag, ContextKind } from '../context-entries.ts';
export { type ContextPage, type ContextPageRequest, type ContextShares, readContextPage } from '../context-page.ts';
export {
  branchSummaryMessage,
  type ContextTexts,
  contextTexts,
  missingResultMessage,
  strayResultMessage,
  summaryMessage,
  systemAsUserMessage,
  type Wrapper,
  wrappedMessage,
} from '../context-wrappers.ts';
export { type RequestCapabilities, type RequestFlag, type RequestMessages, requestMessages } from '../request.ts';
export { pairTools, type ToolPair, type ToolPairs } from '../tool-pairs.ts';

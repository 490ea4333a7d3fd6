/** What a model sees of a path: context, request, token budget and compaction. */
export {
  clampReplyTokens,
  estimateContextTokens,
  fallbackModelLimits,
  parseUsage,
  shortestReplyTokens,
} from '../budget.ts';
export { chooseCompactionCut, compactionBudgetFor, isCompactionDue } from '../compaction.ts';
export { contextOf, isPathEnoughForContext, readContextMeta, readContextPath } from '../context.ts';
export { findSystemPrompt } from '../context-entries.ts';
export { readContextPage } from '../context-page.ts';
export {
  buildBranchSummaryMessage,
  buildMissingResultMessage,
  buildStrayResultMessage,
  buildSummaryMessage,
  contextTexts,
  convertSystemToUserMessage,
  wrapMessage,
} from '../context-wrappers.ts';
export { buildRequestMessages, coalesceMessages } from '../request.ts';
export { pairTools } from '../tool-pairs.ts';

/** What a model sees of a path: context, request, token budget and compaction. */
export { clampReply, estimateContextTokens, fallbackModel, parseUsage, shortestReply } from '../budget.ts';
export { chooseCut, compactionBudget, compactionDue } from '../compaction.ts';
export { contextOf, holdsContext, readContextNotes, readContextPath } from '../context.ts';
export { promptAlong } from '../context-entries.ts';
export { readContextPage } from '../context-page.ts';
export {
  branchSummaryMessage,
  contextTexts,
  missingResultMessage,
  strayResultMessage,
  summaryMessage,
  systemAsUserMessage,
  wrappedMessage,
} from '../context-wrappers.ts';
export { coalesce, requestMessages } from '../request.ts';
export { pairTools } from '../tool-pairs.ts';

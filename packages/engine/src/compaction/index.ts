/** Compaction, and summaries of branches. */
export { branchWithSummary, compact, createCompactor, mergeBranch } from './compactor.ts';
export type {
  Acting,
  BringBackRequest,
  Compacted,
  CompactionRequest,
  Compactor,
  CompactorOptions,
  Landed,
  LeaveRequest,
  StretchSummary,
} from './contract.ts';

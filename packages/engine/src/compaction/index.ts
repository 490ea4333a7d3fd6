/** The public names for compacting, leaving and merging branches. */
export { branchWithSummary, compactBranchNow, createCompactor, mergeBranch } from './compactor.ts';
export type {
  ActOptions,
  BranchChangeResult,
  CompactionOutcome,
  CompactionRequest,
  Compactor,
  CompactorOptions,
  MergeRequest,
  RangeSummary,
  SwitchRequest,
} from './contract.ts';

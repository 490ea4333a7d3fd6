import { messageKit } from '@coppice/content';
import type { Store } from '@coppice/core';
import type { CompactBelowNode } from '../generate/contract.ts';
import { newId } from '../new-id.ts';
import { systemClock } from '../providers/clock.ts';
import { requireObject } from '../service.ts';
import { defaultFileToolNames } from '../summaries/files.ts';
import { createSummarizer } from '../summaries/summarizer.ts';
import { mergeWithHooks, summarizeRange, switchWithSummary } from './branches.ts';
import { compactWithHooks, compactWithoutHooks } from './compact.ts';
import type {
  BranchChangeResult,
  CompactionOutcome,
  CompactionRequest,
  Compactor,
  CompactorOptions,
  CompactorServices,
  MergeRequest,
  SwitchRequest,
} from './contract.ts';

/** Creates a compactor for a store. Without a summarizer, summaries are extracted from the messages. */
export function createCompactor(options: CompactorOptions): Compactor {
  const { store } = options;
  const clock = options.clock ?? systemClock;
  const services: CompactorServices = {
    store,
    summarizer: options.summarizer ?? createSummarizer(),
    model: options.model ?? null,
    events: options.events ?? null,
    fileTools: options.fileTools ?? defaultFileToolNames,
    actor: options.actor ?? store.owner,
    kit: options.kit ?? messageKit,
    now: () => clock.now(),
    newId: options.newId ?? (() => newId(clock.now())),
  };
  // Turns run the hooks themselves, so this function does not run them again.
  const compactContext: CompactBelowNode = async ({ reason, ...request }) =>
    (await compactWithoutHooks(services, request, reason)).nodeId;
  return {
    compact: async (request) => compactWithHooks(services, requireObject(request)),
    compactContext,
    branchWithSummary: async (request) => switchWithSummary(services, requireObject(request)),
    merge: async (request) => mergeWithHooks(services, requireObject(request)),
    summarizeRange: async (stretch) => summarizeRange(services, requireObject(stretch)),
  };
}

type CompactorParts = Omit<CompactorOptions, 'store'>;

/** Compacts the active branch, or the one that ends at `nodeId`, with a compactor made for this call. */
export function compactBranchNow(
  store: Store,
  request: CompactionRequest,
  parts: CompactorParts = {},
): Promise<CompactionOutcome> {
  return createCompactor({ ...parts, store }).compact(request);
}

/** Moves the active node and adds a summary of the branch that is left, with a compactor made for this call. */
export function branchWithSummary(
  store: Store,
  request: SwitchRequest,
  parts: CompactorParts = {},
): Promise<BranchChangeResult> {
  return createCompactor({ ...parts, store }).branchWithSummary(request);
}

/** Merges a branch into the active one, as a summary or as its messages, with a compactor made for this call. */
export function mergeBranch(
  store: Store,
  request: MergeRequest,
  parts: CompactorParts = {},
): Promise<BranchChangeResult> {
  return createCompactor({ ...parts, store }).merge(request);
}

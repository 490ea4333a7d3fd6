import { messageKit } from '@coppice/content';
import type { Store } from '@coppice/core';
import type { Compact } from '../generate/contract.ts';
import { newId } from '../new-id.ts';
import { systemClock } from '../providers/clock.ts';
import { requireObject } from '../service.ts';
import { defaultFileTools } from '../summaries/files.ts';
import { createSummarizer } from '../summaries/summarizer.ts';
import { mergeBranchSummary, summarizeRange, switchWithSummary } from './branches.ts';
import { compactAt, compactByHand } from './compact.ts';
import type {
  Compacted,
  CompactionCommit,
  CompactionRequest,
  Compactor,
  CompactorOptions,
  CompactorServices,
  MergeRequest,
  SwitchRequest,
} from './contract.ts';

/** Makes a compactor on a store. Without a summarizer, summaries are drawn from the messages themselves. */
export function createCompactor(options: CompactorOptions): Compactor {
  const { store } = options;
  const clock = options.clock ?? systemClock;
  const bench: CompactorServices = {
    store,
    summarizer: options.summarizer ?? createSummarizer(),
    model: options.model ?? null,
    events: options.events ?? null,
    fileTools: options.fileTools ?? defaultFileTools,
    actor: options.actor ?? store.owner,
    kit: options.kit ?? messageKit,
    now: () => clock.now(),
    newId: options.newId ?? (() => newId(clock.now())),
  };
  // A turn has asked the hooks itself before it comes here, and tells them when it has the marker.
  const compactContext: Compact = async ({ reason, ...request }) => (await compactAt(bench, request, reason)).nodeId;
  return {
    compact: async (request) => compactByHand(bench, requireObject(request)),
    compactContext,
    branchWithSummary: async (request) => switchWithSummary(bench, requireObject(request)),
    merge: async (request) => mergeBranchSummary(bench, requireObject(request)),
    sumUp: async (stretch) => summarizeRange(bench, requireObject(stretch)),
  };
}

type CompactorParts = Omit<CompactorOptions, 'store'>;

/** Has older messages of a branch give way to a summary: the active one, or the one that ends at a node. */
export function compactBranchNow(
  store: Store,
  request: CompactionRequest,
  parts: CompactorParts = {},
): Promise<Compacted> {
  return createCompactor({ ...parts, store }).compact(request);
}

/** Goes elsewhere in a tree, with a summary of what is left behind there. */
export function branchWithSummary(
  store: Store,
  request: SwitchRequest,
  parts: CompactorParts = {},
): Promise<CompactionCommit> {
  return createCompactor({ ...parts, store }).branchWithSummary(request);
}

/** Brings a branch back to the active one: as one summary unless its messages are asked for. */
export function mergeBranch(
  store: Store,
  request: MergeRequest,
  parts: CompactorParts = {},
): Promise<CompactionCommit> {
  return createCompactor({ ...parts, store }).merge(request);
}

import { messageKit } from '@coppice/content';
import type { Store } from '@coppice/core';
import type { Compact } from '../generate/contract.ts';
import { newId } from '../new-id.ts';
import { systemClock } from '../providers/clock.ts';
import { named } from '../service.ts';
import { defaultFileTools } from '../summaries/files.ts';
import { createSummarizer } from '../summaries/summarizer.ts';
import { bringBack, leaveBranch, sumUpStretch } from './branches.ts';
import { compactAt, compactByHand } from './compact.ts';
import type {
  Bench,
  BringBackRequest,
  Compacted,
  CompactionRequest,
  Compactor,
  CompactorOptions,
  Landed,
  LeaveRequest,
} from './contract.ts';

/** Makes a compactor on a store. Without a summarizer, summaries are drawn from the messages themselves. */
export function createCompactor(options: CompactorOptions): Compactor {
  const { store } = options;
  const clock = options.clock ?? systemClock;
  const bench: Bench = {
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
  const makeRoom: Compact = async ({ reason, ...request }) => (await compactAt(bench, request, reason)).nodeId;
  return {
    compact: async (request) => compactByHand(bench, named(request)),
    makeRoom,
    branchWithSummary: async (request) => leaveBranch(bench, named(request)),
    merge: async (request) => bringBack(bench, named(request)),
    sumUp: async (stretch) => sumUpStretch(bench, named(stretch)),
  };
}

type Parts = Omit<CompactorOptions, 'store'>;

/** Has older messages of a branch give way to a summary: the active one, or the one that ends at a node. */
export function compact(store: Store, request: CompactionRequest, parts: Parts = {}): Promise<Compacted> {
  return createCompactor({ ...parts, store }).compact(request);
}

/** Goes elsewhere in a tree, with a summary of what is left behind there. */
export function branchWithSummary(store: Store, request: LeaveRequest, parts: Parts = {}): Promise<Landed> {
  return createCompactor({ ...parts, store }).branchWithSummary(request);
}

/** Brings a branch back to the active one: as one summary unless its messages are asked for. */
export function mergeBranch(store: Store, request: BringBackRequest, parts: Parts = {}): Promise<Landed> {
  return createCompactor({ ...parts, store }).merge(request);
}

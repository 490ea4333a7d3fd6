/** The generator: starts and stops turns on a store, and recovers those that a crash interrupted. */
import { messageKit } from '@coppice/content';
import type { ActId, MessageKit, NodeId, Store } from '@coppice/core';
import { processId } from '#platform/system';
import { createCompactor } from '../compaction/compactor.ts';
import type { Compactor } from '../compaction/contract.ts';
import type { BudgetsConfig, SummariesConfig } from '../config/contract.ts';
import { createYielder } from '../event-loop.ts';
import { createEventBus, type EventBus } from '../events.ts';
import { createFileTextExtractor, type FileTextExtractor } from '../files/file-text-extractor.ts';
import { newId } from '../new-id.ts';
import { systemClock } from '../providers/clock.ts';
import type { Clock } from '../providers/contract.ts';
import type { ModelProviders } from '../providers/index.ts';
import { type FollowEvent, type FollowedReply, followReply } from '../runs/follow.ts';
import { type RecoveredReply, recoverRuns, recoverRunsOfAllOwners } from '../runs/recover.ts';
import { requestRemoteStop } from '../runs/request-remote-stop.ts';
import { createSharedTimers, type SharedTimers } from '../runs/shared-timer.ts';
import { type CallDecision, decideWaitingCall } from '../runs/tool-decisions.ts';
import { hasTurnEvents, readTurnEvents, requestTurnStop } from '../runs/turn-events.ts';
import { requireObject } from '../service.ts';
import type { Summarizer } from '../summaries/contract.ts';
import { createSummarizer } from '../summaries/summarizer.ts';
import { chooseSummaryModel } from '../summaries/summary-model.ts';
import { noBudgets } from './budget.ts';
import type { CompactBelowNode, GenerateOptions, Turn, TurnEvent, TurnStart } from './contract.ts';
import { createDailySummaryBudget } from './daily-budget.ts';
import { defaultGenerateLimits, type GenerateLimits } from './limits.ts';
import type { CompactionSettings } from './settings.ts';
import { createMemorySpendingLedger, type SpendingLedger } from './spending-ledger.ts';
import { TurnStopReason } from './stop.ts';
import { type RunningTurn, startTurn } from './turn.ts';
import { assertTurnArguments, type GenerateDefaults, withDefaultOptions } from './turn-options.ts';
import type { ToolSource, TurnServices } from './turn-services.ts';

/** The store, the models and the settings of a generator. */
export interface TurnGeneratorOptions {
  readonly store: Store;
  readonly providers: Pick<ModelProviders, 'model'> & Partial<Pick<ModelProviders, 'learnWindow'>>;
  readonly tools?: ToolSource | undefined;
  readonly events?: EventBus | undefined;
  /** Whether and how a full context window is compacted; by default older messages are replaced by a summary. */
  readonly compaction?: CompactionSettings | undefined;
  /** By default summaries are written by a small model of the provider in use. */
  readonly summarizer?: Summarizer | undefined;
  /** Sets the model of the default summarizer. */
  readonly summaries?: SummariesConfig | undefined;
  /** Replaces the default compaction. */
  readonly compact?: CompactBelowNode | undefined;
  readonly limits?: Partial<GenerateLimits> | undefined;
  /** Limits of turns and days; by default none. */
  readonly budgets?: BudgetsConfig | undefined;
  /** Where daily spending is stored; by default in memory, so a restart forgets it. */
  readonly spending?: SpendingLedger | undefined;
  /** Extracts the texts of attachments; by default each generator has its own extractor. */
  readonly fileTexts?: FileTextExtractor | undefined;
  /** The timers that all generators of a server share; by default each generator has its own. */
  readonly timers?: SharedTimers | undefined;
  /** Returns whether other servers can read the events of a turn; by default only this process can. */
  readonly shareTurns?: (() => boolean) | undefined;
  /** Options for turns that do not set them; see {@link toGeneratorSettings}. */
  readonly defaults?: GenerateDefaults | undefined;
  /** The default actor of turns; if undefined, the store's owner. */
  readonly actor?: string | undefined;
  readonly kit?: MessageKit | undefined;
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
}

/** Selects the turns of an act, or the turn that writes a node. */
export type TurnSelector = { readonly actId: ActId } | { readonly nodeId: NodeId };

/** Starts, follows, stops and recovers turns on one store. */
export interface TurnGenerator {
  readonly events: EventBus;
  /** Compacts on request and summarises branches, with the summarizer that turns use. */
  readonly compactor: Compactor;
  readonly summarizer: Summarizer;
  /** Starts a turn. If the same request is already running at the same position, its turn is returned. */
  generate(start: TurnStart, options: GenerateOptions): Turn;
  /** Stops turns in any process and waits for their end; returns false if none was running. */
  abort(which: TurnSelector): Promise<boolean>;
  /**
   * Decides a tool call of a turn in any process. Returns the name of the tool, or null if the call does not wait for a
   * decision, for example because another process was faster.
   */
  decide(decision: CallDecision): Promise<string | null>;
  /**
   * Returns the events of a turn of another process from an index on, with their indexes; null if no process shares a
   * turn of this id.
   */
  followTurn(
    actId: ActId,
    from: number,
    signal: AbortSignal,
  ): Promise<AsyncIterable<readonly [index: number, event: TurnEvent]> | null>;
  /** Returns the text of a reply from an offset on while any process writes it. */
  follow(followed: FollowedReply, signal?: AbortSignal): AsyncIterable<FollowEvent>;
  /** Recovers replies whose process has died. */
  recover(): Promise<readonly RecoveredReply[]>;
  /** Like `recover`, for all owners of the store, at a cost that does not depend on the number of owners. */
  recoverAll(): Promise<readonly RecoveredReply[]>;
  /** Calls `recover` at intervals until the signal aborts. */
  keepRecovering(signal: AbortSignal): Promise<void>;
  /** Stops all turns and waits for their end. Their text is kept with the status `interrupted`. */
  close(): Promise<void>;
}

/** Creates a generator. Nothing runs until a turn starts. */
export function createTurnGenerator(options: TurnGeneratorOptions): TurnGenerator {
  const { services, compactor, summarizer } = generatorServices(options);
  const { store, clock, limits, process } = services;
  const turns = createTurnTracker(services);
  const { actor, kit, newId: makeId } = services;
  const recovery = { store, kit, process, staleMs: limits.staleMs, newId: makeId, now: () => clock.now() };
  const recover = () => recoverRuns({ ...recovery, actor });
  return {
    events: services.events,
    compactor,
    summarizer,
    generate(start, asked) {
      assertTurnArguments(start, asked);
      return turns.begin(start, withDefaultOptions(asked, options.defaults));
    },
    async abort(which) {
      const isLocal = await turns.abort(which);
      const { followMs: everyMs } = limits;
      const elsewhere = await requestRemoteStop(which, { runs: store.runs, process, clock, everyMs, recover });
      if (isLocal || elsewhere || !('actId' in which)) return isLocal || elsewhere;
      return requestTurnStop(services, which.actId, recover);
    },
    async decide(decision) {
      const { callId, approved } = decision;
      const here = turns.find(decision.actId)?.approvals;
      if (here?.isWaiting(callId) === true && !here.isShared) return here.decide(callId, approved).name;
      const tool = await decideWaitingCall(store.runs, decision);
      if (tool !== null && here?.isWaiting(callId) === true) here.decide(callId, approved);
      return tool;
    },
    async followTurn(actId, from, signal) {
      return (await hasTurnEvents(store, actId)) ? readTurnEvents(services, actId, from, signal) : null;
    },
    follow: (followed, signal) =>
      followReply(store, requireObject(followed), {
        clock,
        everyMs: limits.followMs,
        ticks: services.timers(limits.followMs),
        ...(signal === undefined ? {} : { signal }),
      }),
    recover,
    recoverAll: () => recoverRunsOfAllOwners(recovery),
    async keepRecovering(signal) {
      while (!signal.aborted) {
        // If the store is unavailable, the next interval tries again.
        await recover().catch(() => []);
        await clock.wait(limits.heartbeatMs, signal).catch(() => undefined);
      }
    },
    close: turns.close,
  };
}

/** Builds the services that turns, compaction and summaries of one store share. */
function generatorServices(options: TurnGeneratorOptions): {
  readonly services: TurnServices;
  readonly compactor: Compactor;
  readonly summarizer: Summarizer;
} {
  const { store, clock = systemClock, kit = messageKit, budgets = noBudgets, compaction } = options;
  const model = (id: string) => options.providers.model(id);
  const shared = {
    store,
    model,
    events: options.events ?? createEventBus(),
    kit,
    clock,
    newId: options.newId ?? (() => newId(clock.now())),
    actor: options.actor ?? store.owner,
  };
  const spending = options.spending ?? createMemorySpendingLedger();
  const notes = chooseSummaryModel(options.providers, { summaries: options.summaries ?? {} });
  const budget = createDailySummaryBudget({ budgets, spending, clock, owner: store.owner });
  const summarizer = options.summarizer ?? createSummarizer({ model: notes, budget, clock });
  const compactor = createCompactor({ ...shared, summarizer, fileTools: compaction?.fileTools });
  const limits = { ...defaultGenerateLimits, ...options.limits };
  const services: TurnServices = {
    ...shared,
    learnWindow: options.providers.learnWindow ?? null,
    tools: options.tools ?? null,
    yieldToEventLoop: createYielder(clock),
    timers: options.timers ?? createSharedTimers(clock),
    process: `${processId} ${newId()}`,
    limits,
    sharesTurns: options.shareTurns ?? (() => false),
    budgets,
    spending,
    fileTexts: options.fileTexts ?? createFileTextExtractor(),
    compact: compaction?.automatic === false ? null : (options.compact ?? compactor.compactContext),
  };
  return { services, compactor, summarizer };
}

/** Keeps the running turns of one generator, and finds the turn of a repeated request. */
function createTurnTracker(services: TurnServices) {
  const running = new Set<RunningTurn>();
  const keeping = new Set<Promise<void>>();
  const inFlight = new Map<string, RunningTurn>();
  let closed = false;
  const start = (begun: TurnStart, wanted: GenerateOptions, key: string | null): RunningTurn => {
    const turn = startTurn(services, begun, wanted);
    running.add(turn);
    keeping.add(turn.kept);
    void turn.kept.then(() => keeping.delete(turn.kept));
    if (key !== null) inFlight.set(key, turn);
    if (closed) turn.stop(new TurnStopReason('close'));
    void turn.done.then(() => {
      running.delete(turn);
      if (key !== null) inFlight.delete(key);
    });
    return turn;
  };
  return {
    /** Starts a turn, or returns the running turn of the same request. */
    begin(begun: TurnStart, wanted: GenerateOptions): Turn {
      const key = turnKey(begun, wanted);
      return (key === null ? undefined : inFlight.get(key)) ?? start(begun, wanted, key);
    },
    /** Returns the running turn of an act in this process. */
    find(actId: ActId): RunningTurn | undefined {
      return [...running].find((turn) => turn.actId === actId);
    },
    /** Stops the selected turns of this process and waits for their end; returns false if none was running. */
    async abort(which: TurnSelector): Promise<boolean> {
      const meant = [...running].filter((turn) =>
        'actId' in which ? turn.actId === which.actId : turn.writes(which.nodeId),
      );
      for (const turn of meant) turn.abort();
      await Promise.all(meant.map((turn) => turn.done));
      return meant.length > 0;
    },
    async close(): Promise<void> {
      closed = true;
      for (const turn of running) turn.stop(new TurnStopReason('close'));
      await Promise.all([...running].map((turn) => turn.done));
      await Promise.all([...keeping]);
    },
  };
}

/** Returns the key of a request at its position; null if it has no request id. */
function turnKey(start: TurnStart, { requestId }: GenerateOptions): string | null {
  if (requestId === undefined) return null;
  const at = start.type === 'combine' ? start.nodeIds : 'nodeId' in start ? start.nodeId : (start.parentId ?? null);
  return JSON.stringify([start.treeId, start.type, at, requestId]);
}

/** Turns of conversation on a store: begins them, finds them again, stops them, and saves those that a crash cut short. */
import { messageKit } from '@coppice/content';
import type { ActId, MessageKit, NodeId, Store } from '@coppice/core';
import { createCompactor } from '../compaction/compactor.ts';
import type { Compactor } from '../compaction/contract.ts';
import type { BudgetsConfig, SummariesConfig } from '../config/contract.ts';
import { createEvents, type Events } from '../events.ts';
import { newId } from '../new-id.ts';
import { systemClock } from '../providers/clock.ts';
import type { Clock } from '../providers/contract.ts';
import type { ModelProviders } from '../providers/index.ts';
import { createSharedTimer } from '../runs/chunk-writer.ts';
import { type FollowEvent, type Followed, followReply } from '../runs/follow.ts';
import { type Recovered, recoverRuns } from '../runs/recover.ts';
import { requestRemoteStop } from '../runs/request-remote-stop.ts';
import { requireObject } from '../service.ts';
import type { Summarizer } from '../summaries/contract.ts';
import { createSummarizer } from '../summaries/summarizer.ts';
import { summaryModel } from '../summaries/summary-model.ts';
import { noBudgets } from './budget.ts';
import { checkGiven } from './check-options.ts';
import type { Compact, GenerateOptions, Turn, TurnStart } from './contract.ts';
import { dailySummaryBudget } from './daily-budget.ts';
import { type CompactionSettings, type GenerateDefaults, withDefaults } from './defaults.ts';
import { defaultGenerateLimits, type GenerateLimits } from './limits.ts';
import { memorySpending, type Spending } from './spending.ts';
import { Stop } from './stop.ts';
import { type RunningTurn, startTurn } from './turn.ts';
import type { ToolSource, TurnServices } from './turn-services.ts';
import { createYielder } from './yield-to-event-loop.ts';

/** What a generator is made of. */
export interface GeneratorOptions {
  readonly store: Store;
  readonly providers: Pick<ModelProviders, 'model'> & Partial<Pick<ModelProviders, 'learnWindow'>>;
  readonly tools?: ToolSource | undefined;
  readonly events?: Events | undefined;
  /** Whether and how room is made in a window that is full; by a summary of what is older if not given. */
  readonly compaction?: CompactionSettings | undefined;
  /** Who sums up; a summarizer with a small model of the provider in use if not given. */
  readonly summarizer?: Summarizer | undefined;
  /** Which model sums up, for the summarizer that is made where none is given. */
  readonly summaries?: SummariesConfig | undefined;
  /** Makes room otherwise. */
  readonly compact?: Compact | undefined;
  readonly limits?: Partial<GenerateLimits> | undefined;
  /** What turns and days may cost; as much as they like if not given. */
  readonly budgets?: BudgetsConfig | undefined;
  /** Where it is kept what days cost; in mind if not given, and forgotten with the process. */
  readonly spending?: Spending | undefined;
  /** What a turn has unless it says otherwise; see {@link generatorSettings}. */
  readonly defaults?: GenerateDefaults | undefined;
  /** Who acts where a turn does not say; the store's owner if not given. */
  readonly actor?: string | undefined;
  readonly kit?: MessageKit | undefined;
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
}

/** Which turns are meant: those of an act, or the one that writes a node. */
export type TurnsOf = { readonly actId: ActId } | { readonly nodeId: NodeId };

/** Begins turns and looks after them. */
export interface Generator {
  readonly events: Events;
  /** Makes room by hand, and sums branches up, with the same summarizer as turns do. */
  readonly compactor: Compactor;
  readonly summarizer: Summarizer;
  /** Begins a turn, or gives the one that the same request began at the same place and that is not through yet. */
  generate(start: TurnStart, options: GenerateOptions): Turn;
  /** Stops turns, whichever process runs them, and resolves when they are through; false if there were none. */
  abort(which: TurnsOf): Promise<boolean>;
  /** Follows a reply from an offset on, whichever process writes it. */
  follow(followed: Followed, signal?: AbortSignal): AsyncIterable<FollowEvent>;
  /** Saves replies whose process is gone. */
  recover(): Promise<readonly Recovered[]>;
  /** Saves them again and again, until the signal fires. */
  keepRecovering(signal: AbortSignal): Promise<void>;
  /** Cuts turns short, keeping what was said as `interrupted`, and resolves when all are through. */
  close(): Promise<void>;
}

/** Makes a generator. Nothing runs until a turn begins. */
export function createGenerator(options: GeneratorOptions): Generator {
  const { services, compactor, summarizer } = generatorServices(options);
  const { store, clock, limits, process } = services;
  const turns = trackTurns(services);
  const recover = () => {
    const { actor, kit, newId: makeId } = services;
    return recoverRuns({ store, actor, kit, process, staleMs: limits.staleMs, newId: makeId, now: () => clock.now() });
  };
  return {
    events: services.events,
    compactor,
    summarizer,
    generate(start, asked) {
      checkGiven(start, asked);
      return turns.begin(start, withDefaults(asked, options.defaults));
    },
    async abort(which) {
      const isLocal = await turns.abort(which);
      const { followMs: everyMs } = limits;
      const elsewhere = await requestRemoteStop(which, { runs: store.runs, process, clock, everyMs, recover });
      return isLocal || elsewhere;
    },
    follow: (followed, signal) =>
      followReply(store, requireObject(followed), {
        clock,
        everyMs: limits.followMs,
        ...(signal === undefined ? {} : { signal }),
      }),
    recover,
    async keepRecovering(signal) {
      while (!signal.aborted) {
        // A store that is away for a while has its runs saved when it is back.
        await recover().catch(() => []);
        await clock.wait(limits.heartbeatMs, signal).catch(() => undefined);
      }
    },
    close: turns.close,
  };
}

/** What turns, compaction and summaries of one store work with. */
function generatorServices(options: GeneratorOptions): {
  readonly services: TurnServices;
  readonly compactor: Compactor;
  readonly summarizer: Summarizer;
} {
  const { store, clock = systemClock, kit = messageKit, budgets = noBudgets, compaction } = options;
  const model = (id: string) => options.providers.model(id);
  const shared = {
    store,
    model,
    events: options.events ?? createEvents(),
    kit,
    clock,
    newId: options.newId ?? (() => newId(clock.now())),
    actor: options.actor ?? store.owner,
  };
  const spending = options.spending ?? memorySpending();
  const notes = summaryModel(options.providers, { summaries: options.summaries ?? {} });
  const budget = dailySummaryBudget({ budgets, spending, clock });
  const summarizer = options.summarizer ?? createSummarizer({ model: notes, budget, clock });
  const compactor = createCompactor({ ...shared, summarizer, fileTools: compaction?.fileTools });
  const limits = { ...defaultGenerateLimits, ...options.limits };
  const services: TurnServices = {
    ...shared,
    learnWindow: options.providers.learnWindow ?? null,
    tools: options.tools ?? null,
    yieldToEventLoop: createYielder(clock),
    ticks: createSharedTimer(clock, limits.flushMs),
    process: `${process.pid} ${newId()}`,
    limits,
    budgets,
    spending,
    compact: compaction?.automatic === false ? null : (options.compact ?? compactor.compactContext),
  };
  return { services, compactor, summarizer };
}

/** The turns of one generator: those that run, and by which request. */
function trackTurns(services: TurnServices) {
  const running = new Set<RunningTurn>();
  const inFlight = new Map<string, RunningTurn>();
  let closed = false;
  const start = (begun: TurnStart, wanted: GenerateOptions, key: string | null): RunningTurn => {
    const turn = startTurn(services, begun, wanted);
    running.add(turn);
    if (key !== null) inFlight.set(key, turn);
    if (closed) turn.stop(new Stop('close'));
    void turn.done.then(() => {
      running.delete(turn);
      if (key !== null) inFlight.delete(key);
    });
    return turn;
  };
  return {
    /** Begins a turn, or gives the one that the same request began and that still runs. */
    begin(begun: TurnStart, wanted: GenerateOptions): Turn {
      const key = turnKey(begun, wanted);
      return (key === null ? undefined : inFlight.get(key)) ?? start(begun, wanted, key);
    },
    /** Stops turns and waits for their end; false where there were none. */
    async abort(which: TurnsOf): Promise<boolean> {
      const meant = [...running].filter((turn) =>
        'actId' in which ? turn.actId === which.actId : turn.writes(which.nodeId),
      );
      for (const turn of meant) turn.abort();
      await Promise.all(meant.map((turn) => turn.done));
      return meant.length > 0;
    },
    async close(): Promise<void> {
      closed = true;
      for (const turn of running) turn.stop(new Stop('close'));
      await Promise.all([...running].map((turn) => turn.done));
    },
  };
}

/** One request at one place; null where the caller does not name requests. */
function turnKey(start: TurnStart, { requestId }: GenerateOptions): string | null {
  if (requestId === undefined) return null;
  const at = 'nodeId' in start ? start.nodeId : (start.parentId ?? null);
  return JSON.stringify([start.treeId, start.type, at, requestId]);
}

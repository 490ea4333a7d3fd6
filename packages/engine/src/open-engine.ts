/** Builds the engine, through which the server and the command line call models. */
import { refuse, type Store } from '@coppice/core';
import { assertStore } from '@coppice/core/decode';
import type { ChatCopier, CommandDefinition } from './commands/contract.ts';
import { type Commands, createCommands } from './commands/registry.ts';
import type { Compactor } from './compaction/contract.ts';
import type { Config } from './config/contract.ts';
import { createEventBus, type EventBus, type HookFailure } from './events.ts';
import { createFileTextExtractor, type FileTextExtractor } from './files/file-text-extractor.ts';
import { createTurnGenerator, type TurnGenerator, type TurnGeneratorOptions } from './generate/index.ts';
import { toGeneratorSettings } from './generate/settings.ts';
import { createMemorySpendingLedger, type SpendingLedger } from './generate/spending-ledger.ts';
import { createStoreSpendingLedger } from './generate/store-spending-ledger.ts';
import { newId } from './new-id.ts';
import { systemClock } from './providers/clock.ts';
import { createProviders, type ModelProviders } from './providers/index.ts';
import { createSharedTimers, type SharedTimers } from './runs/shared-timer.ts';
import type { Summarizer } from './summaries/contract.ts';
import { createTitleGenerator, type TitleGenerator } from './summaries/titles.ts';
import { createTools, toToolSettings } from './tools/index.ts';
import type { ToolRegistry } from './tools/registry.ts';

/** The store and the configuration of an engine, and optional replacements for its defaults. */
export interface EngineOptions
  extends Pick<TurnGeneratorOptions, 'limits' | 'spending' | 'shareTurns' | 'actor' | 'kit' | 'clock' | 'newId'> {
  /** The store belongs to the caller; closing the engine does not close it. */
  readonly store: Store;
  readonly config: Config;
  /**
   * Returns the current configuration, if it can change at run time. Defaults, budgets, tool rules and the title model
   * follow it.
   */
  readonly currentConfig?: (() => Config) | undefined;
  /** Hooks, shared by all stores of the engine; by default each store has its own bus. */
  readonly events?: EventBus | undefined;
  /** Called when a hook fails; ignored if `events` is given. */
  readonly onHookFailure?: ((failure: HookFailure) => void) | undefined;
  /** By default created from the configuration. */
  readonly providers?: ModelProviders | undefined;
  /** By default the built-in tools with the rules of the configuration. */
  readonly tools?: ToolRegistry | undefined;
  /** Where commands create copies; by default new trees of the same store. */
  readonly copies?: ChatCopier | undefined;
  /** Commands in addition to the built-in ones. */
  readonly commands?: readonly CommandDefinition[] | undefined;
  /** False disables automatic titles. */
  readonly titles?: boolean | undefined;
  /** Called when a title could not be set. */
  readonly onTitleError?: ((error: unknown) => void) | undefined;
}

/** All services that call models, on one store. They share budgets, hooks and the summary model. */
export interface Engine {
  readonly store: Store;
  readonly providers: ModelProviders;
  readonly tools: ToolRegistry;
  readonly events: EventBus;
  readonly generator: TurnGenerator;
  readonly compactor: Compactor;
  readonly summarizer: Summarizer;
  /** Null if automatic titles are disabled. */
  readonly titles: TitleGenerator | null;
  /** The spending and use per day, for all stores of this engine. */
  readonly spending: SpendingLedger;
  /** The slash commands of this engine's store. */
  readonly commands: Commands;
  /**
   * Returns an engine on another store with the same providers, tools, budgets and summaries. It is closed with this
   * one.
   */
  forStore(store: Store): Engine;
  /**
   * Drops the engine that {@link forStore} returned for a store, so that its memory can be used again. No turn may run
   * on it.
   */
  release(store: Store): void;
  /** Stops running turns, keeping their text, and cancels pending titles. Does not close providers, tools and store. */
  close(): Promise<void>;
}

/** Builds an engine. It calls no model and opens nothing until it is used. */
export function openEngine(options: EngineOptions): Engine {
  assertStore('openEngine', options.store);
  const { config } = options;
  // An untyped caller may omit `config`.
  if (config?.generate === undefined)
    return refuse('command/invalid', 'openEngine needs a `config`, such as parseConfig(null, {}).');
  const current = options.currentConfig ?? (() => config);
  const settings = followSettings(toGeneratorSettings(config), () => toGeneratorSettings(current()));
  const shared: SharedServices = {
    providers: options.providers ?? createProviders({ config, ...(options.clock ? { clock: options.clock } : {}) }),
    tools: options.tools ?? createTools({ ...toToolSettings(config), rules: () => current().tools }),
    // Shared, so that a daily budget applies to all stores of a process even if spending is not stored in a file.
    spending: options.spending ?? chooseSpending(options.store, settings.spending ?? createMemorySpendingLedger()),
    fileTexts: createFileTextExtractor(),
    timers: createSharedTimers(options.clock ?? systemClock),
    engines: new Map(),
    summarizer: null,
  };
  return engineOn(options, settings, shared, options.store);
}

/**
 * Returns the spending of the store as soon as its servers share it, else that of this computer. A store on a read-only
 * database shares nothing until the database accepts writes.
 */
function chooseSpending(store: Store, own: SpendingLedger): SpendingLedger {
  let ofStore: SpendingLedger | null = null;
  const current = (): SpendingLedger => {
    const { shared } = store;
    if (shared !== null) ofStore ??= createStoreSpendingLedger(shared.spending, own);
    return ofStore ?? own;
  };
  return {
    on: (day) => current().on(day),
    add: (day, usd, note) => current().add(day, usd, note),
    reserve: (day, owner, amountOf) => current().reserve(day, owner, amountOf),
    byOwner: (day) => current().byOwner(day),
  };
}

/** The services that the engines of all stores share. */
interface SharedServices {
  readonly providers: ModelProviders;
  readonly tools: ToolRegistry;
  readonly spending: NonNullable<TurnGeneratorOptions['spending']>;
  readonly fileTexts: FileTextExtractor;
  readonly timers: SharedTimers;
  readonly engines: Map<Store, Engine>;
  summarizer: Summarizer | null;
}

type Settings = ReturnType<typeof toGeneratorSettings>;

const noPersonalBudgets: ReadonlyMap<string, number> = new Map();

/** Returns settings whose defaults, budgets and summary model are read from the current configuration at each use. */
function followSettings(first: Settings, current: () => Settings): Settings {
  return {
    ...first,
    defaults: {
      get temperature() {
        return current().defaults.temperature;
      },
      get maxTokens() {
        return current().defaults.maxTokens;
      },
      get thinking() {
        return current().defaults.thinking;
      },
      get fallbackModel() {
        return current().defaults.fallbackModel;
      },
    },
    budgets: {
      get turnUsd() {
        return current().budgets.turnUsd;
      },
      get dayUsd() {
        return current().budgets.dayUsd;
      },
      get turnTokens() {
        return current().budgets.turnTokens;
      },
      get personDayUsd() {
        return current().budgets.personDayUsd ?? noPersonalBudgets;
      },
    },
    summaries: {
      get model() {
        return current().summaries.model;
      },
    },
  };
}

function engineOn(options: EngineOptions, settings: Settings, shared: SharedServices, store: Store): Engine {
  const known = shared.engines.get(store);
  if (known !== undefined) return known;
  const { providers, tools, spending, fileTexts, timers } = shared;
  const { kit, clock = systemClock, actor } = options;
  const makeId = options.newId ?? (() => newId(clock.now()));
  const events = options.events ?? createEventBus(options.onHookFailure);
  const generator = createTurnGenerator({
    ...settings,
    store,
    providers,
    tools,
    events,
    spending,
    shareTurns: options.shareTurns,
    fileTexts,
    timers,
    limits: { ...settings.limits, ...options.limits },
    summarizer: shared.summarizer ?? undefined,
    actor,
    kit,
    clock,
    newId: makeId,
  });
  const { compactor, summarizer } = generator;
  shared.summarizer = summarizer;
  const model = (id: string) => providers.model(id);
  const onError = options.onTitleError;
  const titles =
    options.titles === false
      ? null
      : createTitleGenerator({ store, events, summarizer, model, kit, clock, newId: makeId, onError });
  const commands = createCommands({
    models: providers,
    compactor,
    events,
    copies: options.copies,
    abort: (which) => generator.abort(which),
    extra: options.commands,
    now: () => clock.now(),
    newId: makeId,
    kit,
  });
  const engine: Engine = {
    store,
    providers,
    tools,
    events,
    generator,
    compactor,
    summarizer,
    titles,
    spending,
    commands,
    forStore: (of) => engineOn(options, settings, shared, of),
    release(of) {
      const released = shared.engines.get(of);
      if (released === undefined || of === options.store) return;
      shared.engines.delete(of);
      void released.titles?.close();
    },
    async close() {
      const all = store === options.store ? [...shared.engines.values()] : [engine];
      await Promise.all(all.map((each) => each.generator.close()));
      await Promise.all(all.map((each) => each.titles?.close()));
    },
  };
  shared.engines.set(store, engine);
  return engine;
}

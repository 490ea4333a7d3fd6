/** The one assembly of the engine: server and command line take every part that talks to models from here. */
import type { Store } from '@coppice/core';
import type { CommandDefinition, Copies } from './commands/contract.ts';
import { type Commands, createCommands } from './commands/registry.ts';
import type { Compactor } from './compaction/contract.ts';
import type { Config } from './config/contract.ts';
import { createEvents, type Events, type HookFailure } from './events.ts';
import { generatorSettings } from './generate/defaults.ts';
import { createGenerator, type Generator, type GeneratorOptions } from './generate/index.ts';
import { memorySpending } from './generate/spending.ts';
import { newId } from './new-id.ts';
import { systemClock } from './providers/clock.ts';
import { createProviders, type ModelProviders } from './providers/index.ts';
import type { Summarizer } from './summaries/contract.ts';
import { createTitles, type TitleGenerator } from './summaries/titles.ts';
import { createTools, toolSettings } from './tools/index.ts';
import type { ToolRegistry } from './tools/registry.ts';

/** What an engine is made of; all but store and configuration has a default. */
export interface EngineOptions
  extends Pick<GeneratorOptions, 'limits' | 'spending' | 'actor' | 'kit' | 'clock' | 'newId'> {
  /** Stays open when the engine is closed: it belongs to whoever opened it. */
  readonly store: Store;
  readonly config: Config;
  /** Hooks, shared by every store of the engine; a bus for each store if not given. */
  readonly events?: Events | undefined;
  /** Called when a hook fails, unless `events` is given, which has its own. */
  readonly onHookFailure?: ((failure: HookFailure) => void) | undefined;
  /** Made from the configuration if not given. */
  readonly providers?: ModelProviders | undefined;
  /** The built-in tools under the rules of the configuration if not given. */
  readonly tools?: ToolRegistry | undefined;
  /** Where commands put copies; new trees of the same store if not given. */
  readonly copies?: Copies | undefined;
  /** Commands in addition to the built-in ones. */
  readonly commands?: readonly CommandDefinition[] | undefined;
  /** False gives no automatic titles. */
  readonly titles?: boolean | undefined;
  /** Called when a title could not be given. */
  readonly onTitleError?: ((error: unknown) => void) | undefined;
}

/** Every part that talks to models, on one store. Budgets, hooks and the summary model are the same for all of them. */
export interface Engine {
  readonly store: Store;
  readonly providers: ModelProviders;
  readonly tools: ToolRegistry;
  readonly events: Events;
  readonly generator: Generator;
  readonly compactor: Compactor;
  readonly summarizer: Summarizer;
  /** Null where automatic titles are switched off. */
  readonly titles: TitleGenerator | null;
  /** The slash commands; they run on this engine's store. */
  readonly commands: Commands;
  /** The same engine on another store: same providers, tools, budgets and summaries. Closed with this one. */
  forStore(store: Store): Engine;
  /** Ends running turns, keeping what they wrote, and stops pending titles. Providers, tools and store stay open. */
  close(): Promise<void>;
}

/** Assembles an engine. Asks no model and opens nothing until it is used. */
export function openEngine(options: EngineOptions): Engine {
  const { config } = options;
  const settings = generatorSettings(config);
  const shared: Shared = {
    providers: options.providers ?? createProviders({ config, ...(options.clock ? { clock: options.clock } : {}) }),
    tools: options.tools ?? createTools(toolSettings(config)),
    // Shared, so that a daily budget holds over all stores of a process also where no file keeps it.
    spending: options.spending ?? settings.spending ?? memorySpending(),
    engines: new Map(),
    summarizer: null,
  };
  return engineOn(options, settings, shared, options.store);
}

/** What the engines of all stores have in common. */
interface Shared {
  readonly providers: ModelProviders;
  readonly tools: ToolRegistry;
  readonly spending: NonNullable<GeneratorOptions['spending']>;
  readonly engines: Map<Store, Engine>;
  summarizer: Summarizer | null;
}

type Settings = ReturnType<typeof generatorSettings>;

function engineOn(options: EngineOptions, settings: Settings, shared: Shared, store: Store): Engine {
  const known = shared.engines.get(store);
  if (known !== undefined) return known;
  const { providers, tools, spending } = shared;
  const { kit, clock = systemClock, actor } = options;
  const makeId = options.newId ?? (() => newId(clock.now()));
  const events = options.events ?? createEvents(options.onHookFailure);
  const generator = createGenerator({
    ...settings,
    store,
    providers,
    tools,
    events,
    spending,
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
      : createTitles({ store, events, summarizer, model, kit, clock, newId: makeId, onError });
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
    commands,
    forStore: (of) => engineOn(options, settings, shared, of),
    async close() {
      const all = store === options.store ? [...shared.engines.values()] : [engine];
      await Promise.all(all.map((each) => each.generator.close()));
      await Promise.all(all.map((each) => each.titles?.close()));
    },
  };
  shared.engines.set(store, engine);
  return engine;
}

/** The services of all routes: stores and engines by owner, and services that all owners share. */

import { messageKit } from '@coppice/content';
import type { MessageKit, SharedRecords, Store, TreeId } from '@coppice/core';
import { omitUndefined } from '@coppice/core/decode';
import {
  type ChosenLimits,
  type Config,
  type Engine,
  findLocalModels,
  type LiveConfig,
  type McpClient,
  type ModelProviders,
  newId,
  openEngine,
  systemClock,
  type ToolRegistry,
} from '@coppice/engine';
import { createMemorySharedRecords, TemporaryTrees } from '@coppice/stores';
import { type Logger, pino } from 'pino';
import { tmpdir } from '#platform/system';
import {
  type AuthOptions,
  defaultQuotas,
  defaultServerLimits,
  type Quotas,
  type ServerLimits,
  type ServerOptions,
} from './contract.ts';
import type { ComputerEnvironment } from './found/program-chat-folders.ts';
import { throwHttpError } from './http-errors.ts';
import { ignoreMissingTemporaryTrees } from './ignore-missing-temporary-trees.ts';
import { EventStreams } from './live/event-stream.ts';
import { SharedSlots } from './live/shared-slots.ts';
import { TreeFeeds } from './live/tree-feeds.ts';
import { LiveTurns } from './live/turns.ts';
import { addProcessMetrics, Metrics } from './metrics.ts';
import { UserUsageTracker } from './middleware/limits.ts';
import { SignInCodes } from './middleware/sign-in-codes.ts';
import { OpenCalls } from './proxy/calls-in-progress.ts';
import { createRecorder } from './proxy/proxy.ts';
import { RecordedTitles } from './proxy/recorded-titles.ts';
import type { Recorder } from './proxy/recorder.ts';
import { workerStoreAddressOf } from './threads.ts';
import { ImportRegistry } from './transfer/imports.ts';
import { productVersion } from './version.ts';

/** The services of one owner: stored and temporary trees, and turns in both. */
export interface OwnerServices {
  readonly owner: string;
  readonly store: Store;
  readonly temporary: TemporaryTrees;
  /** The store of a tree. An unknown tree gets the main store, which then throws. */
  storeOf(treeId: TreeId): Promise<Store>;
  /** Counts a temporary tree before its creation; throws above the limit. */
  admitTemporary(treeId: TreeId): Promise<void>;
  /** Returns the engine of one of the two stores. */
  engineOf(store: Store): Engine;
}

/** The API reference. Each form is created on first use. */
export interface ApiReference {
  /** The OpenAPI document as JSON. */
  document(): string;
  /** The reference as an HTML page. */
  page(): string;
}

/** The services that all owners share. */
export interface SharedServices {
  readonly auth: AuthOptions;
  /** The current configuration. */
  readonly config: Config;
  /** The configuration with entered keys; null if only the configuration file has keys. */
  readonly live: LiveConfig | null;
  readonly providers: ModelProviders;
  readonly tools: ToolRegistry;
  /** The engine of the server's main store; `OwnerServices.engineOf` has those of single owners. */
  readonly engine: Engine;
  readonly mcp: McpClient | null;
  /** Whether agents may write over `/mcp`. */
  readonly mcpWrites: boolean;
  readonly kit: MessageKit;
  readonly limits: ServerLimits;
  readonly quotas: Quotas;
  /** The quotas of one user, with the limits that an admin set for this user. */
  quotasOf(owner: string): Quotas;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly usage: UserUsageTracker;
  /** Short-lived records, which all servers of the store share if the store can be shared. */
  readonly records: SharedRecords;
  /** One-time codes that sign a browser in, on any server. */
  readonly signInCodes: SignInCodes;
  readonly streams: EventStreams;
  readonly turns: LiveTurns;
  readonly imports: ImportRegistry;
  /** The folder for uploads before their import. */
  readonly spool: string;
  /** The paths where other programs store their conversations; null if the server does not search for them. */
  readonly computer: ComputerEnvironment | null;
  readonly hubs: TreeFeeds;
  readonly web: string | null;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  /** The main store, with accounts, health, and the trees of a single-user server. */
  readonly store: Store;
  readonly now: () => number;
  readonly newId: () => string;
  /** The port, which is null until the server listens, and whether the address is loopback. */
  readonly bound: { port: number | null; isLoopback: boolean };
  /** Aborts when the server begins to stop. */
  readonly closing: AbortSignal;
  readonly reference: ApiReference;
  /** Records the calls that the proxy forwards or answers. Created on first use. */
  readonly recorder: Recorder;
  /** Titles of recorded sessions; null until `recorder` is first used, and if titles are off. */
  readonly recordedTitles: RecordedTitles | null;
  /** The forwarded calls in progress. */
  readonly calls: OpenCalls;
  ownerServicesOf(owner: string): OwnerServices;
  /**
   * Reads changes that other processes made to the configuration, keys or token. Returns null if the last check was
   * less than a second ago.
   */
  sync(): Promise<void> | null;
  /** Searches for local servers with models, at most once a minute. Never rejects. */
  findLocalModels(): Promise<void>;
  /** The default model, looked up at most once a minute, because it may require a search for a local server. */
  defaultModel(): Promise<string>;
}

/** Creates the services. It opens neither a socket nor a file. */
export function createSharedServices(
  options: ServerOptions,
  closing: AbortSignal,
  reference: ApiReference,
): SharedServices {
  const { store, config } = options;
  const live = options.live ?? null;
  const now = options.now ?? Date.now;
  const fresh = options.newId ?? (() => newId(now()));
  const kit = options.kit ?? messageKit;
  const log = options.log ?? pino({ level: 'silent' });
  const engine = openServerEngine(options, { kit, log, now, newId: fresh });
  const { providers, tools } = engine;
  const defaultModel = cacheForAMinute(now, () => providers.defaultModel(closing));
  const localModels = cacheForAMinute(now, async () => {
    if (live !== null) await findLocalModels(live, providers, closing);
  });
  live?.onChange(() => defaultModel.forget());
  const operatorQuotas = { ...defaultQuotas, ...options.quotas };
  const quotas = lowerLimits(operatorQuotas, () => live?.limitChoices);
  const quotasOf = (owner: string) =>
    lowerLimits(operatorQuotas, () => limitsOfUser(live?.limitChoices, live?.limitsOf(owner)));
  const { importBytes } = config.server;
  const limits: ServerLimits = { ...defaultServerLimits, ...omitUndefined({ importBytes }), ...options.limits };
  const records = recordsOf(store, now);
  const slots = new SharedSlots({ records, newId: fresh, log });
  const usage = new UserUsageTracker({ quotasOf, now, records });
  const turns = new LiveTurns({ quotasOf, limits, slots, records });
  const imports = new ImportRegistry({
    quotas,
    limits,
    log,
    now,
    slots,
    records,
    thread: workerStoreAddressOf(options),
  });
  const hubs = new TreeFeeds({ turns, limits, log }, closing);
  const temporary = new TemporaryTrees(store, { now, kit });
  const ownerServicesOf = openOwnerServices({ engine, store, temporary, quotas, turns, hubs });
  const metrics = new Metrics();
  const services: SharedServices = {
    auth: options.auth,
    get config() {
      return live?.current ?? config;
    },
    live,
    providers,
    tools,
    engine,
    mcp: options.mcp ?? null,
    mcpWrites: options.mcpWrites ?? config.mcpWrites,
    kit,
    limits,
    quotas,
    quotasOf,
    log,
    metrics,
    usage,
    records,
    signInCodes: new SignInCodes(records),
    streams: new EventStreams(usage, limits, closing),
    turns,
    imports,
    spool: options.spool ?? tmpdir(),
    computer: options.computer ?? null,
    hubs,
    web: options.web ?? null,
    hosts: options.hosts ?? [],
    origins: options.origins ?? config.server.origins ?? [],
    store,
    now,
    newId: fresh,
    bound: { port: null, isLoopback: false },
    closing,
    calls: new OpenCalls(),
    reference,
    ownerServicesOf,
    sync: createSync(options),
    get recorder() {
      return recording.recorder;
    },
    get recordedTitles() {
      return recording.titles;
    },
    findLocalModels: localModels.get,
    defaultModel: defaultModel.get,
  };
  const recording = new LazyRecording(services, options);
  addServiceMetrics(services);
  return services;
}

/**
 * Returns the records that all servers of the store share. While the store has no shared records, because its database
 * takes no writes or no other server can use it, the records are in memory.
 */
function recordsOf(store: Store, now: () => number): SharedRecords {
  const own = createMemorySharedRecords(now);
  const current = () => store.shared?.records ?? own;
  return {
    find: (group, key) => current().find(group, key),
    list: (group) => current().list(group),
    put: (group, key, value, write) => current().put(group, key, value, write),
    take: (group, key) => current().take(group, key),
    renew: (names, keepMs) => current().renew(names, keepMs),
    count: (name, amount, limit) => current().count(name, amount, limit),
    periodLeft: (periodMs) => current().periodLeft(periodMs),
    sweep: () => current().sweep(),
  };
}

/** Opens the engine of the main store. Changes of the configuration are applied to it. */
function openServerEngine(
  options: ServerOptions,
  { kit, log, now, newId }: Pick<SharedServices, 'kit' | 'log' | 'now' | 'newId'>,
): Engine {
  const { store, config, live } = options;
  const engine = openEngine({
    store,
    config,
    currentConfig: live === undefined ? undefined : () => live.current,
    events: options.events,
    onHookFailure: ({ event, error }) => log.warn({ err: error, event }, 'a hook failed'),
    providers: options.providers,
    tools: options.tools,
    titles: options.titles,
    // Servers that share a store can be asked for each other's turns.
    shareTurns: () => store.shared !== null,
    onTitleError: (error) => log.warn({ err: error }, 'a title could not be written'),
    limits: options.generateLimits,
    kit,
    clock: { ...systemClock, now },
    newId,
  });
  live?.onChange((changed) => {
    engine.providers.reconfigure(changed);
    options.mcp?.reconfigure(changed.mcpServers).catch((error: unknown) => {
      log.warn({ err: error }, 'the MCP servers could not be reconfigured');
    });
  });
  return engine;
}

// The services of an owner take some ten kilobytes. A server may get requests of all users in the course of time.
const mostOwners = 1_000;

interface OwnerServicesOptions {
  readonly engine: Engine;
  readonly store: Store;
  readonly temporary: TemporaryTrees;
  readonly quotas: Quotas;
  readonly turns: LiveTurns;
  readonly hubs: TreeFeeds;
}

/**
 * Returns a function that opens the services of an owner on first use. The services of the owners whose last request is
 * the oldest are dropped, unless a turn or a feed of the owner needs the same stores.
 */
function openOwnerServices({
  engine,
  store,
  temporary,
  quotas,
  turns,
  hubs,
}: OwnerServicesOptions): (owner: string) => OwnerServices {
  const opened = new Map<string, OwnerServices>();
  const open = (owner: string): OwnerServices => {
    const main = owner === store.owner ? store : store.forOwner(owner);
    const ownTemporary = owner === store.owner ? temporary : temporary.forOwner(owner);
    const known = new Set<TreeId>();
    return {
      owner,
      store: main,
      temporary: ownTemporary,
      storeOf: (treeId) => findStore(main, ownTemporary, known, treeId),
      engineOf: (of) => engine.forStore(of),
      async admitTemporary(treeId) {
        known.delete(treeId);
        const { items } = await ownTemporary.store.trees({ limit: quotas.temporaryTrees });
        if (items.length >= quotas.temporaryTrees && !(await ownTemporary.has(treeId)))
          throwHttpError(
            'http/too-many',
            `You have ${items.length} temporary trees; make some of them permanent, or delete them.`,
          );
      },
    };
  };
  let dropAbove = mostOwners;
  const dropOldest = () => {
    for (const { owner, store: main, temporary: apart } of opened.values()) {
      if (opened.size <= mostOwners) break;
      const stores = [main, apart.store];
      if (owner === store.owner || turns.has(owner) || stores.some((each) => hubs.has(each))) continue;
      opened.delete(owner);
      for (const each of stores) {
        hubs.release(each);
        engine.release(each);
      }
    }
    // If many services are in use, the next search for unused ones is later.
    dropAbove = Math.max(mostOwners, opened.size) + mostOwners / 10;
  };
  return (owner) => {
    const services = opened.get(owner) ?? open(owner);
    // The owner becomes the newest in the order of the map.
    opened.delete(owner);
    opened.set(owner, services);
    if (opened.size > dropAbove) dropOldest();
    return services;
  };
}

// How many trees a server remembers for each owner.
const mostKnown = 1_000;

/**
 * Finds the store of a tree. If the servers share temporary trees, looking for one takes a query, so trees of the main
 * store are remembered. They never become temporary.
 */
async function findStore(main: Store, temporary: TemporaryTrees, known: Set<TreeId>, treeId: TreeId): Promise<Store> {
  if (main.shared === null) return (await temporary.has(treeId)) ? temporary.store : main;
  if (known.has(treeId)) return main;
  if ((await main.formatOf(treeId)) === null) {
    const isTemporary = await temporary.has(treeId).catch(ignoreMissingTemporaryTrees);
    return isTemporary === true ? temporary.store : main;
  }
  if (known.size >= mostKnown) known.clear();
  known.add(treeId);
  return main;
}

/** Returns a function that calls `load` at most once a minute and returns the last result in between. */
function cacheForAMinute<T>(now: () => number, load: () => Promise<T>): { get(): Promise<T>; forget(): void } {
  let last: { readonly at: number; readonly result: Promise<T> } | null = null;
  return {
    get() {
      if (last === null || now() - last.at > 60_000) last = { at: now(), result: load() };
      return last.result;
    },
    forget() {
      last = null;
    },
  };
}

/** The recorder and the titles of recorded sessions, created on first use, because most servers record nothing. */
class LazyRecording {
  readonly #services: SharedServices;
  readonly #options: ServerOptions;
  #recorder: Recorder | null = null;
  #titles: RecordedTitles | null = null;

  constructor(services: SharedServices, options: ServerOptions) {
    this.#services = services;
    this.#options = options;
  }

  get recorder(): Recorder {
    this.#recorder ??= this.#open();
    return this.#recorder;
  }

  /** The titles; null until the recorder is first used, and if titles are off. */
  get titles(): RecordedTitles | null {
    return this.#titles;
  }

  #open(): Recorder {
    const { config, providers, log, now, newId, ownerServicesOf } = this.#services;
    const { spillFolder } = this.#options;
    const threadStore = workerStoreAddressOf(this.#options);
    const context = { config, providers, log, now, newId, ownerServicesOf };
    const recorder = createRecorder(context, { threadStore, spillFolder });
    if (this.#options.titles !== false) this.#titles = this.#openTitles(recorder);
    return recorder;
  }

  #openTitles(recorder: Recorder): RecordedTitles {
    const services = this.#services;
    const { engine, now, newId, kit, log, ownerServicesOf } = services;
    return new RecordedTitles(recorder, {
      get config() {
        return services.config;
      },
      storeOf: (owner) => ownerServicesOf(owner).store,
      summarizer: engine.summarizer,
      context: { now, newId, kit },
      onError: (error) => log.warn({ err: error }, 'the title of a recorded session could not be written'),
    });
  }
}

/** Adds the metrics of the process, streams, imports, turns and recording. */
function addServiceMetrics(services: SharedServices): void {
  const { metrics, usage, imports, turns } = services;
  addProcessMetrics(metrics, productVersion);
  metrics.gauge('coppice_streams', 'Streams that are open.', () => usage.streams);
  metrics.gauge('coppice_imports', 'Imports that are uploading or running.', () => imports.running);
  metrics.gauge('coppice_turns', 'Turns in progress.', () => turns.running);
  const recording = (name: 'waiting' | 'spilled' | 'dropped' | 'failed' | 'unacknowledged', help: string) =>
    metrics.gauge(`coppice_recorder_${name}`, help, () => services.recorder.state[name]);
  recording('waiting', 'Calls that wait to be recorded.');
  recording('spilled', 'Calls that wait in files.');
  recording('dropped', 'Calls that were dropped, because too many were waiting.');
  recording('failed', 'Calls that the store refused.');
  recording('unacknowledged', 'Calls that could not be recorded and are not acknowledged.');
}

/** Returns the operator's limits, lowered to the limits that an admin chose on the page. */
function lowerLimits(operator: Quotas, chosen: () => ChosenLimits | undefined): Quotas {
  const smaller = (most: number | null, wanted: number | null | undefined) =>
    wanted === null || wanted === undefined ? most : Math.min(wanted, most ?? wanted);
  return {
    ...operator,
    get generations() {
      return Math.min(operator.generations, chosen()?.generations ?? operator.generations);
    },
    get requestsPerMinute() {
      return smaller(operator.requestsPerMinute, chosen()?.requestsPerMinute);
    },
    get uploadBytesPerDay() {
      return smaller(operator.uploadBytesPerDay, chosen()?.uploadBytesPerDay);
    },
  };
}

/** Returns the limits of one user. Limits that were set for this user replace the general ones. */
function limitsOfUser(each: ChosenLimits | undefined, own: ChosenLimits | undefined): ChosenLimits | undefined {
  if (each === undefined || own === undefined) return each;
  return {
    dayUsd: own.dayUsd,
    generations: own.generations ?? each.generations,
    requestsPerMinute: own.requestsPerMinute ?? each.requestsPerMinute,
    uploadBytesPerDay: own.uploadBytesPerDay ?? each.uploadBytesPerDay,
  };
}

const syncMs = 1_000;

/** Returns a function that checks configuration, keys and token for changes, at most once a second. */
function createSync({ live, auth }: ServerOptions): () => Promise<void> | null {
  const syncToken = auth.mode === 'token' ? auth.sync : undefined;
  let lastSync = Date.now();
  return () => {
    const config = live?.sync() ?? null;
    if (syncToken === undefined || Date.now() - lastSync < syncMs) return config;
    lastSync = Date.now();
    const token = syncToken().catch(() => undefined);
    return config === null ? token : Promise.all([config, token]).then(() => undefined);
  };
}

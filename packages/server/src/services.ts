/** The services of all routes: stores and engines by owner, and what all owners share. */
import { tmpdir } from 'node:os';
import { messageKit } from '@coppice/content';
import type { MessageKit, Store, TreeId } from '@coppice/core';
import {
  type Config,
  type Engine,
  findLocalModels,
  type LimitChoices,
  type LiveConfig,
  type McpClient,
  type ModelProviders,
  newId,
  openEngine,
  systemClock,
  type ToolRegistry,
} from '@coppice/engine';
import { TemporaryTrees } from '@coppice/stores';
import { type Logger, pino } from 'pino';
import {
  type AuthOptions,
  defaultQuotas,
  defaultServerLimits,
  type Quotas,
  type ServerLimits,
  type ServerOptions,
} from './contract.ts';
import type { ComputerPaths } from './found/program-folders.ts';
import { throwHttpError } from './http-errors.ts';
import { EventStreams } from './live/event-stream.ts';
import { TreeFeeds } from './live/hubs.ts';
import { LiveTurns } from './live/turns.ts';
import { addProcessMetrics, Metrics } from './metrics.ts';
import { BodyUsage } from './middleware/limits.ts';
import { SignInCodes } from './middleware/sign-in-codes.ts';
import { omitUndefined } from './omit-undefined.ts';
import { OpenCalls } from './proxy/open-calls.ts';
import { createRecorder } from './proxy/proxy.ts';
import { RecordedTitles } from './proxy/recorded-titles.ts';
import type { Recorder } from './proxy/recorder.ts';
import { threadStoreOf } from './threads.ts';
import { ImportRegistry } from './transfer/imports.ts';
import { productVersion } from './version.ts';

/** The services of one owner: kept and temporary trees, and turns in both. */
export interface OwnerServices {
  readonly owner: string;
  readonly store: Store;
  readonly temporary: TemporaryTrees;
  /** The store of a tree; the main one for an unknown tree, which then throws. */
  storeOf(treeId: TreeId): Promise<Store>;
  /** Counts a temporary tree before its creation; throws above the limit. */
  admitTemporary(treeId: TreeId): Promise<void>;
  /** The engine on one of the two stores. */
  engineOf(store: Store): Engine;
}

/** The API document, created on first use. */
export interface ApiReference {
  /** The OpenAPI document. */
  document(): string;
  /** The document as an HTML page. */
  page(): string;
}

/** What all owners share. */
export interface SharedServices {
  readonly auth: AuthOptions;
  /** The current configuration. */
  readonly config: Config;
  /** Where keys can be entered; null if only the configuration has them. */
  readonly live: LiveConfig | null;
  readonly providers: ModelProviders;
  readonly tools: ToolRegistry;
  /** The engine on the server's main store; `OwnerServices.engineOf` has those of single owners. */
  readonly engine: Engine;
  readonly mcp: McpClient | null;
  /** Whether agents may write over `/mcp`. */
  readonly mcpWrites: boolean;
  readonly kit: MessageKit;
  readonly limits: ServerLimits;
  readonly quotas: Quotas;
  /** The quotas of one person, with the limits that an admin set for this person. */
  quotasOf(owner: string): Quotas;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly usage: BodyUsage;
  /** One-time codes that sign a browser in. */
  readonly signInCodes: SignInCodes;
  readonly streams: EventStreams;
  readonly turns: LiveTurns;
  readonly imports: ImportRegistry;
  /** The folder for uploads before their import. */
  readonly spool: string;
  /** Where other programs store their conversations; null if they are not searched for. */
  readonly computer: ComputerPaths | null;
  readonly hubs: TreeFeeds;
  readonly web: string | null;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  /** The main store: accounts, health, and the trees of a single-user server. */
  readonly store: Store;
  readonly now: () => number;
  readonly newId: () => string;
  /** The port, once it is known. */
  readonly bound: { port: number | null; isLoopback: boolean };
  /** Aborts when the server begins to stop. */
  readonly closing: AbortSignal;
  readonly reference: ApiReference;
  /** Records forwarded calls. */
  readonly recorder: Recorder;
  /** Titles of recorded sessions; null until something is recorded, and if titles are off. */
  readonly recordedTitles: RecordedTitles | null;
  /** The calls in progress. */
  readonly calls: OpenCalls;
  ownerServicesOf(owner: string): OwnerServices;
  /** Applies changes of files or other servers, at most once a second; null if it is too soon. */
  sync(): Promise<void> | null;
  /** Searches for local servers with models, at most once a minute. Never rejects. */
  findLocalModels(): Promise<void>;
  /** The default model, looked up at most once a minute, because it may require a search for a local server. */
  defaultModel(): Promise<string>;
}

/** Fills in default options. Opens nothing. */
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
  let searched: { readonly at: number; readonly done: Promise<void> } | null = null;
  let chosen: { readonly at: number; readonly model: Promise<string> } | null = null;
  const engine = openEngine({
    store,
    config,
    currentConfig: options.live === undefined ? undefined : () => live?.current ?? config,
    events: options.events,
    onHookFailure: ({ event, error }) => log.warn({ err: error, event }, 'a hook failed'),
    providers: options.providers,
    tools: options.tools,
    titles: options.titles,
    onTitleError: (error) => log.warn({ err: error }, 'a title was not given'),
    limits: options.generateLimits,
    kit,
    clock: { ...systemClock, now },
    newId: fresh,
  });
  const { providers, tools } = engine;
  live?.onChange((changed) => {
    providers.reconfigure(changed);
    options.mcp?.reconfigure(changed.mcpServers).catch((error: unknown) => {
      log.warn({ err: error }, 'the tool servers could not be changed');
    });
    chosen = null;
  });
  const temporary = new TemporaryTrees(store, { now, kit });
  const operatorQuotas = { ...defaultQuotas, ...options.quotas };
  const quotas = followLimits(operatorQuotas, () => live?.limitChoices);
  const quotasOf = (owner: string) =>
    followLimits(operatorQuotas, () => personLimits(live?.limitChoices, live?.limitsOf(owner)));
  const rooms = new Map<string, OwnerServices>();
  const openOwner = (owner: string): OwnerServices => {
    const main = owner === store.owner ? store : store.forOwner(owner);
    const beside = owner === store.owner ? temporary : temporary.forOwner(owner);
    return {
      owner,
      store: main,
      temporary: beside,
      storeOf: async (treeId) => ((await beside.has(treeId)) ? beside.store : main),
      engineOf: (of) => engine.forStore(of),
      async admitTemporary(treeId) {
        const { items } = await beside.store.trees({ limit: quotas.temporaryTrees });
        if (items.length >= quotas.temporaryTrees && !(await beside.has(treeId)))
          throwHttpError('http/too-many', `You have ${items.length} temporary trees; keep or discard some of them.`);
      },
    };
  };
  const { importBytes } = config.server;
  const limits: ServerLimits = { ...defaultServerLimits, ...omitUndefined({ importBytes }), ...options.limits };
  const metrics = new Metrics();
  addProcessMetrics(metrics, productVersion);
  const usage = new BodyUsage({ quotasOf, now });
  const turns = new LiveTurns(quotasOf, limits);
  metrics.gauge('coppice_streams', 'Streams that are open.', () => usage.streams);
  const thread = threadStoreOf(options);
  const imports = new ImportRegistry({ quotas, limits, log, now, thread });
  metrics.gauge('coppice_imports', 'Imports that are uploaded or under way.', () => imports.running);
  metrics.gauge('coppice_turns', 'Turns that are being written.', () => turns.running);
  let recorder: Recorder | null = null;
  let recordedTitles: RecordedTitles | null = null;
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
    signInCodes: new SignInCodes(now),
    streams: new EventStreams(usage, limits, closing),
    turns,
    imports,
    spool: options.spool ?? tmpdir(),
    computer: options.computer ?? null,
    hubs: new TreeFeeds({ turns, limits, log }, closing),
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
    ownerServicesOf(owner) {
      const known = rooms.get(owner);
      if (known !== undefined) return known;
      const made = openOwner(owner);
      rooms.set(owner, made);
      return made;
    },
    sync: createSync(options),
    get recorder() {
      recorder ??= createRecorder(
        {
          config: this.config,
          providers,
          log,
          now,
          newId: fresh,
          ownerServicesOf: (owner) => this.ownerServicesOf(owner),
        },
        { threadStore: thread, spillFolder: options.spillFolder },
      );
      if (options.titles !== false) {
        const { summarizer } = engine;
        const current = () => this.config;
        recordedTitles ??= new RecordedTitles(recorder, {
          get config() {
            return current();
          },
          storeOf: (owner) => this.ownerServicesOf(owner).store,
          summarizer,
          context: { now, newId: fresh, kit },
          onError: (error) => log.warn({ err: error }, 'a recorded session was not given a title'),
        });
      }
      return recorder;
    },
    get recordedTitles() {
      return recordedTitles;
    },
    findLocalModels() {
      if (live === null) return Promise.resolve();
      if (searched === null || now() - searched.at > 60_000)
        searched = { at: now(), done: findLocalModels(live, providers, closing) };
      return searched.done;
    },
    defaultModel() {
      if (chosen === null || now() - chosen.at > 60_000) chosen = { at: now(), model: providers.defaultModel(closing) };
      return chosen.model;
    },
  };
  const recording = (name: 'waiting' | 'spilled' | 'dropped' | 'failed' | 'unacknowledged', help: string) =>
    metrics.gauge(`coppice_recorder_${name}`, help, () => services.recorder.state[name]);
  recording('waiting', 'Calls that wait to be recorded.');
  recording('spilled', 'Calls that wait in files.');
  recording('dropped', 'Calls that were dropped, since more came than could be written.');
  recording('failed', 'Calls that the store refused.');
  recording('unacknowledged', 'Calls that could not be recorded and that nobody has acknowledged.');
  return services;
}

/** The limits of a person, reduced to those that an admin set on the page. */
function followLimits(operator: Quotas, chosen: () => LimitChoices | undefined): Quotas {
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

/** The limits of one person: own ones replace those of each person. */
function personLimits(each: LimitChoices | undefined, own: LimitChoices | undefined): LimitChoices | undefined {
  if (each === undefined || own === undefined) return each;
  return {
    dayUsd: own.dayUsd,
    generations: own.generations ?? each.generations,
    requestsPerMinute: own.requestsPerMinute ?? each.requestsPerMinute,
    uploadBytesPerDay: own.uploadBytesPerDay ?? each.uploadBytesPerDay,
  };
}

const syncMs = 1_000;

/** Checks configuration, keys and token for changes, at most once a second. */
function createSync({ live, auth }: ServerOptions): () => Promise<void> | null {
  const syncToken = auth.mode === 'token' ? auth.sync : undefined;
  let looked = Date.now();
  return () => {
    const config = live?.sync() ?? null;
    if (syncToken === undefined || Date.now() - looked < syncMs) return config;
    looked = Date.now();
    const token = syncToken().catch(() => undefined);
    return config === null ? token : Promise.all([config, token]).then(() => undefined);
  };
}

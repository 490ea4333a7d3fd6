/** What every route works with: stores and generators by owner, and what all owners share. */
import { tmpdir } from 'node:os';
import { messageKit } from '@coppice/content';
import type { MessageKit, Store, TreeId } from '@coppice/core';
import {
  type Config,
  type Engine,
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
import { refuseHttp } from './http-errors.ts';
import { Streams } from './live/event-stream.ts';
import { Hubs } from './live/hubs.ts';
import { LiveTurns } from './live/turns.ts';
import { Metrics } from './metrics.ts';
import { BodyUsage } from './middleware/limits.ts';
import { SignInCodes } from './middleware/sign-in-codes.ts';
import { omitUndefined } from './omit-undefined.ts';
import { OpenCalls } from './proxy/open-calls.ts';
import { createRecorder } from './proxy/proxy.ts';
import type { Recorder } from './proxy/recorder.ts';
import { threadStoreOf } from './threads.ts';
import { Imports } from './transfer/imports.ts';

/** What one owner has: trees that are kept, trees that are not, and turns in both. */
export interface OwnerServices {
  readonly owner: string;
  readonly store: Store;
  readonly temporary: TemporaryTrees;
  /** The store that a tree is in; the main one for a tree that nobody knows, which then says so. */
  storeOf(treeId: TreeId): Promise<Store>;
  /** Counts a temporary tree that is about to be made; refuses one too many. */
  admitTemporary(treeId: TreeId): Promise<void>;
  /** The engine on one of the two stores. */
  engineOf(store: Store): Engine;
}

/** What the server says about itself, made when it is first asked for. */
export interface Reference {
  /** The OpenAPI document. */
  document(): string;
  /** The same to read. */
  page(): string;
}

/** What all owners share. */
export interface Services {
  readonly auth: AuthOptions;
  readonly config: Config;
  readonly providers: ModelProviders;
  readonly tools: ToolRegistry;
  /** On the store of this server's opener; `OwnerServices.engineOf` has those of single owners. */
  readonly engine: Engine;
  readonly mcp: McpClient | null;
  /** Whether agents that come over `/mcp` may write. */
  readonly mcpWrites: boolean;
  readonly kit: MessageKit;
  readonly limits: ServerLimits;
  readonly quotas: Quotas;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly usage: BodyUsage;
  /** Codes that sign a browser in, once each. */
  readonly signInCodes: SignInCodes;
  readonly streams: Streams;
  readonly turns: LiveTurns;
  readonly imports: Imports;
  /** The folder where uploads wait for their import. */
  readonly spool: string;
  readonly hubs: Hubs;
  readonly web: string | null;
  readonly hosts: readonly string[];
  readonly origins: readonly string[];
  /** The store as its opener sees it: accounts, health, and the owner of a server for one person. */
  readonly store: Store;
  readonly now: () => number;
  readonly newId: () => string;
  /** The port, once there is one. */
  readonly bound: { port: number | null };
  /** Fires when the server begins to stop. */
  readonly closing: AbortSignal;
  readonly reference: Reference;
  /** Records calls of other programs that are passed on. */
  readonly recorder: Recorder;
  /** Those that are being answered. */
  readonly calls: OpenCalls;
  ownerServicesOf(owner: string): OwnerServices;
  /** The model of choice, looked up at most once a minute: it may mean to look for a server on this machine. */
  defaultModel(): Promise<string>;
}

/** Fills in what the options leave open. Opens and asks nothing. */
export function createServices(options: ServerOptions, closing: AbortSignal, reference: Reference): Services {
  const { store, config } = options;
  const now = options.now ?? Date.now;
  const fresh = options.newId ?? (() => newId(now()));
  const kit = options.kit ?? messageKit;
  const log = options.log ?? pino({ level: 'silent' });
  const engine = openEngine({
    store,
    config,
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
  const temporary = new TemporaryTrees(store, { now, kit });
  const quotas: Quotas = { ...defaultQuotas, ...options.quotas };
  const rooms = new Map<string, OwnerServices>();
  let chosen: { readonly at: number; readonly model: Promise<string> } | null = null;
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
          refuseHttp('http/too-many', `You have ${items.length} temporary trees; keep or discard some of them.`);
      },
    };
  };
  const limits: ServerLimits = { ...defaultServerLimits, ...omitUndefined(config.server), ...options.limits };
  const metrics = new Metrics();
  const usage = new BodyUsage({ quotas, now });
  const turns = new LiveTurns(quotas, limits);
  metrics.gauge('coppice_streams', 'Streams that are open.', () => usage.streams);
  const thread = threadStoreOf(options);
  const imports = new Imports({ quotas, limits, log, now, thread });
  metrics.gauge('coppice_imports', 'Imports that are uploaded or under way.', () => imports.running);
  metrics.gauge('coppice_turns', 'Turns that are being written.', () => turns.running);
  let recorder: Recorder | null = null;
  const services: Services = {
    auth: options.auth,
    config,
    providers,
    tools,
    engine,
    mcp: options.mcp ?? null,
    mcpWrites: options.mcpWrites ?? config.mcpWrites,
    kit,
    limits,
    quotas,
    log,
    metrics,
    usage,
    signInCodes: new SignInCodes(now),
    streams: new Streams(usage, limits, closing),
    turns,
    imports,
    spool: options.spool ?? tmpdir(),
    hubs: new Hubs({ turns, limits, log }, closing),
    web: options.web ?? null,
    hosts: options.hosts ?? [],
    origins: options.origins ?? [],
    store,
    now,
    newId: fresh,
    bound: { port: null },
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
    get recorder() {
      recorder ??= createRecorder(
        { config, providers, log, now, newId: fresh, ownerServicesOf: (owner) => this.ownerServicesOf(owner) },
        { threadStore: thread, spillFolder: options.spillFolder },
      );
      return recorder;
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

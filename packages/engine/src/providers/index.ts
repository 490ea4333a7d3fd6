/** Builds the providers and models of a configuration. */
import { AppError, type Block, type Role } from '@coppice/core';
import {
  type Catalogue,
  type Cost,
  computeCost,
  createCatalogue,
  type ModelCapabilities,
  type ModelInfo,
  type Price,
} from '../catalogue/index.ts';
import type { Config, ProviderConfig } from '../config/contract.ts';
import type { HttpConnection } from '../http/contract.ts';
import { systemClock } from './clock.ts';
import type {
  Clock,
  ListedModel,
  Provider,
  ProviderCall,
  ProviderEvent,
  ProviderNotice,
  ProviderRequest,
  ProviderUsage,
} from './contract.ts';
import { providerDefinitions } from './registry.ts';

/** The options of a call that the configuration does not provide. */
export type ModelCall = Omit<ProviderCall, 'connection'>;

/** One model of one provider, ready to be called. */
export interface Model {
  /** In the form `provider/model`. */
  readonly id: string;
  readonly provider: Provider;
  /** The model id at the provider. */
  readonly model: string;
  readonly info: ModelInfo;
  /** What must be configured before the model can be called, as a sentence; null if it is ready. */
  readonly missing: string | null;
  /** Calls the model. Never throws; see {@link ProviderEvent}. */
  stream(request: Omit<ProviderRequest, 'model'>, call?: ModelCall): AsyncIterable<ProviderEvent>;
  /** Returns the request with the parameters that would be sent. */
  fit(request: Omit<ProviderRequest, 'model'>): Omit<ProviderRequest, 'model'>;
  /** Returns whether a block can be sent unchanged; otherwise it is sent as text. */
  accepts(block: Block, role: Role): boolean;
  /** Returns the cost of a call in US dollars; null if the price is unknown. */
  cost(usage: Omit<ProviderUsage, 'raw'>): Cost | null;
}

/** An entry of the model picker. */
export interface ModelChoice {
  readonly id: string;
  readonly provider: string;
  readonly providerLabel: string;
  readonly label: string;
  readonly window: number;
  /** False if the window is unknown and `window` is only assumed. */
  readonly windowKnown: boolean;
  readonly maxOut: number;
  readonly price: Price | null;
  readonly capabilities: ModelCapabilities;
  /** Whether the model can be called with the current configuration. */
  readonly ready: boolean;
  /** What must be configured if the model is not ready, as a sentence. */
  readonly missing: string | null;
}

/** All configured providers and their models. */
export interface ModelProviders {
  readonly catalogue: Catalogue;
  /** The enabled providers under their configured names. */
  readonly all: readonly Provider[];
  /** Replaces the configuration. Running calls are not affected. */
  reconfigure(config: Config): void;
  /** Asks a server for its models with the given URL and key, without storing them. Rejects with the error. */
  tryConnection(section: ProviderConfig, call?: ModelCall): Promise<readonly ListedModel[]>;
  /**
   * Finds a model by `provider/model`, by the provider alone, or by a model name that only one provider has. Throws
   * otherwise.
   */
  model(id: string): Model;
  /** Returns the entries of the model picker; models that are ready come first. */
  list(): readonly ModelChoice[];
  /** Asks every provider that is ready for its models and adds these to the catalogue. Never throws. */
  refresh(signal?: AbortSignal): Promise<void>;
  /**
   * If the window of a model is unknown, asks its server and adds the description to the catalogue. Asks once per
   * model; after a failure it asks again when a minute has passed. Never throws.
   */
  learnWindow(id: string, signal?: AbortSignal): Promise<void>;
  /**
   * Returns the configured model, else a model of the first provider with a key, else one of a local Ollama, else
   * `offline/guide`.
   */
  defaultModel(signal?: AbortSignal): Promise<string>;
}

export interface ProvidersOptions {
  readonly config: Config;
  readonly catalogue?: Catalogue;
  /** Providers that are added to those of the registry, for example a scripted one in tests. */
  readonly extra?: readonly Provider[];
  readonly clock?: Clock;
  readonly onNotice?: (notice: ProviderNotice, modelId: string) => void;
}

interface ProviderEntry {
  readonly provider: Provider;
  readonly section: ProviderConfig | undefined;
  readonly connection: HttpConnection;
}

const offlineName = 'offline';

/** The model that answers by default if no provider has a key. It needs no network. */
export const offlineModelId = 'offline/guide';

// Short, so that users do not notice the search if no local server runs.
const detectMs = 800;

// How long a turn waits for a description. A local server responds quickly or not at all.
const describeMs = 2_000;
const askAgainMs = 60_000;

/** Limits lookups of windows to one per model, so that a turn does not wait for the same response twice. */
function createWindowLookup(lookup: {
  now(): number;
  /** Returns false if the lookup should be repeated later. */
  learn(id: string, signal: AbortSignal | undefined): Promise<boolean>;
}): { learn(id: string, signal: AbortSignal | undefined): Promise<void> } {
  const asked = new Map<string, { readonly at: number; readonly answer: Promise<boolean> }>();
  return {
    async learn(id, signal) {
      const before = asked.get(id);
      if (before !== undefined) {
        if (await before.answer) return;
        if (lookup.now() - before.at < askAgainMs) return;
      }
      const answer = lookup.learn(id, signal).catch(() => false);
      asked.set(id, { at: lookup.now(), answer });
      await answer;
    },
  };
}

/** Creates the providers of a configuration. Connections are opened only by calls. */
export function createProviders(options: ProvidersOptions): ModelProviders {
  let { config } = options;
  const catalogue = options.catalogue ?? createCatalogue(config.models);
  let entries = providerEntries(config, options.extra ?? []);
  const callOf = (entry: ProviderEntry, id: string, call: ModelCall = {}): ProviderCall => ({
    clock: options.clock,
    paceMs: config.offline.delayMs,
    ...call,
    onNotice(notice) {
      call.onNotice?.(notice);
      options.onNotice?.(notice, id);
    },
    limits: { ...config.limits, ...call.limits },
    connection: entry.connection,
  });
  addBuiltInModels(entries, catalogue);
  const learned = new Map<string, readonly string[]>();
  const ask = async (entry: ProviderEntry, call: ModelCall): Promise<readonly string[]> => {
    const models = await entry.provider.listModels(callOf(entry, entry.provider.name, call));
    catalogue.learn(entry.provider.name, models);
    const ids = models.map((model) => model.id);
    learned.set(entry.provider.name, ids);
    return ids;
  };
  const model = (name: string): Model => {
    const { entry, id } = resolve(name, entries, catalogue);
    return modelOf(entry, id, catalogue, callOf);
  };
  const windows = createWindowLookup({
    now: () => (options.clock ?? systemClock).now(),
    async learn(id, signal) {
      const { entry, id: name } = resolve(id, entries, catalogue);
      if (catalogue.find(entry.provider.name, name).windowKnown || missingProvider(entry) !== null) return true;
      const call = callOf(entry, id, { signal, limits: { firstByteMs: describeMs } });
      const reported = await entry.provider.describeModel(name, call);
      if (reported !== null) catalogue.learn(entry.provider.name, [reported]);
      return reported !== null;
    },
  });
  return {
    catalogue,
    get all() {
      return [...entries.values()].map((entry) => entry.provider);
    },
    reconfigure(next) {
      config = next;
      entries = providerEntries(next, options.extra ?? []);
      addBuiltInModels(entries, catalogue);
    },
    async tryConnection(section, call) {
      const entry = providerEntries({ providers: new Map([[section.name, section]]) }, []).get(section.name);
      if (entry === undefined) return unknownModel(`There is no provider ${JSON.stringify(section.kind)}.`);
      return entry.provider.tryModels(callOf(entry, section.name, call));
    },
    model,
    list: () => listChoices(entries, catalogue, learned),
    async refresh(signal) {
      const ready = [...entries.values()].filter((entry) => missingProvider(entry) === null);
      await Promise.all(ready.map((entry) => ask(entry, { signal })));
    },
    learnWindow: (id, signal) => windows.learn(id, signal),
    async defaultModel(signal) {
      if (config.model !== undefined) return model(config.model).id;
      for (const entry of withKey(config, entries)) {
        const id = entry.section?.defaultModel ?? entry.provider.defaultModel ?? entry.section?.models[0];
        if (id !== undefined) return `${entry.provider.name}/${id}`;
      }
      const ollama = entries.get('ollama');
      if (ollama !== undefined && config.detectOllama) {
        const [first] = await ask(ollama, { signal, limits: { firstByteMs: detectMs } });
        const id = ollama.section?.defaultModel ?? first;
        if (first !== undefined && id !== undefined) return `ollama/${id}`;
      }
      return offlineModelId;
    },
  };
}

/** Adds connection, limits and clock to the options of a call. */
type CompleteCall = (entry: ProviderEntry, id: string, call?: ModelCall) => ProviderCall;

function modelOf(entry: ProviderEntry, id: string, catalogue: Catalogue, callOf: CompleteCall): Model {
  const { provider } = entry;
  const full = `${provider.name}/${id}`;
  // Looked up at each use, because a server may have described the model meanwhile.
  const infoOf = () => catalogue.find(provider.name, id);
  // A model that is not in the catalogue is assumed to support everything; if not, its provider returns an error.
  const withCapabilities = (call: ModelCall = {}): ModelCall => {
    const { known, capabilities } = infoOf();
    return known ? { capabilities, ...call } : call;
  };
  return {
    id: full,
    provider,
    model: id,
    get info() {
      return infoOf();
    },
    missing: missingProvider(entry),
    stream: (request, call) => provider.stream({ ...request, model: id }, callOf(entry, full, withCapabilities(call))),
    fit: (request) => provider.fit({ ...request, model: id }, withCapabilities()),
    accepts: (block, role) => provider.accepts(block, role, id, withCapabilities().capabilities),
    cost: (usage) => computeCost(infoOf().price, usage),
  };
}

/** Adds the built-in models of providers to the catalogue, also under the configured names. */
function addBuiltInModels(entries: ReadonlyMap<string, ProviderEntry>, catalogue: Catalogue): void {
  for (const { provider } of entries.values()) {
    const { name, kind, models } = provider;
    // A provider under another name has the same models. Values that are only assumed are not copied as known ones.
    if (kind !== name)
      catalogue.learn(
        name,
        catalogue
          .list(kind)
          .map(({ id, name: label, window, windowKnown, maxOut, maxOutKnown, price, capabilities }) => ({
            id,
            label,
            price,
            capabilities,
            ...(windowKnown ? { window } : {}),
            ...(maxOutKnown ? { maxOut } : {}),
          })),
      );
    if (models.length > 0) catalogue.learn(name, models);
  }
}

/** Throws if a model cannot be called, before anything is stored for the reply. */
export function requireReadyModel({ id, provider, missing: lack }: Model): void {
  if (lack === null) return;
  throw new AppError({
    code: 'provider/no-key',
    kind: 'refused',
    message: `${id} cannot answer: ${provider.label} needs a key. ${lack}`,
  });
}

/** Returns the entries of the model picker for a configuration, without asking any server. */
export function listModels(config: Config, catalogue?: Catalogue): readonly ModelChoice[] {
  return createProviders({ config, ...(catalogue === undefined ? {} : { catalogue }) }).list();
}

function providerEntries(config: Pick<Config, 'providers'>, extra: readonly Provider[]): Map<string, ProviderEntry> {
  const entries = new Map<string, ProviderEntry>();
  const add = (provider: Provider, section: ProviderConfig | undefined) => {
    if (section?.enabled === false) return;
    entries.set(provider.name, { provider, section, connection: connectionOf(provider, section) });
  };
  for (const provider of providerDefinitions) {
    // `openai-compatible` without a configured URL is only a kind; it cannot be called.
    if (provider.name !== 'openai-compatible' || config.providers.has(provider.name))
      add(provider, config.providers.get(provider.name));
  }
  for (const section of config.providers.values()) {
    if (section.kind === section.name) continue;
    const kind = providerDefinitions.find((provider) => provider.name === section.kind);
    if (kind === undefined) continue;
    add(
      {
        ...kind,
        name: section.name,
        label: section.label ?? section.name,
        defaultModel: section.defaultModel ?? kind.defaultModel,
      },
      section,
    );
  }
  for (const provider of extra) add(provider, config.providers.get(provider.name));
  return entries;
}

function connectionOf(provider: Provider, section: ProviderConfig | undefined): HttpConnection {
  return {
    baseUrl: section?.baseUrl ?? provider.baseUrl ?? '',
    key: section?.key,
    publicOnly: section?.publicOnly,
    headers: section?.headers,
  };
}

/**
 * Returns the providers that can answer: those with a key, and OpenAI-compatible servers with a model. Those of the
 * file come first, in the order of the file.
 */
function withKey(config: Config, entries: ReadonlyMap<string, ProviderEntry>): readonly ProviderEntry[] {
  const found: ProviderEntry[] = [];
  for (const name of config.providers.keys()) {
    const entry = entries.get(name);
    const section = entry?.section;
    const own = section?.kind === 'openai-compatible' && (section.defaultModel ?? section.models[0]) !== undefined;
    if (entry !== undefined && (own || (entry.provider.keyRequired && entry.connection.key !== undefined)))
      found.push(entry);
  }
  return found;
}

function missingProvider({ provider, connection }: ProviderEntry): string | null {
  if (!provider.keyRequired || connection.key !== undefined) return null;
  const variable = provider.keyNames[0];
  const orVariable = variable === undefined ? '' : `, or set ${variable}`;
  return `Add a key with coppice keys set ${provider.name}, or on the page under Settings, Models${orVariable}.`;
}

function unknownModel(message: string): never {
  throw new AppError({ code: 'provider/unknown', kind: 'not-found', message });
}

/** Returns the model id. Throws if the provider has a fixed list without it. */
function requireOffered({ closed, label, models }: Provider, id: string): string {
  if (!closed || models.some((model) => model.id === id)) return id;
  throw new AppError({
    code: 'provider/unknown-model',
    kind: 'not-found',
    message: `${label} has no model ${JSON.stringify(id.slice(0, 200))}; there are ${models.map((model) => model.id).join(' and ')}.`,
  });
}

function resolve(
  name: string,
  entries: ReadonlyMap<string, ProviderEntry>,
  catalogue: Catalogue,
): { entry: ProviderEntry; id: string } {
  const slash = name.indexOf('/');
  const entry = entries.get(slash === -1 ? name : name.slice(0, slash));
  if (entry !== undefined && slash !== -1 && slash < name.length - 1)
    return { entry, id: requireOffered(entry.provider, name.slice(slash + 1)) };
  if (entry !== undefined) {
    const id = entry.section?.defaultModel ?? entry.provider.defaultModel ?? entry.provider.models[0]?.id;
    return id === undefined
      ? unknownModel(`${entry.provider.label} has no model of choice; say ${name.replace(/\/$/, '')}/<model>.`)
      : { entry, id };
  }
  const owners = slash === -1 ? catalogue.list().filter((info) => info.id === name && entries.has(info.provider)) : [];
  const [only] = owners;
  const owner = owners.length === 1 && only !== undefined ? entries.get(only.provider) : undefined;
  if (owner !== undefined) return { entry: owner, id: name };
  if (owners.length > 1)
    return unknownModel(
      `Several providers have ${JSON.stringify(name)}; say one of ${owners.map((info) => `${info.provider}/${name}`).join(', ')}.`,
    );
  return unknownModel(
    `${JSON.stringify(name.slice(0, 200))} names no known provider. Name a model as provider/model; the providers are ${[...entries.keys()].join(', ')}.`,
  );
}

function listChoices(
  entries: ReadonlyMap<string, ProviderEntry>,
  catalogue: Catalogue,
  learned: ReadonlyMap<string, readonly string[]>,
): readonly ModelChoice[] {
  const choices: ModelChoice[] = [];
  for (const [name, entry] of entries) {
    const ids = new Set<string>([
      ...(entry.section?.models ?? []),
      ...entry.provider.models.map((each) => each.id),
      ...(learned.get(name) ?? []),
      ...catalogue.list(name).map((info) => info.id),
    ]);
    const lack = missingProvider(entry);
    for (const id of ids) {
      const { name: label, window, windowKnown, maxOut, price, capabilities } = catalogue.find(name, id);
      choices.push({
        id: `${name}/${id}`,
        provider: name,
        providerLabel: entry.provider.label,
        label: label,
        window,
        windowKnown,
        maxOut: maxOut,
        price,
        capabilities: {
          tools: capabilities.tools && entry.provider.supports.tools,
          thinking: capabilities.thinking && entry.provider.supports.thinking,
          images: capabilities.images && entry.provider.supports.images,
        },
        ready: lack === null,
        missing: lack,
      });
    }
  }
  // Models that are ready come first, then the offline ones, then those that are not ready.
  const rank = (choice: ModelChoice) => (choice.ready ? (choice.provider === offlineName ? 1 : 0) : 2);
  return choices.sort((a, b) => rank(a) - rank(b));
}

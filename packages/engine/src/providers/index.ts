/** The providers of a configuration: who can be asked, with which key, for which models. */
import { AppError } from '@coppice/core';
import {
  type Catalogue,
  type Cost,
  costOf,
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
  Provider,
  ProviderCall,
  ProviderEvent,
  ProviderNotice,
  ProviderRequest,
  ProviderUsage,
} from './contract.ts';
import { providerDefinitions } from './registry.ts';

/** A call without what the configuration knows already. */
export type ModelCall = Omit<ProviderCall, 'connection'>;

/** One model of one provider, ready to be asked. */
export interface Model {
  /** `provider/model`. */
  readonly id: string;
  readonly provider: Provider;
  /** By the provider's own name. */
  readonly model: string;
  readonly info: ModelInfo;
  /** What is missing before it can be asked, as a sentence; null if it is ready. */
  readonly missing: string | null;
  /** Asks the model. Never throws; see {@link ProviderEvent}. */
  stream(request: Omit<ProviderRequest, 'model'>, call?: ModelCall): AsyncIterable<ProviderEvent>;
  /** The request with its parameters as they would be sent. */
  fit(request: Omit<ProviderRequest, 'model'>): Omit<ProviderRequest, 'model'>;
  /** What a usage cost; null when the price is unknown. */
  cost(usage: Omit<ProviderUsage, 'raw'>): Cost | null;
}

/** A line of a model picker. */
export interface ModelChoice {
  readonly id: string;
  readonly provider: string;
  readonly providerLabel: string;
  readonly label: string;
  readonly window: number;
  /** False where nobody has told the window and the figure is an assumption. */
  readonly windowKnown: boolean;
  readonly maxOut: number;
  readonly price: Price | null;
  readonly capabilities: ModelCapabilities;
  /** Whether it can be asked as things are. */
  readonly ready: boolean;
  /** What is missing when it is not, as a sentence. */
  readonly missing: string | null;
}

/** Everything that can be asked. */
export interface ModelProviders {
  readonly catalogue: Catalogue;
  /** Every provider that is not switched off, by its name here. */
  readonly all: readonly Provider[];
  /** A model by `provider/model`, by a provider alone, or by a model's name that only one provider has. */
  model(id: string): Model;
  /** What a picker shows: models that can be asked first. */
  list(): readonly ModelChoice[];
  /** Asks every provider that is ready which models it has, and adds them to the catalogue. Never throws. */
  refresh(signal?: AbortSignal): Promise<void>;
  /**
   * Asks the server of a model whose window is unknown what it says of it, and adds that to the catalogue. Once for each
   * model; a server that did not answer is asked again after a minute. Never throws.
   */
  learnWindow(id: string, signal?: AbortSignal): Promise<void>;
  /** Configured, else the first provider with a key, else a local Ollama, else `offline/guide`. */
  defaultModel(signal?: AbortSignal): Promise<string>;
}

/** What providers are made from. */
export interface ProvidersOptions {
  readonly config: Config;
  readonly catalogue?: Catalogue;
  /** Providers beside those of the registry, such as a scripted one in tests. */
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

/** The model without key and network. */
export const offlineModel = 'offline/guide';

// Looking for a local server must not be felt when there is none.
const detectMs = 800;

// A turn waits for it, once; a local server answers at once or not at all.
const describeMs = 2_000;
const askAgainMs = 60_000;

/** Remembers which models were asked about, so that a turn does not wait for the same answer twice. */
function windowLessons(lessons: {
  now(): number;
  /** Whether there is nothing left to learn. */
  learn(id: string, signal: AbortSignal | undefined): Promise<boolean>;
}): { learn(id: string, signal: AbortSignal | undefined): Promise<void> } {
  const asked = new Map<string, { readonly at: number; readonly answer: Promise<boolean> }>();
  return {
    async learn(id, signal) {
      const before = asked.get(id);
      if (before !== undefined) {
        if (await before.answer) return;
        if (lessons.now() - before.at < askAgainMs) return;
      }
      const answer = lessons.learn(id, signal).catch(() => false);
      asked.set(id, { at: lessons.now(), answer });
      await answer;
    },
  };
}

/** The providers of a configuration. Opens nothing and asks nobody until told to. */
export function createProviders(options: ProvidersOptions): ModelProviders {
  const { config } = options;
  const catalogue = options.catalogue ?? createCatalogue(config.models);
  const entries = providerEntries(config, options.extra ?? []);
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
  learnConfigured(entries, catalogue);
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
  const windows = windowLessons({
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
    all: [...entries.values()].map((entry) => entry.provider),
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
        const id = entry.section?.defaultModel ?? entry.provider.defaultModel;
        if (id !== null) return `${entry.provider.name}/${id}`;
      }
      const ollama = entries.get('ollama');
      if (ollama !== undefined && config.detectOllama) {
        const [first] = await ask(ollama, { signal, limits: { firstByteMs: detectMs } });
        const id = ollama.section?.defaultModel ?? first;
        if (first !== undefined && id !== undefined) return `ollama/${id}`;
      }
      return offlineModel;
    },
  };
}

/** How a call to a provider is completed by the configuration. */
type CompleteCall = (entry: ProviderEntry, id: string, call?: ModelCall) => ProviderCall;

function modelOf(entry: ProviderEntry, id: string, catalogue: Catalogue, callOf: CompleteCall): Model {
  const { provider } = entry;
  const full = `${provider.name}/${id}`;
  // Looked up each time: a server may have told more about the model since.
  const infoOf = () => catalogue.find(provider.name, id);
  // What nobody has heard of is taken to be able to do everything; its provider will say if it is not.
  const able = (call: ModelCall = {}): ModelCall => {
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
    stream: (request, call) => provider.stream({ ...request, model: id }, callOf(entry, full, able(call))),
    fit: (request) => provider.fit({ ...request, model: id }, able()),
    cost: (usage) => costOf(infoOf().price, usage),
  };
}

/** Adds the models that providers have by themselves, also under the names that the configuration gives them. */
function learnConfigured(entries: ReadonlyMap<string, ProviderEntry>, catalogue: Catalogue): void {
  for (const { provider } of entries.values()) {
    const { name, kind, models } = provider;
    // Under another name it still has the models that it has; what is only assumed of them stays an assumption.
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

/** Refuses a model that cannot be asked as things are, so that nothing is stored for a reply that cannot come. */
export function requireReady({ id, provider, missing: lack }: Model): void {
  if (lack === null) return;
  throw new AppError({
    code: 'provider/no-key',
    kind: 'refused',
    message: `${id} cannot answer: ${provider.label} needs a key. ${lack}`,
  });
}

/** What a picker shows for a configuration, without asking any server. */
export function listModels(config: Config, catalogue?: Catalogue): readonly ModelChoice[] {
  return createProviders({ config, ...(catalogue === undefined ? {} : { catalogue }) }).list();
}

function providerEntries(config: Config, extra: readonly Provider[]): Map<string, ProviderEntry> {
  const entries = new Map<string, ProviderEntry>();
  const add = (provider: Provider, section: ProviderConfig | undefined) => {
    if (section?.enabled === false) return;
    entries.set(provider.name, { provider, section, connection: connectionOf(provider, section) });
  };
  for (const provider of providerDefinitions) {
    // Without an address of its own it is a kind, not somebody to ask.
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
    headers: section?.headers,
  };
}

/** Those with a key: the file's first, in its order. */
function withKey(config: Config, entries: ReadonlyMap<string, ProviderEntry>): readonly ProviderEntry[] {
  const found: ProviderEntry[] = [];
  for (const name of config.providers.keys()) {
    const entry = entries.get(name);
    const own = entry?.section?.kind === 'openai-compatible' && entry.section.defaultModel !== undefined;
    if (entry !== undefined && (own || (entry.provider.keyRequired && entry.connection.key !== undefined)))
      found.push(entry);
  }
  return found;
}

function missingProvider({ provider, connection }: ProviderEntry): string | null {
  if (!provider.keyRequired || connection.key !== undefined) return null;
  return `Set ${provider.keyNames[0] ?? 'a key'}, or api_key in [providers.${provider.name}].`;
}

function unknownModel(message: string): never {
  throw new AppError({ code: 'provider/unknown', kind: 'not-found', message });
}

/** The name of a model, refused where a provider that has no others does not have it. */
function offered({ closed, label, models }: Provider, id: string): string {
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
    return { entry, id: offered(entry.provider, name.slice(slash + 1)) };
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
    `${JSON.stringify(name.slice(0, 200))} names no provider; a model is named provider/model, with one of ${[...entries.keys()].join(', ')}.`,
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
  // A model with a key first, the built-in ones after it, and last what cannot be asked yet.
  const rank = (choice: ModelChoice) => (choice.ready ? (choice.provider === offlineName ? 1 : 0) : 2);
  return choices.sort((a, b) => rank(a) - rank(b));
}

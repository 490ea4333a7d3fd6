/** The model catalogue: context windows, longest replies, prices and capabilities. */
import type { JsonObject } from '@coppice/core';
import { fallbackModelLimits } from '@coppice/core/context';
import type { ListedModel, ProviderUsage } from '../providers/contract.ts';
import data from './models.json' with { type: 'json' };

/** Prices in US dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

/** What a model can do; a capability counts as present unless the catalogue denies it. */
export interface ModelCapabilities {
  readonly tools: boolean;
  readonly thinking: boolean;
  readonly images: boolean;
}

export interface ModelInfo {
  readonly provider: string;
  /** The provider's own model id. */
  readonly id: string;
  readonly name: string;
  /** The context window, in tokens. */
  readonly window: number;
  /** The longest reply, in tokens. */
  readonly maxOut: number;
  /** Null means unknown, not free. */
  readonly price: Price | null;
  readonly capabilities: ModelCapabilities;
  /** False if the catalogue has no entry: window and reply limit are then core's defaults. */
  readonly known: boolean;
  /**
   * False if the window is core's default. Then no chat is compacted because of the window: only the provider knows how
   * large it really is.
   */
  readonly windowKnown: boolean;
  /** False if `maxOut` is core's default. */
  readonly maxOutKnown: boolean;
}

/**
 * The fields of a model that the operator or a server sets; they change a catalogue entry, or add one for a new model.
 */
export interface ModelOverride {
  readonly name?: string | undefined;
  readonly window?: number | undefined;
  readonly maxOut?: number | undefined;
  readonly price?: Partial<Price> | undefined;
  readonly tools?: boolean | undefined;
  readonly thinking?: boolean | undefined;
  readonly images?: boolean | undefined;
}

/** A row of `models.json` or of the operator's catalogue file. */
export interface CatalogueRow extends ModelOverride {
  readonly provider: string;
  readonly id: string;
}

export interface Catalogue {
  /** Returns a model's entry. An unknown model gets core's default limits, 8,192 tokens each. Never throws. */
  find(provider: string, id: string): ModelInfo;
  /** Returns the known models of one provider or of all, sorted by provider and id. */
  list(provider?: string): readonly ModelInfo[];
  /** Adds the models that a provider's server lists. Fields that the catalogue knows are not overwritten. */
  learn(provider: string, models: readonly ListedModel[]): void;
}

const freePrice: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

function catalogueKey(provider: string, id: string): string {
  return `${provider}/${id}`;
}

function mergeRow(base: ModelInfo | undefined, provider: string, id: string, over: ModelOverride): ModelInfo {
  const { price, window, maxOut } = over;
  return {
    provider,
    id,
    name: over.name ?? base?.name ?? id,
    window: window ?? base?.window ?? fallbackModelLimits.window,
    maxOut: maxOut ?? (base?.maxOutKnown ? base.maxOut : defaultMaxOut(window ?? base?.window)),
    price: price === undefined ? (base?.price ?? null) : { ...(base?.price ?? freePrice), ...price },
    capabilities: {
      tools: over.tools ?? base?.capabilities.tools ?? true,
      thinking: over.thinking ?? base?.capabilities.thinking ?? true,
      images: over.images ?? base?.capabilities.images ?? true,
    },
    known: base?.known === true || window !== undefined || maxOut !== undefined,
    windowKnown: base?.windowKnown === true || window !== undefined,
    maxOutKnown: base?.maxOutKnown === true || maxOut !== undefined,
  };
}

/** Returns core's default for the longest reply, but at most the context window. */
function defaultMaxOut(window: number = fallbackModelLimits.window): number {
  return Math.min(fallbackModelLimits.maxOut, window);
}

function toPrice(row: readonly number[] | null): { readonly price?: Price } {
  if (row === null) return {};
  const [input = 0, output = 0, cacheRead = 0, cacheWrite = 0] = row;
  return { price: { input, output, cacheRead, cacheWrite } };
}

/** Returns the models of `models.json`, with their prices as objects. */
export function listBuiltInCatalogueRows(): readonly CatalogueRow[] {
  return data.models.map(({ price, ...row }) => ({ ...row, ...toPrice(price) }));
}

// A name with a date or a tag is the same model: `claude-x-20251001`, `gpt-x-2025-08-07`, `llama:free`.
const datedName = /(?:-(?:20\d{6}|20\d\d-\d\d-\d\d|latest)|:[\w.-]+)$/;

/**
 * Builds a catalogue of the built-in rows, the operator's rows, and the configuration of single models
 * (`provider/model`). Later ones override earlier ones. Models that a server reports later only fill in unknown
 * fields.
 */
export function createCatalogue(
  overrides: ReadonlyMap<string, ModelOverride> = new Map(),
  rows: readonly CatalogueRow[] = [],
): Catalogue {
  const models = new Map<string, ModelInfo>();
  const put = ({ provider, id, ...over }: CatalogueRow) => {
    const key = catalogueKey(provider, id);
    models.set(key, mergeRow(models.get(key), provider, id, over));
  };
  for (const row of listBuiltInCatalogueRows()) put(row);
  for (const row of rows) put(row);
  const applyOverrides = (info: ModelInfo): ModelInfo => {
    const over = overrides.get(catalogueKey(info.provider, info.id));
    return over === undefined ? info : mergeRow(info, info.provider, info.id, over);
  };
  return {
    find(provider, id) {
      const exact = models.get(catalogueKey(provider, id));
      const kin = exact ?? models.get(catalogueKey(provider, id.replace(datedName, '')));
      return applyOverrides(
        kin === undefined ? mergeRow(undefined, provider, id, {}) : exact === undefined ? { ...kin, id } : kin,
      );
    },
    list(provider) {
      const all = new Map(models);
      for (const [key, over] of overrides) {
        const slash = key.indexOf('/');
        const [owner, id] = [key.slice(0, slash), key.slice(slash + 1)];
        if (!all.has(key)) all.set(key, mergeRow(undefined, owner, id, over));
      }
      const found = [...all.values()].filter((info) => provider === undefined || info.provider === provider);
      return found
        .map(applyOverrides)
        .sort((a, b) => (catalogueKey(a.provider, a.id) < catalogueKey(b.provider, b.id) ? -1 : 1));
    },
    learn(provider, listed) {
      for (const { id, label, window, maxOut, price, capabilities } of listed) {
        const before = models.get(catalogueKey(provider, id));
        // The catalogue takes precedence; the server's report only fills its gaps.
        put({
          provider,
          id,
          name: before?.name ?? label,
          window: before?.windowKnown ? undefined : window,
          maxOut: before?.maxOutKnown ? undefined : maxOut,
          price: before?.known ? undefined : (price ?? undefined),
          ...(before?.known ? {} : capabilities),
        });
      }
    },
  };
}

/** The cost of a call in US dollars, in total and by kind of token. */
export interface Cost {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly total: number;
}

/** Returns the cost of a call, or null if the price is unknown. Cached input is charged only at the cache price. */
export function computeCost(
  price: Price | null,
  usage: Omit<ProviderUsage, 'raw'> & { readonly raw?: JsonObject },
): Cost | null {
  if (price === null) return null;
  const read = usage.cacheReadTokens ?? 0;
  const written = usage.cacheWriteTokens ?? 0;
  const fresh = Math.max(0, usage.inputTokens - read - written);
  const million = 1_000_000;
  const input = (fresh * price.input) / million;
  const output = (usage.outputTokens * price.output) / million;
  const cacheRead = (read * price.cacheRead) / million;
  const cacheWrite = (written * price.cacheWrite) / million;
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite };
}

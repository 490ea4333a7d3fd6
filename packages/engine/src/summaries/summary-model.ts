/** Chooses the model for titles and summaries. */
import type { Config } from '../config/contract.ts';
import type { Model, ModelProviders } from '../providers/index.ts';
import type { SummaryModelPicker } from './contract.ts';

/**
 * Small models that write good summaries, by provider, the preferred one first. The catalogue tells which of them are
 * available. Still cheaper models omit important details.
 */
const small: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['claude-haiku-4-5'],
  openai: ['gpt-5-mini', 'gpt-5.4-mini', 'gpt-4.1-mini', 'gpt-4o-mini'],
  google: ['gemini-3.5-flash-lite', 'gemini-3.1-flash-lite', 'gemini-2.5-flash-lite'],
  openrouter: ['google/gemini-3.5-flash-lite', 'google/gemini-2.5-flash-lite', 'openai/gpt-5-mini'],
};

/**
 * Returns a function that chooses the model for summaries: the configured one, else a small one of the conversation's
 * provider, else the conversation's own. A conversation with an offline model or a local server is sent to no other
 * provider; the offline models write no summaries.
 */
export function chooseSummaryModel(
  providers: Pick<ModelProviders, 'model'> & Partial<Pick<ModelProviders, 'catalogue'>>,
  config: Partial<Pick<Config, 'summaries' | 'cheapModel'>> = {},
): SummaryModelPicker {
  const found = (id: string): Model | null => {
    try {
      return isRealModel(providers.model(id));
    } catch {
      // The name is unknown, which `coppice config check` reports; summaries are extracted from the messages instead.
      return null;
    }
  };
  return (near) => {
    // Read at each call, because the configuration may have changed.
    const configured = config.summaries?.model ?? config.cheapModel;
    if (configured !== undefined) return found(configured);
    if (near === null || isRealModel(near) === null) return null;
    const { name, kind } = near.provider;
    // A provider with a configured name is another server, whose models are unknown.
    const candidates = name === kind && Object.hasOwn(small, kind) ? (small[kind] ?? []) : [];
    for (const id of candidates) {
      const model = found(`${name}/${id}`);
      if (model?.info.known === true) return model;
    }
    return near;
  };
}

function isRealModel(model: Model): Model | null {
  return model.provider.kind === 'offline' ? null : model;
}

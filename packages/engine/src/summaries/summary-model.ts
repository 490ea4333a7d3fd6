/** Chooses the model for titles and summaries. */
import type { Config } from '../config/contract.ts';
import type { Model, ModelProviders } from '../providers/index.ts';
import type { PickModel } from './contract.ts';

/**
 * Small models that are good enough for summaries, by provider, the preferred one first; the catalogue decides which
 * of them are available. Cheaper models omit important details.
 */
const small: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['claude-haiku-4-5'],
  openai: ['gpt-5-mini', 'gpt-5.4-mini', 'gpt-4.1-mini', 'gpt-4o-mini'],
  google: ['gemini-3.5-flash-lite', 'gemini-3.1-flash-lite', 'gemini-2.5-flash-lite'],
  openrouter: ['google/gemini-3.5-flash-lite', 'google/gemini-2.5-flash-lite', 'openai/gpt-5-mini'],
};

/**
 * Chooses the model for summaries: the configured one, else a small one of the conversation's provider, else the
 * conversation's own. The offline models write no summaries, and a conversation with one of them or with a local
 * server is sent to no other provider.
 */
export function chooseSummaryModel(
  providers: Pick<ModelProviders, 'model'> & Partial<Pick<ModelProviders, 'catalogue'>>,
  config: Partial<Pick<Config, 'summaries' | 'cheapModel'>> = {},
): PickModel {
  const found = (id: string): Model | null => {
    try {
      return isRealModel(providers.model(id));
    } catch {
      // An unknown name was reported when the configuration was read; summaries are extracted instead.
      return null;
    }
  };
  return (near) => {
    // Read each time: the configuration may have changed.
    const configured = config.summaries?.model ?? config.cheapModel;
    if (configured !== undefined) return found(configured);
    if (near === null || isRealModel(near) === null) return null;
    const { name, kind } = near.provider;
    // A provider with a custom name is another server with unknown models.
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

/** Which model writes titles and summaries. */
import type { Config } from '../config/contract.ts';
import type { Model, ModelProviders } from '../providers/index.ts';
import type { PickModel } from './contract.ts';

/**
 * Small models that are good enough for notes, by provider, the preferred one first; the catalogue says which of them
 * there are. Cheaper ones exist that leave out what matters.
 */
const small: Readonly<Record<string, readonly string[]>> = {
  anthropic: ['claude-haiku-4-5'],
  openai: ['gpt-5-mini', 'gpt-5.4-mini', 'gpt-4.1-mini', 'gpt-4o-mini'],
  google: ['gemini-3.5-flash-lite', 'gemini-3.1-flash-lite', 'gemini-2.5-flash-lite'],
  openrouter: ['google/gemini-3.5-flash-lite', 'google/gemini-2.5-flash-lite', 'openai/gpt-5-mini'],
};

/**
 * Picks the model for notes: the configured one, else a small one of the provider that the conversation is held with,
 * else the conversation's own. The built-in models write no notes, and a conversation with one of them, or with a local
 * server, is sent to nobody else.
 */
export function summaryModel(
  providers: Pick<ModelProviders, 'model'> & Partial<Pick<ModelProviders, 'catalogue'>>,
  config: Partial<Pick<Config, 'summaries' | 'cheapModel'>> = {},
): PickModel {
  const configured = config.summaries?.model ?? config.cheapModel;
  const found = (id: string): Model | null => {
    try {
      return isRealModel(providers.model(id));
    } catch {
      // A name that leads nowhere was reported when the configuration was read; notes are made all the same.
      return null;
    }
  };
  return (near) => {
    if (configured !== undefined) return found(configured);
    if (near === null || isRealModel(near) === null) return null;
    const { name, kind } = near.provider;
    // Under another name it is another server, of which nobody knows what it has.
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

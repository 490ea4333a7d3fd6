/** Models for a menu: favourites, those that are ready by provider, and providers that need a key. */
import type { ModelView } from '@coppice/client';

/** Models under one heading. */
export interface ModelGroup {
  /** Null for the favourites. */
  readonly provider: string | null;
  readonly label: string;
  readonly models: readonly ModelView[];
}

/** The content of a model menu. */
export interface ModelGroups {
  readonly groups: readonly ModelGroup[];
  /** Providers whose models are not ready, with the number of models of each. */
  readonly missing: readonly { readonly provider: string; readonly label: string; readonly count: number }[];
}

/** Groups models for a menu; every word of the filter must occur in the name or the provider. */
export function groupModels(models: readonly ModelView[], favourites: readonly string[], filter: string): ModelGroups {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ id, label, providerLabel }: ModelView) => {
    const text = `${id} ${label} ${providerLabel}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const loved = new Set(favourites);
  const byProvider = new Map<string, { readonly label: string; readonly models: ModelView[] }>();
  const missing = new Map<string, { readonly provider: string; readonly label: string; count: number }>();
  const first: ModelView[] = [];
  for (const model of models) {
    if (!fits(model)) continue;
    if (!model.ready) {
      const found = missing.get(model.provider) ?? { provider: model.provider, label: model.providerLabel, count: 0 };
      found.count++;
      missing.set(model.provider, found);
    } else if (loved.has(model.id)) first.push(model);
    else {
      const group = byProvider.get(model.provider) ?? { label: model.providerLabel, models: [] };
      group.models.push(model);
      byProvider.set(model.provider, group);
    }
  }
  const groups: ModelGroup[] = first.length === 0 ? [] : [{ provider: null, label: '', models: first }];
  for (const [provider, group] of byProvider) groups.push({ provider, ...group });
  return { groups, missing: [...missing.values()] };
}

/** Models for a menu: favourites, then the others by provider. */
import type { ModelView } from '@coppice/client';
import { translateBuiltInName } from '../i18n/command-texts.ts';

/** Models under one heading. */
export interface ModelGroup {
  /** Null for the favourites. */
  readonly provider: string | null;
  readonly label: string;
  readonly models: readonly ModelView[];
}

/** Groups models for a menu; every word of the filter must occur in the name or the provider. */
export function groupModels(
  models: readonly ModelView[],
  favourites: readonly string[],
  filter: string,
): readonly ModelGroup[] {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = ({ id, label, providerLabel }: ModelView) => {
    const text = `${id} ${label} ${providerLabel} ${translateBuiltInName(providerLabel)}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const loved = new Set(favourites);
  const byProvider = new Map<string, { readonly label: string; readonly models: ModelView[] }>();
  const first: ModelView[] = [];
  for (const model of models) {
    if (!model.ready || !fits(model)) continue;
    if (loved.has(model.id)) first.push(model);
    else {
      const group = byProvider.get(model.provider) ?? { label: translateBuiltInName(model.providerLabel), models: [] };
      group.models.push(model);
      byProvider.set(model.provider, group);
    }
  }
  const groups: ModelGroup[] = first.length === 0 ? [] : [{ provider: null, label: '', models: first }];
  for (const [provider, group] of byProvider) groups.push({ provider, ...group });
  return groups;
}

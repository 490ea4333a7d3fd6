import type { Node } from '@coppice/core';
import type { Model } from '../providers/index.ts';
import type { CompactorServices } from './contract.ts';

/** The model that spoke last among some nodes, if it can still be found. */
export function lastModel({ model }: Pick<CompactorServices, 'model'>, nodes: readonly Node[]): Model | null {
  const spoke = nodes.findLast(({ kind, meta }) => kind === 'message' && meta.source?.type === 'model');
  if (model === null || spoke === undefined) return null;
  const { provider, model_name: name } = spoke.meta.source ?? {};
  try {
    return model(`${String(provider)}/${String(name)}`);
  } catch {
    // It was taken out of the configuration since; then we know no more of it than of any other.
    return null;
  }
}

import type { Node } from '@coppice/core';
import type { Model } from '../providers/index.ts';
import type { CompactorServices } from './contract.ts';

/**
 * Returns the model that wrote the last reply among these nodes; null if there is no reply or the model is not
 * configured.
 */
export function findLastModel({ model }: Pick<CompactorServices, 'model'>, nodes: readonly Node[]): Model | null {
  const spoke = nodes.findLast(({ kind, meta }) => kind === 'message' && meta.source?.type === 'model');
  if (model === null || spoke === undefined) return null;
  const { provider, model_name: name } = spoke.meta.source ?? {};
  try {
    return model(`${String(provider)}/${String(name)}`);
  } catch {
    // The model was removed from the configuration, so its window is unknown.
    return null;
  }
}

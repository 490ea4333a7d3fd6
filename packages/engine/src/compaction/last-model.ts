import type { Node } from '@coppice/core';
import type { Model } from '../providers/index.ts';
import type { CompactorServices } from './contract.ts';

/** The model of the last reply among some nodes, if it is still configured. */
export function findLastModel({ model }: Pick<CompactorServices, 'model'>, nodes: readonly Node[]): Model | null {
  const spoke = nodes.findLast(({ kind, meta }) => kind === 'message' && meta.source?.type === 'model');
  if (model === null || spoke === undefined) return null;
  const { provider, model_name: name } = spoke.meta.source ?? {};
  try {
    return model(`${String(provider)}/${String(name)}`);
  } catch {
    // The model is no longer configured, so its window is unknown.
    return null;
  }
}

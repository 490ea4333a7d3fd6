/** Finds the model that a branch continues with: the one that was last set there or that wrote the last reply. */
import { ask, type NodeId, type PathMeta, type ReadProgram, readTree, type TreeId } from '@coppice/core';

/** The model of a branch, and how it was chosen. */
export interface BranchModel {
  /** As `provider/model`. */
  readonly model: string;
  /** `set` on this branch, used for its last `reply`, or set for the whole `tree`. */
  readonly by: 'set' | 'reply' | 'tree';
  /** The node where it was set, or the reply; null for the tree. */
  readonly nodeId: NodeId | null;
}

/**
 * The model that was last set on the path to a node or that wrote the last reply on it, whichever is nearer; else the
 * tree's model; null if none was ever chosen. Cherry-picked replies do not count: they were generated on another
 * branch.
 */
export function* readBranchModel(treeId: TreeId, to: NodeId | null): ReadProgram<BranchModel | null> {
  const row = yield* readTree(treeId);
  if (to !== null && to !== row.rootId) {
    for (let end = to, limit = 16; ; limit *= 4) {
      const { entries: notes, complete } = yield* ask('pathMeta', { to: end, limit });
      const found = nearestChoice(notes);
      if (found !== null) return found;
      const above = notes[0]?.parentId ?? null;
      if (complete || notes.length < limit || above === null) break;
      end = above;
    }
  }
  const { model } = row.attributes;
  return typeof model === 'string' ? { model, by: 'tree', nodeId: null } : null;
}

function nearestChoice(nodes: readonly PathMeta[]): BranchModel | null {
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at];
    if (node === undefined || node.meta.pickedFrom !== undefined) continue;
    if (typeof node.meta.model === 'string') return { model: node.meta.model, by: 'set', nodeId: node.id };
    const model = repliedBy(node);
    if (model !== null) return { model, by: 'reply', nodeId: node.id };
  }
  return null;
}

/** The model that was requested; if a fallback model answered, that does not select the fallback for the branch. */
function repliedBy({ role, kind, meta }: PathMeta): string | null {
  if (kind !== 'message' || role !== 'assistant' || meta.source?.type !== 'model') return null;
  const { provider, model_name: name, instead_of: instead } = meta.source;
  if (typeof instead === 'object' && instead !== null && 'model' in instead && typeof instead.model === 'string')
    return instead.model;
  return typeof provider === 'string' && typeof name === 'string' ? `${provider}/${name}` : null;
}

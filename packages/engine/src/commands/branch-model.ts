/** Finds the model that a branch continues with: the one that was last set there or that wrote the last reply. */
import { ask, type NodeId, type PathMeta, type ReadProgram, readTree, type TreeId } from '@coppice/core';
import { getTextMember } from '@coppice/core/decode';

/** The model that a branch continues with, and where it was chosen. */
export interface BranchModel {
  /** As `provider/model`. */
  readonly model: string;
  /** `set` on this branch, used for its last `reply`, or set for the whole `tree`. */
  readonly by: 'set' | 'reply' | 'tree';
  /** The node that the model was set on, or the reply that it wrote; null if it is the tree's model. */
  readonly nodeId: NodeId | null;
}

/**
 * Returns the model that was last set on the path to a node or that wrote the last reply on the path, whichever is
 * nearer to the node; otherwise the tree's model, or null. Cherry-picked replies are ignored, because they were
 * generated on another branch.
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

/**
 * Returns the model that was requested for a reply: a fallback model that answered instead is not used for the next
 * reply.
 */
function repliedBy({ role, kind, meta }: PathMeta): string | null {
  if (kind !== 'message' || role !== 'assistant' || meta.source?.type !== 'model') return null;
  const { provider, model_name: name } = meta.source;
  const requested = getTextMember(meta.source, 'instead_of', 'model');
  if (requested !== undefined) return requested;
  return typeof provider === 'string' && typeof name === 'string' ? `${provider}/${name}` : null;
}

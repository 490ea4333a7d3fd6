import type { NodeId } from './ids.ts';
import type { Node } from './node.ts';
import type { BranchPage } from './path.ts';

/** The cursors of a page: what lies above its first node, and below its last on the way to an end. */
export function cursorsOf(
  nodes: readonly Pick<Node, 'id' | 'parentId'>[],
  rootId: NodeId,
  to: string | null,
): Pick<BranchPage, 'before' | 'after'> {
  const [first, last] = [nodes[0], nodes.at(-1)];
  return {
    before: (first?.parentId === rootId ? null : first?.id) ?? null,
    after: (last?.id === to ? null : last?.id) ?? null,
  };
}

/**
 * Finds the nodes of a path that continue the text of their parent: halves of a split, and additions of an edit by
 * prefix.
 */
import type { NodeId } from './ids.ts';
import type { Node } from './node.ts';

type TextNode = Pick<Node, 'id' | 'parentId' | 'meta'>;

/** Whether a node's text continues the text of its parent, judged by these two nodes alone. */
export function continuesParentText(node: TextNode, parent: TextNode): boolean {
  const { splitSource } = parent.meta;
  if (node.meta.continues === parent.id) return true;
  return splitSource !== undefined && (splitSource === node.id || splitSource === node.meta.splitSource);
}

/** Maps indexes from `start` on to the parent whose text the node at that index continues. */
export function findContinuedParents(path: readonly TextNode[], start: number): ReadonlyMap<number, NodeId> {
  const found = new Map<number, NodeId>();
  const sources = new Map<string, string>();
  // Starts at the end, so that the split sources of descendants are known.
  for (let index = path.length - 1; index > start; index--) {
    const [node, parent] = [path[index], path[index - 1]];
    if (node?.meta.splitSource !== undefined) sources.set(node.id, node.meta.splitSource);
    if (node === undefined || parent === undefined || node.parentId !== parent.id) continue;
    if (continuesParentText(node, parent) || isHalfOf(node.id, parent.meta.splitSource, sources))
      found.set(index, parent.id);
  }
  return found;
}

/**
 * Whether a node belongs to a half that was split again: each left half stores the id of the node with the right half.
 */
function isHalfOf(id: string, source: string | undefined, sources: ReadonlyMap<string, string>): boolean {
  if (source === undefined) return false;
  const met = new Set<string>();
  for (let at: string | undefined = id; at !== undefined && !met.has(at); at = sources.get(at)) {
    if (at === source) return true;
    met.add(at);
  }
  return false;
}

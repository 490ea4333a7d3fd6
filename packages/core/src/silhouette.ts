/** The silhouette of a tree: a few lines that represent all its branches, for lists of trees. */
import { groupBy } from './group-by.ts';
import type { NodeId } from './ids.ts';
import type { ParentLink } from './reads.ts';

/** One line: its height in messages, and whether it is the active branch. */
export interface SilhouetteStem {
  readonly height: number;
  readonly active: boolean;
}

/** A tree as a few lines for a small drawing. */
export interface Silhouette {
  readonly messages: number;
  /** The number of leaves. */
  readonly branches: number;
  /**
   * The lines from left to right, by creation time of their branches; at most the requested number. The active branch
   * is always included.
   */
  readonly stems: readonly SilhouetteStem[];
}

interface SilhouetteLeaf {
  readonly height: number;
  readonly active: boolean;
}

/** Computes the silhouette from parent links. Nodes without a known parent are left out. */
export function silhouetteOf(
  links: readonly ParentLink[],
  rootId: NodeId,
  activeId: NodeId | null,
  most = 7,
): Silhouette {
  const children = groupBy(links, (link) => link.parentId);
  const leaves: SilhouetteLeaf[] = [];
  let messages = 0;
  let found = false;
  const waiting: { readonly id: NodeId; readonly height: number; readonly below: boolean }[] = [];
  const push = (parent: NodeId, height: number, below: boolean) => {
    const list = children.get(parent) ?? [];
    // Deleted, so that the walk also ends if the links contain a cycle.
    children.delete(parent);
    for (const { id } of [...list].reverse()) waiting.push({ id, height, below: below || id === activeId });
    return list.length;
  };
  push(rootId, 1, false);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    messages++;
    if (push(next.id, next.height + 1, next.below) > 0) continue;
    // If the active node is not a leaf, the first leaf below it counts as active.
    const active: boolean = next.below && !found;
    found ||= active;
    leaves.push({ height: next.height, active });
  }
  return { messages, branches: leaves.length, stems: chooseStems(leaves, most) };
}

/** Divides the branches into `most` ranges and chooses a line from each: the active one, else the highest. */
function chooseStems(leaves: readonly SilhouetteLeaf[], most: number): readonly SilhouetteStem[] {
  if (leaves.length <= most) return leaves;
  const stems: SilhouetteStem[] = [];
  for (let part = 0; part < most; part++) {
    const from = Math.floor((leaves.length * part) / most);
    const to = Math.floor((leaves.length * (part + 1)) / most);
    let best: SilhouetteLeaf | undefined;
    for (const leaf of leaves.slice(from, to))
      if (best === undefined || leaf.active || (!best.active && leaf.height > best.height)) best = leaf;
    if (best !== undefined) stems.push(best);
  }
  return stems;
}

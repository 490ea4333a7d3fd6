/** The silhouette of a tree: few stems that stand for all its branches, as a list shows it. */
import { groupBy } from './group-by.ts';
import type { NodeId } from './ids.ts';
import type { ParentLink } from './reads.ts';

/** One stem: how many messages high it is, and whether the user is on it. */
export interface SilhouetteStem {
  readonly height: number;
  readonly active: boolean;
}

/** A tree in outline. */
export interface Silhouette {
  readonly messages: number;
  /** How many ends it has. */
  readonly branches: number;
  /** Left to right as branches were begun, at most as many as were asked for, the active one always among them. */
  readonly stems: readonly SilhouetteStem[];
}

interface SilhouetteLeaf {
  readonly height: number;
  readonly active: boolean;
}

/** Draws a tree in outline from who hangs on whom. What hangs on nothing that is known is not drawn. */
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
    // Taken away, so that a circle, which no tree of ours has, would end.
    children.delete(parent);
    for (const { id } of [...list].reverse()) waiting.push({ id, height, below: below || id === activeId });
    return list.length;
  };
  push(rootId, 1, false);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    messages++;
    if (push(next.id, next.height + 1, next.below) > 0) continue;
    // The user may stand in the middle of a branch: then the first end above is drawn as theirs.
    const active: boolean = next.below && !found;
    found ||= active;
    leaves.push({ height: next.height, active });
  }
  return { messages, branches: leaves.length, stems: chooseStems(leaves, most) };
}

/** One stem of each stretch of branches: the active one, else the highest. */
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

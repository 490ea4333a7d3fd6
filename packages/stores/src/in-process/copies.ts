/** Finds other trees that contain copies of purged messages. */
import type { Node, PurgeReport, TreeId } from '@coppice/core';
import { allNodes } from '@coppice/core/tree';
import type { InProcessState } from './in-process-state.ts';

function copyOriginOf({ meta }: Node): string | undefined {
  return (meta.copiedFrom ?? meta.pickedFrom)?.nodeId;
}

/**
 * Returns the other trees of an owner with copies or originals of these nodes, and how many each has. Only loaded trees
 * and trees that were created as copies of the purged tree are searched, because loading all trees would take longer
 * than the purge.
 */
export async function findCopiesInMemory(
  state: InProcessState,
  owner: string,
  treeId: TreeId,
  purged: readonly Node[],
): Promise<PurgeReport['copies']> {
  const ids = new Set<string>();
  for (const node of purged) {
    ids.add(node.id);
    const origin = copyOriginOf(node);
    if (origin !== undefined) ids.add(origin);
  }
  const copies: PurgeReport['copies'][number][] = [];
  for (const slot of state.slotsOf(owner)) {
    if (slot.id === treeId) continue;
    const made = slot.row.attributes.copiedFrom?.treeId === treeId;
    const loadedSlot = slot.loaded ?? (made ? (await state.open(owner, slot.id)).loadedSlot : null);
    if (loadedSlot === null) continue;
    let nodes = 0;
    for (const node of allNodes(loadedSlot.tree)) if (ids.has(node.id) || ids.has(copyOriginOf(node) ?? '')) nodes++;
    const { title, autoTitle } = slot.row.attributes;
    if (nodes > 0) copies.push({ treeId: slot.id, title: title ?? autoTitle ?? null, nodes });
  }
  return copies.sort((a, b) => (a.treeId < b.treeId ? -1 : 1));
}

/** Finds the attachments that trees in memory and on disk refer to. */
import { allNodes } from '@coppice/core/tree';
import { addBlobHashesInJson, addBlobHashesOfLog, addBlobHashesOfNodes } from '../attachments.ts';
import type { LoadedTreeSlot, TreeSlot } from './tree-slot.ts';

/** Returns the hashes that trees refer to. `look` loads a tree, or returns the hashes of a tree without loading it. */
export async function findReferencedBlobs(
  slots: readonly TreeSlot[],
  look: (slot: TreeSlot) => ReadonlySet<string> | Promise<LoadedTreeSlot>,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const slot of slots) {
    const seen = await look(slot);
    if ('tree' in seen) {
      addBlobHashesOfNodes(allNodes(seen.tree), named);
      addBlobHashesOfLog(seen.log, named);
    } else for (const hash of seen) named.add(hash);
    addBlobHashesInJson(JSON.stringify(slot.row.attributes), named);
  }
  return named;
}

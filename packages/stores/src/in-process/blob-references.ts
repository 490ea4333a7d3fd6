/** Finds the attachments that trees refer to. */
import { allNodes } from '@coppice/core/tree';
import { addHashes, addHashesOf, addHashesOfLog } from '../attachments.ts';
import type { LoadedSlot, TreeSlot } from './tree-slot.ts';

/** Returns the hashes that trees refer to; each tree is scanned, or its persistence answers without loading it. */
export async function blobsNamedIn(
  volumes: readonly TreeSlot[],
  look: (volume: TreeSlot) => ReadonlySet<string> | Promise<LoadedSlot>,
): Promise<ReadonlySet<string>> {
  const named = new Set<string>();
  for (const volume of volumes) {
    const seen = await look(volume);
    if ('tree' in seen) {
      addHashesOf(allNodes(seen.tree), named);
      addHashesOfLog(seen.log, named);
    } else for (const hash of seen) named.add(hash);
    addHashes(JSON.stringify(volume.row.attributes), named);
  }
  return named;
}

/** Ids that an export gave out and that come back: what has them is the node that is there, not another one. */
import { importedTreeId, ownIdIn, type RepairedTree, type Rest } from '@coppice/content/formats';
import { ask, type NodeId, type Reading, type Store } from '@coppice/core';

// As many as are looked for without holding up others.
const atOnce = 200;

/** The nodes, deleted ones too, of the tree that a conversation comes into, which it names by our own ids. */
export async function ownIdsOf(
  store: Store,
  tree: RepairedTree,
  format: string,
  rest: Rest,
): Promise<ReadonlySet<string>> {
  const { scope, externalId: id } = tree;
  const treeId = importedTreeId({ owner: store.owner, format, scope, id });
  const named = new Set<NodeId>();
  for (const { externalId } of tree.nodes) {
    const own = ownIdIn(externalId);
    if (own !== undefined) named.add(own);
  }
  const found = new Set<string>();
  if (named.size === 0 || (await store.read(treeId, () => ask('tree', {}))) === null) return found;
  const ids = [...named];
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce);
    for (const one of await store.read(treeId, () => hereOf(some))) found.add(one);
    await rest();
  }
  return found;
}

/** Those of some ids that nodes of the tree have. */
function* hereOf(ids: readonly NodeId[]): Reading<NodeId[]> {
  const here: NodeId[] = [];
  // Most programs have UUIDs of their own, which nobody has here.
  for (const id of yield* ask('taken', { ids })) if ((yield* ask('anyNode', { id })) !== null) here.push(id);
  return here;
}

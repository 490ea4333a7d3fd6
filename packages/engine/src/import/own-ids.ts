/** Recognises the ids of exported trees and nodes that are imported again. */
import {
  coppiceIdIn,
  type ImportDestination,
  importedNodeId,
  importedTreeId,
  type Pause,
  type RepairedTree,
} from '@coppice/content/formats';
import { ask, isUuid, type NodeId, type ReadProgram, type Store, type TreeId, treeId as treeIdOf } from '@coppice/core';

// Batch size: small enough not to block other work.
const atOnce = 200;

/**
 * The existing tree of a conversation: one that was imported under its id, or one of our own that was exported with
 * its id.
 */
async function treeHere(store: Store, derived: TreeId, id: string): Promise<TreeId | undefined> {
  for (const one of isUuid(id) ? [derived, treeIdOf(id)] : [derived])
    if ((await store.read(one, () => ask('tree', {}))) !== null) return one;
  return undefined;
}

/** Reads which nodes of a conversation already exist in the store; empty if it has no tree there. */
export async function readDestination(
  store: Store,
  tree: RepairedTree,
  format: string,
  rest: Pause,
): Promise<ImportDestination> {
  const { scope, externalId: id } = tree;
  const derived = importedTreeId({ owner: store.owner, format, scope, id });
  const there = await treeHere(store, derived, id);
  if (there === undefined) return {};
  const named = new Set<NodeId>();
  const beside = new Map<NodeId, string>();
  for (const { externalId, companion } of tree.nodes) {
    const own = coppiceIdIn(externalId);
    if (own !== undefined) named.add(own);
    if (companion === true) beside.set(importedNodeId(there, externalId), externalId);
  }
  const own = await findImportedTree(store, there, [...named], rest);
  const kept = await findImportedTree(store, there, [...beside.keys()], rest);
  const companions = new Set([...beside].flatMap(([node, externalId]) => (kept.has(node) ? [] : externalId)));
  return { own, companions, ...(there === derived ? {} : { treeId: there }) };
}

/** Which of the ids belong to nodes of the tree, including deleted ones. */
async function findImportedTree(
  store: Store,
  tree: TreeId,
  ids: readonly NodeId[],
  rest: Pause,
): Promise<ReadonlySet<string>> {
  const here = new Set<string>();
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce);
    for (const one of await store.read(tree, () => treeHereOf(some))) here.add(one);
    await rest();
  }
  return here;
}

/** Which of the ids belong to nodes of the tree. */
function* treeHereOf(ids: readonly NodeId[]): ReadProgram<NodeId[]> {
  const here: NodeId[] = [];
  // Most programs use UUIDs of their own, none of which are taken here.
  for (const id of yield* ask('taken', { ids })) if ((yield* ask('anyNode', { id })) !== null) here.push(id);
  return here;
}

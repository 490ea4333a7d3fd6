/** Finds trees and nodes that were exported from this store and are imported again. */
import {
  deriveImportedNodeId,
  deriveImportedTreeId,
  findCoppiceNodeId,
  type ImportDestination,
  type PauseFunction,
  type RepairedTree,
} from '@coppice/content/formats';
import { ask, isUuid, type NodeId, type ReadProgram, type Store, type TreeId, treeId as treeIdOf } from '@coppice/core';

// How many ids are looked up at once; small enough not to block other work.
const atOnce = 200;

/**
 * Returns the existing tree of a conversation: the one that an earlier import created, or the one that was exported
 * with this id. Undefined if neither exists.
 */
async function findExistingTree(store: Store, derived: TreeId, id: string): Promise<TreeId | undefined> {
  for (const one of isUuid(id) ? [derived, treeIdOf(id)] : [derived])
    if ((await store.read(one, () => ask('tree', {}))) !== null) return one;
  return undefined;
}

/** Finds the tree of a conversation and which of its nodes exist; empty if the store has no such tree. */
export async function readImportDestination(
  store: Store,
  tree: RepairedTree,
  format: string,
  rest: PauseFunction,
): Promise<ImportDestination> {
  const { scope, externalId: id } = tree;
  const derived = deriveImportedTreeId({ owner: store.owner, format, scope, id });
  const there = await findExistingTree(store, derived, id);
  if (there === undefined) return {};
  const named = new Set<NodeId>();
  const beside = new Map<NodeId, string>();
  for (const { externalId, companion } of tree.nodes) {
    const own = findCoppiceNodeId(externalId);
    if (own !== undefined) named.add(own);
    if (companion === true) beside.set(deriveImportedNodeId(there, externalId), externalId);
  }
  const own = await findExistingNodes(store, there, [...named], rest);
  const kept = await findExistingNodes(store, there, [...beside.keys()], rest);
  const companions = new Set([...beside].flatMap(([node, externalId]) => (kept.has(node) ? [] : externalId)));
  return { own, companions, ...(there === derived ? {} : { treeId: there }) };
}

/** Returns which of the ids belong to nodes of the tree, including deleted ones. */
async function findExistingNodes(
  store: Store,
  tree: TreeId,
  ids: readonly NodeId[],
  rest: PauseFunction,
): Promise<ReadonlySet<string>> {
  const here = new Set<string>();
  for (let from = 0; from < ids.length; from += atOnce) {
    const some = ids.slice(from, from + atOnce);
    for (const one of await store.read(tree, () => readExistingNodes(some))) here.add(one);
    await rest();
  }
  return here;
}

/** Returns which of the ids belong to nodes of the tree being read. */
function* readExistingNodes(ids: readonly NodeId[]): ReadProgram<NodeId[]> {
  const here: NodeId[] = [];
  // Most programs use their own UUIDs, so the cheap check removes almost all ids.
  for (const id of yield* ask('taken', { ids })) if ((yield* ask('anyNode', { id })) !== null) here.push(id);
  return here;
}

/** Foreign ids of trees and nodes, which must be there. */
import { ask, type ExternalId, type NodeId, refuse, type TreeId } from '@coppice/core';
import { answered, type Keeping, linearOf } from './change.ts';
import type { Work } from './query.ts';
import type { Scope } from './scope.ts';
import { missingNodes, putExternalIds } from './side-tables.ts';

/** Enters names of one or several trees, all of them or none; `known` refuses a tree that the owner has not. */
export function* putNames(
  keeping: Keeping,
  ids: readonly ExternalId[],
  known: (treeId: TreeId) => Work<Scope>,
): Work<void> {
  const byTree = new Map<TreeId, ExternalId[]>();
  for (const one of ids) {
    const names = byTree.get(one.treeId);
    if (names === undefined) byTree.set(one.treeId, [one]);
    else names.push(one);
  }
  for (const [treeId, names] of byTree) {
    const scope = yield* known(treeId);
    yield* refuseStrangers(keeping, scope, names);
    yield* putExternalIds(keeping.dialect, keeping.owner, treeId, names);
  }
}

function* refuseStrangers(keeping: Keeping, scope: Scope, names: readonly ExternalId[]): Work<void> {
  const nodes = new Set<NodeId>();
  for (const { nodeId } of names) if (nodeId !== null) nodes.add(nodeId);
  const linear = linearOf(keeping, scope.tree);
  if (linear === null) for (const id of yield* missingNodes(scope.dialect, scope.treeId, nodes)) unknownNode(id);
  else for (const id of nodes) if ((yield* answered(scope, ask('anyNode', { id }), linear)) === null) unknownNode(id);
}

function unknownNode(id: NodeId): never {
  return refuse('tree/unknown-node', `There is no node ${id}.`, { nodeId: id });
}

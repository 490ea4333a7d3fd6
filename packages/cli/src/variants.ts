import { ask, type Node, type NodeId, type ReadProgram } from '@coppice/core';

/** Returns the position of each node among its variants, as `[index, total]`. */
export function* readVariantPositions(
  nodes: readonly Node[],
): ReadProgram<ReadonlyMap<NodeId, readonly [number, number]>> {
  const places = new Map<NodeId, readonly [number, number]>();
  for (const node of nodes) {
    if (node.parentId === null) continue;
    const variants = yield* ask('children', { of: node.parentId });
    places.set(node.id, [variants.findIndex((variant) => variant.id === node.id), variants.length]);
  }
  return places;
}

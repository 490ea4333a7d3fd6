import { type Refusal, refusal } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import { matchParentOfChildren, type Node } from '../node.ts';

/** Builds the refusal of a step whose match parent is not the nearest message above the node. */
export function makeMatchParentRefusal(nodeId: NodeId, parent: Node): Refusal {
  return refusal(
    'step/invalid',
    `Below ${parent.id} the node ${nodeId} matches under ${matchParentOfChildren(parent)}.`,
    {
      nodeId,
    },
  );
}

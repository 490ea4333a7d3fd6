import { type Refusal, refusal } from '../errors.ts';
import type { NodeId } from '../ids.ts';
import { matchParentBelow, type Node } from '../node.ts';

/** The refusal of a step that would let a node match under another node than the nearest message above it. */
export function matchParentMismatch(nodeId: NodeId, parent: Node): Refusal {
  return refusal('step/invalid', `Below ${parent.id} the node ${nodeId} matches under ${matchParentBelow(parent)}.`, {
    nodeId,
  });
}

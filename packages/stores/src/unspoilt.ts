import { checkMessage, type NewNode, refuseUnsound, type Step, valueOf } from '@coppice/core';

/**
 * Refuses steps that are no longer what they were when they were planned. A long change leaves others their turns, its
 * caller among them, who may write into what was handed over: each part is looked at in the stretch that keeps it.
 */
export function refuseSpoilt(steps: readonly Step[]): void {
  for (const step of steps) if (step.type === 'insert') refuseMisshapen(step.node);
  refuseUnsound(steps);
}

/** The same for a node on its way into its row. */
export function refuseSpoiltNode(node: NewNode): void {
  refuseMisshapen(node);
  refuseUnsound([{ type: 'insert', node }]);
}

function refuseMisshapen({ id, message }: NewNode): void {
  if (message !== null) valueOf(checkMessage(message, `The message of ${id}`));
}

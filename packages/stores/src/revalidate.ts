import { checkMessage, type NewNode, type Step, valueOf } from '@coppice/core';
import { assertStorable } from '@coppice/core/store';

/**
 * Refuses steps that are no longer what they were when they were planned. A long change leaves others their turns, its
 * caller among them, who may write into what was handed over: each part is looked at in the stretch that keeps it.
 */
export function assertRevalidated(steps: readonly Step[]): void {
  for (const step of steps) if (step.type === 'insert') assertShape(step.node);
  assertStorable(steps);
}

/** The same for a node on its way into its row. */
export function assertRevalidatedNode(node: NewNode): void {
  assertShape(node);
  assertStorable([{ type: 'insert', node }]);
}

function assertShape({ id, message }: NewNode): void {
  if (message !== null) valueOf(checkMessage(message, `The message of ${id}`));
}

import { checkMessage, type NewNode, type Step, unwrapResult } from '@coppice/core';
import { assertStorable } from '@coppice/core/store';
import { insertedNodes } from '@coppice/core/tree';

/**
 * Throws if steps became invalid since they were planned. A long change yields to its caller, who may modify the
 * objects that it passed in, so each part is checked right before it is stored.
 */
export function assertStepsStillValid(steps: readonly Step[]): void {
  for (const node of insertedNodes(steps)) assertShape(node);
  assertStorable(steps);
}

/** Checks a node like {@link assertStepsStillValid} does, before its row is written. */
export function assertNodeStillValid(node: NewNode): void {
  assertShape(node);
  assertStorable([{ type: 'insert', node }]);
}

function assertShape({ id, message }: NewNode): void {
  if (message !== null) unwrapResult(checkMessage(message, `The message of ${id}`));
}

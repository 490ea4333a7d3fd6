import { checkMessage, type NewNode, type Step, unwrapResult } from '@coppice/core';
import { assertStorable } from '@coppice/core/store';
import { insertedNodes } from '@coppice/core/tree';

/**
 * Throws if steps changed since they were planned. A long change yields to others, also to its caller, who may modify
 * what was passed in: each part is checked in the same step that stores it.
 */
export function assertStepsStillValid(steps: readonly Step[]): void {
  for (const node of insertedNodes(steps)) assertShape(node);
  assertStorable(steps);
}

/** Checks a node like {@link assertStepsStillValid}, before its row is written. */
export function assertNodeStillValid(node: NewNode): void {
  assertShape(node);
  assertStorable([{ type: 'insert', node }]);
}

function assertShape({ id, message }: NewNode): void {
  if (message !== null) unwrapResult(checkMessage(message, `The message of ${id}`));
}

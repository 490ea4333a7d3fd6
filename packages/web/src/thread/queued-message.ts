/** Decides when to send a message that was written while the reply above it was still being generated. */
import { isToolUse, type Node } from '@coppice/core';

type ReplyState = Pick<Node, 'role' | 'status' | 'message'>;

function callsTools({ message }: ReplyState): boolean {
  return message?.content.some(isToolUse) === true;
}

/** Whether the model is at work on the last message of the branch; `calls` are the tool calls in progress. */
export function isReplyInProgress(last: ReplyState | undefined, calls: ReadonlyMap<string, unknown>): boolean {
  if (last === undefined) return false;
  if (last.status === 'pending') return true;
  return last.message?.content.some((block) => isToolUse(block) && calls.has(block.id)) === true;
}

/**
 * What to do with a message that waits: send it below a complete or stopped reply, and keep it in the composer below a
 * failed one. After a tool call the model continues, so it waits.
 */
export function decideQueuedMessage(last: ReplyState | undefined): 'wait' | 'send' | 'keep' {
  if (last === undefined || last.status === 'pending') return 'wait';
  if (last.status === 'error' || last.status === 'interrupted') return 'keep';
  if (last.status === 'aborted') return 'send';
  return last.role === 'tool' || callsTools(last) ? 'wait' : 'send';
}

import type { LiveReply } from '@coppice/client';
import type { Node } from '@coppice/core';

/**
 * Returns when generation of a pending reply began: the earlier of the node's creation and the time this client first
 * saw the reply, which is too late after the chat was reopened. For a continued reply the creation is too early, so
 * only the time this client first saw it counts.
 */
export function replyStartOf(
  { createdAt, addedIn, contentIn }: Pick<Node, 'createdAt' | 'addedIn' | 'contentIn'>,
  live: Pick<LiveReply, 'startedAt'> | null,
): number {
  if (live === null) return createdAt;
  return contentIn === addedIn ? Math.min(createdAt, live.startedAt) : live.startedAt;
}

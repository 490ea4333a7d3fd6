import type { LiveReply } from '@coppice/client';
import type { Node } from '@coppice/core';

/**
 * When a pending reply was started. This client counts from when it saw the reply first, which is later than the start
 * after one returns to the chat. A reply that is continued is older than its start.
 */
export function replyStartOf(
  { createdAt, addedIn, contentIn }: Pick<Node, 'createdAt' | 'addedIn' | 'contentIn'>,
  live: Pick<LiveReply, 'startedAt'> | null,
): number {
  if (live === null) return createdAt;
  return contentIn === addedIn ? Math.min(createdAt, live.startedAt) : live.startedAt;
}

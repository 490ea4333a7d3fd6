/** A reply while it is written: text that came so far and what the model thought; and calls of tools while they run. */
import type { NodeId } from '@coppice/core';

/** A call of a tool on its way. It outlives its reply: tools run when the reply is said. */
export interface LiveCall {
  readonly name: string;
  readonly parameters: unknown;
  readonly state: 'running' | 'waiting';
  /** The turn that it belongs to, where a decision about it goes. */
  readonly actId: string;
}

/** What is known of a reply that is not in the tree yet. */
export interface LiveReply {
  readonly text: string;
  readonly thinking: string;
  readonly startedAt: number;
  /** Set by whoever began it: where approvals go. */
  readonly actId: string | null;
}

/** A reply that has just begun. */
export function newReply(startedAt: number, actId: string | null = null): LiveReply {
  return { text: '', thinking: '', startedAt, actId };
}

/**
 * A reply with a piece of text laid on at its offset. A piece that overlaps adds only what is new; one that leaves a gap
 * gives null, and the text is read again from where it ends.
 */
export function appendReplyText(reply: LiveReply, offset: number, text: string): LiveReply | null {
  const known = reply.text.length;
  if (offset > known) return null;
  const fresh = text.slice(known - offset);
  return fresh === '' ? reply : { ...reply, text: reply.text + fresh };
}

/** Replies by the node that they are for. */
export type LiveReplies = ReadonlyMap<NodeId, LiveReply>;

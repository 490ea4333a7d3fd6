/** Replies and tool calls that are in progress. */
import type { NodeId } from '@coppice/core';

/** A tool call in progress. It ends after its reply, because tools run when the reply is complete. */
export interface LiveToolCall {
  readonly name: string;
  readonly parameters: unknown;
  readonly state: 'running' | 'waiting';
  /** The act of the turn, for approvals. */
  readonly actId: string;
}

/** A reply that is not in the tree yet. */
export interface LiveReply {
  readonly text: string;
  readonly thinking: string;
  readonly startedAt: number;
  /** The act of the turn; null until it is known. */
  readonly actId: string | null;
  /** The retry after an error of the provider. Undefined as soon as new text arrives. */
  readonly retry?: LiveRetry | undefined;
}

/** A retry that waits for its time. */
export interface LiveRetry {
  readonly code: string;
  readonly message: string;
  /** The number of this retry, from 1, and the highest possible number. */
  readonly attempt: number;
  readonly retries: number;
  /** The time of the retry, in milliseconds since 1970. */
  readonly at: number;
}

/** Creates a reply without text. */
export function startLiveReply(startedAt: number, actId: string | null = null): LiveReply {
  return { text: '', thinking: '', startedAt, actId };
}

/**
 * Adds text at its offset. A part that is known already is skipped. Returns null if text before the offset is missing;
 * then the reply has to be read from the end of its known text.
 */
export function appendReplyText(reply: LiveReply, offset: number, text: string): LiveReply | null {
  const known = reply.text.length;
  if (offset > known) return null;
  const fresh = text.slice(known - offset);
  return fresh === '' ? reply : { ...reply, text: reply.text + fresh, retry: undefined };
}

/** The replies in progress, by node. */
export type LiveReplies = ReadonlyMap<NodeId, LiveReply>;

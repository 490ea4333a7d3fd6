/** The state of replies and tool calls that are in progress. */
import type { NodeId } from '@coppice/core';

/**
 * A tool call that runs or waits for approval. Tools run after the reply is complete, so a call ends later than its
 * reply.
 */
export interface LiveToolCall {
  readonly name: string;
  readonly parameters: unknown;
  readonly state: 'running' | 'waiting';
  /** The act of the turn. The request that approves the call names it. */
  readonly actId: string;
}

/** The text of a reply that the server still generates. */
export interface LiveReply {
  readonly text: string;
  readonly thinking: string;
  readonly startedAt: number;
  /** The act of the turn; null until the server has named it. */
  readonly actId: string | null;
  /** The retry after an error of the provider. Undefined when text arrives again. */
  readonly retry?: LiveRetry | undefined;
}

/** A failed model call that the server will repeat. */
export interface LiveRetry {
  readonly code: string;
  readonly message: string;
  /** The number of this retry, from 1. `retries` is the highest number. */
  readonly attempt: number;
  readonly retries: number;
  /** The time of the retry, in milliseconds since 1970. */
  readonly at: number;
}

/** Returns the state of a reply whose first text has not arrived yet. */
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

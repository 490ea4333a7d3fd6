/** Replies and tool calls that are in progress. */
import type { NodeId } from '@coppice/core';

/** A tool call in progress. It outlasts its reply: tools run when the reply is complete. */
export interface LiveToolCall {
  readonly name: string;
  readonly parameters: unknown;
  readonly state: 'running' | 'waiting';
  /** The act of its turn, for approvals. */
  readonly actId: string;
}

/** A reply that is not in the tree yet. */
export interface LiveReply {
  readonly text: string;
  readonly thinking: string;
  readonly startedAt: number;
  /** The act of its turn, once it is known. */
  readonly actId: string | null;
  /** The provider failed and is asked again; undefined as soon as it says something. */
  readonly retry?: LiveRetry | undefined;
}

/** A retry that is waited for. */
export interface LiveRetry {
  readonly code: string;
  readonly message: string;
  /** The number of the retry, from 1, and how many there are at most. */
  readonly attempt: number;
  readonly retries: number;
  /** Milliseconds since 1970; when it is made. */
  readonly at: number;
}

/** A reply without text yet. */
export function startLiveReply(startedAt: number, actId: string | null = null): LiveReply {
  return { text: '', thinking: '', startedAt, actId };
}

/**
 * Adds text at its offset. An overlapping part is skipped. Returns null if text before it is missing; then the reply
 * has to be read from where its text ends.
 */
export function appendReplyText(reply: LiveReply, offset: number, text: string): LiveReply | null {
  const known = reply.text.length;
  if (offset > known) return null;
  const fresh = text.slice(known - offset);
  return fresh === '' ? reply : { ...reply, text: reply.text + fresh, retry: undefined };
}

/** Replies in progress by node. */
export type LiveReplies = ReadonlyMap<NodeId, LiveReply>;

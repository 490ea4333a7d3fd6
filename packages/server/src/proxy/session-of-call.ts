/** Which session of its program a call belongs to, as far as the program says so. */
import type { JsonObject } from '@coppice/core';
import { objectOrEmpty } from '@coppice/core/decode';
import { parseObject, wireTextAt } from './exchange.ts';

/** How calls become trees: one tree for each session of a program, or one for each system prompt. */
export type CallGrouping = 'session' | 'prompt';

/** What the headers of a call say about its session. Kept with the call until it is recorded. */
export interface CallOrigin {
  /** The session that a header names. */
  readonly session: string | null;
  /** The program, by its user agent: a first call that comes again is a retry only from the same one. */
  readonly client: string;
  /** How the operator wants calls of its project to be grouped; null leaves it to what the project has already. */
  readonly grouping: CallGrouping | null;
}

/** A call of which nothing is known, such as one in a file of an older version. */
export const unknownOrigin: CallOrigin = { session: null, client: '', grouping: null };

// In the order in which they count. `x-coppice-session` is the user's own word; the others are sent by Claude Code, Codex
// (three spellings over its versions) and opencode.
const sessionHeaders = [
  'x-coppice-session',
  'x-claude-code-session-id',
  'session_id',
  'session-id',
  'thread-id',
  'conversation_id',
  'x-session-id',
  'x-opencode-session',
];

const longestId = 512;

/** Reads the origin of a call from its headers. */
export function originOf(header: (name: string) => string | undefined, grouping: CallGrouping | null): CallOrigin {
  const session = sessionHeaders.map((name) => header(name)?.trim() ?? '').find(isSessionId) ?? null;
  return { session, client: (header('user-agent') ?? '').slice(0, longestId), grouping };
}

function isSessionId(text: string): boolean {
  return text !== '' && text.length <= longestId;
}

/** The session that the body of a call names; null if it names none. */
export function sessionInBody(body: JsonObject): string | null {
  const user = wireTextAt(objectOrEmpty(body, 'metadata'), 'user_id') ?? '';
  // Claude Code sends `user_…_account_…_session_<id>`, in later versions a JSON text with `session_id`.
  const [, old = ''] = /_session_([0-9a-f-]{8,})$/i.exec(user) ?? [];
  const named = user.startsWith('{') ? (wireTextAt(parseObject(user) ?? {}, 'session_id') ?? '') : old;
  if (isSessionId(named)) return named;
  // Codex sends the id of its session as the key of the prompt cache.
  const cached = wireTextAt(body, 'prompt_cache_key') ?? '';
  return isSessionId(cached) ? cached : null;
}

/** Finds the session and the sub-agent of a call in the headers and the body that the program sends. */
import type { JsonObject } from '@coppice/core';
import { isFieldMap, objectOrEmpty } from '@coppice/core/decode';
import { type ParsedRequest, parseJsonObject, readTextField } from './exchange.ts';

/** How calls become trees: one tree for each session of a program, or one tree for each system prompt. */
export type CallGrouping = 'session' | 'prompt';

/** The session data in the headers of a call. Stored with the call until it is recorded. */
export interface CallOrigin {
  /** The session that a header names. For a sub-agent it is the agent's own id, which no other session has. */
  readonly session: string | null;
  /** Whether the user chose the session (`x-coppice-session`), and not the program. */
  readonly isUsersSession?: boolean;
  /** For a sub-agent: the session or sub-agent that spawned it. Files of older versions do not have this field. */
  readonly parent?: string | null;
  /** The kind of a sub-agent, if a header names it. */
  readonly agentType?: string | null;
  /** The name that the spawning call gave a sub-agent, if a header contains it. Codex encrypts the task itself. */
  readonly agentName?: string | null;
  /** Whether a header marks the call as a summary of the session. */
  readonly compacts?: boolean;
  /** The user agent of the program. A repeated first call is a retry only if it comes from the same program. */
  readonly client: string;
  /** The name of the program, if a header contains it, because not every program has its own user agent. */
  readonly program?: string | null;
  /** The process of a program that sends no session ids (`x-coppice-run`). Its side calls belong to this process. */
  readonly run?: string | null;
  /** The operator's grouping for the project; null keeps the grouping that the project has. */
  readonly grouping: CallGrouping | null;
}

/** Whether a stored value is an origin. Only the fields that every version wrote are required. */
export function isCallOrigin(value: unknown): value is CallOrigin {
  if (!isFieldMap(value) || typeof value['client'] !== 'string') return false;
  return value['session'] === null || typeof value['session'] === 'string';
}

/** The origin of a call without session data, such as a call in a file of an older version. */
export const unknownCallOrigin: CallOrigin = { session: null, client: '', grouping: null };

// Listed by precedence: Claude Code, four headers that versions of Codex send, and two of opencode.
const sessionHeaders = [
  'x-claude-code-session-id',
  'session_id',
  'session-id',
  'thread-id',
  'conversation_id',
  'x-session-id',
  'x-opencode-session',
];

const longestId = 512;
const longestProgram = 60;

type HeaderOf = (name: string) => string | undefined;

function idIn(header: HeaderOf, ...names: readonly string[]): string | null {
  return names.map((name) => header(name)?.trim() ?? '').find(isSessionId) ?? null;
}

function isSessionId(text: string): boolean {
  return text !== '' && text.length <= longestId;
}

/** Returns the session and the parent in the headers of a call. */
function threadOf(header: HeaderOf): Pick<CallOrigin, 'session' | 'parent'> {
  // The user's own header takes precedence over that of the program.
  const own = idIn(header, 'x-coppice-session');
  const named = idIn(header, ...sessionHeaders);
  const session = own ?? named;
  const ownParent = idIn(header, 'x-coppice-parent-session');
  if (session === null) return { session, parent: null };
  if (ownParent !== null) return { session, parent: ownParent === session ? null : ownParent };
  // Claude Code sends one session id for all agents, and an id for each sub-agent.
  const agent = idIn(header, 'x-claude-code-agent-id');
  if (agent !== null) {
    const spawner = idIn(header, 'x-claude-code-parent-agent-id');
    return {
      session: claudeAgent(session, agent),
      parent: spawner === null || spawner === agent ? session : claudeAgent(session, spawner),
    };
  }
  if (own !== null) return { session, parent: null };
  // Codex: the thread of a sub-agent differs from the session. opencode: a sub-agent has its own session.
  const thread = idIn(header, 'thread-id');
  const parent = idIn(header, 'x-codex-parent-thread-id', 'x-parent-session-id');
  if (thread !== null && thread !== session) return { session: thread, parent: parent ?? session };
  return { session, parent: parent === session ? null : parent };
}

// Returns the same id as the file names of sub-agents in Claude Code.
function claudeAgent(session: string, agent: string): string {
  return `${session}/agent-${agent}`;
}

/** Reads the origin of a call from its headers. */
export function readCallOrigin(header: HeaderOf, grouping: CallGrouping | null): CallOrigin {
  const turn = parseJsonObject(header('x-codex-turn-metadata') ?? '') ?? {};
  const kind = header('x-openai-subagent')?.trim() ?? '';
  return {
    ...threadOf(header),
    ...(idIn(header, 'x-coppice-session') === null ? {} : { isUsersSession: true }),
    agentType: kind === '' ? null : kind.slice(0, longestId),
    // A path such as `/root/tests`, in which each agent names the agents that it spawns.
    agentName: (readTextField(turn, 'agent_name') ?? '').split('/').at(-1)?.slice(0, longestId) || null,
    compacts: readTextField(turn, 'request_kind') === 'compaction' || kind === 'compact',
    client: (header('user-agent') ?? '').slice(0, longestId),
    program: (header('x-coppice-program') ?? '').trim().slice(0, longestProgram) || null,
    run: idIn(header, 'x-coppice-run'),
    grouping,
  };
}

/** Returns the session that the body of a call contains; null if it contains none. */
export function findSessionInBody(body: JsonObject): string | null {
  const user = readTextField(objectOrEmpty(body, 'metadata'), 'user_id') ?? '';
  // Claude Code sends `user_…_account_…_session_<id>`, in later versions a JSON text with `session_id`.
  const [, old = ''] = /_session_([0-9a-f-]{8,})$/i.exec(user) ?? [];
  const named = user.startsWith('{') ? (readTextField(parseJsonObject(user) ?? {}, 'session_id') ?? '') : old;
  return isSessionId(named) ? named : null;
}

/** Returns the id in a text field of a request; null if the field is missing or not an id. */
export function findSessionIdField(body: JsonObject, key: string): string | null {
  const id = readTextField(body, key) ?? '';
  return isSessionId(id) ? id : null;
}

/**
 * Returns the session of a call; null if its program names none. The key of the prompt cache counts only for programs
 * that are known, because other programs use one key for all their calls, or one for each user.
 */
export function sessionOfCall(
  { session, conversation, cacheKey }: Pick<ParsedRequest, 'session' | 'conversation' | 'cacheKey'>,
  origin: Pick<CallOrigin, 'session' | 'client' | 'program'>,
): string | null {
  return origin.session ?? session ?? conversation ?? (programOfCall(origin) === null ? null : cacheKey);
}

// The first words of user agents, and the names of the programs.
const programs: readonly (readonly [RegExp, string])[] = [
  [/^claude-(?:cli|code)\b/i, 'Claude Code'],
  [/^codex/i, 'Codex'],
  [/^opencode\b/i, 'opencode'],
  [/^gemini-?cli\b/i, 'Gemini CLI'],
  [/^aider\b/i, 'aider'],
  [/^pi\b/i, 'pi'],
];

/** Returns the program of a call, by its header or its user agent; null if it is unknown. */
export function programOfCall({ client, program }: Pick<CallOrigin, 'client' | 'program'>): string | null {
  return program ?? programs.find(([begins]) => begins.test(client))?.[1] ?? null;
}

/**
 * The folders in which programs store their conversations. Only these folders are read, and nothing is written there.
 */
import { countCursorConversations, countOpencodeSessions } from '@coppice/stores';
import { joinPath } from '#platform/system';

/** The home directory, environment and platform that the folders depend on. */
export interface ComputerEnvironment {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A value of `process.platform`. */
  readonly platform: string;
}

/** A program and the folders in which it stores conversations. */
export interface ProgramChatFolders {
  /** The name of its format. */
  readonly format: string;
  readonly label: string;
  readonly folders: (paths: ComputerEnvironment) => readonly string[];
  /** Matches the files of the program, by their paths in the folder with `/` as separator. */
  readonly isOwn: RegExp;
  /** Matches the files that contain one session each. */
  readonly isSession: RegExp;
  /**
   * Returns the group of a file. Files of one group are read together. Without this function, each file is read alone.
   * `messages` are the sessions of opencode's messages, by message.
   */
  readonly group?: (name: string, messages: ReadonlyMap<string, string>) => string;
  /** Counts the sessions of a file that contains several; null if they cannot be counted. */
  readonly countIn?: (path: string) => number | null;
  /** How many levels of folders are searched for its files. Defaults to 8. */
  readonly depth?: number;
  /** Whether watching skips the program, because each change would import all its conversations again. */
  readonly isCopiedWhole?: boolean;
}

const folderFrom = (env: ComputerEnvironment['env'], name: string, otherwise: string) => {
  const given = env[name];
  return given === undefined || given === '' ? otherwise : given;
};

const editors = ['Code', 'Code - Insiders', 'VSCodium', 'Cursor'];

/** Returns the folders in which editors store user data. */
function editorFolders({ home, env, platform }: ComputerEnvironment, names: readonly string[] = editors): string[] {
  const top =
    platform === 'darwin'
      ? joinPath(home, 'Library', 'Application Support')
      : platform === 'win32'
        ? folderFrom(env, 'APPDATA', joinPath(home, 'AppData', 'Roaming'))
        : folderFrom(env, 'XDG_CONFIG_HOME', joinPath(home, '.config'));
  return names.map((name) => joinPath(top, name, 'User'));
}

/** Returns the session of a file of opencode, which stores sessions, messages and parts in separate files. */
function opencodeGroup(name: string, messages: ReadonlyMap<string, string>): string {
  const [kind, first = ''] = name.split('/');
  const last = name.slice(name.lastIndexOf('/') + 1).replace(/\.json$/, '');
  if (kind === 'session') return last;
  if (kind === 'message') return first;
  return messages.get(first) ?? first;
}

/** The programs whose conversations are found. */
export const programChatFolders: readonly ProgramChatFolders[] = [
  {
    format: 'claude-code',
    label: 'Claude Code',
    folders: ({ home, env }) => [joinPath(folderFrom(env, 'CLAUDE_CONFIG_DIR', joinPath(home, '.claude')), 'projects')],
    isOwn: /\.jsonl$|\.meta\.json$/,
    isSession: /\.jsonl$/,
    // The metadata of a subagent is stored in a file beside its session.
    group: (name) => name.replace(/\.meta\.json$|\.jsonl$/, ''),
  },
  {
    format: 'codex',
    label: 'Codex',
    folders: ({ home, env }) => {
      const top = folderFrom(env, 'CODEX_HOME', joinPath(home, '.codex'));
      return [joinPath(top, 'sessions'), joinPath(top, 'archived_sessions')];
    },
    isOwn: /(?:^|\/)rollout-[^/]*\.jsonl$/,
    isSession: /\.jsonl$/,
  },
  {
    format: 'gemini-cli',
    label: 'Gemini CLI',
    folders: ({ home }) => [joinPath(home, '.gemini', 'tmp')],
    isOwn: /(?:^|\/)chats\/.*\.jsonl?$/,
    isSession: /\.jsonl?$/,
  },
  {
    format: 'pi',
    label: 'pi',
    folders: ({ home, env }) => [
      joinPath(folderFrom(env, 'PI_CODING_AGENT_DIR', joinPath(home, '.pi', 'agent')), 'sessions'),
    ],
    isOwn: /\.jsonl$/,
    isSession: /\.jsonl$/,
  },
  {
    format: 'opencode',
    label: 'opencode',
    folders: ({ home, env }) => [
      joinPath(folderFrom(env, 'XDG_DATA_HOME', joinPath(home, '.local', 'share')), 'opencode', 'storage'),
    ],
    isOwn: /^(?:session|message|part)\/.*\.json$/,
    isSession: /^session\//,
    group: opencodeGroup,
  },
  {
    // Later versions keep sessions in a database.
    format: 'opencode',
    label: 'opencode',
    folders: ({ home, env }) => [
      joinPath(folderFrom(env, 'XDG_DATA_HOME', joinPath(home, '.local', 'share')), 'opencode'),
    ],
    isOwn: /^opencode[^/]*\.db(?:-wal)?$/,
    isSession: /\.db$/,
    group: (name) => name.replace(/-wal$/, ''),
    countIn: countOpencodeSessions,
    depth: 0,
    isCopiedWhole: true,
  },
  {
    format: 'lm-studio',
    label: 'LM Studio',
    folders: ({ home }) => [
      joinPath(home, '.lmstudio', 'conversations'),
      joinPath(home, '.cache', 'lm-studio', 'conversations'),
    ],
    isOwn: /\.conversation\.json$/,
    isSession: /\.json$/,
  },
  {
    format: 'copilot-chat',
    label: 'VS Code chat',
    folders: (paths) =>
      editorFolders(paths).flatMap((user) => [
        joinPath(user, 'workspaceStorage'),
        joinPath(user, 'globalStorage', 'emptyWindowChatSessions'),
      ]),
    isOwn: /^(?:[^/]+|[^/]+\/chatSessions\/[^/]+)\.jsonl?$/,
    isSession: /\.jsonl?$/,
  },
  {
    format: 'cursor',
    label: 'Cursor',
    folders: (paths) => editorFolders(paths, ['Cursor']).map((user) => joinPath(user, 'globalStorage')),
    isOwn: /^state\.vscdb(?:-wal)?$/,
    isSession: /^state\.vscdb$/,
    group: () => 'state.vscdb',
    countIn: countCursorConversations,
    depth: 0,
    isCopiedWhole: true,
  },
  {
    format: 'cline',
    label: 'Cline',
    folders: (paths) => [
      ...editorFolders(paths).flatMap((user) =>
        ['saoudrizwan.claude-dev', 'rooveterinaryinc.roo-cline', 'kilocode.kilo-code'].map((name) =>
          joinPath(user, 'globalStorage', name, 'tasks'),
        ),
      ),
      joinPath(paths.home, '.cline', 'data', 'tasks'),
    ],
    isOwn: /(?:^|\/)api_conversation_history\.json$/,
    isSession: /\.json$/,
  },
];

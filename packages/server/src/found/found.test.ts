import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPrograms, ProgramChatWatch, programChatFolders } from './index.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'coppice-found-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function put(path: string, text = '{}\n'): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
}

const around = (env: Record<string, string> = {}, platform = 'linux') => ({ home, env, platform });
const counts = async (...given: Parameters<typeof around>) =>
  Object.fromEntries((await findPrograms(around(...given))).map(({ format, sessions }) => [format, sessions]));

describe('conversations of other programs', () => {
  it('[FD1] are found in the usual folders of each, and counted by sessions', async () => {
    put('.claude/projects/-work/a.jsonl');
    put('.claude/projects/-work/a/subagents/agent-1.jsonl');
    put('.claude/projects/-work/a/subagents/agent-1.meta.json');
    put('.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-a.jsonl');
    put('.codex/sessions/2026/01/02/notes.txt');
    put('.gemini/tmp/abc/chats/session-a.json');
    put('.gemini/tmp/abc/logs.json');
    put('.pi/agent/sessions/--work--/a.jsonl');
    put('.local/share/opencode/storage/session/p/ses_1.json');
    put('.local/share/opencode/storage/message/ses_1/msg_1.json');
    put('.local/share/opencode/storage/part/msg_1/prt_1.json');
    put('.lmstudio/conversations/1.conversation.json');
    put('.config/Code/User/workspaceStorage/w/chatSessions/a.jsonl');
    put('.config/Code/User/workspaceStorage/w/other/b.json');
    // A database that cannot be counted counts as one session.
    put('.local/share/opencode/opencode.db');
    put('.local/share/opencode/opencode.db-wal');
    put('.local/share/opencode/log/opencode.db');
    expect(await counts()).toEqual({
      'claude-code': 2,
      codex: 1,
      'gemini-cli': 1,
      pi: 1,
      opencode: 2,
      'lm-studio': 1,
      'copilot-chat': 1,
    });
  });

  it('[FD1] are searched where the environment and the system say', async () => {
    put('other/codex/sessions/rollout-a.jsonl');
    put('other/claude/projects/-w/a.jsonl');
    put('Library/Application Support/Code/User/workspaceStorage/w/chatSessions/a.json');
    put('Roaming/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json');
    const env = { CODEX_HOME: join(home, 'other/codex'), CLAUDE_CONFIG_DIR: join(home, 'other/claude') };
    expect(await counts(env)).toEqual({ codex: 1, 'claude-code': 1 });
    expect(await counts({}, 'darwin')).toEqual({ 'copilot-chat': 1 });
    expect(await counts({ APPDATA: join(home, 'Roaming') }, 'win32')).toEqual({ cline: 1 });
  });

  it('[FD1] are not found in empty files or behind links', async () => {
    put('.codex/sessions/rollout-a.jsonl', '');
    put('elsewhere/rollout-b.jsonl');
    symlinkSync(join(home, 'elsewhere'), join(home, '.codex/sessions/link'));
    expect(await counts()).toEqual({});
  });

  it('[FD2] are given again with their attached files when they change, and only then', async () => {
    put('.codex/sessions/rollout-a.jsonl');
    put('.local/share/opencode/storage/session/p/ses_1.json');
    put('.local/share/opencode/storage/message/ses_1/msg_1.json');
    put('.local/share/opencode/storage/session/p/ses_2.json');
    const watch = new ProgramChatWatch(around(), programChatFolders);
    const look = async () => {
      const names: string[] = [];
      for await (const { files } of watch.changes()) names.push(...files.map(({ name }) => name));
      return names.sort();
    };
    expect(await look()).toHaveLength(4);
    expect(await look()).toEqual([]);
    put('.local/share/opencode/storage/part/msg_1/prt_1.json');
    expect(await look()).toEqual(['message/ses_1/msg_1.json', 'part/msg_1/prt_1.json', 'session/p/ses_1.json']);
    put('.codex/sessions/rollout-a.jsonl', '{}\n{}\n');
    expect(await look()).toEqual(['rollout-a.jsonl']);
    utimesSync(join(home, '.codex/sessions/rollout-a.jsonl'), 1, 1);
    expect(await look()).toEqual(['rollout-a.jsonl']);
    expect(await look()).toEqual([]);
  });

  it('[FD2] count as seen only after they were imported', async () => {
    put('.codex/sessions/rollout-a.jsonl');
    const watch = new ProgramChatWatch(around(), programChatFolders);
    const broken = async () => {
      for await (const _ of watch.changes()) throw new Error('no');
    };
    await expect(broken()).rejects.toThrow('no');
    const again: string[] = [];
    for await (const { place } of watch.changes()) again.push(place.format);
    expect(again).toEqual(['codex']);
  });
});

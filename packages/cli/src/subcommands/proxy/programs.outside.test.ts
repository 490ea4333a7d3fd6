// Runs installed programs through `coppice proxy` against a service on this machine.

import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, type JsonObject, type TreeSummary } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, describe, expect, it } from 'vitest';
import { type AgentCall, type AgentReply, type AgentService, openAgentService } from '../../testing/agent-service.ts';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

const tap = fileURLToPath(new URL('../../testing/tap-program.mjs', import.meta.url));
const minutes = 60_000;

/** A request of a program and the response of Coppice. */
interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly answer: string;
}

/** A program with its own home directory, and the service that answers it. */
class Agent {
  readonly fixture: CliFixture;
  readonly service: AgentService;
  readonly #name: string;

  constructor(name: string, service: AgentService, env: Readonly<Record<string, string>>) {
    this.#name = name;
    this.service = service;
    this.fixture = makeCliFixture({ env: { PATH: process.env['PATH'] ?? '', ...env } });
    const { home } = this.fixture;
    for (const folder of ['.coppice', '.gemini']) mkdirSync(join(home, folder));
    const addresses = `anthropic = "${service.url}"\nopenai = "${service.url}/v1"\ngoogle = "${service.url}"\n`;
    writeFileSync(join(home, '.coppice', 'config.toml'), `[proxy]\n${addresses}`);
    const settings = { security: { auth: { selectedType: 'gemini-api-key' } } };
    writeFileSync(join(home, '.gemini', 'settings.json'), JSON.stringify(settings));
    writeFileSync(join(home, 'note.txt'), 'oak');
    const script = `#!/bin/sh\nHOME='${home}' exec '${process.execPath}' '${tap}' '${this.#log}' '${findProgram(name)}' "$@"\n`;
    writeFileSync(this.#program, script);
    chmodSync(this.#program, 0o755);
  }

  get #program(): string {
    return join(this.fixture.home, this.#name);
  }

  get #log(): string {
    return join(this.fixture.home, 'exchanges');
  }

  /** Runs the program with these arguments through the proxy. */
  async run(...words: readonly string[]): Promise<void> {
    const ran = await this.fixture.run(['proxy', '--json', '--', this.#program, ...words]);
    expect(ran, ran.err).toMatchObject({ code: 0 });
  }

  /** Compares the bytes that the program sent and got with those that the service got and sent. */
  expectSameBytes(): void {
    const exchanges: Exchange[] = readFileSync(this.#log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      // Claude Code first calls the base address itself, which Coppice answers.
      .filter(({ path }) => /^\/p\/[^/]+\/v1/.test(path));
    const { requests, answers } = this.service;
    const seen = requests.map(({ method, path, body }, index) =>
      [method, path, createHash('sha256').update(body).digest('hex'), answers[index]].join(' '),
    );
    const sent = exchanges.map(({ method, path, body, answer }) =>
      [method, path.replace(/^\/p\/[^/]+/, ''), body, answer].join(' '),
    );
    expect(sent.toSorted()).toEqual(seen.toSorted());
    for (const { headers } of requests)
      expect(Object.keys(headers).filter((name) => name.startsWith('x-coppice'))).toEqual([]);
  }

  /** Returns the sessions as `coppice agents` lists them. */
  async sessions(): Promise<readonly Listed[]> {
    return JSON.parse((await this.fixture.run(['agents', '--json'])).out).sessions;
  }

  /** Returns the messages of a tree as indented lines. */
  async drawn(id: string): Promise<string[]> {
    const store = await openStore(`sqlite:${join(this.fixture.home, '.coppice', 'coppice.db')}`);
    try {
      const { items } = await store.trees({ limit: 100 });
      const tree: TreeSummary | undefined = items.find((one) => one.id === id);
      if (tree === undefined) throw new Error(`There is no tree ${id}.`);
      const nodes = await store.read(tree.id, () => ask('subtree', { of: tree.rootId }));
      const depths = new Map<string, number>([[tree.rootId, 0]]);
      return nodes
        .filter(({ parentId }) => parentId !== null)
        .map((node) => {
          const depth = (depths.get(node.parentId ?? '') ?? 0) + 1;
          depths.set(node.id, depth);
          const words = node.text.replace(/\s+/g, ' ').trim().slice(0, 60);
          return `${depth} ${node.kind === 'message' ? (node.message?.role ?? '') : node.kind}: ${words}`;
        });
    } finally {
      await store.close();
    }
  }

  async close(): Promise<void> {
    await this.service.close();
    this.fixture.close();
  }
}

interface Listed {
  readonly treeId: string;
  readonly kind: string;
  readonly title: string | null;
  readonly program: string | null;
  readonly call: string | null;
  readonly children: readonly Listed[];
  readonly figures: { readonly calls: number; readonly errors: number };
}

function findProgram(name: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
  if (found === undefined) throw new Error(`${name} is not on the path.`);
  return found;
}

let open: Agent | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function start(
  name: string,
  answer: (call: AgentCall) => AgentReply,
  env: Readonly<Record<string, string>>,
): Promise<Agent> {
  open = new Agent(name, await openAgentService(answer), env);
  return open;
}

const lastOf = ({ history }: AgentCall) => history.at(-1) ?? '';
const isAgentTask = ({ history }: AgentCall) => history.some((text) => /Find (?:alpha|beta)\./.test(text));
const look = (name: string, parameters: JsonObject) => ({
  text: 'I look.',
  calls: [{ id: 'call_look', name, parameters }],
});
/** Two calls of a tool that spawns agents. */
const spawnTwo = (name: string, type: string) =>
  ['alpha', 'beta'].map((which) => ({
    id: `call_${which}`,
    name,
    parameters: { description: `Look for ${which}`, prompt: `Find ${which}.`, subagent_type: type },
  }));
/** Returns a function that reports whether a key is passed for the first time. */
const makeOnce = () => {
  const done = new Set<string>();
  return (name: string) => !done.has(name) && done.add(name).has(name);
};
const withoutDepth = (line: string) => line.slice(line.indexOf(' ') + 1);
const depthAndRole = (lines: readonly string[]) => lines.map((line) => line.slice(0, line.indexOf(':')));
const childrenOf = ([session]: readonly Listed[], kind: string) =>
  session?.children
    .filter((child) => child.kind === kind)
    .map(({ title, call }) => [title, call])
    .toSorted();
const question = 'What does note.txt say?';

describe('Claude Code through coppice proxy', () => {
  it(
    '[O150] a retry, tools, two sub-agents, a resumed session and a compaction are one named tree',
    async () => {
      const once = makeOnce();
      const agent = await start(
        'claude',
        (call) => {
          if (isAgentTask({ ...call, history: call.history.slice(0, 2) })) return { text: 'Found it.' };
          if (/create a detailed summary of/.test(lastOf(call)))
            return { text: '<analysis>All.</analysis><summary>The note says oak, and both were found.</summary>' };
          if (once('overloaded')) return { status: 529 };
          if (once('look')) return look('Read', { file_path: join(open?.fixture.home ?? '', 'note.txt') });
          if (once('spawn')) return { text: 'Sending two.', calls: spawnTwo('Agent', 'general-purpose') };
          return { text: `Answer ${call.number}.` };
        },
        { ANTHROPIC_API_KEY: 'sk-ant-of-the-user-0001', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
      );
      const id = '7b0fd2a4-56de-4c38-9a3f-0d5c0e6f1a11';
      const allowed = ['--allowedTools', 'Read', 'Agent'];
      await agent.run('-p', question, '--session-id', id, ...allowed);
      await agent.run('-p', '--resume', id, 'And what else?', ...allowed);
      await agent.run('-p', '--resume', id, '/compact');
      await agent.run('-p', '--resume', id, 'Go on then.', ...allowed);
      const sessions = await agent.sessions();
      expect(sessions).toMatchObject([{ title: question, program: 'Claude Code', figures: { errors: 1 } }]);
      expect(childrenOf(sessions, 'sub-agent')).toEqual([
        ['Look for alpha', 'call_alpha'],
        ['Look for beta', 'call_beta'],
      ]);
      const lines = await agent.drawn(sessions[0]?.treeId ?? '');
      // The refused call and its retry are variants; the messages after them are one chain.
      expect(depthAndRole(lines).slice(0, 11)).toEqual([
        '1 user',
        '2 system',
        '3 assistant',
        '3 assistant',
        '4 tool',
        '5 assistant',
        '6 tool',
        '7 tool',
        '8 assistant',
        '9 user',
        '10 assistant',
      ]);
      expect(lines[11]).toBe('11 compaction: The note says oak, and both were found.');
      expect(lines.filter((line) => line.endsWith('user: Go on then.'))).toHaveLength(1);
      expect(new Set(lines.slice(4).map((line) => line.split(' ')[0])).size).toBe(lines.length - 4);
      agent.expectSameBytes();
    },
    5 * minutes,
  );
});

describe('Codex through coppice proxy', () => {
  it(
    '[O150] tools, two sub-agents, a resumed session and a compaction are one named tree',
    async () => {
      const once = makeOnce();
      const agent = await start(
        'codex',
        (call) => {
          if (/CONTEXT CHECKPOINT COMPACTION/.test(lastOf(call))) return { text: 'The note says oak. Two were sent.' };
          if (lastOf(call).includes('NEW_TASK')) return { text: 'Found it.' };
          if (once('look')) {
            const input = "text(await tools.exec_command({ cmd: 'cat note.txt' }))";
            return { text: 'I look.', calls: [{ id: 'call_look', name: 'exec', input }] };
          }
          if (once('spawn'))
            return {
              text: 'Sending two.',
              calls: ['alpha', 'beta'].map((which) => ({
                id: `call_${which}`,
                name: 'spawn_agent',
                namespace: 'collaboration',
                parameters: { task_name: `find_${which}`, message: `Find ${which}.` },
              })),
            };
          // With so many tokens the program compacts its history before the next turn.
          return { text: `Answer ${call.number}.`, inputTokens: once('long') ? 900_000 : 9 };
        },
        { OPENAI_API_KEY: 'sk-of-the-user-0001' },
      );
      const words = ['exec', '--skip-git-repo-check'];
      await agent.run(...words, question);
      await agent.run(...words, 'resume', '--last', 'And what else?');
      await agent.run(...words, 'resume', '--last', 'Go on then.');
      const sessions = await agent.sessions();
      expect(sessions).toMatchObject([{ title: question, program: 'Codex' }]);
      expect(childrenOf(sessions, 'sub-agent')).toEqual([
        ['find alpha', 'call_alpha'],
        ['find beta', 'call_beta'],
      ]);
      const lines = await agent.drawn(sessions[0]?.treeId ?? '');
      expect(lines.filter((line) => / (?:user: (?:What|And|Go)|compaction)/.test(line)).map(withoutDepth)).toEqual([
        `user: ${question}`,
        expect.stringMatching(/^compaction: .*/),
        'user: And what else?',
        'user: Go on then.',
      ]);
      // All messages are one chain: no depth occurs twice.
      expect(new Set(lines.map((line) => line.split(' ')[0])).size).toBe(lines.length);
      agent.expectSameBytes();
    },
    5 * minutes,
  );
});

describe('pi through coppice proxy', () => {
  it(
    '[O150] tools, a resumed session and a compaction are one named tree',
    async () => {
      const summary = '## Goal\nThe user wants to know what the note says. It says oak, as was found by reading it.';
      const once = makeOnce();
      const agent = await start(
        'pi',
        (call) => {
          if (call.tools.length === 0) return { text: summary };
          if (once('look')) return look('read', { path: 'note.txt' });
          // With so many tokens pi compacts its history after this answer.
          const isLong = once('long');
          return {
            text: `Answer ${call.number}.${isLong ? ' It says oak.'.repeat(9_000) : ''}`,
            inputTokens: isLong ? 190_000 : 9,
          };
        },
        { ANTHROPIC_API_KEY: 'sk-ant-of-the-user-0001' },
      );
      const words = ['--offline', '--provider', 'anthropic', '--model', 'claude-sonnet-4-5', '--thinking', 'off'];
      await agent.run(...words, '-p', question);
      await agent.run(...words, '--continue', '-p', 'And what else?');
      await agent.run(...words, '--continue', '-p', 'Go on then.');
      const sessions = await agent.sessions();
      expect(sessions).toMatchObject([{ title: question, program: 'pi' }]);
      expect(depthAndRole(await agent.drawn(sessions[0]?.treeId ?? ''))).toEqual([
        '1 user',
        '2 assistant',
        '3 tool',
        '4 assistant',
        '5 compaction',
        '6 user',
        '7 assistant',
        '8 user',
        '9 assistant',
      ]);
      agent.expectSameBytes();
    },
    5 * minutes,
  );
});

describe('Gemini CLI through coppice proxy', () => {
  it(
    '[O150] tools and a resumed session are one named tree, and the choice of a model is a side call',
    async () => {
      const once = makeOnce();
      const agent = await start(
        'gemini',
        (call) => {
          if (call.tools.length === 0) return { text: '{"complexity_reasoning":"Easy.","complexity_score":10}' };
          if (once('look')) return look('read_file', { file_path: 'note.txt' });
          return { text: `Answer ${call.number}.` };
        },
        { GEMINI_API_KEY: 'AIza-of-the-user-0001' },
      );
      await agent.run('--skip-trust', '-p', question);
      await agent.run('--skip-trust', '--resume', 'latest', '-p', 'And what else?');
      const sessions = await agent.sessions();
      expect(sessions).toMatchObject([{ title: question, program: 'Gemini CLI' }]);
      expect(childrenOf(sessions, 'side-calls')).toHaveLength(2);
      const lines = await agent.drawn(sessions[0]?.treeId ?? '');
      expect(depthAndRole(lines).slice(0, 4)).toEqual(['1 user', '2 assistant', '3 tool', '4 assistant']);
      expect(lines.filter((line) => line.endsWith('user: And what else?'))).toHaveLength(1);
      agent.expectSameBytes();
    },
    5 * minutes,
  );
});

describe('opencode through coppice proxy', () => {
  it(
    '[O150] tools, two sub-agents and a resumed session are one named tree, and its title is a side call',
    async () => {
      const once = makeOnce();
      const agent = await start(
        'opencode',
        (call) => {
          if (call.tools.length === 0) return { text: 'A title' };
          if (isAgentTask({ ...call, history: call.history.slice(0, 1) })) return { text: 'Found it.' };
          if (once('look')) return look('read', { filePath: 'note.txt' });
          if (once('spawn')) return { text: 'Sending two.', calls: spawnTwo('task', 'general') };
          return { text: `Answer ${call.number}.` };
        },
        { ANTHROPIC_API_KEY: 'sk-ant-of-the-user-0001' },
      );
      const model = ['-m', 'anthropic/claude-sonnet-4-5'];
      await agent.run('run', ...model, question);
      await agent.run('run', '--continue', ...model, 'And what else?');
      const sessions = await agent.sessions();
      expect(sessions).toMatchObject([{ title: question, program: 'opencode' }]);
      expect(childrenOf(sessions, 'sub-agent')).toEqual([
        ['Look for alpha', 'call_alpha'],
        ['Look for beta', 'call_beta'],
      ]);
      expect(childrenOf(sessions, 'side-calls')).toHaveLength(1);
      expect(depthAndRole(await agent.drawn(sessions[0]?.treeId ?? ''))).toEqual([
        '1 user',
        '2 assistant',
        '3 tool',
        '4 assistant',
        '5 tool',
        '6 tool',
        '7 assistant',
        '8 user',
        '9 assistant',
      ]);
      agent.expectSameBytes();
    },
    5 * minutes,
  );
});

describe('a chat that Coppice wrote for a program', () => {
  const words = ['How old is the oak?', 'Three hundred years.', 'And the ash?', 'Half of that.'];
  const messages = [
    { role: 'user', content: words[0] },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"oak"}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: 'rings: 300' },
    { role: 'assistant', content: words[1] },
    { role: 'user', content: words[2] },
    { role: 'assistant', content: words[3] },
  ];

  /** Exports the chat, and returns the path of its file and the id of its session. */
  async function write({ fixture }: Agent, format: string) {
    writeFileSync(join(fixture.home, 'chat.json'), JSON.stringify({ title: 'Oaks', messages }));
    await fixture.run(['import', join(fixture.home, 'chat.json')]);
    const folder = join(fixture.home, 'written');
    const { code } = await fixture.run(['export', '--all', '--format', format, '--out', folder]);
    expect(code).toBe(0);
    const [file = ''] = readdirSync(folder);
    const text = readFileSync(join(folder, file), 'utf8');
    const [, id = ''] = /"(?:id|sessionId)":"([0-9a-f-]{36})"/.exec(text) ?? [];
    return { file, text, id };
  }

  /** Checks that the last call has the whole chat, its tool call and the new question. */
  function expectContinued({ service }: Agent): void {
    const bodies = service.requests.map(({ body }) => body);
    const last = bodies.findLast((body) => body.includes('Go on.')) ?? '';
    for (const text of [...words, 'I look.', 'rings: 300', 'call_1', 'Go on.']) expect(last).toContain(text);
  }

  it(
    '[O150] is continued by Codex',
    async () => {
      const env = { OPENAI_API_KEY: 'sk-of-the-user-0001' };
      const agent = await start('codex', () => ({ text: 'Continued.' }), env);
      const { file, text, id } = await write(agent, 'codex');
      const folder = join(agent.fixture.home, '.codex/sessions/2026/01/02');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, file), text);
      await agent.run('exec', '--skip-git-repo-check', 'resume', id, 'Go on.');
      expectContinued(agent);
    },
    5 * minutes,
  );

  it(
    '[O150] is continued by Gemini CLI',
    async () => {
      const env = { GEMINI_API_KEY: 'AIza-of-the-user-0001' };
      const agent = await start(
        'gemini',
        ({ tools }) => ({
          text: tools.length === 0 ? '{"complexity_reasoning":"Easy.","complexity_score":10}' : 'Yes.',
        }),
        env,
      );
      const { file, text, id } = await write(agent, 'gemini-cli');
      // The program makes the folder of a project with its first session.
      await agent.run('--skip-trust', '-p', 'Hello.');
      const tmp = join(agent.fixture.home, '.gemini/tmp');
      const project = readdirSync(tmp).find((name) => existsSync(join(tmp, name, 'chats'))) ?? '';
      writeFileSync(join(tmp, project, 'chats', file), text);
      await agent.run('--skip-trust', '--resume', id, '-p', 'Go on.');
      expectContinued(agent);
    },
    5 * minutes,
  );

  it(
    '[O150] is continued by Claude Code',
    async () => {
      const env = { ANTHROPIC_API_KEY: 'sk-ant-of-the-user-0001', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' };
      const agent = await start('claude', () => ({ text: 'Continued.' }), env);
      const { text, id } = await write(agent, 'claude-code');
      const name = agent.fixture.home.replaceAll(/[^a-zA-Z0-9]/g, '-');
      const folder = join(agent.fixture.home, '.claude/projects', name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, `${id}.jsonl`), text);
      await agent.run('-p', '--resume', id, 'Go on.');
      expectContinued(agent);
    },
    5 * minutes,
  );
});

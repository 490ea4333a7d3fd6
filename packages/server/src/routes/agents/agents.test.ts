import { encodeReply } from '@coppice/engine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { testToken } from '../../testing/index.ts';
import { openProxyFixture, type ProxyFixture } from '../../testing/proxy-fixture.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const user = (text: string) => ({ role: 'user', content: text });
const spawn = { id: 't1', name: 'Agent', parameters: { prompt: 'Find it.', description: 'Find the oak' } };

/** Sends a GET request to the recording server. */
async function get({ url }: ProxyFixture, path: string) {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${testToken}` } });
  const body: ListedWork = JSON.parse(await answer.text());
  return { status: answer.status, body };
}

interface ListedWork {
  readonly sessions: readonly {
    readonly treeId: string;
    readonly session: string | null;
    readonly folder: string | null;
    readonly branch: string | null;
  }[];
  readonly recent: { readonly calls: number };
}

/** Records a session with a sub-agent and a failed call. */
async function recorded(wait: Promise<void> = Promise.resolve()): Promise<ProxyFixture> {
  open = await openProxyFixture((request, response) => {
    const body = request.body;
    const isTask = body.includes('Find it.') && !body.includes('Send one.');
    void (body.includes('Slowly') ? wait : Promise.resolve()).then(() => {
      response.writeHead(body.includes('Fail.') ? 500 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(encodeReply('anthropic', isTask ? { text: 'Found.' } : { text: 'Sent.', calls: [spawn] })),
      );
    });
  });
  const call = (words: string, headers: Readonly<Record<string, string>> = {}) =>
    open?.post(
      '/p/shop/v1/messages',
      { model: 'claude-sonnet-4-5', max_tokens: 9, tools: [{ name: 'Agent' }], messages: [user(words)] },
      { 'x-claude-code-session-id': 's1', 'user-agent': 'claude-cli/2.1', ...headers },
    );
  await call('Send one.');
  await call('Find it.', { 'x-claude-code-agent-id': 'a' });
  await call('Fail.');
  await open.recorder.idle();
  return open;
}

describe('recorded work', () => {
  it('[RP34] is listed by session with its sub-agents, calls, tools, tokens and errors', async () => {
    const proxied = await recorded();
    const { body } = await get(proxied, '/api/agents');
    expect(body.sessions).toMatchObject([
      {
        kind: 'session',
        title: 'Send one',
        project: 'shop',
        program: 'Claude Code',
        session: 's1',
        parentId: null,
        model: 'claude-sonnet-4-5',
        running: false,
        figures: { calls: 2, toolCalls: 1, tokens: 13, errors: 1 },
      },
      {
        kind: 'sub-agent',
        title: 'Find the oak',
        parentId: body.sessions[0]?.treeId,
        call: 't1',
        figures: { calls: 1, toolCalls: 0, tokens: 13, errors: 0 },
      },
    ]);
    expect(body).toMatchObject({ running: 0, cursor: null, recent: { calls: 3, toolCalls: 1, errors: 1 } });
    const later = Date.now() + 60_000;
    expect((await get(proxied, `/api/agents?since=${later}`)).body.recent.calls).toBe(0);
    for (const query of ['program=Codex', 'project=other'])
      expect((await get(proxied, `/api/agents?${query}`)).body.sessions).toEqual([]);
    expect((await get(proxied, '/api/agents?program=Claude%20Code&project=shop')).body.sessions).toHaveLength(2);
    expect((await get(proxied, '/api/agents?unknown=1')).status).toBe(400);
  });

  it('[RP42] names the folder and branch that a program tells the model, as the newest call has them', async () => {
    const proxied = await recorded();
    const call = (system: string, id: string, ...messages: readonly object[]) =>
      proxied.post(
        '/p/shop/v1/messages',
        { model: 'm', max_tokens: 9, system, messages },
        { 'x-claude-code-session-id': id },
      );
    const claude = (branch: string) =>
      `You help.\n - Primary working directory: /home/ada/shop\n\ngitStatus: as of now.\nCurrent branch: ${branch}\n`;
    await call(claude('main'), 'c', user('One'));
    await call(claude('fix-7'), 'c', user('One'), { role: 'assistant', content: 'Sent.' }, user('Two'));
    await call(
      'You help.',
      'd',
      user('<environment_context>\n  <cwd>/home/ada/ink</cwd>\n</environment_context>'),
      user('Hi'),
    );
    const gemini =
      '<session_context>\n- **Workspace Directories:**\n  - /home/ada/elm\n- **Tree:**\n</session_context>';
    await call('You help.', 'e', user(`${gemini}\nHo`));
    await proxied.recorder.idle();
    const places = (await get(proxied, '/api/agents')).body.sessions.filter(({ session }) =>
      /^[cde]$/.test(session ?? ''),
    );
    expect(places.map(({ session, folder, branch }) => [session, folder, branch]).toSorted()).toEqual([
      ['c', '/home/ada/shop', 'fix-7'],
      ['d', '/home/ada/ink', null],
      ['e', '/home/ada/elm', null],
    ]);
  });

  it('[RP34] shows which sessions are running now', async () => {
    let end: () => void = () => undefined;
    const proxied = await recorded(new Promise((resolve) => (end = resolve)));
    const { begin, recorder } = proxied;
    const headers = { 'x-claude-code-session-id': 's1' };
    const messages = [user('Slowly.')];
    const tools = [{ name: 'Agent' }];
    const running = begin('/p/shop/v1/messages', { model: 'm', max_tokens: 9, tools, messages }, headers);
    await expect.poll(() => recorder.running('local').length).toBe(1);
    const { body } = await get(proxied, '/api/agents');
    expect(body).toMatchObject({ running: 1, sessions: [{ running: true }, { running: false }] });
    end();
    await (await running).text();
    await recorder.idle();
    expect((await get(proxied, '/api/agents')).body).toMatchObject({ running: 0, sessions: [{ running: false }, {}] });
  });

  it('[RP30] a tree names the session that started it, and a session its sub-agents', async () => {
    const proxied = await recorded();
    const [main, agent] = (await get(proxied, '/api/agents')).body.sessions;
    const of = async (id = '') => (await get(proxied, `/api/trees/${id}/sub-agents`)).body;
    expect(await of(main?.treeId)).toMatchObject({
      spawnedBy: null,
      agents: [{ treeId: agent?.treeId, title: 'Find the oak', call: 't1', agentType: null }],
    });
    expect(await of(agent?.treeId)).toMatchObject({
      spawnedBy: { treeId: main?.treeId, title: 'Send one', call: 't1', agentType: null },
      agents: [],
    });
  });
});

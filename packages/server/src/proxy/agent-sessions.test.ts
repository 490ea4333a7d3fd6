import { findSubAgents, spawnLinkOf } from '@coppice/content';
import { ask, type JsonObject, type TreeSummary } from '@coppice/core';
import { encodeReply, type WireReply } from '@coppice/engine/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';
import { detectCallPurpose } from './call-purpose.ts';
import { parseRequest } from './parse-request.ts';
import { readCallOrigin } from './session-of-call.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

const json = { 'content-type': 'application/json' };
const text = (said: string) => ({ type: 'text', text: said });
const user = (...said: readonly string[]) => ({ role: 'user', content: said.map(text) });
const results = (...given: readonly (readonly [string, string])[]) => ({
  role: 'user',
  content: given.map(([id, content]) => ({ type: 'tool_result', tool_use_id: id, content })),
});
const reply = (said: string, ...calls: readonly (readonly [string, string, JsonObject])[]) => ({
  role: 'assistant',
  content: [text(said), ...calls.map(([id, name, input]) => ({ type: 'tool_use', id, name, input }))],
});
const reminder = (date: string) => `<system-reminder>\nUse this: the date is ${date}.\n</system-reminder>\n\n`;
const notes = { role: 'system', content: 'These agents may be used: finder, writer.' };

/** Returns a function that sends an agent's history on Anthropic's wire. `next` is the answer of the service. */
function agentOf({ post }: ProxyFixture, answers: WireReply[], headers: Readonly<Record<string, string>>) {
  return async (messages: readonly object[], next: WireReply, more: JsonObject = {}, own = {}) => {
    answers.push(next);
    const tools = [{ name: 'Agent' }, { name: 'Bash' }];
    const body = { model: 'm-x', max_tokens: 10, system: 'You work.', tools, messages, ...more };
    expect((await post('/v1/messages', body, { ...headers, ...own })).status).toBe(200);
  };
}

async function opened(): Promise<{ proxied: ProxyFixture; answers: WireReply[] }> {
  const answers: WireReply[] = [];
  open = await openProxyFixture((_request, response) => {
    response.writeHead(200, json);
    response.end(JSON.stringify(encodeReply('anthropic', answers.shift() ?? { text: 'Nothing.' })));
  });
  return { proxied: open, answers };
}

/** Returns the messages of a tree as indented lines, in the order of their positions. */
async function drawn({ server }: ProxyFixture, { id, rootId }: TreeSummary): Promise<string[]> {
  const nodes = await server.store.read(id, () => ask('subtree', { of: rootId }));
  const depths = new Map<string, number>([[rootId, 0]]);
  return [...nodes]
    .filter(({ parentId }) => parentId !== null)
    .map((node) => {
      const depth = (depths.get(node.parentId ?? '') ?? 0) + 1;
      depths.set(node.id, depth);
      const words = node.text.replace(/\s+/g, ' ').trim().slice(0, 60);
      return `${depth} ${node.kind === 'message' ? (node.message?.role ?? '') : node.kind}: ${words}`;
    });
}

const treeWith = (trees: readonly TreeSummary[], tag: string) =>
  trees.filter(({ attributes }) => attributes.tags?.includes(tag) === true);
const mainTrees = (trees: readonly TreeSummary[]) =>
  trees.filter(({ attributes }) => attributes.tags?.length === 1 && attributes.tags[0] === 'recorded');

describe('sub-agents of a recorded session', () => {
  const spawn = [
    ['toolu_1', 'Agent', { description: 'Look for alpha', prompt: 'Find alpha.', subagent_type: 'finder' }],
    ['toolu_2', 'Agent', { description: 'Look for beta', prompt: 'Find beta.', subagent_type: 'finder' }],
  ] as const;
  const sending = {
    text: 'Sending two.',
    calls: spawn.map(([id, name, parameters]) => ({ id, name, parameters })),
  };

  it('[RP30] of Claude Code are separate trees, linked to the calls that started them in both directions', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-claude-code-session-id': 's1', 'user-agent': 'claude-cli/2.1 (cli)' });
    const asked = user(reminder('Monday'), 'Send two agents.');
    await call([asked, notes], sending);
    for (const [agent, task] of [
      ['a1', 'Find alpha.'],
      ['b2', 'Find beta.'],
    ] as const) {
      const own = { 'x-claude-code-agent-id': agent };
      const first = [user(reminder('Monday'), task), notes];
      const shell = { id: `sh_${agent}`, name: 'Bash', parameters: { command: 'ls' } };
      await call(first, { text: 'Looking.', calls: [shell] }, {}, own);
      const after = [reply('Looking.', [shell.id, 'Bash', shell.parameters]), results([shell.id, 'there'])];
      await call([...first, ...after], { text: `Done: ${task}` }, {}, own);
    }
    const found = results(['toolu_1', 'Done: alpha'], ['toolu_2', 'Done: beta']);
    await call([asked, notes, reply('Sending two.', ...spawn), found], { text: 'Both are found.' });
    const trees = await proxied.trees();
    const [main, ...others] = mainTrees(trees);
    expect(others).toEqual([]);
    expect(main?.attributes).toMatchObject({
      autoTitle: 'Send two agents',
      metadata: { recorded: { session: 's1', program: 'Claude Code', tools: true } },
    });
    expect(await drawn(proxied, main ?? never())).toEqual([
      expect.stringMatching(/^1 user: Send two agents\. <system-reminder>/),
      '2 system: These agents may be used: finder, writer.',
      expect.stringMatching(/^3 assistant: Sending two\./),
      '4 tool: Done: alpha',
      '5 tool: Done: beta',
      '6 assistant: Both are found.',
    ]);
    const agents = treeWith(trees, 'sub-agent');
    expect(agents.map(({ attributes }) => attributes.autoTitle).toSorted()).toEqual([
      'Look for alpha',
      'Look for beta',
    ]);
    const links = agents.map(({ attributes }) => spawnLinkOf(attributes));
    expect(links.map((link) => [link?.treeId, link?.call, link?.agentType]).toSorted()).toEqual([
      [main?.id, 'toolu_1', 'finder'],
      [main?.id, 'toolu_2', 'finder'],
    ]);
    const children = (await findSubAgents(proxied.server.store, [main?.id ?? never()])).get(main?.id ?? never());
    expect(children?.map(({ call: one, title }) => [one, title])).toEqual([
      ['toolu_1', 'Look for alpha'],
      ['toolu_2', 'Look for beta'],
    ]);
    for (const agent of agents) expect(await drawn(proxied, agent)).toHaveLength(5);
  });

  it('[RP30] with the same task are linked to different calls', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-claude-code-session-id': 's1' });
    const twice = ['toolu_1', 'toolu_2'].map((id) => ({ id, name: 'Task', parameters: { prompt: 'Guess.' } }));
    await call([user('Ask twice.')], { text: 'Asking.', calls: twice });
    for (const id of ['a', 'b']) await call([user('Guess.')], { text: id }, {}, { 'x-claude-code-agent-id': id });
    const agents = treeWith(await proxied.trees(), 'sub-agent');
    const calls = agents.map(({ attributes }) => spawnLinkOf(attributes)?.call);
    expect(calls.toSorted()).toEqual(['toolu_1', 'toolu_2']);
  });

  it('[RP30] that no header names are recognised by their task, also in later calls', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-claude-code-session-id': 's1' });
    await call([user('Send one.')], {
      text: 'Sending.',
      calls: [{ id: 't1', name: 'Task', parameters: { prompt: 'Find it.' } }],
    });
    await call([user(reminder('Monday'), 'Find it.')], { text: 'Where?' });
    await call([user(reminder('Monday'), 'Find it.'), reply('Where?'), user('Here.')], { text: 'Found.' });
    const trees = await proxied.trees();
    const [agent, ...more] = treeWith(trees, 'sub-agent');
    expect(more).toEqual([]);
    expect(await drawn(proxied, agent ?? never())).toHaveLength(4);
    expect(await drawn(proxied, mainTrees(trees)[0] ?? never())).toHaveLength(2);
    expect(spawnLinkOf(agent?.attributes ?? {})?.call).toBe('t1');
  });

  it('[RP30, RP40] of Codex are linked by the name in the call, since it encrypts their tasks', async () => {
    const session = { 'session-id': 's1', 'user-agent': 'codex_exec/0.169.0' };
    const offered = {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'namespace', tools: [{ name: 'exec' }] }],
    };
    const prompt = { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'You are Codex.' }] };
    const asked = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Send two.' }] };
    const spawning = ['alpha', 'beta'].map((which) => ({
      type: 'function_call',
      call_id: `call_${which}`,
      name: 'spawn_agent',
      arguments: JSON.stringify({ task_name: `find_${which}`, message: 'gAAAA' }),
    }));
    const replies = [spawning];
    const proxied = await openProxyFixture((_request, response) => {
      response.writeHead(200, json);
      const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] };
      response.end(
        JSON.stringify({ id: 'resp_1', model: 'm-x', status: 'completed', output: replies.shift() ?? [said] }),
      );
    });
    open = proxied;
    const body = (input: readonly object[]) => ({ model: 'm-x', input });
    const history = [offered, prompt, asked, ...spawning];
    await proxied.post('/v1/responses', body(history.slice(0, 3)), { ...session, 'thread-id': 's1' });
    for (const which of ['alpha', 'beta']) {
      const task = {
        type: 'agent_message',
        author: '/root',
        recipient: `/root/find_${which}`,
        content: [{ type: 'input_text', text: `Task name: /root/find_${which}` }],
      };
      const turn = JSON.stringify({ agent_name: `/root/find_${which}`, request_kind: 'turn' });
      const own = { 'thread-id': `t-${which}`, 'x-codex-parent-thread-id': 's1', 'x-codex-turn-metadata': turn };
      await proxied.post('/v1/responses', body([...history, task]), { ...session, ...own });
    }
    const trees = await proxied.trees();
    const [main] = mainTrees(trees);
    expect(main?.attributes).toMatchObject({
      systemPrompt: 'You are Codex.',
      metadata: { recorded: { program: 'Codex', tools: true } },
    });
    expect((await drawn(proxied, main ?? never()))[0]).toBe('1 user: Send two.');
    const agents = treeWith(trees, 'sub-agent');
    expect(agents.map(({ attributes }) => attributes.autoTitle).toSorted()).toEqual(['find alpha', 'find beta']);
    for (const agent of agents)
      expect(await drawn(proxied, agent)).toContainEqual(expect.stringMatching(/user: Task name: \/root\/find_/));
  });

  it('[RP30] are named by the headers of Claude Code, Codex, opencode and Coppice', () => {
    const origin = (given: Readonly<Record<string, string>>) => {
      const { session, parent = null } = readCallOrigin((name) => given[name], null);
      return [session, parent];
    };
    expect(origin({ 'x-claude-code-session-id': 's', 'x-claude-code-agent-id': 'a' })).toEqual(['s/agent-a', 's']);
    const nested = { 'x-claude-code-agent-id': 'b', 'x-claude-code-parent-agent-id': 'a' };
    expect(origin({ 'x-claude-code-session-id': 's', ...nested })).toEqual(['s/agent-b', 's/agent-a']);
    expect(origin({ 'session-id': 's', 'thread-id': 's' })).toEqual(['s', null]);
    expect(origin({ 'session-id': 's', 'thread-id': 't' })).toEqual(['t', 's']);
    const deep = { 'session-id': 's', 'thread-id': 'u', 'x-codex-parent-thread-id': 't' };
    expect(origin(deep)).toEqual(['u', 't']);
    expect(origin({ 'x-session-id': 'b', 'x-parent-session-id': 'a' })).toEqual(['b', 'a']);
    expect(origin({ 'x-coppice-session': 'b', 'x-coppice-parent-session': 'a' })).toEqual(['b', 'a']);
    expect(
      origin({ 'x-coppice-session': 'm', 'x-claude-code-session-id': 's', 'x-claude-code-agent-id': 'a' }),
    ).toEqual(['m/agent-a', 'm']);
  });
});

describe('side calls of a session', () => {
  const title = { system: 'You are a title generator. You output only a title.', tools: [] };

  it('[RP31] for a title become neither a branch nor the title of the session, before and after its first turn', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-session-id': 's1', 'user-agent': 'opencode/1.18' });
    await call([user('Generate a title for this conversation:\n', 'Fix the login.')], { text: 'Login fix' }, title);
    await call([user('Fix the login.')], { text: 'Fixed.' });
    await call(
      [user('Name this for the list.', 'Fix the login.')],
      { text: 'Login' },
      { system: 'You name.', tools: [] },
    );
    const trees = await proxied.trees();
    const [main] = mainTrees(trees);
    expect(main?.attributes.autoTitle).toBe('Fix the login');
    expect(await drawn(proxied, main ?? never())).toEqual(['1 user: Fix the login.', '2 assistant: Fixed.']);
    const [side, ...more] = treeWith(trees, 'side-calls');
    expect(more).toEqual([]);
    expect(side?.attributes.metadata?.['sideOf']).toEqual({ session: 's1', treeId: main?.id });
    expect(await drawn(proxied, side ?? never())).toHaveLength(4);
  });

  it('[RP31] are recognised by their text; a user who asks for a title or a summary is not one of them', () => {
    const purpose = (body: JsonObject, headers: Readonly<Record<string, string>> = {}) => {
      const asked = parseRequest('messages', { model: 'm', ...body });
      return asked === null
        ? null
        : detectCallPurpose(
            asked,
            readCallOrigin((name) => headers[name], null),
          );
    };
    const tools = [{ name: 'Bash' }];
    expect(purpose({ system: 'Generate a concise, sentence-case title (3-7 words).', messages: [user('x')] })).toBe(
      'side',
    );
    expect(purpose({ system: 'Decide whether this is a new conversation topic.', messages: [user('x')] })).toBe('side');
    expect(purpose({ tools, messages: [user('Your task is to create a detailed summary of the talk.')] })).toBe(
      'compaction',
    );
    const turn = JSON.stringify({ request_kind: 'compaction' });
    expect(purpose({ messages: [user('x')] }, { 'x-codex-turn-metadata': turn })).toBe('compaction');
    expect(purpose({ messages: [user('Suggest a title for my essay.')] })).toBe('turn');
    expect(purpose({ tools, messages: [user('Generate a title for this conversation')] })).toBe('turn');
    expect(purpose({ tools, messages: [user('Summarise our conversation please.')] })).toBe('turn');
  });

  it('[RP31] without tools stay in the session where the session has none', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-session-id': 's1' });
    for (const words of ['One.', 'Two.']) await call([user(words)], { text: 'Yes.' }, { tools: [] });
    expect(await proxied.trees()).toHaveLength(1);
  });
});

describe('a session that its agent compacts', () => {
  const summary = 'The user wants the oak named in every file. It was found in the second one.';

  it('[RP32] of Claude Code continues below a compaction in the same tree, with the kept messages', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-claude-code-session-id': 's1' });
    const shell = ['t1', 'Bash', { command: 'ls' }] as const;
    const before = [user(reminder('Monday'), 'Name the oak.'), notes];
    const worked = [...before, reply('I look.', shell), results(['t1', 'oak'])];
    await call(before, { text: 'I look.', calls: [{ id: 't1', name: 'Bash', parameters: shell[2] }] });
    await call(worked, { text: 'It is there.' });
    const request = 'CRITICAL: text only. Your task is to create a detailed summary of the conversation so far.';
    const asking = { role: 'user', content: [...results(['t1', 'oak']).content, text(request)] };
    await call([...before, reply('I look.', shell), asking], {
      text: `<analysis>What was said.</analysis>\n<summary>\n${summary}\n</summary>`,
    });
    const goesOn = user(
      reminder('Monday'),
      `This session is being continued from a previous one.\n\n${summary}\n\nGo on.`,
    );
    const later = [goesOn, reply('It is there.'), user('Now name it.')];
    await call(later, { text: 'Named.' });
    await call([...later, reply('Named.'), user('Thanks.')], { text: 'Welcome.' });
    // A retry of the first call after the compaction.
    await call(later, { text: 'Named again.' });
    const trees = await proxied.trees();
    const [main, ...more] = mainTrees(trees);
    expect(more).toEqual([]);
    const lines = await drawn(proxied, main ?? never());
    expect(lines.filter((line) => /^[1-7] /.test(line)).map((line) => line.slice(0, 30))).toEqual([
      '1 user: Name the oak. <system-',
      '2 system: These agents may be ',
      expect.stringMatching(/^3 assistant: I look\./),
      '4 tool: oak',
      '5 assistant: It is there.',
      `6 compaction: ${summary.slice(0, 16)}`,
      '7 user: Now name it.',
    ]);
    expect(lines.filter((line) => !/^[1-7] /.test(line)).toSorted()).toEqual([
      '10 assistant: Welcome.',
      '8 assistant: Named again.',
      '8 assistant: Named.',
      '9 user: Thanks.',
    ]);
    const nodes = await proxied.server.store.read(main?.id ?? never(), () =>
      ask('subtree', { of: main?.rootId ?? never() }),
    );
    const marker = nodes.find(({ kind }) => kind === 'compaction');
    const kept = nodes.find((node) => node.text === 'It is there.');
    expect(marker?.marker?.firstKept).toBe(kept?.id);
    expect(main?.attributes.autoTitle).toBe('Name the oak');
    const last = nodes.find((node) => node.text === 'Welcome.');
    const { body } = await proxied.server.ask('GET', `/api/trees/${main?.id}/context?nodeId=${last?.id}`);
    expect(JSON.stringify(body)).toContain('It was found in the second one.');
    expect(JSON.stringify(body)).not.toContain('Name the oak.');
  });

  it('[RP32] of Codex, which puts the user’s messages before the summary, repeats nothing', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'session-id': 's1', 'thread-id': 's1' });
    const place = user('<environment_context>here</environment_context>');
    const asked = [place, user('Name the oak.')];
    const shell = ['t1', 'Bash', { command: 'ls' }] as const;
    await call(asked, { text: 'I look.', calls: [{ id: 't1', name: 'Bash', parameters: shell[2] }] });
    const compacting = { 'x-codex-turn-metadata': JSON.stringify({ request_kind: 'compaction' }) };
    await call(
      [...asked, reply('I look.', shell), results(['t1', 'oak']), user('Summarise for the next model.')],
      { text: summary },
      { tools: [] },
      compacting,
    );
    const goesOn = user(`Another language model started to solve this. Its summary:\n${summary}`);
    await call([...asked, goesOn], { text: 'I go on.' });
    await call([...asked, goesOn, reply('I go on.'), user('And?')], { text: 'Done.' });
    const [main, ...more] = mainTrees(await proxied.trees());
    expect(more).toEqual([]);
    expect(await drawn(proxied, main ?? never())).toEqual([
      expect.stringMatching(/^1 user/),
      '2 user: Name the oak.',
      expect.stringMatching(/^3 assistant: I look\./),
      // Only the request for the summary contains this result.
      '4 tool: oak',
      `5 compaction: ${summary.slice(0, 60)}`,
      '6 assistant: I go on.',
      '7 user: And?',
      '8 assistant: Done.',
    ]);
  });

  it('[RP32] of opencode, and one compacted twice, stay one tree', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-session-id': 's1' });
    const compact = { system: 'You are a context summarization agent.', tools: [] };
    await call([user('Name the oak.')], { text: 'I look.' });
    await call([user('<conversation>All of it.</conversation>')], { text: summary }, compact);
    const goesOn = [user('What did we do so far?'), reply(summary), user('Continue.')];
    await call(goesOn, { text: 'I continue.' });
    const second = 'The oak was named in three files, and nothing else remains to be done.';
    await call([user('<conversation>More of it.</conversation>')], { text: second }, compact);
    await call([user('What did we do so far?'), reply(second), user('Continue.')], { text: 'The end.' });
    const [main, ...more] = mainTrees(await proxied.trees());
    expect(more).toEqual([]);
    expect((await drawn(proxied, main ?? never())).map((line) => line.slice(0, 24))).toEqual([
      '1 user: Name the oak.',
      '2 assistant: I look.',
      '3 compaction: The user w',
      '4 user: What did we do s',
      '5 user: Continue.',
      '6 assistant: I continue.',
      '7 compaction: The oak wa',
      '8 user: Continue.',
      '9 assistant: The end.',
    ]);
  });

  it('[RP32] whose request was not recorded is recognised by how programs introduce a summary', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-claude-code-session-id': 's1' });
    await call([user('Name the oak.')], { text: 'I look.' });
    await call([user('This session is being continued from a previous conversation: the oak.'), user('Go on.')], {
      text: 'Yes.',
    });
    const [main] = mainTrees(await proxied.trees());
    expect((await drawn(proxied, main ?? never())).map((line) => line.slice(0, 13))).toEqual([
      '1 user: Name ',
      '2 assistant: ',
      '3 compaction:',
      '4 user: Go on',
      '5 assistant: ',
    ]);
  });
});

describe('a session that is resumed', () => {
  it('[RP33] on the next day, with another date in its first message, repeats no message', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-claude-code-session-id': 's1' });
    const first = (date: string) => [user(reminder(date), 'Name the oak.'), notes];
    await call(first('Monday'), { text: 'Named.' });
    await call([...first('Tuesday'), reply('Named.'), user('And the elm?')], { text: 'Also.' });
    await call([...first('Tuesday'), reply('Named.'), user('And the elm?'), reply('Also.'), user('Edited.')], {
      text: 'Ok.',
    });
    // An edited message is sent, and then sent again.
    for (const said of ['Sure.', 'Sure!'])
      await call([...first('Tuesday'), reply('Named.'), user('And the ash?')], { text: said });
    const [main, ...more] = await proxied.trees();
    expect(more).toEqual([]);
    expect((await drawn(proxied, main ?? never())).toSorted()).toEqual([
      expect.stringMatching(/^1 user: .*Monday/),
      expect.stringMatching(/^2 system/),
      '3 assistant: Named.',
      '4 user: And the ash?',
      '4 user: And the elm?',
      '5 assistant: Also.',
      '5 assistant: Sure!',
      '5 assistant: Sure.',
      '6 user: Edited.',
      '7 assistant: Ok.',
    ]);
  });
});

describe('a session that is rewound', () => {
  const said = (message: string) => ({ type: 'tool_result', tool_use_id: message, content: 'a b' });
  const work = (id: string): WireReply => ({ text: `Work ${id}.`, calls: [{ id, name: 'Bash', parameters: { id } }] });
  const worked = (id: string) => reply(`Work ${id}.`, [id, 'Bash', { id }]);

  it('[RP33] to its first message, with another prompt and date, is a branch of the same tree', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-claude-code-session-id': 's1' });
    await call([user(reminder('Monday'), 'Name the oak.')], { text: 'Named.' });
    await call([user(reminder('Monday'), 'Name the oak.'), reply('Named.'), user('And?')], { text: 'Yes.' });
    await call([user(reminder('Monday'), 'Name the elm.')], { text: 'Elm.' }, { system: 'You work, changed.' });
    await call([user(reminder('Tuesday'), 'Name the elm.'), reply('Elm.'), user('More.')], { text: 'Ok.' });
    const [main, ...more] = await proxied.trees();
    expect(more).toEqual([]);
    expect((await drawn(proxied, main ?? never())).map((line) => line.split(':')[0])).toEqual(
      [1, 1, 2, 2, 3, 3, 4, 4].map((depth) => `${depth} ${depth % 2 === 1 ? 'user' : 'assistant'}`),
    );
  });

  it('[RP33] and whose reminders come and go repeats no message, also before a compaction', async () => {
    const { proxied, answers } = await opened();
    const call = agentOf(proxied, answers, { 'x-claude-code-session-id': 's1' });
    const note = text('<system-reminder>The list is empty.</system-reminder>');
    const begin = user(reminder('Monday'), 'Fix it.');
    const [one, two] = ['t1', 't2'].map((id) => ({ role: 'user', content: [said(id)] }));
    await call([begin], work('t1'));
    // The reminder is in this call only.
    await call([begin, worked('t1'), { role: 'user', content: [said('t1'), note] }], work('t2'));
    const done = [begin, worked('t1'), one ?? never(), worked('t2'), two ?? never()];
    await call(done, { text: 'Fixed.' });
    // Now only an older message has a reminder, which was not recorded with that message.
    const later = [begin, worked('t1'), one ?? never(), worked('t2'), { role: 'user', content: [said('t2'), note] }];
    const fixed = [...later, reply('Fixed.')];
    await call([...fixed, user('Add tests.')], { text: 'Tests.' });
    const request = user('Your task is to create a detailed summary of the conversation so far.');
    await call([...fixed, user('Add tests.'), reply('Tests.'), request], { text: 'The bug is fixed.' });
    const summary = user('This session is being continued from a previous conversation.\nThe bug is fixed.');
    await call([summary, user('Next.')], { text: 'Went on.' });
    // The user goes back to before the compaction, and the history has no reminders.
    await call([user('Fix it.'), ...done.slice(1), reply('Fixed.'), user('Add docs.')], { text: 'Docs.' });
    const [main, ...more] = mainTrees(await proxied.trees());
    expect(more).toEqual([]);
    const lines = await drawn(proxied, main ?? never());
    for (const once of ['Work t1.', 'Work t2.', 'Fixed.', 'Tests.', 'Went on.', 'Docs.'])
      expect(lines.filter((line) => line.includes(`assistant: ${once}`))).toHaveLength(1);
    const depthOf = (words: string) => lines.find((line) => line.endsWith(words))?.split(' ')[0];
    expect(depthOf('Add docs.')).toBe(depthOf('Add tests.'));
  });
});

function never(): never {
  throw new Error('There is no tree.');
}

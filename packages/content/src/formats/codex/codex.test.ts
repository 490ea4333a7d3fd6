import { run, textMessage } from '@coppice/core';
import { createTestClock } from '@coppice/core/testing';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { exportStoredTrees, importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { codex } from './index.ts';

let clock = 0;
const line = (type: string, payload: object) => ({
  timestamp: `2026-01-02T03:04:${String(clock++ % 60).padStart(2, '0')}.000Z`,
  type,
  payload,
});
const item = (type: string, rest: object) => line('response_item', { type, ...rest });
const event = (type: string, rest: object = {}) => line('event_msg', { type, ...rest });
const user = (text: string) => item('message', { role: 'user', content: [{ type: 'input_text', text }] });
const reply = (text: string) => item('message', { role: 'assistant', content: [{ type: 'output_text', text }] });
const lines = (...records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');

const meta = (id: string, rest: object = {}) =>
  line('session_meta', {
    id,
    timestamp: '2026-01-02T03:04:00.000Z',
    cwd: '/work',
    originator: 'codex_cli_rs',
    cli_version: '0.104.0',
    source: 'cli',
    model_provider: 'openai',
    base_instructions: { text: 'You are a coding agent.' },
    ...rest,
  });
const context = line('turn_context', { cwd: '/work', model: 'gpt-5.3-codex', effort: 'medium', summary: 'auto' });
const usage = {
  input_tokens: 12,
  cached_input_tokens: 3,
  output_tokens: 8,
  reasoning_output_tokens: 2,
  total_tokens: 20,
};

const first = [
  meta('019c8bfe-ec25-79e0-97d7-bda6a9c57501'),
  item('message', { role: 'developer', content: [{ type: 'input_text', text: '<permissions>Ask.</permissions>' }] }),
  user('<environment_context>\n  <cwd>/work</cwd>\n</environment_context>'),
  event('task_started', { turn_id: 't1' }),
  user('Why does the login fail?'),
  event('user_message', { message: 'Why does the login fail?', images: [] }),
  context,
  event('agent_reasoning', { text: '**Looking**' }),
  item('reasoning', {
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: '**Looking**' }],
    content: null,
    encrypted_content: 'ENC',
  }),
  reply('Let me look.'),
  event('agent_message', { message: 'Let me look.' }),
  item('function_call', { name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: 'call_1' }),
  item('custom_tool_call', { name: 'apply_patch', input: '*** Begin Patch', call_id: 'call_2', status: 'completed' }),
  event('token_count', { info: { last_token_usage: usage, total_token_usage: usage }, rate_limits: null }),
  item('function_call_output', { call_id: 'call_1', output: 'a.ts\nb.ts' }),
  item('custom_tool_call_output', { call_id: 'call_2', output: '{"output":"failed","metadata":{"exit_code":1}}' }),
];
const session = lines(...first, reply('A cookie is missing.'), event('task_complete', { turn_id: 't1' }));

const rolledBack = lines(
  meta('019c8bfe-ec25-79e0-97d7-bda6a9c57502'),
  context,
  user('Name a tree.'),
  reply('An oak.'),
  user('Another.'),
  reply('An ash.'),
  event('thread_rolled_back', { num_turns: 1 }),
  event('thread_name_updated', { thread_id: 'x', thread_name: 'Trees' }),
  user('A bush then.'),
  reply('A hazel.'),
);

const compacted = lines(
  meta('019c8bfe-ec25-79e0-97d7-bda6a9c57503'),
  context,
  user('Count to three.'),
  reply('One, two, three.'),
  line('compacted', { message: 'It was counted to three.', replacement_history: [] }),
  event('context_compacted'),
  line('compacted', { message: '', replacement_history: [{ type: 'compaction', encrypted_content: 'ENC' }] }),
  user('And on?'),
  item('reasoning', { summary: [], content: null, encrypted_content: 'ENC' }),
  event('turn_aborted', { reason: 'interrupted' }),
);

const early = lines(
  { id: '019c8bfe-ec25-79e0-97d7-bda6a9c57504', timestamp: '2025-05-02T03:04:05.000Z', instructions: 'Be brief.' },
  { record_type: 'state' },
  { type: 'message', id: null, role: 'user', content: [{ type: 'input_text', text: 'Hello?' }] },
  { type: 'local_shell_call', call_id: 'call_9', status: 'completed', action: { type: 'exec', command: ['ls'] } },
  { type: 'function_call_output', call_id: 'call_9', output: { content: 'no', success: false } },
  { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Hello.' }] },
);

const pictured = lines(
  meta('019c8bfe-ec25-79e0-97d7-bda6a9c57505', {
    source: { subagent: { thread_spawn: { parent_thread_id: 'p1', depth: 1 } } },
  }),
  line('world_state', { full: true, state: {} }),
  item('message', {
    role: 'user',
    content: [
      { type: 'input_text', text: 'What is it?' },
      { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
    ],
  }),
  item('ghost_snapshot', { ghost_commit: { id: 'c' } }),
  item('function_call_output', { call_id: 'gone', output: [{ type: 'input_text', text: 'late' }] }),
  reply('A dot.'),
  line('brand_new', { note: 1 }),
);

// A subagent that begins with the messages of its parent. What agents say to each other is an item, or a line of its own.
const spawn = { name: 'spawn_agent', namespace: 'collaboration', call_id: 'call_find' };
const agentMessage = (text: string, more: readonly object[] = []) =>
  item('agent_message', {
    author: '/root',
    recipient: '/root/find_tests',
    content: [{ type: 'input_text', text }, ...more],
  });
const subagent = lines(
  meta('019c8bfe-ec25-79e0-97d7-bda6a9c57507', {
    parent_thread_id: 'p1',
    agent_path: '/root/find_tests',
    source: { subagent: { thread_spawn: { parent_thread_id: 'p1', depth: 1, agent_path: '/root/find_tests' } } },
  }),
  item('additional_tools', { role: 'developer', tools: [{ name: 'exec' }] }),
  user('Are there tests?'),
  item('function_call', { ...spawn, arguments: '{"task_name":"find_tests","message":"Find the tests."}' }),
  line('inter_agent_communication_metadata', { trigger_turn: true }),
  agentMessage('Message Type: NEW_TASK', [{ type: 'encrypted_content', encrypted_content: 'ENC' }]),
  reply('Found them.'),
  line('inter_agent_communication', {
    author: '/root',
    recipient: '/root/find_tests',
    content: 'All?',
    trigger_turn: true,
  }),
  reply('All.'),
  item('tool_search_call', { call_id: 'call_search', execution: 'client', arguments: { query: 'git' } }),
  item('tool_search_output', {
    call_id: 'call_search',
    execution: 'client',
    status: 'completed',
    tools: [{ name: 'git' }],
  }),
  line('security_risk_score', {}),
);

const stream = lines(
  { type: 'thread.started', thread_id: '019c8bfe-ec25-79e0-97d7-bda6a9c57506' },
  { type: 'turn.started' },
  { type: 'item.completed', item: { id: 'item_0', type: 'reasoning', text: 'Hm.' } },
  {
    type: 'item.started',
    item: {
      id: 'item_1',
      type: 'command_execution',
      command: 'ls',
      aggregated_output: '',
      exit_code: null,
      status: 'in_progress',
    },
  },
  {
    type: 'item.completed',
    item: {
      id: 'item_1',
      type: 'command_execution',
      command: 'ls',
      aggregated_output: 'a.ts',
      exit_code: 0,
      status: 'completed',
    },
  },
  {
    type: 'item.completed',
    item: {
      id: 'item_2',
      type: 'mcp_tool_call',
      server: 'docs',
      tool: 'find',
      arguments: { q: 'x' },
      result: { content: [{ type: 'text', text: 'found' }] },
      status: 'completed',
    },
  },
  { type: 'item.completed', item: { id: 'item_3', type: 'agent_message', text: 'One file.' } },
  { type: 'turn.completed', usage: { input_tokens: 5, cached_input_tokens: 0, output_tokens: 3 } },
  { type: 'turn.started' },
  { type: 'item.completed', item: { id: 'item_4', type: 'todo_list', items: [{ text: 'a', completed: true }] } },
  { type: 'turn.failed', error: { message: 'no network' } },
);

const lost = lines(...first.slice(3, 6), reply('Here.'));

runFormatConformance(codex, [
  {
    name: 'tools, reasoning, injected messages',
    files: { 'rollout-a.jsonl': session },
    trees: 1,
    nodes: 7,
    findings: [],
    roundTrip: true,
    newer: { 'rollout-a.jsonl': session + lines(user('Thanks.')) },
  },
  {
    name: 'a rollback is a branch',
    files: { 'rollout-b.jsonl': rolledBack },
    trees: 1,
    nodes: 6,
    findings: [],
    thread: ['Name a tree.', 'An oak.', 'A bush then.', 'A hazel.'],
    roundTrip: true,
  },
  {
    name: 'compactions, a reply that was stopped',
    files: { 'c.jsonl': compacted },
    trees: 1,
    nodes: 6,
    findings: [],
    roundTrip: true,
  },
  {
    name: 'an early version',
    files: { 'd.jsonl': early },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['Hello?', 'local_shell({"action":{"type":"exec","command":["ls"]}})', 'no', 'Hello.'],
    roundTrip: true,
  },
  {
    name: 'pictures, a result without its call, lines of a newer version',
    files: { 'e.jsonl': pictured },
    trees: 1,
    nodes: 3,
    findings: [],
    roundTrip: true,
  },
  {
    name: 'messages between agents, a search for tools',
    files: { 'g.jsonl': subagent },
    trees: 1,
    nodes: 7,
    findings: [],
    thread: [
      'Are there tests?',
      'spawn_agent({"task_name":"find_tests","message":"Find the tests."})',
      'Message Type: NEW_TASK\n[encrypted_content]',
      'Found them.',
      'All?',
      'All.\ntool_search({"execution":"client","arguments":{"query":"git"}})',
      '[{"name":"git"}]',
    ],
    roundTrip: true,
  },
  { name: 'events of codex exec', files: { 'events.jsonl': stream }, trees: 1, nodes: 6, findings: [] },
  {
    name: 'a file without its header',
    files: { 'f.jsonl': lost },
    trees: 1,
    nodes: 2,
    findings: ['import/inferred'],
    thread: ['Why does the login fail?', 'Here.'],
  },
]);

describe('sessions of Codex', () => {
  it('[I210] keep models, usage, failures, the system prompt and their parent session', async () => {
    const { trees } = await importIntoStore(toImportInput({ 'a.jsonl': session }), { format: 'codex' });
    expect(trees[0]?.systemPrompt).toBe('You are a coding agent.');
    expect(trees[0]?.attributes?.metadata).toMatchObject({ cwd: '/work' });
    const said = trees[0]?.nodes.find((node) => node.message.role === 'assistant');
    expect(said?.meta?.source).toMatchObject({ provider: 'openai', model_name: 'gpt-5.3-codex', usage });
    expect(said?.message.content.map((block) => block.type)).toEqual(['thinking', 'text', 'tool-use', 'tool-use']);
    const results = trees[0]?.nodes.filter((node) => node.message.role === 'tool') ?? [];
    expect(results.map(({ meta: found }) => [found?.source?.tool_name, found?.isError])).toEqual([
      ['exec_command', undefined],
      ['apply_patch', true],
    ]);
    const spawned = await importIntoStore(toImportInput({ 'e.jsonl': pictured }), { format: 'codex' });
    expect(spawned.trees[0]?.spawnedBy).toEqual({ session: 'p1' });
    const [named] = (await importIntoStore(toImportInput({ 'g.jsonl': subagent }), { format: 'codex' })).trees;
    expect([named?.title, named?.spawnedBy]).toEqual(['find tests', { session: 'p1', call: 'call_find' }]);
    expect(named?.nodes.map(({ message }) => message.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
      'tool',
    ]);
  });

  it('[I210] have the user’s words as title, not the text that the program puts before them', async () => {
    const stored = await importIntoStore(toImportInput({ 'a.jsonl': session }), { format: 'codex' });
    const kinds = stored.trees[0]?.nodes.map((node) => node.kind);
    expect(kinds?.slice(0, 3)).toEqual(['injected', 'injected', 'message']);
    const named = await importIntoStore(toImportInput({ 'b.jsonl': rolledBack }), { format: 'codex' });
    expect(named.trees[0]?.title).toBe('Trees');
  });

  it('[I211] continued on another branch become separate sessions, which name the session they were forked from', async () => {
    const stored = await importIntoStore(toImportInput({ 'b.jsonl': rolledBack }), { format: 'codex' });
    const untouched = await exportStoredTrees(stored, codex);
    const whole = 'rollout-2026-01-02T03-04-00-019c8bfe-ec25-79e0-97d7-bda6a9c57502.jsonl';
    expect([...untouched.files.keys()]).toEqual([whole]);
    const [id] = stored.ids;
    const other = stored.names.find((one) => one.id === '6')?.nodeId;
    if (id === undefined || other == null) throw new Error('The branch is not there.');
    const messages = [{ message: textMessage('user', 'Why an ash?') }];
    const act = { actor: 'me', kit: messageKit, ...createTestClock(9) };
    await run(stored.store, { type: 'append', treeId: id, parentId: other, messages }, act);
    const branch = await exportStoredTrees(stored, codex);
    const [[name = '', text = ''] = []] = branch.files;
    expect(name).not.toBe(whole);
    const first = JSON.parse(text.split('\n')[0] ?? '');
    expect(first.payload).toMatchObject({ forked_from_id: '019c8bfe-ec25-79e0-97d7-bda6a9c57502', cwd: '/work' });
    expect(name).toContain(first.payload.id);
    const again = await importIntoStore(toImportInput({ 'c.jsonl': text }), { format: 'codex' });
    const said = again.trees[0]?.nodes.map((node) => messageKit.text(node.message));
    expect(said).toEqual(['Name a tree.', 'An oak.', 'Another.', 'An ash.', 'Why an ash?']);
    expect(text).not.toContain('hazel');
  });
});

import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { lobechat } from './index.ts';

let clock = 1730000000000;
const message = (id: string, role: string, content: string, rest: object = {}) => ({
  id,
  role,
  content,
  createdAt: clock++,
  updatedAt: clock,
  meta: {},
  ...rest,
});
const inTopic = { sessionId: 's1', topicId: 't1' };
const exported = {
  exportType: 'all',
  version: 7,
  state: {
    messages: [
      message('m1', 'user', 'Topic one?', inTopic),
      message('m2', 'assistant', 'One.', { ...inTopic, parentId: 'm1', model: 'gpt-4o', provider: 'openai' }),
      message('m3', 'assistant', 'One again.', {
        ...inTopic,
        parentId: 'm1',
        extra: { fromModel: 'claude', fromProvider: 'anthropic' },
      }),
      message('m4', 'user', 'And?', inTopic),
      message('n1', 'user', 'Another?', { sessionId: 's2' }),
      message('n2', 'assistant', 'Yes.', { sessionId: 's2', parentId: 'n1' }),
    ],
    sessions: [
      { id: 's1', type: 'agent', meta: { title: 'S1' }, config: { systemRole: 'Be brief.' } },
      { id: 's2', type: 'agent', meta: { title: 'S2' } },
    ],
    topics: [{ id: 't1', title: 'Topic one', sessionId: 's1', favorite: true, createdAt: 1730000000000 }],
    sessionGroups: [],
    settings: {},
  },
};
const database = {
  mode: 'postgres',
  schemaHash: 'abc',
  data: {
    messages: [
      message('p1', 'user', 'List it.', {
        sessionId: 's1',
        topicId: 't9',
        imageList: [{ id: 'i', alt: '', url: 'https://example.com/a.png' }],
      }),
      message('p2', 'assistant', '', {
        sessionId: 's1',
        topicId: 't9',
        parentId: 'p1',
        reasoning: { content: 'Hm.', signature: 'c2ln' },
        tools: [{ id: 'k1', identifier: 'fs', apiName: 'ls', arguments: '{"path":"/"}', type: 'builtin' }],
        metadata: { totalInputTokens: 10, totalOutputTokens: 15, totalTokens: 25 },
      }),
      message('p3', 'tool', 'a.ts', {
        sessionId: 's1',
        topicId: 't9',
        parentId: 'p2',
        tool_call_id: 'k1',
        plugin: { apiName: 'ls' },
      }),
      message('p4', 'assistant', 'One file.', {
        sessionId: 's1',
        topicId: 't9',
        parentId: 'p3',
        error: { message: 'late', type: 'x' },
      }),
    ],
    sessions: [{ id: 's1' }],
    topics: [{ id: 't9', title: 'T', sessionId: 's1' }],
    agents: [{ id: 'a1', systemRole: 'Be kind.' }],
    agentsToSessions: [{ agentId: 'a1', sessionId: 's1' }],
  },
};
const nested = [
  message('q1', 'user', 'Which?', { parentId: null, metadata: { activeBranchIndex: 0 } }),
  message('q2', 'assistant', 'This.', { parentId: 'q1' }),
  message('q3', 'assistant', 'That.', { parentId: 'q1' }),
  message('q4', 'user', 'Why?', { parentId: 'q2' }),
];

const inNinth = { sessionId: 's1', topicId: 't9' };
/**
 * A database whose tool results are in another table, with a thread, a thread inside that thread, and groups of
 * messages.
 */
const withThreads = {
  mode: 'postgres',
  schemaHash: 'abc',
  data: {
    messages: [
      message('w1', 'user', 'List it.', inNinth),
      message('w2', 'assistant', '', {
        ...inNinth,
        parentId: 'w1',
        tools: [
          { id: 'k1', identifier: 'fs', apiName: 'ls', arguments: '{}', type: 'builtin' },
          { id: 'k2', identifier: 'fs', apiName: 'rm', arguments: '{}', type: 'builtin' },
        ],
      }),
      message('w3', 'tool', 'a.ts', { ...inNinth, parentId: 'w2' }),
      message('w4', 'tool', 'no', { ...inNinth, parentId: 'w3' }),
      message('w5', 'assistant', 'One file.', { ...inNinth, parentId: 'w4', messageGroupId: 'g1' }),
      message('w6', 'assistant', 'A file.', { ...inNinth, parentId: 'w4', messageGroupId: 'g1' }),
      message('v1', 'user', 'Why one?', { ...inNinth, threadId: 'th1' }),
      message('v2', 'assistant', 'Because.', { ...inNinth, threadId: 'th1', parentId: 'v1' }),
      message('y1', 'user', 'Really?', { ...inNinth, threadId: 'th2' }),
      message('v3', 'user', 'I see.', { ...inNinth, threadId: 'th1' }),
      message('w7', 'user', 'Thanks.', { ...inNinth, parentId: 'w5', messageGroupId: 'g2' }),
    ],
    messagePlugins: [
      { id: 'w3', toolCallId: 'k1', apiName: 'ls', identifier: 'fs', type: 'builtin' },
      { id: 'w4', toolCallId: 'k2', apiName: 'rm', identifier: 'fs', type: 'builtin', error: { message: 'denied' } },
    ],
    threads: [
      { id: 'th1', type: 'continuation', topicId: 't9', sourceMessageId: 'w5', title: 'Aside' },
      { id: 'th2', type: 'standalone', topicId: 't9', sourceMessageId: 'v2', parentThreadId: 'th1' },
    ],
    sessions: [{ id: 's1' }],
    topics: [{ id: 't9', title: 'T', sessionId: 's1' }],
  },
};

runFormatConformance(lobechat, [
  {
    name: 'threads, groups, and results of tools in a table of their own',
    files: { 'pg.json': JSON.stringify(withThreads) },
    trees: 1,
    nodes: 11,
    findings: [],
  },
  {
    name: 'sessions and topics, answers to one question',
    files: { 'lobe.json': JSON.stringify(exported) },
    trees: 2,
    nodes: 6,
    findings: [],
    thread: ['Topic one?', 'One again.', 'And?'],
    newer: {
      'lobe.json': JSON.stringify({
        ...exported,
        state: {
          ...exported.state,
          messages: [...exported.state.messages, message('m5', 'assistant', 'So.', { ...inTopic, parentId: 'm4' })],
        },
      }),
    },
  },
  {
    name: 'the tables of a database, with tools and reasoning',
    files: { 'pg.json': JSON.stringify(database) },
    trees: 1,
    nodes: 4,
    findings: [],
  },
  {
    name: 'a list of messages with branches',
    files: { 'list.json': JSON.stringify(nested) },
    trees: 1,
    nodes: 4,
    findings: [],
    thread: ['Which?', 'This.', 'Why?'],
  },
  {
    name: 'a role that is not known, a file, a parent that is not there',
    files: {
      'odd.json': JSON.stringify({
        exportType: 'all',
        version: 7,
        state: {
          messages: [
            message('x', 'oracle', 'Hm?', { sessionId: 's', parentId: 'gone', fileList: [{ name: 'a.pdf' }] }),
          ],
          sessions: [],
        },
      }),
    },
    trees: 1,
    nodes: 1,
    findings: ['import/unknown-type', 'import/orphan'],
  },
]);

it('[I216] keeps titles, prompts, models, usage, reasoning and failures', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'lobe.json': JSON.stringify(exported) }));
  expect(trees.map((tree) => [tree.title, tree.systemPrompt])).toEqual([
    ['Topic one', 'Be brief.'],
    ['S2', undefined],
  ]);
  expect(trees[0]?.nodes.map((node) => node.meta?.source?.model_name)).toEqual([
    undefined,
    'gpt-4o',
    'claude',
    undefined,
  ]);
  const [table] = (await importIntoStore(toImportInput({ 'pg.json': JSON.stringify(database) }))).trees;
  expect(table?.systemPrompt).toBe('Be kind.');
  expect(table?.nodes.map((node) => node.status)).toEqual([undefined, undefined, undefined, 'error']);
  expect(table?.nodes[1]?.message.content).toMatchObject([
    { type: 'thinking', signature: 'c2ln' },
    { type: 'tool-use', id: 'k1', name: 'ls' },
  ]);
  expect(table?.nodes[1]?.meta?.source?.usage).toEqual({ input_tokens: 10, output_tokens: 15, total_tokens: 25 });
});

it('[I216] a thread is below the message that it is about, and the conversation continues without it', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'pg.json': JSON.stringify(withThreads) }));
  const [tree] = trees;
  const parents = Object.fromEntries(tree?.nodes.map((node) => [node.externalId, node.parentExternalId]) ?? []);
  expect(parents).toMatchObject({ v1: 'w5', v2: 'v1', v3: 'v2', y1: 'v2', w5: 'w4', w6: 'w4', w7: 'w5' });
  expect(tree?.activeExternalId).toBe('w7');
  const results = tree?.nodes.filter(({ externalId }) => externalId === 'w3' || externalId === 'w4');
  expect(results).toMatchObject([
    { message: { role: 'tool', tool_call_id: 'k1' } },
    { message: { role: 'tool', tool_call_id: 'k2' }, meta: { isError: true } },
  ]);
});

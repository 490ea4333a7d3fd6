import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { copilotChat } from './index.ts';

const request = (id: string, text: string, response: readonly object[], rest: object = {}) => ({
  requestId: `request_${id}`,
  responseId: `response_${id}`,
  message: { text, parts: [{ range: {}, text, kind: 'text' }] },
  response,
  result: {},
  modelId: 'copilot/gpt-4.1',
  timestamp: 1730000000000 + Number(id),
  ...rest,
});
const tool = {
  kind: 'toolInvocationSerialized',
  toolId: 'copilot_readFile',
  toolCallId: 'call_1__vscode-17',
  invocationMessage: { value: 'Reading' },
  pastTenseMessage: { value: 'Read a.ts' },
  isComplete: true,
};
const rounds = {
  metadata: {
    toolCallRounds: [{ response: '', toolCalls: [{ id: 'call_1', name: 'read_file', arguments: '{"path":"a.ts"}' }] }],
    toolCallResults: { call_1: { content: [{ kind: 'text', value: 'let a = 1;' }] } },
  },
};
const requests = [
  request(
    '1',
    'Explain',
    [
      { kind: 'mcpServersStarting' },
      { value: 'It is ' },
      { kind: 'inlineReference', inlineReference: { path: '/w/a.ts' } },
      { value: ' code.' },
    ],
    {
      variableData: { variables: [{ name: 'file:a.ts', kind: 'file', value: {} }] },
    },
  ),
  request(
    '2',
    'Read it',
    [{ kind: 'thinking', value: 'Hm.' }, tool, { kind: 'markdownContent', content: { value: 'It sets a.' } }],
    { result: rounds },
  ),
];
const exported = { requesterUsername: 'me', responderUsername: 'GitHub Copilot', initialLocation: 'panel', requests };
const session = {
  version: 3,
  sessionId: 's1',
  creationDate: 1730000000000,
  lastMessageDate: 1730000000009,
  customTitle: 'Code',
  requests,
};
const stopped = request('3', 'And?', [{ value: 'We' }], { isCanceled: true });
const failed = request('4', 'Now?', [{ kind: 'hologram', value: 1 }], {
  result: { errorDetails: { message: 'offline' } },
});
const lines = (...records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');

runFormatConformance(copilotChat, [
  {
    name: 'an export with a tool, reasoning and a reference',
    files: { 'chat.json': JSON.stringify(exported) },
    trees: 1,
    nodes: 6,
    findings: [],
    newer: {
      'chat.json': JSON.stringify({
        ...exported,
        requests: [...requests, { ...stopped, response: null, isCanceled: false }],
      }),
    },
  },
  {
    name: 'a session that was stopped and failed',
    files: { 's1.json': JSON.stringify({ ...session, requests: [...requests, stopped, failed] }) },
    trees: 1,
    nodes: 10,
    findings: [],
  },
  {
    name: 'a file of changes',
    files: {
      's1.jsonl': lines(
        { kind: 0, v: { ...session, customTitle: undefined, requests: requests.slice(0, 1) } },
        { kind: 2, k: ['requests'], v: [request('9', 'Wrong', [])] },
        { kind: 2, k: ['requests'], v: [{ ...requests[1], response: [] }], i: 1 },
        { kind: 2, k: ['requests', 1, 'response'], v: requests[1]?.response },
        { kind: 1, k: ['customTitle'], v: 'Code' },
        { kind: 3, k: ['lastMessageDate'] },
      ),
    },
    trees: 1,
    nodes: 6,
    findings: [],
  },
]);

it('[I218] keeps models, tool arguments and results, how replies ended, and the title', async () => {
  const { trees } = await importIntoStore(
    toImportInput({ 'a.json': JSON.stringify({ ...session, requests: [...requests, stopped, failed] }) }),
  );
  const [tree] = trees;
  expect(tree?.title).toBe('Code');
  const call = tree?.nodes.find((node) => node.message.content.some((block) => block.type === 'tool-use'));
  expect(call?.message.content).toMatchObject([
    { type: 'thinking', thinking: 'Hm.' },
    { type: 'tool-use', id: 'call_1', name: 'read_file', parameters: { path: 'a.ts' } },
  ]);
  expect(call?.meta?.source?.model_name).toBe('copilot/gpt-4.1');
  expect(tree?.nodes.find((node) => node.message.role === 'tool')?.message.content).toEqual([
    { type: 'text', text: 'let a = 1;' },
  ]);
  expect(tree?.nodes.map((node) => node.status).filter((one) => one !== undefined)).toEqual(['aborted', 'error']);
});

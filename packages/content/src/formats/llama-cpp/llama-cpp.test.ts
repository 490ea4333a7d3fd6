import { expect, it } from 'vitest';
import { importIntoStore, runFormatConformance, toImportInput } from '../conformance.ts';
import { llamaCpp } from './index.ts';

let clock = 1730000000000;
const message = (
  id: string,
  parent: string | null,
  role: string,
  content: string,
  children: readonly string[],
  rest: object = {},
) => ({
  id,
  convId: 'c1',
  type: 'text',
  timestamp: clock++,
  role,
  content,
  parent,
  children,
  ...rest,
});
const root = { ...message('r', null, 'system', '', ['m1']), type: 'root' };
const conv = { id: 'c1', name: 'Llama chat', lastModified: 1730000000000, currNode: 'm6' };
const calls = JSON.stringify([{ id: 'k1', type: 'function', function: { name: 'ls', arguments: '{"path":"/"}' } }]);
const messages = [
  root,
  message('m1', 'r', 'user', 'Q', ['m2', 'm3'], {
    extra: [
      { type: 'imageFile', name: 'a.png', base64Url: 'data:image/png;base64,iVBORw0KGgo=' },
      { type: 'TEXT', name: 'a.txt', content: 'abc' },
      { type: 'audioFile', name: 'a.wav', base64Data: 'AAAA', mimeType: 'audio/wav' },
    ],
  }),
  message('m2', 'm1', 'assistant', 'A one', [], {
    thinking: 'hmm',
    model: 'qwen',
    timings: { prompt_n: 3, predicted_n: 2 },
  }),
  message('m3', 'm1', 'assistant', 'A two', ['m4'], { reasoningContent: 'so' }),
  message('m4', 'm3', 'user', 'Q2', ['m5']),
  message('m5', 'm4', 'assistant', '', ['m6'], { toolCalls: calls }),
  message('m6', 'm5', 'tool', 'a.ts', [], { toolCallId: 'k1' }),
];
const lines = (...records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');
const more = message('m7', 'm6', 'user', 'Thanks', []);

runFormatConformance(llamaCpp, [
  {
    name: 'all conversations, with branches, tools and attachments',
    files: { 'llama.json': JSON.stringify([{ conv, messages }]) },
    trees: 1,
    nodes: 6,
    findings: [],
    newer: { 'llama.json': JSON.stringify([{ conv: { ...conv, currNode: 'm7' }, messages: [...messages, more] }]) },
  },
  {
    name: 'one branch without its root, a role and an attachment that are not known',
    files: {
      'one.json': JSON.stringify({
        conv,
        messages: [
          message('m1', 'r', 'owner', 'Q', ['m2', 'm3'], { extra: [{ type: 'scent' }] }),
          message('m6', 'm1', 'assistant', 'A', [], { toolCalls: 'broken' }),
        ],
      }),
    },
    trees: 1,
    nodes: 2,
    findings: ['import/unknown-type', 'import/record-unreadable'],
  },
  {
    name: 'lines',
    files: {
      'chat.jsonl': lines(
        { type: 'session', harness: 'llama.app', ...conv },
        ...messages.map((one) => ({ type: 'message', message: one })),
        { type: 'session', harness: 'llama.app', id: 'c2', name: 'Other', lastModified: 1730000000001, currNode: 'x1' },
        { type: 'message', message: message('x1', null, 'user', 'Alone', []) },
      ),
    },
    trees: 2,
    nodes: 7,
    findings: [],
  },
]);

it('[I215] keeps branches in their order, models, reasoning and calls', async () => {
  const { trees } = await importIntoStore(toImportInput({ 'a.json': JSON.stringify({ conv, messages }) }));
  const node = (id: string) => trees[0]?.nodes.find((one) => one.externalId === id);
  expect(node('m1')?.parentExternalId).toBe(null);
  expect(node('m1')?.message.content.map((block) => block.type)).toEqual(['image', 'file', 'file', 'text']);
  expect(node('m2')?.meta?.source).toEqual({
    type: 'model',
    model_name: 'qwen',
    usage: { input_tokens: 3, output_tokens: 2 },
  });
  expect(node('m6')?.message.tool_call_id).toBe('k1');
  expect(trees[0]?.activeExternalId).toBe('m6');
});

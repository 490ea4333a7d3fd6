import { describe, expect, it } from 'vitest';
import { inputOf, runFormatConformance, storeInput, treeIn } from '../conformance.ts';
import { requestLog } from './index.ts';

const system = { role: 'system', content: 'Be brief.' };
const ask = { role: 'user', content: 'Which tea?' };
const call = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
};
const done = { role: 'tool', tool_call_id: 'c1', content: 'green' };

const reply = (message: object, rest: object = {}) => ({
  id: 'r1',
  object: 'chat.completion',
  created: 1_767_323_045,
  model: 'm-x',
  choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
  usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
  ...rest,
});

// Three calls of one conversation, each with the history of the one before it, and a retry of the second.
const calls = [
  { request: { model: 'm-x', temperature: 0, messages: [system, ask] }, response: reply(call) },
  {
    request: { model: 'm-x', messages: [system, ask, call, done] },
    response: reply({ role: 'assistant', content: 'Green.', reasoning_content: 'It is late.' }),
  },
  {
    request: { model: 'm-x', messages: [system, ask, call, done] },
    response: reply({ role: 'assistant', content: 'Black.' }),
  },
  {
    request: {
      model: 'm-x',
      messages: [
        system,
        { role: 'user', content: [{ type: 'text', text: 'Which tea?' }] },
        call,
        done,
        { role: 'assistant', content: 'Green.' },
        { role: 'user', content: 'Sure?' },
      ],
    },
    response: reply({ role: 'assistant', content: 'Sure.' }),
  },
];

const chunk = (delta: object, index = 0, finish: string | null = null) => ({
  id: 'c9',
  object: 'chat.completion.chunk',
  created: 1_767_323_045,
  model: 'm-x',
  choices: [{ index, delta, finish_reason: finish }],
});

const streamed = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ role: 'assistant', content: 'B' }, 1),
  chunk({ content: 'A' }),
  chunk({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":' } }] }, 0),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '2}' } }] }, 0, 'tool_calls'),
  chunk({}, 1, 'stop'),
  { id: 'c9', object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } },
];

const sse = [
  {
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm-y',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 9, output_tokens: 1 },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
  { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
  { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '1}' } },
  { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 12 } },
  { type: 'message_stop' },
]
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join('');

const anthropic = [
  {
    timestamp: '2026-01-02T03:04:05Z',
    request: { model: 'm-y', max_tokens: 9, system: 'Be brief.', messages: [{ role: 'user', content: 'Go' }] },
    response: sse,
  },
  {
    request: {
      body: {
        model: 'm-y',
        max_tokens: 9,
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        messages: [
          { role: 'user', content: [{ type: 'text', text: 'Go', cache_control: { type: 'ephemeral' } }] },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }] },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' },
              { type: 'text', text: 'And?' },
            ],
          },
        ],
      },
    },
    response: {
      id: 'msg_2',
      type: 'message',
      role: 'assistant',
      model: 'm-y',
      content: [{ type: 'text', text: 'Done.' }],
      stop_reason: 'end_turn',
      usage: {},
    },
  },
];

const lines = (records: readonly unknown[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');

runFormatConformance(requestLog, [
  {
    name: 'calls of one conversation, one a line',
    files: { 'log.jsonl': lines(calls) },
    trees: 4,
    nodes: 2 + 4 + 4 + 6,
    findings: [],
    thread: ['Which tea?', 'f({"a":1})'],
  },
  {
    name: 'one document with a list of calls',
    files: { 'log.json': JSON.stringify(calls.slice(0, 2)) },
    trees: 2,
    nodes: 6,
    findings: [],
  },
  {
    name: 'a streamed reply with two choices, and an error',
    files: {
      'log.jsonl': lines([
        { request: { model: 'm-x', n: 2, stream: true, messages: [ask] }, response: streamed },
        {
          request: { model: 'm-x', messages: [ask] },
          response: { error: { message: 'too busy', type: 'server_error', code: null } },
        },
      ]),
    },
    trees: 2,
    nodes: 5,
    findings: [],
  },
  { name: 'Anthropic, streamed and whole', files: { 'log.jsonl': lines(anthropic) }, trees: 2, nodes: 7, findings: [] },
  {
    name: 'a request by itself',
    files: { 'request.json': JSON.stringify({ model: 'm-x', messages: [system, ask] }) },
    trees: 1,
    nodes: 1,
    findings: [],
  },
  {
    name: 'a record that is no call',
    files: { 'log.jsonl': lines([calls[0], { hello: 1 }, calls[1]]) },
    trees: 2,
    nodes: 6,
    findings: ['import/skipped'],
  },
]);

describe('request logs', () => {
  it('[I21] fold into one tree by their longest common beginning, retries and edits as branches', async () => {
    const stored = await storeInput(inputOf({ 'log.jsonl': lines(calls) }));
    expect(new Set(stored.ids).size).toBe(1);
    const [id] = stored.ids;
    if (id === undefined) throw new Error('There is no tree.');
    const tree = treeIn(stored, id);
    // ask, call, result, two answers, the next question and its answer.
    expect(tree.size).toBe(7);
    expect(tree.attributes.systemPrompt).toBe('Be brief.');
  });

  it('[I21] fold alike whatever a client changed in transport: reasoning, cache control, parts for text', async () => {
    const stored = await storeInput(inputOf({ 'log.jsonl': lines(anthropic) }));
    const [id] = new Set(stored.ids);
    if (id === undefined) throw new Error('There is no tree.');
    expect(new Set(stored.ids).size).toBe(1);
    expect(treeIn(stored, id).size).toBe(5);
  });

  it('[I22] put streams together: text by choice, arguments by call, reasoning with its signature, usage', async () => {
    const { trees } = await storeInput(
      inputOf({
        'log.jsonl': lines([{ request: { model: 'm-x', messages: [ask] }, response: streamed }, ...anthropic]),
      }),
    );
    const [first, second] = trees;
    expect(first?.nodes.slice(1).map((node) => node.message.content)).toEqual([
      [
        { type: 'text', text: 'A' },
        { type: 'tool-use', id: 'call_1', name: 'f', parameters: { a: 2 } },
      ],
      [{ type: 'text', text: 'B' }],
    ]);
    expect(first?.nodes[1]?.meta?.source).toMatchObject({ model_name: 'm-x', usage: { prompt_tokens: 9 } });
    expect(second?.nodes[1]?.message.content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'tool-use', id: 'toolu_1', name: 'f', parameters: { a: 1 } },
    ]);
    expect(second?.nodes[1]?.meta?.source).toMatchObject({ finish_reason: 'tool_use', usage: { output_tokens: 12 } });
  });
});

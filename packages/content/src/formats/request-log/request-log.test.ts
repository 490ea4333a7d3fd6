import type { JsonObject } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../../kit.ts';
import { importIntoStore, readStoredTree, runFormatConformance, toImportInput } from '../conformance.ts';
import { readImport } from '../read.ts';
import { requestLog } from './index.ts';
import { assembleChatCompletion, parseStreamEvents } from './streams.ts';

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

// Three calls of one conversation, each with the history of the previous call, and a retry of the second.
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

const responded = (id: string, output: readonly object[], rest: object = {}) => ({
  id,
  object: 'response',
  created_at: 1_767_323_045,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: 'Be brief.',
  model: 'm-x',
  output,
  previous_response_id: null,
  usage: { input_tokens: 9, output_tokens: 4, total_tokens: 13 },
  ...rest,
});
const reasoning = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'It is late.' }],
  encrypted_content: 'b3BhcXVl',
};
const calling = {
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'f',
  arguments: '{"a":1}',
  status: 'completed',
};
const saying = (text: string, id = 'msg_1') => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
});
const result = { type: 'function_call_output', call_id: 'call_1', output: 'green' };
const asked = { role: 'user', content: 'Which tea?' };

// A call with its history, a call that continues it by id, a retry, and a call whose history consists of item
// references.
const chained = [
  {
    request: { model: 'm-x', instructions: 'Be brief.', input: 'Which tea?', store: true },
    response: responded('resp_1', [reasoning, calling]),
  },
  {
    request: { model: 'm-x', previous_response_id: 'resp_1', input: [result] },
    response: responded('resp_2', [saying('Green.')], { previous_response_id: 'resp_1' }),
  },
  {
    request: { model: 'm-x', previous_response_id: 'resp_1', input: [result] },
    response: responded('resp_3', [saying('Black.', 'msg_2')], { previous_response_id: 'resp_1' }),
  },
  {
    request: {
      model: 'm-x',
      instructions: 'Be brief.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Which tea?' }] },
        { type: 'item_reference', id: 'rs_1' },
        { type: 'item_reference', id: 'fc_1' },
        result,
        { role: 'assistant', content: 'Green.' },
        { role: 'user', content: 'Sure?' },
      ],
    },
    response: responded('resp_4', [saying('Sure.', 'msg_3')]),
  },
];

const responseEvents = [
  { type: 'response.created', response: responded('resp_5', [], { status: 'in_progress', usage: null }) },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { id: 'rs_5', type: 'reasoning', summary: [] },
  },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, item_id: 'rs_5', delta: 'Hm.' },
  {
    type: 'response.output_item.added',
    output_index: 1,
    item: { id: 'msg_5', type: 'message', role: 'assistant', content: [] },
  },
  { type: 'response.output_text.delta', output_index: 1, item_id: 'msg_5', delta: 'Gre' },
  { type: 'response.output_text.delta', output_index: 1, item_id: 'msg_5', delta: 'en' },
];

const lines = (records: readonly unknown[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('');

runFormatConformance(requestLog, [
  {
    name: 'calls of one conversation, one per line',
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
    name: 'responses that go on from each other',
    files: { 'log.jsonl': lines(chained) },
    trees: 2,
    nodes: 2 + 7,
    findings: [],
    thread: ['Which tea?', 'f({"a":1})\nIt is late.'],
  },
  {
    name: 'a response that goes on from one that was not logged, and one from itself',
    files: {
      'log.jsonl': lines([
        chained[1],
        {
          request: { model: 'm-x', previous_response_id: 'resp_9', input: 'Go on' },
          response: responded('resp_9', []),
        },
      ]),
    },
    trees: 2,
    nodes: 3,
    findings: ['import/orphan', 'import/cycle'],
  },
  {
    name: 'what was sent and the events that came back, one per line',
    files: {
      'log.jsonl': lines([
        { model: 'm-x', messages: [ask], stream: true },
        ...streamed,
        { model: 'm-x', input: 'Which tea?', store: true, stream: true },
        ...responseEvents,
      ]),
    },
    trees: 2,
    nodes: 5,
    findings: [],
  },
  {
    name: 'events alone',
    files: { 'log.jsonl': lines(streamed) },
    trees: 1,
    nodes: 2,
    findings: [],
  },
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
  it('[I21] are merged into one tree by their longest common beginning, retries and edits as branches', async () => {
    const stored = await importIntoStore(toImportInput({ 'log.jsonl': lines(calls) }));
    expect(new Set(stored.ids).size).toBe(1);
    const [id] = stored.ids;
    if (id === undefined) throw new Error('There is no tree.');
    const tree = readStoredTree(stored, id);
    // The nodes are the question, the call, the result, two answers, the next question and its answer.
    expect(tree.size).toBe(7);
    expect(tree.attributes.systemPrompt).toBe('Be brief.');
  });

  it('[I21] are merged even if a client changed reasoning, cache control or the form of text', async () => {
    const stored = await importIntoStore(toImportInput({ 'log.jsonl': lines(anthropic) }));
    const [id] = new Set(stored.ids);
    if (id === undefined) throw new Error('There is no tree.');
    expect(new Set(stored.ids).size).toBe(1);
    expect(readStoredTree(stored, id).size).toBe(5);
  });

  it('[I22] assemble streams: text by choice, arguments by call, reasoning with its signature, usage', async () => {
    const { trees } = await importIntoStore(
      toImportInput({
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

  it.each([
    ['a block', '{"type":"text","text":1e400}', ''],
    ['tool arguments', '{"type":"tool_use","id":"c","name":"f","input":{}}', '{"a":-1e999}'],
  ])('[I251] read a logged stream with a number that is too large in %s', async (_, block, argumentsText) => {
    const delta = { type: 'input_json_delta', partial_json: argumentsText };
    const response = [
      '{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[]}}',
      `{"type":"content_block_start","index":0,"content_block":${block}}`,
      ...(argumentsText === '' ? [] : [JSON.stringify({ type: 'content_block_delta', index: 0, delta })]),
    ];
    const logged = {
      request: { model: 'm', messages: [ask] },
      response: response.map((one) => `data: ${one}\n\n`).join(''),
    };
    const log = [logged, calls[0]].map((one) => JSON.stringify(one)).join('\n');
    const { trees } = await importIntoStore(toImportInput({ 'log.jsonl': log }), { format: requestLog.name });
    expect(trees.flatMap(({ nodes }) => nodes).length).toBeGreaterThan(3);
  });

  it('[I22] assemble calls that arrive without an index, with a repeated name, or as text', () => {
    const chunk = (...calls: readonly JsonObject[]): JsonObject => ({
      model: 'm',
      choices: [{ delta: { tool_calls: calls } }],
    });
    const f = { id: 'a', function: { name: 'f', arguments: '{"x":' } };
    const folded = assembleChatCompletion([
      { model: '', choices: [] },
      chunk(f),
      chunk({ function: { arguments: '1}' } }, { id: 'b', function: { name: 'g', arguments: '' } }),
      chunk({ id: 'b', function: { name: 'g', arguments: '{}' } }),
      chunk({ index: 2, id: 'c', custom: { name: 'py', input: 'print(' } }),
      chunk({ index: 2, custom: { input: '1)' } }),
    ]);
    const message = {
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
        { id: 'c', type: 'custom', custom: { name: 'py', input: 'print(1)' } },
      ],
    };
    expect(folded).toMatchObject({ model: 'm', choices: [{ message }] });
  });

  it.each([
    ['lines that end with CR LF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['lines that end with CR', (text: string) => text.replaceAll('\n', '\r')],
    ['a mark of byte order', (text: string) => `\ufeff${text}`],
    ['no blank lines', (text: string) => text.replaceAll('\n\n', '\n')],
    ['data over several lines', (text: string) => text.replaceAll('"choices":', '\ndata: "choices":')],
  ])('[I22] assemble streams with %s', (_, spelled) => {
    const events = [{ choices: [{ index: 0, delta: { content: 'A' } }] }, { choices: [{ index: 0, delta: {} }] }];
    const text = `: hello\n\n${events.map((event) => `data:${JSON.stringify(event)}\n\n`).join('')}data: [DONE]\n\ndata: {"cut`;
    expect(parseStreamEvents(spelled(text))).toEqual(events);
  });

  it('[I140] continue the response that they name, in any order and file', async () => {
    const [first, ...others] = chained;
    const files = { 'b.jsonl': lines(others.reverse()), 'a.jsonl': lines([first]) };
    for (const made of [files, { 'log.jsonl': lines(chained) }]) {
      const stored = await importIntoStore(toImportInput(made), { format: 'request-log' });
      const [id] = new Set(stored.ids);
      if (id === undefined) throw new Error('There is no tree.');
      expect(new Set(stored.ids).size).toBe(1);
      // The nodes are the question, the call, the result, two answers, the next question and its answer.
      expect(readStoredTree(stored, id).size).toBe(7);
      expect(readStoredTree(stored, id).attributes.systemPrompt).toBe('Be brief.');
      expect(stored.trees.reduce((sum, tree) => sum + tree.records, 0)).toBe(4);
    }
  });

  it('[I140] read the items of one response as one message, reasoning with its encrypted form', async () => {
    const { trees } = await importIntoStore(toImportInput({ 'log.jsonl': lines([chained[0], chained[0]]) }));
    expect(trees[0]?.nodes[1]?.message).toEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'It is late.', signature: 'rs_1', redacted: 'b3BhcXVl' },
        { type: 'tool-use', id: 'call_1', name: 'f', parameters: { a: 1 } },
      ],
    });
    expect(trees[0]?.nodes[1]?.meta?.source).toMatchObject({
      provider: 'openai',
      model_name: 'm-x',
      finish_reason: 'completed',
      usage: { input_tokens: 9 },
    });
  });

  it('[I140] keep items of every kind: pictures, files, calls of other tools, and work of the service itself', async () => {
    const input = [
      asked,
      {
        role: 'user',
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'auto' },
          { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,aGk=' },
          { type: 'input_file', file_id: 'file_1' },
        ],
      },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'tea' } },
      { type: 'local_shell_call', id: 'ls_1', call_id: 'call_2', action: { command: ['ls'] }, status: 'completed' },
      { type: 'local_shell_call_output', call_id: 'call_2', output: 'a.txt' },
      { type: 'custom_tool_call', call_id: 'call_3', name: 'sh', input: 'ls' },
      { type: 'custom_tool_call_output', call_id: 'call_3', output: [{ type: 'input_text', text: 'b' }] },
      { type: 'item_reference', id: 'gone' },
    ];
    const refusal = { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] };
    const { trees, findings } = await importIntoStore(
      toImportInput({
        'log.json': JSON.stringify([{ request: { model: 'm-x', input }, response: responded('r', [refusal]) }]),
      }),
    );
    expect(trees[0]?.nodes.map(({ message }) => [message.role, message.content.map((block) => block.type)])).toEqual([
      ['user', ['text']],
      ['user', ['image', 'file', 'input_file']],
      ['assistant', ['web_search_call', 'tool-use']],
      ['tool', ['text']],
      ['assistant', ['tool-use']],
      ['tool', ['text']],
      ['assistant', ['item_reference']],
      ['assistant', ['refusal']],
    ]);
    expect(findings.map((one) => one.code)).toEqual(['import/pointer-missing']);
  });

  it('[I140] of a text alone are told from embeddings by their response, which may be a stream', async () => {
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'An oak.' }] }];
    const completed = { type: 'response.completed', response: { id: 'r1', status: 'completed', output } };
    const request = { model: 'm-x', input: 'Name one.' };
    const embedding = { object: 'list', data: [{ object: 'embedding', embedding: [0.5] }] };
    const records = [
      { request, response: `event: response.completed\ndata: ${JSON.stringify(completed)}\n\n` },
      { request: { ...request, input: 'Embed.' }, response: embedding },
    ];
    const { trees, findings } = await importIntoStore(
      toImportInput({ 'a.jsonl': records.map((one) => JSON.stringify(one)).join('\n') }),
    );
    expect(trees.map(({ nodes }) => nodes.map(({ message }) => message.role))).toEqual([['user', 'assistant']]);
    expect(JSON.stringify(trees[0]?.nodes)).toContain('An oak.');
    expect(findings).toMatchObject([{ code: 'import/skipped' }]);
  });

  it('[I140] continue in the conversation that the service stores', async () => {
    const turn = (id: string, input: string, output: string) => ({
      request: { model: 'm-x', conversation: 'conv_1', input },
      response: responded(id, [saying(output, `msg_${id}`)], { conversation: { id: 'conv_1' } }),
    });
    const { trees } = await importIntoStore(
      toImportInput({ 'log.jsonl': lines([turn('a', 'One', '1'), turn('b', 'Two', '2')]) }),
    );
    expect(trees.map((tree) => tree.nodes.length)).toEqual([4]);
    expect(new Set(trees[0]?.nodes.map((node) => node.parentExternalId)).size).toBe(4);
  });

  it('[I140] read a chain of 20,000 responses without recursion', async () => {
    const long = Array.from({ length: 20_000 }, (_, index) => ({
      request: { model: 'm-x', previous_response_id: index === 0 ? null : `resp_${index - 1}`, input: `${index}` },
      response: responded(`resp_${index}`, [saying(`${index}!`, `msg_${index}`)]),
    }));
    const trees: number[] = [];
    for await (const event of readImport(toImportInput({ 'log.jsonl': lines(long) })))
      if (event.type === 'tree') trees.push(event.tree.nodes.length);
    expect(trees).toEqual([2, 40_000]);
  });

  it('[I141] are assembled from lines for the request and for each event of the response', async () => {
    const { trees } = await importIntoStore(
      toImportInput({
        'log.jsonl': lines([
          { model: 'm-x', messages: [ask], stream: true },
          ...streamed,
          { model: 'm-x', input: 'Which tea?', store: true, stream: true },
          ...responseEvents,
        ]),
      }),
    );
    expect(trees.map((tree) => tree.records)).toEqual([1 + streamed.length, 1 + responseEvents.length]);
    const [, answer] = trees[1]?.nodes ?? [];
    expect(answer).toMatchObject({
      status: 'interrupted',
      message: {
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'Green' },
        ],
      },
    });
  });

  it('[I141] are assembled if replies arrive concurrently, or complete after the request', async () => {
    const other = (event: object) => ({ ...event, id: 'c10' });
    const [start, , said] = streamed;
    const { trees } = await importIntoStore(
      toImportInput({
        'log.jsonl': lines([
          start,
          other(chunk({ content: 'X' })),
          said,
          other(chunk({}, 0, 'stop')),
          { model: 'm-x', messages: [ask] },
          reply({ role: 'assistant', content: 'Green.' }),
          { model: 'm-x', messages: [ask, ask] },
        ]),
      }),
    );
    expect(trees.map((tree) => tree.nodes.map((node) => node.message.content))).toEqual([
      [[{ type: 'text', text: 'A' }]],
      [[{ type: 'text', text: 'X' }]],
      [[{ type: 'text', text: 'Which tea?' }], [{ type: 'text', text: 'Green.' }]],
      [[{ type: 'text', text: 'Which tea?' }], [{ type: 'text', text: 'Which tea?' }]],
    ]);
    expect(trees.map((tree) => tree.records)).toEqual([2, 2, 2, 1]);
  });

  it('[I22] keep the text of a failed stream, and keep equal answers of one call apart', async () => {
    const { trees } = await importIntoStore(
      toImportInput({
        'log.jsonl': lines([
          {
            request: { model: 'm-y', max_tokens: 9, messages: [ask] },
            response: `${sse.split('event: message_delta')[0]}event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n`,
          },
          {
            request: { model: 'm-x', n: 2, messages: [ask] },
            response: reply(
              {},
              {
                choices: [0, 1].map((index) => ({
                  index,
                  message: { role: 'assistant', content: 'Green.' },
                  finish_reason: 'stop',
                })),
              },
            ),
          },
        ]),
      }),
    );
    expect(trees[0]?.nodes[1]).toMatchObject({ status: 'error', meta: { error: { message: 'busy' } } });
    expect(trees[0]?.nodes[1]?.message.content.map((block) => block.type)).toEqual(['thinking', 'tool-use']);
    expect(trees[1]?.nodes.map((node) => node.parentExternalId === null)).toEqual([true, false, false]);
    expect(trees[1]?.findings).toEqual([]);
  });

  it('[I142] keep no API keys that a log contains beside its calls', async () => {
    const key = 'a-key-that-opens-an-account';
    const { trees } = await importIntoStore(
      toImportInput({
        'log.jsonl': lines([
          {
            headers: { Authorization: `Bearer ${key}`, 'x-api-key': [key], Cookie: key },
            raw: ['Host', 'h', 'api-key', key],
            listed: [{ name: 'Proxy-Authorization', value: key }, ['authorization', key]],
            request: { model: 'm-x', api_key: key, headers: { 'X-Goog-Api-Key': key }, messages: [ask] },
            response: reply({ role: 'assistant', content: 'Green.' }, { headers: { 'set-cookie': key } }),
          },
        ]),
      }),
    );
    expect(trees[0]?.nodes.length).toBe(2);
    expect(JSON.stringify(trees)).not.toContain(key);
    expect(trees[0]?.nodes[1]?.record).toMatchObject({
      headers: { Authorization: '[left out]' },
      raw: ['Host', 'h', 'api-key', '[left out]'],
    });
  });

  it('[I22] sort answers by their index, whatever their order', async () => {
    const choices = [2, 0, 1].map((index) => ({ index, message: { role: 'assistant', content: `${index}` } }));
    const call = { request: { model: 'm', n: 3, messages: [{ role: 'user', content: 'Ask' }] }, response: { choices } };
    const { trees } = await importIntoStore(toImportInput({ 'log.json': JSON.stringify(call) }));
    const answers = trees[0]?.nodes.filter(({ message }) => message.role === 'assistant') ?? [];
    expect(answers.map(({ message, order }) => [messageKit.text(message), order])).toEqual([
      ['0', 0],
      ['1', 1],
      ['2', 2],
    ]);
  });

  it('[I22] mark a failed result', async () => {
    const use = { type: 'tool_use', id: 't1', name: 'f', input: {} };
    const failed = { type: 'tool_result', tool_use_id: 't1', content: 'no', is_error: true };
    const messages = [ask, { role: 'assistant', content: [use] }, { role: 'user', content: [failed] }];
    const request = { model: 'm-y', max_tokens: 9, messages };
    const { trees } = await importIntoStore(toImportInput({ 'log.jsonl': lines([{ request }]) }));
    expect(trees[0]?.nodes.at(-1)?.meta).toEqual({ isError: true });
  });
});

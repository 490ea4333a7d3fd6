import type { Json, JsonObject } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { openRawServer, type RawServer } from '../testing/raw-server.ts';
import { makeTextEvents } from '../testing/scripted.ts';
import { collectEvents, openTurnFixture, type TurnFixture } from '../testing/turn-fixture.ts';
import { defineTool } from '../tools/define.ts';
import { createTools } from '../tools/registry.ts';

let fixture: TurnFixture | null = null;
let server: RawServer | null = null;
const ran: JsonObject[] = [];
afterEach(async () => {
  ran.length = 0;
  await fixture?.close();
  await server?.close();
  [fixture, server] = [null, null];
});

const tools = createTools({
  tools: [
    defineTool({
      name: 'remove',
      description: 'Removes files.',
      sideEffects: false,
      parameters: { type: 'object' },
      run: (parameters) => {
        ran.push(parameters);
        return 'removed';
      },
    }),
  ],
});

const sse = (...events: readonly Json[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const lines = (...events: readonly Json[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
/** Parses arguments, for APIs that send them as a JSON value instead of text. */
const valueOf = (text: string): Json => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/** For each API, streams that are cut off inside a tool call or right after it. */
const wires: readonly {
  readonly name: string;
  readonly provider: string;
  readonly model: string;
  readonly type: string;
  cut(json: string): string;
  plain: string;
}[] = [
  {
    name: 'chat completions',
    provider: '[providers.openai]\napi_key = "k-0123456789"',
    model: 'openai/gpt-4.1',
    type: 'text/event-stream',
    cut: (json) =>
      `${sse(
        {
          choices: [
            {
              index: 0,
              delta: {
                tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'remove', arguments: '' } }],
              },
            },
          ],
        },
        { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: json } }] } }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] },
      )}data: [DONE]\n\n`,
    plain: `${sse({ choices: [{ index: 0, delta: { content: 'Sorry.' }, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
  },
  {
    name: 'chat completions of a server with words of its own',
    provider: '[providers.local]\nkind = "openai-compatible"',
    model: 'local/m',
    type: 'text/event-stream',
    cut: (json) =>
      `${sse({
        choices: [
          {
            index: 0,
            delta: { tool_calls: [{ index: 0, id: 'c1', function: { name: 'remove', arguments: json } }] },
            finish_reason: 'model_length',
          },
        ],
      })}data: [DONE]\n\n`,
    plain: `${sse({ choices: [{ index: 0, delta: { content: 'Sorry.' }, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
  },
  {
    name: 'Responses',
    provider: '[providers.openai]\napi_key = "k-0123456789"',
    model: 'openai/gpt-5.4-mini',
    type: 'text/event-stream',
    cut: (json) =>
      sse(
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { type: 'function_call', call_id: 'c1', name: 'remove', arguments: '' },
        },
        { type: 'response.function_call_arguments.delta', output_index: 0, delta: json },
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { type: 'function_call', call_id: 'c1', name: 'remove', arguments: json },
        },
        { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } },
      ),
    plain: sse(
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message' } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'Sorry.' },
      { type: 'response.completed', response: { status: 'completed' } },
    ),
  },
  {
    name: 'Responses without a reason',
    provider: '[providers.openai]\napi_key = "k-0123456789"',
    model: 'openai/gpt-5.4-mini',
    type: 'text/event-stream',
    cut: (json) =>
      sse(
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: { type: 'function_call', status: 'incomplete', call_id: 'c1', name: 'remove', arguments: json },
        },
        { type: 'response.incomplete', response: {} },
      ),
    plain: sse(
      { type: 'response.output_item.added', output_index: 0, item: { type: 'message' } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'Sorry.' },
      { type: 'response.completed', response: { status: 'completed' } },
    ),
  },
  {
    name: 'Anthropic',
    provider: '[providers.anthropic]\napi_key = "k-0123456789"',
    model: 'anthropic/claude-sonnet-5',
    type: 'text/event-stream',
    cut: (json) =>
      sse(
        { type: 'message_start', message: { usage: { input_tokens: 9, output_tokens: 1 } } },
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 'c1', name: 'remove', input: {} },
        },
        { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: { output_tokens: 4 } },
        { type: 'message_stop' },
      ),
    plain: sse(
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Sorry.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ),
  },
  {
    name: 'Google',
    provider: '[providers.google]\napi_key = "k-0123456789"',
    model: 'google/gemini-3.5-flash',
    type: 'text/event-stream',
    cut: (json) =>
      sse({
        candidates: [
          {
            content: { parts: [{ functionCall: { name: 'remove', args: valueOf(json) } }] },
            finishReason: 'MAX_TOKENS',
          },
        ],
      }),
    plain: sse({ candidates: [{ content: { parts: [{ text: 'Sorry.' }] }, finishReason: 'STOP' }] }),
  },
  {
    name: 'Ollama',
    provider: '[providers.ollama]',
    model: 'ollama/m',
    type: 'application/x-ndjson',
    cut: (json) =>
      lines(
        { message: { tool_calls: [{ function: { name: 'remove', arguments: valueOf(json) } }] }, done: false },
        { message: { content: '' }, done: true, done_reason: 'length' },
      ),
    plain: lines({ message: { content: 'Sorry.' }, done: true, done_reason: 'stop' }),
  },
];

const cutArguments = [
  ['none', ''],
  ['empty', '{}'],
  ['partial', '{"path": "/home/me/pro'],
  ['seemingly whole', '{"path": "/home"}'],
] as const;

describe.each(wires)('over $name', ({ provider, model, type, cut, plain }) => {
  test.each(cutArguments)(
    '[H27] a call whose arguments are %s in a reply that was cut off is not run',
    async (_, json) => {
      server = await openRawServer((_request, response, number) => {
        response.writeHead(200, { 'content-type': type });
        response.end(number === 0 ? cut(json) : plain);
      });
      fixture = await openTurnFixture('memory', [], { tools, config: `${provider}\nbase_url = "${server.url}"` });
      const turn = fixture.send('Clean up', { models: [model], tools: ['remove'] });
      const events = await collectEvents(turn);
      expect(ran).toEqual([]);
      expect(events.at(-1)).toMatchObject({ type: 'end' });
      expect(events.find((event) => event.type === 'tool-result')).toMatchObject({ name: 'remove', isError: true });
      const thread = await fixture.thread();
      expect(thread).toHaveLength(4);
      expect(thread[2]).toMatch(/^tool: Error \(tool\/cut-off\): The reply was cut off by the token limit/);
      expect(thread[3]).toBe('assistant: Sorry.');
      const { replies } = await turn.first;
      const [result] = await fixture.children(replies[0]?.nodeId ?? fixture.rootId);
      expect(result?.meta.source).toMatchObject({ type: 'tool_result', error: 'tool/cut-off' });
      // The model gets the reason as the result of its call.
      expect(server.requests[1]?.body).toContain('cut off by the token limit');
    },
  );
});

test.each([
  ['OpenAI-compatible', 'abort', false],
  ['OpenAI-compatible', 'error', false],
  ['OpenAI-compatible', 'insufficient_system_resource', false],
  ['OpenAI-compatible', 'request cancelled', false],
  ['OpenAI-compatible', 'eos_token', true],
  ['OpenAI-compatible', 'function_calls', true],
  ['Anthropic', 'error', false],
  ['Anthropic', 'tool_calls', true],
  ['Anthropic', null, true],
] as const)('[H27] a call in a reply of an %s server that ends with %j runs: %s', async (kind, reason, isRun) => {
  const call = { index: 0, id: 'c1', function: { name: 'remove', arguments: '' } };
  const [first, second] =
    kind === 'Anthropic'
      ? [
          sse(
            { type: 'message_start', message: {} },
            { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c1', name: 'remove' } },
            { type: 'content_block_stop', index: 0 },
            { type: 'message_delta', delta: { stop_reason: reason } },
            { type: 'message_stop' },
          ),
          sse(
            { type: 'message_start', message: {} },
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Sorry.' } },
            { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
            { type: 'message_stop' },
          ),
        ]
      : [
          `${sse({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: reason }] })}data: [DONE]\n\n`,
          `${sse({ choices: [{ index: 0, delta: { content: 'Sorry.' }, finish_reason: 'stop' }] })}data: [DONE]\n\n`,
        ];
  server = await openRawServer((_request, response, number) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(number === 0 ? first : second);
  });
  const provider =
    kind === 'Anthropic'
      ? '[providers.anthropic]\napi_key = "k-0123456789"'
      : '[providers.local]\nkind = "openai-compatible"';
  fixture = await openTurnFixture('memory', [], { tools, config: `${provider}\nbase_url = "${server.url}"` });
  const model = kind === 'Anthropic' ? 'anthropic/claude-sonnet-4-5' : 'local/m';
  await fixture.send('Clean up', { models: [model], tools: ['remove'] }).done;
  expect(ran).toHaveLength(isRun ? 1 : 0);
  const thread = await fixture.thread();
  if (!isRun) expect(thread[2]).toMatch(/^tool: Error \(tool\/cut-off\): The provider did not finish the reply/);
  expect(thread.at(-1)).toBe('assistant: Sorry.');
});

test('[H27] no call of a reply that was cut off or filtered is run, not even the first of several', async () => {
  for (const finishReason of ['length', 'content-filter', 'refusal', 'other'] as const) {
    fixture = await openTurnFixture(
      'memory',
      [
        [
          { type: 'tool-use-start', index: 0, id: 'a', name: 'remove' },
          { type: 'tool-use-end', index: 0, parameters: { path: 'one' } },
          { type: 'tool-use-start', index: 1, id: 'b', name: 'remove' },
          { type: 'tool-use-delta', index: 1, json: '{"pa' },
          { type: 'end', finishReason, raw: finishReason },
        ],
        makeTextEvents('Well.'),
      ],
      { tools },
    );
    const events = await collectEvents(fixture.send('Clean up', { tools: ['remove'] }));
    expect(ran).toEqual([]);
    expect(events.filter((event) => event.type === 'tool-result' && event.isError)).toHaveLength(2);
    await fixture.close();
  }
  fixture = null;
});

test('[G9] arguments that are not an object are never run as an empty object, even if the wire sends them as a value', async () => {
  for (const wired of ['"{\\"path\\": \\"/ho"', '["/home"]', '7']) {
    server = await openRawServer((_request, response, number) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      const call = { message: { tool_calls: [{ function: { name: 'remove', arguments: JSON.parse(wired) } }] } };
      const said = { message: { content: 'Sorry.' }, done: true, done_reason: 'stop' };
      response.end(number === 0 ? lines(call, { done: true, done_reason: 'stop' }) : lines(said));
    });
    fixture = await openTurnFixture('memory', [], { tools, config: `[providers.ollama]\nbase_url = "${server.url}"` });
    await fixture.send('Clean up', { models: ['ollama/m'], tools: ['remove'] }).done;
    expect(ran).toEqual([]);
    expect((await fixture.thread())[2]).toMatch(/^tool: Error \(tool\/bad-arguments\): /);
    await fixture.close();
    await server.close();
  }
  [fixture, server] = [null, null];
});

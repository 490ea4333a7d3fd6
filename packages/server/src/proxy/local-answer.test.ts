import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { ask } from '@coppice/core';
import type { ProviderEvent } from '@coppice/engine';
import { makeTextEvents, makeUsageEvent } from '@coppice/engine/testing';
import { generateText } from 'ai';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../serve.ts';
import { openTestServer, type TestServer, type TestServerOptions, testToken } from '../testing/index.ts';

let server: TestServer | null = null;
let listening: RunningServer | null = null;
afterEach(async () => {
  await listening?.close();
  await server?.close();
  [server, listening] = [null, null];
});

const pixel = 'iVBORw0KGgo=';
const rich: ProviderEvent[] = [
  { type: 'thinking-delta', text: 'Let me ' },
  { type: 'thinking-delta', text: 'see.' },
  { type: 'thinking-end', signature: 'sig' },
  { type: 'text-delta', text: 'I look ' },
  { type: 'text-delta', text: 'there.' },
  { type: 'tool-use-start', index: 0, id: 'call_a', name: 'look' },
  { type: 'tool-use-delta', index: 0, json: '{"place":' },
  { type: 'tool-use-start', index: 1, id: 'call_b', name: 'look' },
  { type: 'tool-use-delta', index: 0, json: '"wood"}' },
  { type: 'tool-use-end', index: 0, parameters: { place: 'wood' } },
  { type: 'tool-use-end', index: 1, parameters: { place: 'lake' } },
  makeUsageEvent(7, 9),
  { type: 'end', finishReason: 'tool-use', raw: 'tool_use' },
];

async function asked(replies: Pick<TestServerOptions, 'replies'>) {
  server = await openTestServer({ store: 'sqlite', ...replies, config: 'model = "scripted/one"\n' });
  listening = await server.listen();
  const { url } = listening;
  return {
    server,
    provider: server.provider,
    recorder: listening.server.services.recorder,
    openai: new OpenAI({ baseURL: `${url}/v1`, apiKey: testToken, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: url, apiKey: testToken, maxRetries: 0 }),
  };
}

const schema = { type: 'object' as const, properties: { place: { type: 'string' } } };
const chatTools = [
  { type: 'function' as const, function: { name: 'look', description: 'Looks.', parameters: schema } },
];
const messages = [{ role: 'user' as const, content: 'What is there?' }];
const places = [{ place: 'wood' }, { place: 'lake' }];

describe('local models behind each API', () => {
  it('[RP9] chat completions: the requested number of choices, streamed or not, is recorded as one group', async () => {
    const {
      openai,
      recorder,
      server: own,
    } = await asked({ replies: ['A.', 'B.', 'C.', 'D.'].map((text) => makeTextEvents(text)) });
    const body = { model: 'scripted/one', messages, n: 2 };
    const whole = await openai.chat.completions.create(body);
    expect(whole.choices.map(({ index, message }) => [index, message.content])).toEqual([
      [0, 'A.'],
      [1, 'B.'],
    ]);
    expect(whole.usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 2, total_tokens: 22 });
    const upstreamRequest = await openai.chat.completions.stream({ ...body, stream: true }).finalChatCompletion();
    expect(upstreamRequest.choices.map(({ message, finish_reason }) => [message.content, finish_reason])).toEqual([
      ['C.', 'stop'],
      ['D.', 'stop'],
    ]);
    await expect(openai.chat.completions.create({ ...body, n: 99 })).rejects.toMatchObject({ status: 400 });
    await recorder.idle();
    const [tree] = (await own.store.trees({})).items;
    const nodes = tree === undefined ? [] : await own.store.read(tree.id, () => ask('subtree', { of: tree.rootId }));
    const groups = nodes.flatMap(({ text, groupId }) => (/^[A-D]\.$/.test(text) ? [groupId] : []));
    expect(groups).toHaveLength(4);
    expect(new Set(groups.slice(0, 2)).size).toBe(1);
    expect(groups[0]).toBeGreaterThan(0);
  });

  it('[RP9, RP14] messages: a text without sources has no sources field, so that the AI SDK reads it', async () => {
    await asked({ replies: [makeTextEvents('Yes.')] });
    const anthropic = createAnthropic({ baseURL: `${listening?.url}/v1`, apiKey: testToken });
    const { text } = await generateText({
      model: anthropic('scripted/one'),
      prompt: 'Is it?',
      maxOutputTokens: 9,
      maxRetries: 0,
    });
    expect(text).toBe('Yes.');
  });

  it('[RP9] chat completions: tools are offered and their calls returned, with thinking beside the text', async () => {
    const { openai, provider, recorder } = await asked({ replies: [rich] });
    const body = { model: 'scripted/one', messages, tools: chatTools, tool_choice: 'required' as const };
    const whole = await openai.chat.completions.create({
      ...body,
      reasoning_effort: 'low',
      temperature: 0.5,
      stop: 'X',
    });
    const [choice] = whole.choices;
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'I look there.', reasoning_content: 'Let me see.' },
    });
    const calls = choice?.message.tool_calls ?? [];
    expect(calls.map((call) => (call.type === 'function' ? JSON.parse(call.function.arguments) : null))).toEqual(
      places,
    );
    const final = await openai.chat.completions
      .stream({ ...body, stream_options: { include_usage: true } })
      .finalChatCompletion();
    expect(final.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: 'I look there.' } });
    expect(final.choices[0]?.message.tool_calls).toMatchObject([{ id: 'call_a' }, { id: 'call_b' }]);
    expect(final.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 9 });
    expect(provider.requests[0]).toMatchObject({
      tools: [{ name: 'look', description: 'Looks.', parameters: schema }],
      toolChoice: 'required',
      thinking: { effort: 'low' },
      temperature: 0.5,
      stop: ['X'],
    });
    // The server ran no tool: the model was called once for each request.
    expect(provider.requests).toHaveLength(2);
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 2, failed: 0 });
  });

  it('[RP9] messages of Anthropic work with pictures and a tool result, streamed and not', async () => {
    const { anthropic, provider } = await asked({ replies: [rich] });
    const image = { type: 'base64' as const, media_type: 'image/png' as const, data: pixel };
    const body = {
      model: 'scripted/one',
      max_tokens: 2_000,
      system: 'Be brief.',
      tools: [{ name: 'look', input_schema: schema }],
      thinking: { type: 'enabled' as const, budget_tokens: 1_024 },
      messages: [
        { role: 'user' as const, content: [{ type: 'image' as const, source: image }] },
        { role: 'assistant' as const, content: [{ type: 'tool_use' as const, id: 't1', name: 'look', input: {} }] },
        { role: 'user' as const, content: [{ type: 'tool_result' as const, tool_use_id: 't1', content: 'A wood.' }] },
      ],
    };
    const expected = [
      { type: 'thinking', thinking: 'Let me see.', signature: 'sig' },
      { type: 'text', text: 'I look there.' },
      { type: 'tool_use', id: 'call_a', name: 'look', input: places[0] },
      { type: 'tool_use', id: 'call_b', name: 'look', input: places[1] },
    ];
    const whole = await anthropic.messages.create(body);
    expect(whole).toMatchObject({ stop_reason: 'tool_use', content: expected, usage: { output_tokens: 9 } });
    const final = await anthropic.messages.stream(body).finalMessage();
    expect(final).toMatchObject({ stop_reason: 'tool_use', content: expected });
    expect(provider.requests[0]).toMatchObject({
      systemPrompt: 'Be brief.',
      maxTokens: 2_000,
      thinking: { budgetTokens: 1_024 },
      messages: [{ content: [{ type: 'image', mediaType: 'image/png' }] }, { role: 'assistant' }, { role: 'tool' }],
    });
  });

  it('[RP9] responses work streamed and not, and continue an earlier one by its id', async () => {
    const { openai, provider } = await asked({ replies: [rich] });
    const tools = [{ type: 'function' as const, name: 'look', parameters: schema, strict: false }];
    const body = { model: 'scripted/one', input: 'What is there?', tools };
    const whole = await openai.responses.create(body);
    expect(whole.output_text).toBe('I look there.');
    expect(whole.output.map((item) => item.type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
    const final = await openai.responses.stream(body).finalResponse();
    expect(final.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'Let me see.' }] },
      { type: 'message', content: [{ text: 'I look there.' }] },
      { type: 'function_call', call_id: 'call_a', arguments: '{"place":"wood"}' },
      { type: 'function_call', call_id: 'call_b', arguments: '{"place":"lake"}' },
    ]);
    const output = [{ type: 'function_call_output' as const, call_id: 'call_a', output: 'Trees.' }];
    await openai.responses.create({ ...body, input: output, previous_response_id: final.id });
    expect(provider.requests.at(-1)?.messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
    ]);
    await expect(openai.responses.create({ ...body, previous_response_id: 'resp_none' })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('[RP9] generated pictures are returned as each API allows, and recorded', async () => {
    const picture: ProviderEvent[] = [
      { type: 'text-delta', text: 'Here.' },
      { type: 'image', block: { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: pixel } } },
      { type: 'end', finishReason: 'stop', raw: 'stop' },
    ];
    const { openai, anthropic, server: own, recorder } = await asked({ replies: [picture] });
    const chat = await openai.chat.completions.create({ model: 'scripted/one', messages });
    expect(JSON.stringify(chat.choices[0]?.message)).toContain(`data:image/png;base64,${pixel}`);
    await openai.chat.completions.stream({ model: 'scripted/one', messages }).done();
    const response = await openai.responses.create({ model: 'scripted/one', input: 'Draw.' });
    expect(response.output).toMatchObject([{ type: 'message' }, { type: 'image_generation_call', result: pixel }]);
    const message = await anthropic.messages.create({ model: 'scripted/one', max_tokens: 9, messages });
    expect(message.content).toMatchObject([{ type: 'text' }, { type: 'image', source: { data: pixel } }]);
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 4, failed: 0 });
    const { items } = await own.store.search({ text: 'Here.' });
    expect(items).toHaveLength(4);
    for (const { snippet } of items) expect(snippet).toContain('image/png');
  });

  it('[RP9] an error of a model is an error of the API, before the stream or in it', async () => {
    const error: ProviderEvent = {
      type: 'error',
      code: 'provider/overloaded',
      kind: 'unavailable',
      message: 'Too much.',
      retryable: true,
      status: 529,
    };
    const late = [...makeTextEvents('Well').slice(0, 1), error];
    const { openai, anthropic } = await asked({ replies: [[error], [error], late, late] });
    await expect(openai.chat.completions.create({ model: 'scripted/one', messages })).rejects.toMatchObject({
      status: 529,
    });
    const body = { model: 'scripted/one', max_tokens: 9, messages };
    await expect(anthropic.messages.stream(body).finalMessage()).rejects.toMatchObject({ status: 529 });
    await expect(anthropic.messages.stream(body).finalMessage()).rejects.toThrow('Too much.');
    await expect(openai.chat.completions.stream({ model: 'scripted/one', messages }).done()).rejects.toThrow(
      'Too much.',
    );
  });

  it('[RP37] count the tokens of a request by our own estimate', async () => {
    const { anthropic } = await asked({ replies: [] });
    const count = async (system: string) =>
      (await anthropic.messages.countTokens({ model: 'scripted/one', system, messages })).input_tokens;
    const short = await count('Be brief.');
    expect(short).toBeGreaterThan(3);
    expect(await count('Be brief. '.repeat(50))).toBeGreaterThan(short + 50);
  });

  it('[RP38] answer in the form of a JSON schema on each wire', async () => {
    const answer: ProviderEvent[] = [
      { type: 'text-delta', text: 'Here it is.' },
      { type: 'tool-use-start', index: 0, id: 'call_a', name: 'place' },
      { type: 'tool-use-delta', index: 0, json: '{"place":"wood"}' },
      { type: 'tool-use-end', index: 0, parameters: { place: 'wood' } },
      makeUsageEvent(7, 9),
      { type: 'end', finishReason: 'tool-use', raw: 'tool_use' },
    ];
    const { openai, anthropic, provider } = await asked({ replies: [answer, answer, answer] });
    const chat = await openai.chat.completions.create({
      model: 'scripted/one',
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
    });
    expect(chat.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '{"place":"wood"}' } });
    expect(chat.choices[0]?.message.tool_calls).toBeUndefined();
    const response = await openai.responses.create({
      model: 'scripted/one',
      input: 'Where?',
      text: { format: { type: 'json_schema', name: 'place', schema } },
    });
    expect(response.output_text).toBe('{"place":"wood"}');
    const message = await anthropic.messages.create({
      model: 'scripted/one',
      max_tokens: 99,
      messages,
      output_config: { format: { type: 'json_schema', schema } },
    });
    expect(message).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: '{"place":"wood"}' }] });
    expect(provider.requests[0]).toMatchObject({ tools: [{ name: 'place' }], toolChoice: { name: 'place' } });
  });

  it('[RP38] refuse an unknown model with 404, in the format of the API', async () => {
    const { openai, anthropic } = await asked({ replies: [] });
    await expect(openai.chat.completions.create({ model: 'gpt-none', messages })).rejects.toMatchObject({
      status: 404,
    });
    await expect(openai.responses.create({ model: 'gpt-none', input: 'Hi' })).rejects.toMatchObject({ status: 404 });
    const refused = anthropic.messages.create({ model: 'claude-none', max_tokens: 9, messages });
    await expect(refused).rejects.toMatchObject({ status: 404, error: { error: { type: 'not_found_error' } } });
  });
});

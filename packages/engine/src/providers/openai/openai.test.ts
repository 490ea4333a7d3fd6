import {
  type ChatCompletionBody,
  createChatCompletionReader,
  createResponsesReader,
  type ResponsesBody,
  toResponsesBody,
} from '@coppice/content/wires';
import { textMessage } from '@coppice/core';
import type { ChatCompletionChunk, ChatCompletionCreateParams } from 'openai/resources/chat/completions';
import type { ResponseCreateParams, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { makeMessage, makeToolResult, readFixture } from '../../testing/fixture.ts';
import { runProviderConformance } from '../conformance.ts';
import type { ProviderRequest } from '../contract.ts';
import { openai } from './index.ts';
import { isReasoningModel, toOpenAiBody } from './to-wire.ts';

const read = (name: string) => readFixture(import.meta.url, name);
const calls = [
  {
    type: 'tool-use',
    id: 'call_DdmO9pD3xa9XTPNJ32zg2hcA',
    name: 'get_weather',
    parameters: { city: 'Ålesund' },
    arguments: '{"city": "Ålesund"}',
  },
  { type: 'tool-use', id: 'call_uaPcAiTiNqUqdAzUHd1bHhwB', name: 'current_date', parameters: {} },
] as const;
const reasoning = {
  type: 'thinking',
  thinking: '**Looking it up**\n\nThe tool knows.\n\n**Asking**',
  signature: 'rs_6820f383d7c08191',
  redacted: 'gAAAAABoISQ24OyVRYbkYfukdJoqdzWT-3uiErKInHDC',
  provider: 'openai',
} as const;
const weather = {
  type: 'tool-use',
  id: 'call_unLAR8MvFNptuiZK6K6HCy5k',
  name: 'get_weather',
  parameters: { city: 'Oslo', days: 2 },
} as const;

runProviderConformance(openai, {
  model: 'gpt-4.1',
  cases: [
    {
      name: 'text with a line separator in it',
      stream: read('text.chunks.txt'),
      whole: read('text.whole.json'),
      content: [{ type: 'text', text: 'Grüße aus dem Wald 🌳.\u2028Zwei' }],
      finishReason: 'stop',
      usage: { inputTokens: 1120, outputTokens: 9, cacheReadTokens: 1024, reasoningTokens: 0 },
    },
    {
      name: 'two calls',
      stream: read('tools.chunks.txt'),
      whole: read('tools.whole.json'),
      content: calls,
      finishReason: 'tool-use',
      usage: { inputTokens: 82, outputTokens: 41, cacheReadTokens: 0, reasoningTokens: 0 },
    },
    {
      name: 'a refusal',
      stream: read('refusal.chunks.txt'),
      content: [{ type: 'text', text: "I can't do that." }],
      finishReason: 'refusal',
    },
    {
      name: 'a model that reasons, by Responses',
      request: { model: 'gpt-5.4-mini' },
      stream: read('reasoning.chunks.txt'),
      whole: read('reasoning.whole.json'),
      content: [reasoning, { type: 'text', text: 'One moment.' }, weather],
      finishReason: 'tool-use',
      usage: { inputTokens: 75, outputTokens: 186, cacheReadTokens: 64, reasoningTokens: 128 },
    },
  ],
});

function request(over: Partial<ProviderRequest>): ProviderRequest {
  return { model: 'gpt-4.1', messages: [textMessage('user', 'Hi')], maxTokens: 100, ...over };
}

describe('a request to OpenAI', () => {
  it('[G46] equals what the SDK would send, with either API', () => {
    expectTypeOf<ChatCompletionBody>().toExtend<ChatCompletionCreateParams>();
    expectTypeOf<ResponsesBody>().toExtend<ResponseCreateParams>();
    const chunk: ChatCompletionChunk = {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 0,
      model: 'm',
      choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }],
    };
    expect(
      createChatCompletionReader().read(
        { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: null }], id: chunk.id },
        '',
      ),
    ).toEqual([{ type: 'text-delta', text: 'a' }]);
    const delta: Extract<ResponseStreamEvent, { type: 'response.output_text.delta' }>['type'] =
      'response.output_text.delta';
    expect(createResponsesReader().read({ type: delta, delta: 'a', output_index: 0 }, '')).toEqual([
      { type: 'text-delta', text: 'a' },
    ]);
  });

  it('[G47] sends arguments back as the model wrote them, unless they were invalid JSON', () => {
    const broken = {
      type: 'tool-use',
      id: 'c2',
      name: 'look',
      parameters: {},
      arguments: '{"at":',
      malformed: 'cut',
    } as const;
    const messages = [
      textMessage('user', 'x'),
      makeMessage('assistant', calls[0], broken),
      makeToolResult(calls[0].id, 'sun'),
      makeToolResult('c2', 'Error'),
    ];
    expect(toOpenAiBody(request({ messages }), true).messages).toEqual([
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: calls[0].id, type: 'function', function: { name: 'get_weather', arguments: '{"city": "Ålesund"}' } },
          { id: 'c2', type: 'function', function: { name: 'look', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: calls[0].id, content: 'sun' },
      { role: 'tool', tool_call_id: 'c2', content: 'Error' },
    ]);
  });

  it('[G48] names the reply limit as each API does, and requests usage in a stream', () => {
    const chat = toOpenAiBody(request({ stop: ['x'], seed: 3, temperature: 1, topP: 1 }), true);
    expect(chat).toMatchObject({
      max_completion_tokens: 100,
      stream_options: { include_usage: true },
      stop: ['x'],
      seed: 3,
    });
    expect(chat).not.toHaveProperty('max_tokens');
    expect(toResponsesBody(request({ maxTokens: 3 }), false)).toMatchObject({
      max_output_tokens: 16,
      store: false,
      stream: false,
    });
  });

  it('[G49] uses the Responses API for reasoning models and sends their reasoning back with its signature', () => {
    const reasons = [
      'o1',
      'o3-pro',
      'o4-mini',
      'gpt-5',
      'gpt-5.4-mini',
      'gpt-6-sol',
      'gpt-5.3-codex',
      'ft:gpt-5-mini:me',
    ];
    const chats = ['gpt-4.1', 'gpt-4o', 'gpt-5-chat-latest', 'chatgpt-4o-latest', 'gpt-3.5-turbo'];
    expect(reasons.map(isReasoningModel)).toEqual(reasons.map(() => true));
    expect(chats.map(isReasoningModel)).toEqual(chats.map(() => false));
    const messages = [
      textMessage('user', 'x'),
      makeMessage('assistant', reasoning, weather),
      makeToolResult(weather.id, 'sun'),
    ];
    expect(toResponsesBody(request({ messages, thinking: { effort: 'low' } }), true)).toMatchObject({
      reasoning: { effort: 'low', summary: 'auto' },
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'x' }] },
        { type: 'reasoning', id: reasoning.signature, encrypted_content: reasoning.redacted },
        { type: 'function_call', call_id: weather.id, arguments: '{"city":"Oslo","days":2}' },
        { type: 'function_call_output', call_id: weather.id, output: 'sun' },
      ],
    });
  });

  it('[G49] reports why a response failed inside the stream', () => {
    const reader = createResponsesReader();
    const failed = { type: 'response.failed', response: { error: { code: 'server_error', message: 'Try again.' } } };
    expect(() => reader.read(failed, '')).toThrow('Try again.');
    expect(() => reader.read({ type: 'error', code: 'context_length_exceeded', message: 'Too long.' }, '')).toThrow(
      'Too long.',
    );
  });

  it('[G50] sends a picture as bytes or address, and an attachment only as PDF', () => {
    const image = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'iVBO' } } as const;
    const linked = { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } } as const;
    const pdf = {
      type: 'file',
      name: 'a.pdf',
      mediaType: 'application/pdf',
      source: { type: 'base64', data: 'JVBE' },
    } as const;
    const messages = [makeMessage('user', { type: 'text', text: 'See' }, image, linked, pdf)];
    expect(toOpenAiBody(request({ messages }), true).messages[0]?.content).toEqual([
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBE' } },
    ]);
    expect(toResponsesBody(request({ messages }), true).input[0]).toMatchObject({
      content: [
        { type: 'input_text' },
        { type: 'input_image' },
        { type: 'input_image' },
        { type: 'input_file', filename: 'a.pdf' },
      ],
    });
  });
});

import type {
  MessageCreateParams,
  MessageStreamEvent,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import {
  type AnthropicBody,
  createAnthropicReader,
  takesThinkingBudget,
  toAnthropicBody,
} from '@coppice/content/wires';
import { type Message, textMessage } from '@coppice/core';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { makeMessage, makeToolResult, readFixture } from '../../testing/fixture.ts';
import { runProviderConformance } from '../conformance.ts';
import type { ProviderRequest } from '../contract.ts';
import { anthropic } from './index.ts';

const read = (name: string) => readFixture(import.meta.url, name);
const signature = 'EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds9jZM';
const redacted =
  'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpPkNRj2YfWXGmKDxH4mPnZ5sQ7vB9URj2pLmN3kF8=';
const thinking = { type: 'thinking', thinking: 'The user wants the weather.', signature, provider: 'anthropic' };

runProviderConformance(anthropic, {
  model: 'claude-sonnet-5',
  cases: [
    {
      name: 'text with pings and a cache',
      stream: read('text.chunks.txt'),
      whole: read('text.whole.json'),
      content: [{ type: 'text', text: 'Grüße 🌳.' }],
      finishReason: 'stop',
      usage: { inputTokens: 4312, outputTokens: 14, cacheReadTokens: 4000, cacheWriteTokens: 300 },
    },
    {
      name: 'thinking, redacted thinking and two calls',
      stream: read('thinking.chunks.txt'),
      whole: read('thinking.whole.json'),
      content: [
        thinking,
        { type: 'thinking', thinking: '', redacted, provider: 'anthropic' },
        { type: 'text', text: 'Let me look.' },
        {
          type: 'tool-use',
          id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6',
          name: 'get_weather',
          parameters: { city: 'Ålesund' },
        },
        { type: 'tool-use', id: 'toolu_02', name: 'current_date', parameters: {} },
      ],
      finishReason: 'tool-use',
      usage: { inputTokens: 40, outputTokens: 89, reasoningTokens: 30 },
    },
  ],
});

function body(over: Partial<ProviderRequest>): AnthropicBody {
  return toAnthropicBody(
    { model: 'claude-sonnet-4-5', messages: [textMessage('user', 'Hi')], maxTokens: 4096, ...over },
    true,
  );
}

describe('a request to Anthropic', () => {
  it('[G41] equals what the SDK would send, and the reader handles or ignores every event of the SDK', () => {
    expectTypeOf<AnthropicBody>().toExtend<MessageCreateParams>();
    expectTypeOf<MessageStreamEvent['type']>().toExtend<
      | 'message_start'
      | 'message_delta'
      | 'message_stop'
      | 'content_block_start'
      | 'content_block_delta'
      | 'content_block_stop'
    >();
    const start: RawMessageStreamEvent = {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'text', text: 'a', citations: null },
    };
    expect(createAnthropicReader().read({ ...start, content_block: { type: 'text', text: 'a' } }, '')).toEqual([
      { type: 'text-delta', text: 'a' },
    ]);
    expect(createAnthropicReader().read({ type: 'ping' }, 'ping')).toBeNull();
  });

  it('[G42] puts the results of one reply together at the start of one user message', () => {
    const messages: Message[] = [
      textMessage('user', 'Weather?'),
      makeMessage(
        'assistant',
        thinking,
        { type: 'tool-use', id: 'a', name: 'look', parameters: { at: 1 } },
        { type: 'tool-use', id: 'b', name: 'look', parameters: {} },
      ),
      makeToolResult('a', 'sunny'),
      makeToolResult('b', 'rain'),
      textMessage('user', 'Thanks'),
    ];
    expect(body({ messages }).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'The user wants the weather.', signature },
          { type: 'tool_use', id: 'a', name: 'look', input: { at: 1 } },
          { type: 'tool_use', id: 'b', name: 'look', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'sunny' }] },
          { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'rain' }] },
          { type: 'text', text: 'Thanks' },
        ],
      },
    ]);
  });

  it('[G43] sends ids of other providers in the accepted alphabet, equal in call and result', () => {
    const messages: Message[] = [
      textMessage('user', 'x'),
      makeMessage(
        'assistant',
        { type: 'tool-use', id: 'fc|1.2', name: 'look', parameters: {} },
        { type: 'tool-use', id: 'fc_1_2', name: 'look', parameters: {} },
      ),
      makeToolResult('fc|1.2', '1'),
      makeToolResult('fc_1_2', '2'),
    ];
    const [, reply, results] = body({ messages }).messages;
    expect(reply?.content).toMatchObject([{ id: 'fc_1_2_2' }, { id: 'fc_1_2' }]);
    expect(results?.content).toMatchObject([{ tool_use_id: 'fc_1_2_2' }, { tool_use_id: 'fc_1_2' }]);
  });

  it('[G44] begins with the user, has no blank text, and no reply that ends in white space', () => {
    const messages = [
      textMessage('assistant', 'Hello. '),
      textMessage('user', ' '),
      textMessage('assistant', 'And so \n'),
    ];
    expect(body({ messages }).messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: '(The conversation begins with a reply.)' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Hello. ' },
          { type: 'text', text: 'And so' },
        ],
      },
    ]);
  });

  it('[G45] requests thinking by budget up to 4.5 and by effort after it, never with a temperature or a forced tool', () => {
    const wish = {
      thinking: { effort: 'medium' },
      temperature: 0.5,
      topP: 0.9,
      toolChoice: 'required',
      tools: [{ name: 't', description: '', parameters: {} }],
    } as const;
    const old = body({ ...wish, maxTokens: 20_000 });
    expect(old).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 8192 }, tool_choice: { type: 'auto' } });
    expect(old).not.toHaveProperty('temperature');
    expect(body({ ...wish, maxTokens: 1500 })).not.toHaveProperty('thinking');
    const late = body({ ...wish, model: 'claude-opus-5' });
    expect(late).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'medium' } });
    expect(body({ temperature: 0.5, topP: 0.9 })).toMatchObject({ temperature: 0.5 });
    expect(body({ temperature: 0.5, topP: 0.9 })).not.toHaveProperty('top_p');
    const budgeted = [
      'claude-3-7-sonnet-20250219',
      'claude-sonnet-4-20250514',
      'claude-opus-4-1',
      'claude-haiku-4-5-20251001',
      'claude-sonnet-4-5',
    ];
    const adaptive = ['claude-opus-4-6', 'claude-sonnet-4-6', 'claude-sonnet-5', 'claude-opus-5-5', 'claude-fable-5-1'];
    expect(budgeted.map(takesThinkingBudget)).toEqual(budgeted.map(() => true));
    expect(adaptive.map(takesThinkingBudget)).toEqual(adaptive.map(() => false));
  });
});

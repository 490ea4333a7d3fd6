import { textMessage } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { makeMessage, readFixture } from '../../testing/fixture.ts';
import { runProviderConformance } from '../conformance.ts';
import { openrouter } from './index.ts';
import { toOpenRouterBody } from './to-wire.ts';

const read = (name: string) => readFixture(import.meta.url, name);
const details =
  '[{"type":"reasoning.text","text":"Let me think.","format":"anthropic-claude-v1","index":0,"signature":"EqQBCgIYAhIM"}]';
const usage = { inputTokens: 18, outputTokens: 60, cacheReadTokens: 5, cacheWriteTokens: 3, reasoningTokens: 20 };

runProviderConformance(openrouter, {
  model: 'anthropic/claude-sonnet-5',
  cases: [
    {
      name: 'reasoning with its proof, among comments',
      stream: read('reasoning.chunks.txt'),
      content: [
        { type: 'thinking', thinking: 'Let me think.', signature: details, provider: 'openrouter' },
        { type: 'text', text: 'Grüße 🌳.' },
      ],
      finishReason: 'stop',
      usage,
    },
    {
      name: 'a picture',
      stream: read('image.chunks.txt'),
      content: [
        { type: 'text', text: 'Here:' },
        { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'iVBORw0KGgo=' } },
      ],
      finishReason: 'stop',
      usage,
    },
  ],
});

describe('a request to OpenRouter', () => {
  it('[G55] sends reasoning back in its original details, and requests it by effort or budget', () => {
    const thinking = {
      type: 'thinking',
      thinking: 'Let me think.',
      signature: details,
      provider: 'openrouter',
    } as const;
    const messages = [textMessage('user', 'x'), makeMessage('assistant', thinking, { type: 'text', text: 'y' })];
    const body = toOpenRouterBody({ model: 'm', messages, maxTokens: 9, thinking: { effort: 'high' } }, true);
    expect(body).toMatchObject({ usage: { include: true }, reasoning: { effort: 'high' }, max_tokens: 9 });
    expect(body.messages[1]).toEqual({ role: 'assistant', content: 'y', reasoning_details: JSON.parse(details) });
    const budget = toOpenRouterBody(
      { model: 'm', messages, maxTokens: 9, thinking: { effort: 'high', budgetTokens: 5.5 } },
      true,
    );
    expect(budget.reasoning).toEqual({ max_tokens: 5 });
  });
});

import { textMessage } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { makeMessage, readFixture } from '../../testing/fixture.ts';
import { runProviderConformance } from '../conformance.ts';
import { openaiCompatible } from './index.ts';
import { toOpenAiCompatibleBody } from './to-wire.ts';

const read = (name: string) => readFixture(import.meta.url, name);
const look = (id: string, place: number) =>
  ({ type: 'tool-use', id, name: 'look', parameters: { at: place } }) as const;

runProviderConformance(openaiCompatible, {
  model: 'qwen3-32b',
  cases: [
    {
      name: 'reasoning in a field of its own',
      stream: read('reasoning-content.chunks.txt'),
      whole: read('reasoning-content.whole.json'),
      content: [
        { type: 'thinking', thinking: 'Hm, yes.' },
        { type: 'text', text: 'Grüße 🌳.' },
      ],
      finishReason: 'stop',
      usage: { inputTokens: 12, outputTokens: 6 },
    },
    {
      name: 'calls under one index, without one, as objects, with a stop for an end and no line feed at the end',
      stream: read('odd-calls.chunks.txt'),
      content: [look('call_a', 1), look('call_b', 2), look('call_c', 3)],
      finishReason: 'tool-use',
    },
  ],
});

describe('a request to an OpenAI-compatible server', () => {
  it('[G56] is as simple as possible: a string if there is only text, and max_tokens for the reply limit', () => {
    const messages = [
      makeMessage('user', { type: 'text', text: 'a' }, { type: 'text', text: 'b' }),
      textMessage('system', 'c'),
    ];
    const body = toOpenAiCompatibleBody({ model: 'm', messages, maxTokens: 9, thinking: { effort: 'low' } }, false);
    expect(body).toEqual({
      model: 'm',
      messages: [
        { role: 'user', content: 'a\nb' },
        { role: 'system', content: 'c' },
      ],
      stream: false,
      max_tokens: 9,
      reasoning_effort: 'low',
    });
  });
});

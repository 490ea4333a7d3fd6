import { textMessage } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { makeMessage, makeToolResult, readFixture } from '../../testing/fixture.ts';
import { openRawServer } from '../../testing/raw-server.ts';
import { runProviderConformance } from '../conformance.ts';
import { ollama } from './index.ts';
import { chooseOllamaContextWindow, toOllamaBody } from './to-wire.ts';

const read = (name: string) => readFixture(import.meta.url, name);

runProviderConformance(ollama, {
  model: 'qwen3',
  mediaType: 'application/x-ndjson',
  refusal: '{"error":"broken by sk-conformance-key"}',
  cases: [
    {
      name: 'thinking and text, a line each',
      stream: read('text.chunks.txt'),
      whole: read('text.whole.json'),
      content: [
        { type: 'thinking', thinking: 'Trees, then.' },
        { type: 'text', text: 'Grüße 🌳.' },
      ],
      finishReason: 'stop',
      usage: { inputTokens: 26, outputTokens: 29 },
    },
    {
      name: 'two calls without ids',
      stream: read('tools.chunks.txt'),
      whole: read('tools.whole.json'),
      finishReason: 'tool-use',
    },
  ],
});

describe('a request to Ollama', () => {
  it('[G53] sets a window that holds the conversation, in powers of two', () => {
    const request = (text: string, maxTokens: number) => ({
      model: 'q',
      messages: [textMessage('user', text)],
      maxTokens,
    });
    expect(chooseOllamaContextWindow(request('Hi', 100))).toBe(4096);
    expect(chooseOllamaContextWindow(request('Hi', 1_000_000))).toBe(16_384);
    const long = chooseOllamaContextWindow(request('one two three four '.repeat(10_000), 2000));
    expect(long).toBeGreaterThanOrEqual(32_768);
    expect(Number.isInteger(Math.log2(long))).toBe(true);
    expect(toOllamaBody(request('Hi', 100), true).options).toEqual({ num_predict: 100, num_ctx: 4096 });
  });

  it('[G53] sends pictures as bytes and results by the name of the tool', () => {
    const call = { type: 'tool-use', id: 'c', name: 'look', parameters: { at: 1 } } as const;
    const image = { type: 'image', mediaType: 'image/png', source: { type: 'base64', data: 'iVBO' } } as const;
    const messages = [
      makeMessage('user', { type: 'text', text: 'See' }, image),
      makeMessage('assistant', call),
      makeToolResult('c', 'sun'),
    ];
    expect(toOllamaBody({ model: 'q', systemPrompt: 'Be brief.', messages, maxTokens: 1 }, true).messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'See', images: ['iVBO'] },
      { role: 'assistant', content: '', tool_calls: [{ function: { name: 'look', arguments: { at: 1 } } }] },
      { role: 'tool', content: 'sun', tool_name: 'look' },
    ]);
  });

  it('[G54] lists the models of a running server, and none of one that is not running', async () => {
    const server = await openRawServer((_request, response) => {
      response.end('{"models":[{"name":"qwen3:8b","model":"qwen3:8b"},{"name":"llama4"},{"odd":1}]}');
    });
    expect(await ollama.listModels({ connection: { baseUrl: server.url } })).toEqual([
      { id: 'qwen3:8b' },
      { id: 'llama4' },
    ]);
    expect(server.requests[0]?.path).toBe('/api/tags');
    await server.close();
    expect(await ollama.listModels({ connection: { baseUrl: server.url } })).toEqual([]);
  });
});

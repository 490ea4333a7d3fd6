import { toGoogleBody } from '@coppice/content/wires';
import { textMessage } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { makeMessage, makeToolResult, readFixture } from '../../testing/fixture.ts';
import { runProviderConformance } from '../conformance.ts';
import { google } from './index.ts';

const read = (name: string) => readFixture(import.meta.url, name);

runProviderConformance(google, {
  model: 'gemini-3.5-flash',
  refusal: '[{"error":{"code":500,"message":"broken by sk-conformance-key","status":"INTERNAL"}}]',
  cases: [
    {
      name: 'thoughts, text and what proves them',
      stream: read('text.chunks.txt'),
      whole: read('text.whole.json'),
      content: [
        { type: 'thinking', thinking: '**Thinking it over**\nTrees.' },
        { type: 'text', text: 'Grüße 🌳.' },
        { type: 'thinking', thinking: '', signature: 'EjQKMgERTTIPuDT6', provider: 'google' },
      ],
      finishReason: 'stop',
      usage: { inputTokens: 8, outputTokens: 22, cacheReadTokens: 4, reasoningTokens: 15 },
    },
    {
      name: 'two calls without ids',
      stream: read('tools.chunks.txt'),
      whole: read('tools.whole.json'),
      finishReason: 'tool-use',
    },
    { name: 'a prompt that was blocked', stream: read('blocked.chunks.txt'), finishReason: 'content-filter' },
  ],
});

describe('a request to Google', () => {
  it('[G51] returns results by the name of the tool, and sends thought signatures back', () => {
    const call = {
      type: 'tool-use',
      id: 'call_x',
      name: 'look',
      parameters: { at: 1 },
      thoughtSignature: 'sig',
    } as const;
    const messages = [
      makeMessage('assistant', { type: 'text', text: 'Hello' }),
      textMessage('user', 'Look'),
      makeMessage('assistant', { type: 'thinking', thinking: 'Hm', signature: 'own', provider: 'google' }, call),
      makeToolResult('call_x', 'sun'),
    ];
    expect(toGoogleBody({ model: 'g', messages, maxTokens: 5 }).contents).toEqual([
      { role: 'user', parts: [{ text: '(The conversation begins with a reply.)' }] },
      { role: 'model', parts: [{ text: 'Hello' }] },
      { role: 'user', parts: [{ text: 'Look' }] },
      {
        role: 'model',
        parts: [
          { text: '', thoughtSignature: 'own' },
          { functionCall: { name: 'look', args: { at: 1 } }, thoughtSignature: 'sig' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'look', response: { output: 'sun' } } }] },
    ]);
  });

  it('[G52] names parameters, tools and thinking as Google expects them', () => {
    const tool = { name: 'look', description: 'Looks.', parameters: { type: 'object' } } as const;
    const request = {
      model: 'gemini-2.5-flash',
      messages: [textMessage('user', 'Hi')],
      systemPrompt: 'Be brief.',
      maxTokens: 5,
      temperature: 1,
      topP: 0.5,
      stop: ['x'],
      seed: 4,
      tools: [tool],
      toolChoice: { name: 'look' },
      thinking: { effort: 'low' },
    } as const;
    expect(toGoogleBody(request)).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      tools: [{ functionDeclarations: [{ name: 'look', parametersJsonSchema: { type: 'object' } }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
      generationConfig: {
        maxOutputTokens: 5,
        temperature: 1,
        topP: 0.5,
        stopSequences: ['x'],
        seed: 4,
        thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
      },
    });
    expect(toGoogleBody({ ...request, model: 'gemini-3.5-flash' }).generationConfig.thinkingConfig).toEqual({
      includeThoughts: true,
      thinkingLevel: 'low',
    });
  });
});

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { sha256Hex } from '@coppice/content';
import { encodeReply, encodeReplyStream } from '@coppice/engine/testing';
import { APICallError, generateText, type ModelMessage, stepCountIs, streamText, tool } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testToken } from '../testing/index.ts';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';

let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
});

async function proxied(handler: Parameters<typeof openProxyFixture>[0]): Promise<ProxyFixture> {
  open = await openProxyFixture(handler);
  return open;
}

const call = { id: 'call_1', name: 'look', parameters: { place: 'wood' } };
const events = { 'content-type': 'text/event-stream' };
const look = tool({
  description: 'Looks at a place.',
  inputSchema: z.object({ place: z.string() }),
  execute: async ({ place }) => `An oak in the ${place}.`,
});
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The two message-based wires, with their names in the fake provider. */
const wires = [
  {
    wire: 'openai',
    model: (url: string) => createOpenAI({ baseURL: `${url}/v1`, apiKey: testToken }).chat('gpt-5-mini'),
  },
  {
    wire: 'anthropic',
    model: (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: testToken })('claude-sonnet-4-5'),
  },
] as const;

describe.each(wires)('the AI SDK over the wire of $wire', ({ wire, model }) => {
  it('[RP14] streams a tool loop, recorded as one node per new message in one chain', async () => {
    const { url, nodes, trees } = await proxied((_request, response, number) => {
      response.writeHead(200, events);
      const reply = number === 0 ? { text: 'Let me look.', calls: [call] } : { text: 'There is an oak.' };
      response.end(encodeReplyStream(wire, reply).join(''));
    });
    const stream = streamText({
      model: model(url),
      system: 'Be brief.',
      prompt: 'What is in the wood?',
      tools: { look },
      stopWhen: stepCountIs(3),
      maxRetries: 0,
    });
    let upstreamRequest = '';
    for await (const piece of stream.textStream) upstreamRequest += piece;
    expect(upstreamRequest.endsWith('There is an oak.')).toBe(true);
    expect((await nodes()).map(({ role, depth }) => [role, depth])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['tool', 3],
      ['assistant', 4],
    ]);
    expect(await trees()).toMatchObject([{ attributes: { systemPrompt: 'Be brief.' } }]);
  });

  it('[RP14] sends pictures and continues; an edited history becomes a branch', async () => {
    const answers = ['A pixel.', 'Red.', 'Blue.'];
    const { url, nodes } = await proxied((_request, response, number) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(encodeReply(wire, { text: answers[number] ?? 'More.' })));
    });
    const shown: ModelMessage = {
      role: 'user',
      content: [
        { type: 'text', text: 'What is this?' },
        { type: 'image', image: pixel, mediaType: 'image/png' },
      ],
    };
    const first = await generateText({ model: model(url), messages: [shown] });
    expect(first.text).toBe('A pixel.');
    for (const question of ['Which colour?', 'Which colour then?'])
      await generateText({
        model: model(url),
        messages: [shown, ...first.response.messages, { role: 'user', content: question }],
      });
    const all = await nodes();
    expect(all.map(({ depth }) => depth)).toEqual([1, 2, 3, 4, 3, 4]);
    expect(all[0]?.node.message?.content).toMatchObject([
      { type: 'text', text: 'What is this?' },
      {
        type: 'image',
        mediaType: 'image/png',
        source: { type: 'blob', hash: sha256Hex(Buffer.from(pixel, 'base64')) },
      },
    ]);
  });

  it('[RP14] gets errors as the service sent them', async () => {
    const { url, nodes } = await proxied((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' });
      response.end('{"type":"error","error":{"type":"rate_limit_error","message":"Too many."}}');
    });
    const failed = generateText({ model: model(url), prompt: 'Hi', maxRetries: 0 });
    const error = await failed.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error) && [error.statusCode, error.responseHeaders?.['retry-after']]).toEqual([
      429,
      '7',
    ]);
    expect((await nodes()).map(({ status }) => status)).toEqual(['success', 'error']);
  });

  it('[RP12, RP14] stops the call to the service when it is stopped', async () => {
    let broken = 0;
    const { url, nodes, recorder } = await proxied((_request, response) => {
      response.on('close', () => broken++);
      response.writeHead(200, events);
      response.write(encodeReplyStream(wire, { text: 'One two three.' }).slice(0, 4).join(''));
    });
    const abort = new AbortController();
    const stream = streamText({
      model: model(url),
      prompt: 'Count',
      abortSignal: abort.signal,
      onError: () => undefined,
    });
    for await (const piece of stream.textStream) if (piece !== '') abort.abort();
    await expect.poll(() => broken).toBe(1);
    await expect.poll(() => recorder.state.recorded).toBe(1);
    expect((await nodes()).map(({ status }) => status)).toEqual(['success', 'aborted']);
  });
});

describe('the AI SDK over responses', () => {
  it('[RP14] sends its reply again as several items, and the recording stays one chain', async () => {
    const text = (id: string, words: string) => ({
      id: `msg_${id}`,
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: words, annotations: [], logprobs: [] }],
    });
    const called = {
      type: 'function_call',
      id: 'fc_1',
      call_id: 'call_1',
      name: 'look',
      arguments: '{"place":"wood"}',
    };
    const outputs = [[text('1', 'Let me look.'), { ...called, status: 'completed' }], [text('2', 'There is an oak.')]];
    const { url, nodes } = await proxied((_request, response, number) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          id: `resp_${number}`,
          object: 'response',
          created_at: 1,
          status: 'completed',
          model: 'gpt-5-mini',
          output: outputs[number] ?? [],
          usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7 },
        }),
      );
    });
    const openai = createOpenAI({ baseURL: `${url}/v1`, apiKey: testToken });
    const { text: said } = await generateText({
      model: openai.responses('gpt-5-mini'),
      prompt: 'What is in the wood?',
      tools: { look },
      stopWhen: stepCountIs(3),
    });
    expect(said).toBe('There is an oak.');
    expect((await nodes()).map(({ role, depth }) => [role, depth])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['tool', 3],
      ['assistant', 4],
    ]);
  });
});

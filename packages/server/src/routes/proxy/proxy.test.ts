import Anthropic from '@anthropic-ai/sdk';
import { ask, type Node, type TreeSummary } from '@coppice/core';
import { openRawServer, type RawServer } from '@coppice/engine/testing';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunningServer } from '../../serve.ts';
import { openTestServer, type TestServer, testToken } from '../../testing/index.ts';

let upstream: RawServer | null = null;
let server: TestServer | null = null;
let listening: RunningServer | null = null;
afterEach(async () => {
  await listening?.close();
  await server?.close();
  await upstream?.close();
  [upstream, server, listening] = [null, null, null];
});

const canary = 'sk-canary-of-the-operator-1234567890';

/** Starts a server that forwards calls to a fake service with these responses, one per call. */
async function proxied(bodies: readonly (string | { status: number; body: string })[], type = 'application/json') {
  upstream = await openRawServer((_request, response, number) => {
    const said = bodies[Math.min(number, bodies.length - 1)] ?? '';
    const { status, body } = typeof said === 'string' ? { status: 200, body: said } : said;
    response.writeHead(status, { 'content-type': type, 'x-request-id': `r${number}` });
    response.end(body);
  });
  const config = `[proxy]\nopenai = "${upstream.url}/v1"\nanthropic = "${upstream.url}"\n[providers.openai]\nbase_url = "${upstream.url}/v1"\napi_key = "${canary}"\n`;
  server = await openTestServer({ store: 'sqlite', config });
  listening = await server.listen();
  return { url: listening.url, server, upstream, recorder: listening.server.services.recorder };
}

function completion(text: string, more: object = {}): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-5-mini',
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 },
    ...more,
  });
}

async function treesOf(of: TestServer): Promise<readonly TreeSummary[]> {
  return (await of.store.trees({})).items;
}

async function nodesOf(of: TestServer, tree: TreeSummary): Promise<readonly Node[]> {
  const nodes = await of.store.read(tree.id, () => ask('subtree', { of: tree.rootId }));
  return nodes.filter((node) => node.kind !== 'root');
}

describe('the recording proxy', () => {
  it('[RP1, RP2] merges resent histories into one tree: one node per new message, one branch per edited history', async () => {
    const {
      url,
      server: own,
      recorder,
    } = await proxied([completion('Green.'), completion('Sure.'), completion('Black.')]);
    const defaultHeaders = { 'x-coppice-session': 'tea' };
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: testToken, defaultHeaders });
    const system = { role: 'system' as const, content: 'Be brief.' };
    const first = { role: 'user' as const, content: 'Which tea?' };
    const said = await client.chat.completions.create({ model: 'gpt-5-mini', messages: [system, first] });
    expect(said.choices[0]?.message.content).toBe('Green.');
    const history = [system, { role: 'user' as const, content: [{ type: 'text' as const, text: 'Which tea?' }] }];
    const reply = { role: 'assistant' as const, content: 'Green.' };
    await client.chat.completions.create({
      model: 'gpt-5-mini',
      messages: [...history, reply, { role: 'user', content: 'Sure?' }],
    });
    await client.chat.completions.create({
      model: 'gpt-5-mini',
      messages: [system, { role: 'user', content: 'Which coffee?' }],
    });
    await recorder.idle();
    const trees = await treesOf(own);
    expect(trees).toMatchObject([{ attributes: { systemPrompt: 'Be brief.', project: 'proxy' } }]);
    const [tree] = trees;
    const nodes = tree === undefined ? [] : await nodesOf(own, tree);
    expect(nodes.map((node) => node.text).sort()).toEqual([
      'Black.',
      'Green.',
      'Sure.',
      'Sure?',
      'Which coffee?',
      'Which tea?',
    ]);
    const green = nodes.find((node) => node.text === 'Green.');
    expect(green?.meta.source).toMatchObject({
      type: 'model',
      provider: 'openai',
      model_name: 'gpt-5-mini',
      finish_reason: 'stop',
      usage: { prompt_tokens: 9 },
      timing: { totalMs: expect.any(Number) },
    });
    expect(recorder.state).toMatchObject({ recorded: 3, dropped: 0, failed: 0, waiting: 0 });
  });

  it('[RP3] passes bytes on unchanged in both directions, and the operator’s key in place of the token', async () => {
    const odd = completion('Odd   spacing', { extra: 'é\u2028' }).replace('{', '{ ');
    const { url, upstream: service, recorder } = await proxied([odd]);
    const body = '{"model":"m",  "messages":[{"role":"user","content":"Hi"}]}';
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}`, cookie: 'a=b' },
    });
    expect(await answer.text()).toBe(odd);
    expect(answer.headers.get('x-request-id')).toBe('r0');
    expect(service.requests[0]).toMatchObject({ path: '/v1/chat/completions', body });
    expect(service.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${canary}` });
    expect(service.requests[0]?.headers.cookie).toBeUndefined();
    await recorder.idle();
    await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer sk-of-the-client',
        'x-coppice-token': testToken,
      },
    });
    expect(service.requests[1]?.headers.authorization).toBe('Bearer sk-of-the-client');
    expect(service.requests[1]?.headers['x-coppice-token']).toBeUndefined();
  });

  it('[RP4] stores no key, token or cookie', async () => {
    const { url, server: own, recorder } = await proxied([completion('Yes.')]);
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: testToken });
    await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
    await recorder.idle();
    const [tree] = await treesOf(own);
    const kept = JSON.stringify(tree === undefined ? null : await nodesOf(own, tree));
    for (const secret of [canary, testToken]) expect(kept).not.toContain(secret);
    const refused = await fetch(`${url}/v1/models`, { headers: { authorization: 'Bearer wrong' } });
    expect(refused.status).toBe(401);
  });

  it('[RP1] records streams of chat completions with tools, and of Anthropic, as the official clients read them', async () => {
    const chunk = (delta: object, finish: string | null = null) =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":' } };
    const stream = [
      chunk({ role: 'assistant', content: 'Let me ' }),
      chunk({ content: 'look.' }),
      chunk({ tool_calls: [call] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ].join('');
    const events = [
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'claude',
          content: [],
          stop_reason: null,
          usage: { input_tokens: 3, output_tokens: 1 },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Good day.' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    const { url, server: own, recorder } = await proxied([stream, events.join('')], 'text/event-stream');
    const openai = new OpenAI({ baseURL: `${url}/p/shop/v1`, apiKey: testToken });
    let received = '';
    for await (const part of await openai.chat.completions.create({
      model: 'm',
      stream: true,
      messages: [{ role: 'user', content: 'Look' }],
    }))
      received += part.choices[0]?.delta.content ?? '';
    expect(received).toBe('Let me look.');
    const anthropic = new Anthropic({ baseURL: `${url}/p/shop`, apiKey: testToken });
    const message = await anthropic.messages
      .stream({ model: 'claude', max_tokens: 9, system: 'Be kind.', messages: [{ role: 'user', content: 'Hello' }] })
      .finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text: 'Good day.' }]);
    await recorder.idle();
    const trees = await treesOf(own);
    expect(trees.map((tree) => tree.attributes.project)).toEqual(['shop', 'shop']);
    const all = (await Promise.all(trees.map((tree) => nodesOf(own, tree)))).flat();
    expect(all.find((node) => node.role === 'assistant' && node.text.includes('look'))?.message?.content).toMatchObject(
      [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-use', id: 'call_1', name: 'look', parameters: { at: 1 } },
      ],
    );
    expect(all.find((node) => node.text === 'Good day.')?.status).toBe('success');
  });

  it('[RP5] passes errors on unchanged and records them as errors', async () => {
    const body = JSON.stringify({ error: { message: 'Too many', type: 'rate_limit', code: 'slow' } });
    const { url, server: own, recorder } = await proxied([{ status: 429, body }]);
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: testToken, maxRetries: 0 });
    await expect(
      client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
    ).rejects.toMatchObject({ status: 429 });
    await recorder.idle();
    const [tree] = await treesOf(own);
    const nodes = tree === undefined ? [] : await nodesOf(own, tree);
    expect(nodes.map((node) => node.status)).toEqual(['success', 'error']);
    expect(nodes[1]?.meta['error']).toMatchObject({ status: 429, message: 'Too many' });
  });

  it('[RP6] records identical simultaneous calls as variants, each with its own response', async () => {
    const { url, server: own, recorder } = await proxied([completion('Same.')]);
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: testToken });
    const asked = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] };
    await Promise.all([1, 2, 3].map(() => client.chat.completions.create(asked)));
    await recorder.idle();
    const [tree] = await treesOf(own);
    const nodes = tree === undefined ? [] : await nodesOf(own, tree);
    expect(nodes.filter((node) => node.text === 'Same.')).toHaveLength(3);
    expect(nodes.filter((node) => node.text === 'Hi')).toHaveLength(1);
  });

  it('[RP7] follows chains of previous_response_id', async () => {
    const response = (id: string, text: string) =>
      JSON.stringify({
        id,
        object: 'response',
        created_at: 1,
        status: 'completed',
        model: 'm',
        output: [
          {
            id: 'i',
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ],
      });
    const { url, server: own, recorder } = await proxied([response('resp_1', 'Oak.'), response('resp_2', 'Old oak.')]);
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: testToken });
    const first = await client.responses.create({ model: 'm', instructions: 'Trees only.', input: 'Name one.' });
    await client.responses.create({ model: 'm', input: 'How old?', previous_response_id: first.id });
    await recorder.idle();
    const [tree] = await treesOf(own);
    const nodes = tree === undefined ? [] : await nodesOf(own, tree);
    expect(nodes.map((node) => node.text)).toEqual(['Name one.', 'Oak.', 'How old?', 'Old oak.']);
    expect(nodes.map((node) => node.parentId)).toEqual([tree?.rootId, ...nodes.slice(0, 3).map((node) => node.id)]);
  });

  it('[RP8] can be paused, and reports its state', async () => {
    const { server: own, url, recorder } = await proxied([completion('Yes.')]);
    const headers = { authorization: `Bearer ${testToken}`, 'content-type': 'application/json' };
    await fetch(`${url}/api/proxy/recording`, { method: 'PUT', headers, body: '{"recording":false}' });
    const body = '{"model":"m","messages":[{"role":"user","content":"Hi"}]}';
    expect((await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).status).toBe(200);
    await recorder.idle();
    expect(await treesOf(own)).toEqual([]);
    expect(await (await fetch(`${url}/api/proxy`, { headers })).json()).toMatchObject({
      recording: false,
      recorded: 0,
    });
  });

  it('[RP9] without an upstream uses local models, in the format of each API', async () => {
    server = await openTestServer({ store: 'sqlite', config: 'model = "offline/guide"\n[offline]\ndelay_ms = 0\n' });
    listening = await server.listen();
    const { recorder } = listening.server.services;
    const openai = new OpenAI({ baseURL: `${listening.url}/v1`, apiKey: testToken });
    const messages = [{ role: 'user' as const, content: 'How do I connect a model?' }];
    const whole = await openai.chat.completions.create({ model: 'offline/guide', messages });
    expect(whole.choices[0]?.message.content).toContain('ANTHROPIC_API_KEY');
    let received = '';
    for await (const part of await openai.chat.completions.create({ model: 'guide', messages, stream: true }))
      received += part.choices[0]?.delta.content ?? '';
    expect(received.length).toBeGreaterThan(50);
    const anthropic = new Anthropic({ baseURL: listening.url, apiKey: testToken });
    const message = await anthropic.messages.stream({ model: 'default', max_tokens: 500, messages }).finalMessage();
    expect(message.stop_reason).toBe('end_turn');
    const response = await openai.responses.create({ model: 'guide', input: 'What is a branch?' });
    expect(response.output_text.length).toBeGreaterThan(20);
    expect((await openai.models.list()).data.map((model) => model.id)).toContain('offline/guide');
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 4, failed: 0 });
  });
});

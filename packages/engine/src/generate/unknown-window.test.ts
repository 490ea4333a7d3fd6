import type { Json } from '@coppice/core';
import { afterEach, describe, expect, test } from 'vitest';
import { makeErrorEvent } from '../providers/errors.ts';
import { openRawServer, type RawServer } from '../testing/raw-server.ts';
import { makeTextEvents, makeUsageEvent, type ScriptedReply } from '../testing/scripted.ts';
import { openTurnFixture, type TurnFixture, type TurnFixtureOptions } from '../testing/turn-fixture.ts';

let fixture: TurnFixture;
let server: RawServer | null = null;
afterEach(async () => {
  await fixture.close();
  await server?.close();
  server = null;
});

const words = (tokens: number) => 'word '.repeat(tokens);
const kinds = async () => (await fixture.thread()).map((line) => line.slice(0, line.indexOf(':')));

async function open(replies: readonly ScriptedReply[], options: TurnFixtureOptions = {}) {
  fixture = await openTurnFixture('memory', replies, options);
  return fixture;
}

describe('a model with an unknown context window', () => {
  test('[Y34] is neither compacted nor refused, however long the conversation is', async () => {
    await open([makeTextEvents('Yes.')]);
    for (let turn = 0; turn < 6; turn++) {
      expect(await fixture.send(words(5_000)).done).toMatchObject({ type: 'end' });
      expect(new Set(await kinds())).toEqual(new Set(['user', 'assistant']));
    }
    expect(fixture.provider.requests).toHaveLength(6);
    expect(fixture.provider.requests.at(-1)?.messages).toHaveLength(11);
  });

  test('[Y34] gets the reply limit that fits the assumed window while that leaves 1,024 tokens, then the requested one, or none', async () => {
    // The reply reports no usage, because a report would replace the estimate.
    await open([
      [
        { type: 'text-delta', text: 'Yes.' },
        { type: 'end', finishReason: 'stop', raw: 'stop' },
      ],
    ]);
    await fixture.send('Short').done;
    expect(fixture.provider.requests[0]?.maxTokens).toBeGreaterThan(8_000);
    await fixture.send('Short', { maxTokens: 500 }).done;
    expect(fixture.provider.requests[1]?.maxTokens).toBe(500);
    await fixture.send(words(9_000)).done;
    expect(fixture.provider.requests[2]?.maxTokens).toBeUndefined();
    await fixture.send('And now?', { maxTokens: 60_000 }).done;
    expect(fixture.provider.requests[3]?.maxTokens).toBe(60_000);
    const replies = await fixture.thread();
    expect(replies).toHaveLength(8);
  });

  test('[Y34] is still unknown if only its longest reply was configured', async () => {
    await open([makeTextEvents('Yes.')], { config: '[models."scripted/one"]\nmax_output = 4000' });
    expect(await fixture.send(words(30_000), { maxTokens: 9_000 }).done).toMatchObject({ type: 'end' });
    expect(fixture.provider.requests[0]?.maxTokens).toBe(4_000);
    expect(await kinds()).toEqual(['user', 'assistant']);
  });

  test('[Y34] is compacted when the provider reports an overflow', async () => {
    const overflow: ScriptedReply = [makeErrorEvent('provider/context-overflow', 'Too long.')];
    await open([
      makeTextEvents('One.'),
      makeTextEvents('Two.'),
      overflow,
      makeTextEvents('In short.'),
      makeTextEvents('Three.'),
    ]);
    await fixture.send(words(6_000)).done;
    await fixture.send(words(6_000)).done;
    expect(await fixture.send('And?').done).toMatchObject({ type: 'end' });
    expect((await fixture.thread()).at(-1)).toBe('assistant: Three.');
    expect(await kinds()).toContain('system');
  });

  test('[Y34] gets no reply limit except from a budget', async () => {
    await open(
      [[{ type: 'text-delta', text: 'Yes' }, makeUsageEvent(10, 10), { type: 'end', finishReason: 'stop', raw: '' }]],
      {
        budgets: { turnUsd: null, dayUsd: null, turnTokens: 40_000 },
      },
    );
    await fixture.send(words(20_000)).done;
    expect(fixture.provider.requests[0]?.maxTokens).toBeLessThan(20_000);
    expect(fixture.provider.requests[0]?.maxTokens).toBeGreaterThan(1_000);
  });
});

/** The responses of local servers that report the window of a model, by path; other paths return 404. */
const local: readonly {
  readonly name: string;
  readonly config: (url: string) => string;
  readonly model: string;
  readonly paths: Readonly<Record<string, Json>>;
}[] = [
  {
    name: 'Ollama',
    config: (url) => `[providers.ollama]\nbase_url = "${url}"`,
    model: 'ollama/oak:7b',
    paths: { '/api/show': { model_info: { 'general.architecture': 'oak', 'oak.context_length': 12_000 } } },
  },
  {
    name: 'vLLM',
    config: (url) => `[providers.local]\nkind = "openai-compatible"\nbase_url = "${url}/v1"`,
    model: 'local/oak',
    paths: { '/v1/models': { data: [{ id: 'elm' }, { id: 'oak', max_model_len: 12_000 }] } },
  },
  {
    name: 'llama.cpp',
    config: (url) => `[providers.local]\nkind = "openai-compatible"\nbase_url = "${url}/v1"`,
    model: 'local/oak',
    paths: {
      '/props': { default_generation_settings: { n_ctx: 12_000 } },
      '/v1/models': { data: [{ id: 'oak', meta: { n_ctx_train: 131_072 } }] },
    },
  },
  {
    name: 'LM Studio',
    config: (url) => `[providers.local]\nkind = "openai-compatible"\nbase_url = "${url}/v1"`,
    model: 'local/oak',
    paths: {
      '/api/v0/models': { data: [{ id: 'oak', max_context_length: 131_072, loaded_context_length: 12_000 }] },
      '/v1/models': { data: [{ id: 'oak' }] },
    },
  },
];

describe.each(local)('$name', ({ config, model, paths }) => {
  test('[G98] reports the real window of a model, which is requested once and used from then on', async () => {
    server = await openRawServer((request, response) => {
      const reported = paths[request.path];
      const isChat = request.path.endsWith('/chat/completions') || request.path === '/api/chat';
      if (reported === undefined && !isChat) {
        response.writeHead(404).end();
        return;
      }
      const ollama = request.path === '/api/chat';
      response.writeHead(200, { 'content-type': reported || ollama ? 'application/json' : 'text/event-stream' });
      if (reported !== undefined) response.end(JSON.stringify(reported));
      else if (ollama)
        response.end(`${JSON.stringify({ message: { content: 'Yes.' }, done: true, done_reason: 'stop' })}\n`);
      else
        response.end(
          `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
        );
    });
    await open([], { config: config(server.url), compaction: { automatic: false } });
    expect(await fixture.send('Short', { models: [model] }).done).toMatchObject({ type: 'end' });
    expect(server.requests).toHaveLength(1);
    for (const text of [words(3_000), words(3_000)])
      expect(await fixture.send(text, { models: [model] }).done).toMatchObject({ type: 'end' });
    expect(fixture.providers.model(model).info).toMatchObject({ window: 12_000, windowKnown: true });
    const seen = server.requests.length;
    // The window is known now, and full.
    expect(await fixture.send(words(13_000), { models: [model] }).done).toMatchObject({ code: 'context/full' });
    expect(server.requests).toHaveLength(seen);
  });
});

test('[G98] a server that does not report it is not asked again by the next turn', async () => {
  server = await openRawServer((request, response) => {
    if (!request.path.endsWith('/chat/completions')) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`,
    );
  });
  await open([], { config: `[providers.local]\nkind = "openai-compatible"\nbase_url = "${server.url}/v1"` });
  await fixture.send(words(20_000), { models: ['local/oak'] }).done;
  const { length } = server.requests.filter(({ method }) => method === 'GET');
  expect(length).toBeGreaterThan(0);
  await fixture.send(words(20_000), { models: ['local/oak'] }).done;
  expect(server.requests.filter(({ method }) => method === 'GET')).toHaveLength(length);
  expect(await kinds()).toEqual(['user', 'assistant', 'user', 'assistant']);
});

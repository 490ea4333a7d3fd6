import { readdirSync } from 'node:fs';
import { textMessage } from '@coppice/core';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { openFakeProvider } from '../testing/fake-provider.ts';
import { openRawServer } from '../testing/raw-server.ts';
import { createScriptedProvider, makeTextEvents } from '../testing/scripted.ts';
import { collectReply } from './accumulate-reply.ts';
import { createProviders, listModels, requireReadyModel } from './index.ts';
import { providerDefinitions } from './registry.ts';

const config = (text: string, env: Readonly<Record<string, string>> = {}) =>
  parseConfig({ name: 'config.toml', text }, env);
const noOllama = '[ollama]\ndetect = false\n';

describe('the providers of a configuration', () => {
  it('[G90] are those of the registry, each named like its folder and complete', () => {
    const folders = readdirSync(new URL('.', import.meta.url), { withFileTypes: true });
    const names = folders.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
    expect(names.length).toBeGreaterThanOrEqual(7);
    expect(providerDefinitions.map((provider) => provider.name)).toEqual(names.sort());
    for (const { supports, label } of providerDefinitions) {
      expect(supports.blocks).toContain('text');
      expect(label).not.toBe('');
    }
  });

  it('[G91] give a model by provider/model, by provider alone, and by a name that only one of them has', () => {
    const providers = createProviders({
      config: config(
        '[providers.lab]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:1/v1"\ndefault_model = "qwen3"',
      ),
    });
    expect(providers.model('anthropic/claude-sonnet-5')).toMatchObject({
      id: 'anthropic/claude-sonnet-5',
      model: 'claude-sonnet-5',
    });
    expect(providers.model('openrouter/meta/llama-4').model).toBe('meta/llama-4');
    expect(providers.model('lab').id).toBe('lab/qwen3');
    expect(providers.model('lab').provider).toMatchObject({ name: 'lab', kind: 'openai-compatible' });
    expect(providers.model('offline').id).toBe('offline/guide');
    expect(providers.model('claude-opus-5').id).toBe('anthropic/claude-opus-5');
    expect(providers.model('openai/never-heard-of').info).toMatchObject({ window: 8192, maxOut: 8192, known: false });
    for (const name of ['nobody/x', 'nobody', '', '/', 'ollama'])
      expect(() => providers.model(name)).toThrow(
        expect.objectContaining({ code: 'provider/unknown', kind: 'not-found' }),
      );
  });

  it('[G91] refuse an unknown model of a provider with a complete list', () => {
    const providers = createProviders({ config: config('') });
    expect(() => providers.model('offline/nope')).toThrow(
      expect.objectContaining({
        code: 'provider/unknown-model',
        kind: 'not-found',
        message: expect.stringContaining('guide'),
      }),
    );
  });

  it('[G190] refuse a model without a key and name what to set', () => {
    const providers = createProviders({ config: config('[providers.openai]\napi_key = "key-1"') });
    expect(() => requireReadyModel(providers.model('anthropic/claude-sonnet-5'))).toThrow(
      expect.objectContaining({ code: 'provider/no-key', message: expect.stringContaining('ANTHROPIC_API_KEY') }),
    );
    for (const ready of ['openai/gpt-5', 'offline/guide', 'ollama/any']) requireReadyModel(providers.model(ready));
  });

  it('[G91] recognise a provider that is configured under another name', () => {
    const text =
      '[providers.work]\nkind = "anthropic"\napi_key = "work-key-1"\n[models."work/claude-opus-5"]\nwindow = 777';
    const providers = createProviders({ config: config(text) });
    expect(providers.model('work')).toMatchObject({ id: 'work/claude-sonnet-5', provider: { kind: 'anthropic' } });
    expect(providers.model('work').info).toMatchObject({
      provider: 'work',
      known: true,
      price: { input: expect.any(Number) },
    });
    expect(providers.model('work/claude-opus-5').info).toMatchObject({
      window: 777,
      maxOut: 128_000,
      price: { output: 25 },
    });
    expect(providers.list().filter((choice) => choice.provider === 'work' && choice.ready).length).toBeGreaterThan(10);
  });

  it('[G92] recommend the configured model, else one with a key, else a local Ollama, else the guide', async () => {
    const choose = (text: string, env: Readonly<Record<string, string>> = {}) =>
      createProviders({ config: config(text, env) }).defaultModel();
    expect(await choose('model = "offline/babble"', { OPENAI_API_KEY: 'sk-1' })).toBe('offline/babble');
    expect(await choose('', { OPENAI_API_KEY: 'sk-1' })).toMatch(/^openai\//);
    expect(
      await choose('[providers.google]\napi_key = "g"\ndefault_model = "gemini-x"', { ANTHROPIC_API_KEY: 'a' }),
    ).toBe('google/gemini-x');
    const server = await openRawServer((_request, response) => {
      response.end('{"models":[{"model":"qwen3:8b"}]}');
    });
    expect(await choose('', { OLLAMA_HOST: server.url })).toBe('ollama/qwen3:8b');
    expect(await choose(noOllama, { OLLAMA_HOST: server.url })).toBe('offline/guide');
    await server.close();
    expect(await choose('', { OLLAMA_HOST: server.url })).toBe('offline/guide');
  });

  it('[G93] list every model for a picker, usable ones first, and name what is missing for the rest', () => {
    const choices = listModels(config('[providers.openai]\nmodels = ["my-own"]', { OPENAI_API_KEY: 'sk-1' }));
    const ready = choices.filter((choice) => choice.ready);
    expect(new Set(ready.map((choice) => choice.provider))).toEqual(new Set(['openai', 'offline']));
    expect(choices.slice(0, ready.length)).toEqual(ready);
    expect(ready.at(-1)?.provider).toBe('offline');
    expect(choices.find((choice) => choice.id === 'openai/my-own')).toMatchObject({ window: 8192, ready: true });
    const lacking = choices.find((choice) => choice.provider === 'anthropic');
    expect(lacking).toMatchObject({
      ready: false,
      missing:
        'Add a key with coppice keys set anthropic, or on the page under Settings, Models, or set ANTHROPIC_API_KEY.',
    });
    expect(choices.find((choice) => choice.id === 'offline/guide')).toMatchObject({
      price: { input: 0 },
      capabilities: { images: false },
    });
    expect(
      listModels(config('[providers.offline]\nenabled = false')).some((choice) => choice.provider === 'offline'),
    ).toBe(false);
  });

  it('[G94] get the lists of models from servers, and ignore servers that are down', async () => {
    const server = await openRawServer((_request, response) => {
      response.end('{"data":[{"id":"fresh","context_length":4096},{"id":"other"}]}');
    });
    const text = `${noOllama}[providers.up]\nkind = "openai-compatible"\nbase_url = "${server.url}"\n[providers.down]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:1"\n`;
    const providers = createProviders({ config: config(text) });
    await providers.refresh();
    expect(
      providers
        .list()
        .filter((choice) => choice.provider === 'up')
        .map((choice) => [choice.id, choice.window]),
    ).toEqual([
      ['up/fresh', 4096],
      ['up/other', 8192],
    ]);
    await server.close();
  });

  it('[G95] call a server with its configured address, headers, key and limits, and report events under the model', async () => {
    const fake = await openFakeProvider(['429']);
    const text = `[limits]\nlongest_wait_seconds = 1\n[providers.lab]\nkind = "openai-compatible"\nbase_url = "${fake.url}/v1"\napi_key = "lab-key-12345"\nheaders = { "x-team" = "trees" }`;
    const reported: string[] = [];
    const providers = createProviders({
      config: config(text),
      onNotice: (notice, id) => reported.push(`${id} ${notice.type}`),
    });
    const model = providers.model('lab/m');
    const { last, usage } = await collectReply(model.stream({ messages: [textMessage('user', 'Hi')], maxTokens: 5 }));
    expect(last?.type).toBe('end');
    expect(reported).toEqual(['lab/m retry']);
    expect(fake.requests[1]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer lab-key-12345', 'x-team': 'trees' },
    });
    expect(usage === null ? 0 : model.cost(usage)).toBeNull();
    await fake.close();
  });

  it('[G96] accept additional providers, such as a scripted one', async () => {
    const scripted = createScriptedProvider([makeTextEvents('Hello there.')]);
    const providers = createProviders({ config: config(''), extra: [scripted] });
    const { message } = await collectReply(
      providers.model('scripted').stream({ messages: [textMessage('user', 'Hi')], maxTokens: 5 }),
    );
    expect(message?.content).toEqual([{ type: 'text', text: 'Hello there.' }]);
    expect(scripted.requests[0]?.model).toBe('one');
  });
});

it('[G71] keep an assumption about a model marked as assumed under another name of its provider', () => {
  const text =
    '[models."ollama/oak"]\nprice = { input = 1 }\n[providers.lab]\nkind = "ollama"\nbase_url = "http://127.0.0.1:9"';
  const providers = createProviders({ config: parseConfig({ name: 'test.toml', text }, {}) });
  expect(providers.model('ollama/oak').info).toMatchObject({ window: 8_192, windowKnown: false });
  expect(providers.model('lab/oak').info).toMatchObject({ window: 8_192, windowKnown: false, maxOutKnown: false });
});

import { createMemorySecretRecords } from '@coppice/engine';
import { openModelServer } from '@coppice/engine/testing';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createTree, openSharedServer, openTestServer } from '../../testing/index.ts';

const key = 'sk-canary-entered-0001';

test('[A180] a model is connected over HTTP and can be used at once; only the last four characters of its key are returned', async () => {
  const logged: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const models = await openModelServer({ key });
  const server = await openTestServer({ keys: createMemorySecretRecords(), log, config: '[ollama]\ndetect = false' });
  const before = await server.ask('GET', '/api/connections');
  const names: readonly string[] = before.body.items.map((one: { name: string }) => one.name);
  expect(names.slice(0, 6)).toEqual(['openai', 'anthropic', 'google', 'openrouter', 'ollama', 'lm-studio']);
  const wrong = { name: 'near', address: models.url, key: 'sk-canary-wrong-00002' };
  const refused = await server.ask('POST', '/api/connections/test', { body: wrong });
  expect(refused.body).toMatchObject({ models: [], problem: { code: 'provider/unauthorised' } });
  const tried = await server.ask('POST', '/api/connections/test', { body: { ...wrong, key } });
  expect(tried.body).toEqual({ models: ['small-model', 'large-model'], problem: null });
  const kept = await server.ask('PUT', '/api/connections/near', { body: { address: models.url, key, label: 'Near' } });
  expect(kept.body.connection).toMatchObject({
    label: 'Near',
    ready: true,
    models: 2,
    kept: true,
    editable: true,
    key: { from: 'page', lastFour: '0001', variable: null },
  });
  expect((await server.ask('GET', '/api/models')).body.default).toBe('near/small-model');
  const { id, version } = await createTree(server, []);
  const generated = await server.ask('POST', `/api/trees/${id}/generations`, {
    body: { type: 'send', messages: [{ role: 'user', content: 'Hello' }], models: ['near/small-model'] },
    version,
  });
  expect(generated.status).toBe(202);
  await expect
    .poll(async () => JSON.stringify((await server.ask('GET', `/api/trees/${id}/page`)).body))
    .toContain('Hello from the fake server.');
  const everything = [refused, tried, kept, await server.ask('GET', '/api/connections')].map((one) =>
    JSON.stringify(one.body),
  );
  expect([...everything, ...logged].join('\n')).not.toContain('canary');
  const removed = await server.ask('DELETE', '/api/connections/near');
  expect(removed.body.items.some((one: { name: string }) => one.name === 'near')).toBe(false);
  expect((await server.ask('DELETE', '/api/connections/near')).status).toBe(404);
  await server.close();
  await models.close();
});

test('[A180] no part of a very short key is shown, and another address needs the key again', async () => {
  const server = await openTestServer({ keys: createMemorySecretRecords() });
  const put = (body: object) => server.ask('PUT', '/api/connections/mine', { body });
  const short = await put({ address: 'http://127.0.0.1:9/v1', key: 'short-key' });
  expect(short.body.connection.key).toMatchObject({ lastFour: null });
  expect(short.body.problem.code).toBe('provider/unreachable');
  expect((await put({ address: 'http://127.0.0.1:10/v1' })).body.error.code).toBe('keys/needed');
  expect((await put({ address: 'ftp://127.0.0.1' })).body.error.code).toBe('keys/invalid');
  expect((await server.ask('PUT', '/api/connections/openai', { body: {} })).body.error.code).toBe('keys/needed');
  await server.close();
});

test('[A181] models are chosen for new chats and for titles, and can be reset to the configuration', async () => {
  const server = await openTestServer({ keys: createMemorySecretRecords(), config: 'model = "offline/guide"' });
  const chosen = await server.ask('PUT', '/api/settings/models', { body: { defaultModel: 'offline/babble' } });
  expect(chosen.body).toEqual({ defaultModel: 'offline/babble', titleModel: null });
  expect((await server.ask('GET', '/api/models')).body.default).toBe('offline/babble');
  expect((await server.ask('PUT', '/api/settings/models', { body: { titleModel: 'nowhere/x' } })).status).toBe(404);
  await server.ask('PUT', '/api/settings/models', { body: { defaultModel: null } });
  expect((await server.ask('GET', '/api/models')).body.default).toBe('offline/guide');
  await server.close();
});

test('[A182] on a shared server only admins see and set keys, and no address of a private network', async () => {
  const server = await openSharedServer({ keys: createMemorySecretRecords() });
  expect((await server.ask('GET', '/api/connections', { token: 'ben' })).status).toBe(403);
  const asked = { token: 'ada', body: { address: 'http://127.0.0.1:9/v1', key } };
  expect((await server.ask('PUT', '/api/connections/near', asked)).body.error.code).toBe('keys/address');
  const { body } = await server.ask('GET', '/api/connections', { token: 'ada' });
  expect(body).toMatchObject({ privateAddresses: false });
  await server.close();
});

test('[A182] a server without a store of keys accepts none', async () => {
  const server = await openTestServer();
  expect((await server.ask('GET', '/api/connections')).body.keptIn).toBeNull();
  expect((await server.ask('PUT', '/api/connections/openai', { body: { key } })).status).toBe(403);
  await server.close();
});

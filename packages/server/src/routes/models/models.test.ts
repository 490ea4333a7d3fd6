import { expect, test } from 'vitest';
import { openSharedServer, openTestServer } from '../../testing/index.ts';

test('[A110] models, tools and MCP servers are listed, with the default model', async () => {
  const server = await openTestServer({ config: 'model = "offline/guide"' });
  const models = await server.ask('GET', '/api/models');
  expect(models.body.default).toBe('offline/guide');
  expect(models.body.items.some((one: { id: string }) => one.id === 'offline/guide')).toBe(true);
  expect((await server.ask('POST', '/api/models/refresh')).status).toBe(200);
  const tools = await server.ask('GET', '/api/tools');
  expect(tools.body.items.map((one: { name: string }) => one.name)).toContain('current_date');
  expect((await server.ask('GET', '/api/mcp')).body).toMatchObject({ servers: [] });
  expect((await server.ask('POST', '/api/mcp/approvals', { body: { tool: 'x' } })).status).toBe(404);
  await server.close();
});

test('[A112] the list has the models that can be used now, all of them on request, and is sent again only if it changed', async () => {
  const server = await openTestServer({ config: '[ollama]\ndetect = false\n' });
  const ready = await server.ask('GET', '/api/models');
  expect(ready.body.items.every((one: { ready: boolean }) => one.ready)).toBe(true);
  expect(ready.body.items.some((one: { provider: string }) => one.provider === 'openai')).toBe(false);
  const all = await server.ask('GET', '/api/models?all=true');
  expect(all.body.items.some((one: { provider: string }) => one.provider === 'openai')).toBe(true);
  const etag = ready.headers.get('etag') ?? '';
  expect(ready.headers.get('cache-control')).toBe('private, no-cache');
  const again = await server.raw('GET', '/api/models', { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
  expect((await server.raw('GET', '/api/models?all=true', { headers: { 'if-none-match': etag } })).status).toBe(200);
  await server.close();
});

test('[A111] settings show that a key exists and never the key, and warnings to admins only', async () => {
  const config = [
    'model = "offline/guide"',
    'colour = "red"',
    '[providers.openai]',
    'api_key = "sk-canary-settings-0001"',
  ];
  const server = await openSharedServer({ config: config.join('\n') });
  const admin = await server.ask('GET', '/api/settings', { token: 'ada' });
  expect(admin.body.providers).toContainEqual(expect.objectContaining({ name: 'openai', key: true }));
  expect(admin.body.warnings.length).toBeGreaterThan(0);
  expect(JSON.stringify(admin.body)).not.toContain('canary');
  expect((await server.ask('GET', '/api/settings', { token: 'ben' })).body.warnings).toEqual([]);
  await server.close();
});

import { createTools, defineTool } from '@coppice/engine';
import { makeTextEvents, makeToolEvents } from '@coppice/engine/testing';
import { expect, test } from 'vitest';
import { createLog } from './log.ts';
import { EventReader, openTestServer } from './testing/index.ts';

const canaries = [
  'sk-canary-config-000001',
  'sk-canary-header-000002',
  'sk-canary-error-0000003',
  'launch-token-canary',
];

test('[A130] the log has a line for each request by its pattern, without key, token, query or message text', async () => {
  const lines: string[] = [];
  const log = createLog({ to: { write: (line) => void lines.push(line) } });
  const token = 'launch-token-canary';
  const server = await openTestServer({
    log,
    auth: { mode: 'token', token },
    config: '[providers.openai]\napi_key = "sk-canary-config-000001"',
    replies: [[{ type: 'throw', error: new Error('bad key sk-canary-error-0000003') }]],
  });
  const messages = [{ role: 'user', content: 'words of a conversation' }];
  const made = await server.ask('POST', '/api/trees', { token, body: { messages } });
  await server.ask('GET', '/api/search?q=words', { token });
  await server.ask('GET', '/api/me', { token: 'sk-canary-header-000002' });
  await server.raw('GET', `/?token=${token}`, { token: null });
  await server.ask('GET', '/api/shared/share-token-canary', { token: null });
  const begun = await server.ask('POST', `/api/trees/${made.body.treeId}/generations`, {
    token,
    version: made.body.version,
    body: { type: 'reply', parentId: made.body.activeNodeId, models: ['scripted/one'] },
  });
  const events = new EventReader(await server.raw('GET', `/api/generations/${begun.body.actId}/events`, { token }));
  const reported = JSON.stringify(await events.all());
  log.error({ err: new Error('Authorization: Bearer sk-canary-header-000002') }, 'with sk-canary-config-000001');
  await server.close();
  const text = lines.join('');
  const requests = lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request');
  expect(requests.map((line) => [line.method, line.route, line.status])).toEqual([
    ['POST', '/api/trees', 201],
    ['GET', '/api/search', 200],
    ['GET', '/api/me', 401],
    ['GET', 'sign-in', 303],
    ['GET', '/api/shared/{token}', 404],
    ['POST', '/api/trees/{tree}/generations', 202],
    ['GET', '/api/generations/{act}/events', 200],
  ]);
  for (const secret of [...canaries, 'words of a conversation', 'share-token-canary'])
    expect(text).not.toContain(secret);
  expect(reported).not.toContain('sk-canary');
});

test('[A141] a response and its log line have the same id, that of a proxy in front if it is valid', async () => {
  const lines: string[] = [];
  const log = createLog({ to: { write: (line) => void lines.push(line) } });
  const server = await openTestServer({ log });
  const idOf = async (headers: Readonly<Record<string, string>> = {}) =>
    (await server.raw('GET', '/healthz', { headers })).headers.get('x-request-id');
  const [first, second] = [await idOf(), await idOf()];
  expect(first).toMatch(/^[0-9a-f]{12}-[0-9a-z]+$/);
  expect(second).not.toBe(first);
  expect(await idOf({ 'x-request-id': 'edge-0123456789' })).toBe('edge-0123456789');
  const refused = await idOf({ 'x-request-id': 'an id with "quotes"' });
  expect(refused).toMatch(/^[0-9a-f]{12}-/);
  const logged = lines.map((line) => JSON.parse(line)).filter((line) => line.msg === 'request');
  expect(logged.map((line) => line.id)).toEqual([first, second, 'edge-0123456789', refused]);
  await server.close();
});

test('[A131] keys that the server holds are in no response, feed, document, tool result or stored row', async () => {
  const env = { OPENAI_API_KEY: 'sk-canary-environment-004' };
  const tools = createTools({
    tools: [
      defineTool({
        name: 'environment',
        description: 'Shows the environment.',
        parameters: { type: 'object' },
        sideEffects: false,
        run: () => ({ ...env, note: 'from the environment' }),
      }),
    ],
  });
  const server = await openTestServer({
    store: 'sqlite',
    tools,
    config:
      '[providers.openai]\napi_key = "sk-canary-config-000001"\n[providers.anthropic]\napi_key = "sk-canary-environment-004"',
    replies: [makeToolEvents({ id: 'c1', name: 'environment', parameters: {} }), makeTextEvents('Done.')],
  });
  const messages = [{ role: 'user', content: 'Show me.' }];
  const made = await server.ask('POST', '/api/trees', { body: { messages } });
  const at = `/api/trees/${made.body.treeId}`;
  const feed = new EventReader(await server.raw('GET', `${at}/feed`));
  const begun = await server.ask('POST', `${at}/generations`, {
    version: made.body.version,
    body: { type: 'reply', parentId: made.body.activeNodeId, models: ['scripted/one'], tools: ['environment'] },
  });
  const turn = new EventReader(await server.raw('GET', `/api/generations/${begun.body.actId}/events`));
  await turn.all();
  const seen: unknown[] = [turn.seen];
  await feed.until((all) => all.some((event) => JSON.stringify(event.data).includes('Done.')));
  seen.push(feed.seen);
  const paths = [
    '/api/settings',
    '/api/models',
    '/api/tools',
    '/api/mcp',
    '/metrics',
    '/api/openapi.json',
    `${at}/page`,
    `${at}/context`,
  ];
  for (const path of paths) seen.push((await server.ask('GET', path)).body);
  await feed.close();
  const rows = await server.store.read(made.body.treeId, function* () {
    return yield { ask: 'rows' };
  });
  for (const text of [JSON.stringify(seen), JSON.stringify(rows)]) {
    expect(text).toContain('from the environment');
    expect(text).not.toContain('sk-canary');
  }
  await server.close();
});

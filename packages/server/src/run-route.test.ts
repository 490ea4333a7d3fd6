import { z } from '@hono/zod-openapi';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { buildOpenApiDocument } from './openapi.ts';
import { defineRoute } from './routes/define.ts';
import { runRoute } from './run-route.ts';
import { openTestServer } from './testing/index.ts';

afterEach(() => vi.restoreAllMocks());

test('[A300] a deprecated route works, and says so in its header, once in the log and in the document', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const route = defineRoute({
    method: 'get',
    path: '/api/former',
    name: 'readFormer',
    summary: 'Reads it.',
    answer: z.object({ ok: z.boolean() }),
    deprecated: { use: 'GET /api/current', since: '0.2.0', on: '2027-01-31' },
    handle: () => ({ value: { ok: true } }),
  });
  const at = await openTestServer();
  onTestFinished(() => at.close());
  at.server.app.on('GET', [route.path], runRoute(route));
  for (let call = 0; call < 2; call++) {
    const response = await at.raw('GET', route.path);
    expect([response.status, response.headers.get('deprecation')]).toEqual([200, '@1801353600']);
    expect(await response.json()).toEqual({ ok: true });
  }
  expect(warn.mock.calls).toEqual([
    [
      'GET /api/former is deprecated since version 0.2.0 and will be removed. Use GET /api/current instead.',
      'DeprecationWarning',
    ],
  ]);
  expect(buildOpenApiDocument([route])).toMatchObject({
    paths: { '/api/former': { get: { deprecated: true, description: 'Use GET /api/current instead.' } } },
  });
  expect((await at.raw('GET', '/api/me')).headers.get('deprecation')).toBeNull();
});

test('[A302] a refusal names the field and says whether it is missing, and a repeated parameter is refused', async () => {
  const at = await openTestServer();
  onTestFinished(() => at.close());
  const refusalOf = async (method: string, path: string, body?: unknown) =>
    (await at.ask(method, path, body === undefined ? {} : { body })).body.error?.message;
  expect(await refusalOf('GET', '/api/trees?limit=1&limit=2')).toBe('query.limit is given more than once.');
  expect(await refusalOf('POST', '/api/tokens', {})).toBe('body.name is missing.');
  expect(await refusalOf('POST', '/api/tokens', { name: 5 })).toBe(
    'body.name: Invalid input: expected string, received number.',
  );
  const { treeId } = (await at.ask('POST', '/api/trees', { body: {} })).body;
  const append = (messages: unknown) =>
    refusalOf('POST', `/api/trees/${treeId}/messages?expectedVersion=1`, { messages });
  expect(await append([{ role: 'user', content: [{ text: 'x' }] }])).toMatch(/^body\.messages\.0\..+\.$/);
  expect(await refusalOf('POST', `/api/trees/${treeId}/reads`, { name: 'head', with: {} })).toBe(
    'body.with.id is missing.',
  );
});

test('[A302] a refusal repeats at most a thousand characters of the request', async () => {
  const at = await openTestServer();
  onTestFinished(() => at.close());
  const { treeId, version } = (await at.ask('POST', '/api/trees', { body: { messages: ['Hi'] } })).body;
  const body = { nodeId: 'x'.repeat(500_000) };
  const { error } = (await at.ask('POST', `/api/trees/${treeId}/branch`, { version, body })).body;
  expect(error.message.length).toBeLessThan(1_100);
  expect(JSON.stringify(error).length).toBeLessThan(3_000);
});

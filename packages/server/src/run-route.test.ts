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

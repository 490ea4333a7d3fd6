import { expect, test } from 'vitest';
import { createTree, openTestServer } from '../../testing/index.ts';

test('[A30] health reports that the process responds and readiness that the store does, to anybody and without details', async () => {
  const server = await openTestServer();
  const recorder = { health: 'recording', waiting: 0, spilled: 0, dropped: 0, failed: 0, unacknowledged: 0 };
  expect((await server.ask('GET', '/healthz', { token: null })).body).toEqual({ status: 'ok', recorder });
  expect((await server.ask('GET', '/readyz', { token: null })).body).toEqual({ status: 'ok' });
  await server.store.close();
  const closed = await server.ask('GET', '/readyz', { token: null });
  expect([closed.status, closed.body]).toEqual([503, { status: 'unavailable' }]);
  await server.close();
});

test('[A31] metrics are counted by the pattern of a route, never by the values in its path', async () => {
  const server = await openTestServer();
  await server.ask('GET', '/api/trees/01890c2e-0000-7000-8000-000000000001/page');
  const { body } = await server.ask('GET', '/metrics');
  expect(body).toContain('coppice_requests_total{method="GET",route="/api/trees/{tree}/page",status="404"} 1');
  expect(body).not.toContain('01890c2e');
  await server.close();
});

test('[A142] metrics include version, memory, processor time and load of the process', async () => {
  const server = await openTestServer();
  const { body } = await server.ask('GET', '/metrics');
  expect(body).toMatch(/^coppice_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
  for (const name of ['uptime_seconds', 'resident_bytes', 'cpu_seconds_total', 'busy_seconds_total'])
    expect(Number(new RegExp(`^coppice_process_${name} (\\S+)$`, 'm').exec(body)?.[1])).toBeGreaterThan(0);
  expect(body).toContain('# TYPE coppice_process_cpu_seconds_total counter');
  await server.close();
});

test('[A32] the reference page lists every route and loads nothing', async () => {
  const server = await openTestServer();
  const { body, headers } = await server.ask('GET', '/api/docs', { token: null });
  expect(body).toContain('/api/trees/{tree}/page');
  expect(body).not.toMatch(/<script|src=|https?:/);
  expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  await server.close();
});

test('[A129] a known path with another method names the allowed ones, and an unknown path is 404, both as JSON', async () => {
  const server = await openTestServer();
  const { id } = await createTree(server);
  for (const [method, path, allow] of [
    ['PUT', '/api/trees', 'POST, GET, HEAD'],
    ['POST', `/api/trees/${id}/page`, 'GET, HEAD'],
    ['OPTIONS', `/api/trees/${id}/messages`, 'POST, DELETE'],
    ['DELETE', '/healthz', 'GET, HEAD'],
  ] as const) {
    const refused = await server.ask(method, path);
    expect([path, refused.status, refused.body.error.code]).toEqual([path, 405, 'http/method']);
    expect(new Set(refused.headers.get('allow')?.split(', '))).toEqual(new Set(allow.split(', ')));
  }
  for (const path of ['/api', '/api/', '/api/tree', `/api/trees/${id}/`, '/api/trees/a/b/c/d'])
    expect((await server.ask('GET', path)).body.error.code).toBe('http/not-found');
  await server.close();
});

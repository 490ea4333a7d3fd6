/**
 * Tests every route against every attack. Fails for a route without a sample, and for a sample without a
 * route.
 */
import { createMemorySecretRecords } from '@coppice/engine';
import { beforeAll, expect, test } from 'vitest';
import { pathParameterParsers, type RouteDefinition } from '../routes/define.ts';
import { routes } from '../routes/index.ts';
import {
  createTestId,
  createTree,
  openSharedServer,
  routeSamples,
  type SampleIds,
  type TestRequestOptions,
  type TestServer,
} from '../testing/index.ts';

let server: TestServer;
let ids: SampleIds;

beforeAll(async () => {
  server = await openSharedServer({
    keys: createMemorySecretRecords(),
    limits: { bodyBytes: 4_000, proxyBytes: 4_000, attachmentBytes: 4_000, importBytes: 4_000 },
  });
  const sample = await createTree(server, ['Hello', 'Hi there'], 'ben');
  ids = { tree: sample.id, node: sample.nodeIds[1] ?? '', parent: sample.nodeIds[0] ?? '' };
  return () => server.close();
});

function pathOf(route: RouteDefinition, replaced: Partial<Record<string, string>> = {}): string {
  const values: Record<string, string> = {
    tree: ids.tree,
    node: ids.node,
    act: createTestId(),
    version: '1',
    hash: 'a'.repeat(64),
    ...replaced,
  };
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? 'unknown');
  const query = routeSamples[route.name]?.(ids).query;
  return query === undefined ? path : `${path}?${query}`;
}

/** Sends a valid request with the given changes, checks the headers, and returns the status and the error code. */
async function attack(route: RouteDefinition, asked: TestRequestOptions, path = pathOf(route)) {
  const { body } = routeSamples[route.name]?.(ids) ?? {};
  const response = await server.raw(route.method.toUpperCase(), path, {
    token: 'ben',
    version: 99,
    ...(body === undefined ? {} : { body }),
    ...asked,
  });
  expect(response.headers.get('access-control-allow-origin'), route.path).toBeNull();
  expect(response.headers.get('x-content-type-options'), route.path).toBe('nosniff');
  expect(response.headers.get('content-security-policy'), route.path).toContain("default-src 'none'");
  const type = response.headers.get('content-type') ?? '';
  const said: ReturnType<typeof JSON.parse> = type.startsWith('application/json') ? await response.json() : {};
  await response.body?.cancel().catch(() => undefined);
  return { status: response.status, code: said.error?.code ?? null };
}

const called = routes.map((route): [string, RouteDefinition] => [`${route.method} ${route.path}`, route]);

test('[A60] the table of this test lists all routes', () => {
  expect(routes.map((route) => route.name).toSorted()).toEqual(Object.keys(routeSamples).toSorted());
  expect(new Set(called.map(([name]) => name)).size).toBe(routes.length);
  for (const { parameters } of routes) for (const name of parameters) expect(pathParameterParsers).toHaveProperty(name);
});

test.each(called)('[A61] %s responds only under its own host name', async (_name, route) => {
  for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', 'localhost@evil.example', '[::2]'])
    expect(await attack(route, { headers: { host } })).toEqual({ status: 403, code: 'http/forbidden-host' });
});

test.each(called)('[A62] %s cannot be called by pages of other origins', async (_name, route) => {
  for (const origin of ['https://evil.example', 'http://localhost:1', 'null', 'http://localhost.evil.example'])
    expect(await attack(route, { headers: { origin } })).toEqual({ status: 403, code: 'http/forbidden-origin' });
  if (route.method !== 'get')
    for (const site of ['cross-site', 'same-site'])
      expect(await attack(route, { headers: { 'sec-fetch-site': site } })).toEqual({
        status: 403,
        code: 'http/forbidden-origin',
      });
  const preflight = await server.raw('OPTIONS', pathOf(route), {
    token: null,
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(403);
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
});

test.each(called)('[A63] %s requires a sign-in, unless it is open to all', async (_name, route) => {
  for (const asked of [{ token: null }, { token: 'wrong' }, { token: null, headers: { cookie: 'coppice=wrong' } }]) {
    const { status, code } = await attack(route, asked);
    if (route.needs.access === 'open') expect(status).not.toBe(401);
    else expect([status, code]).toEqual([401, 'http/unauthorized']);
  }
});

test.each(called.filter(([, route]) => route.parameters.includes('tree')))(
  '[A64] %s reveals nothing about trees of other users',
  async (_name, route) => {
    expect((await attack(route, { token: 'cleo' })).status).toBe(404);
    expect((await attack(route, { token: 'ada' })).status).toBe(404);
  },
);

test.each(called.filter(([, route]) => route.parameters.includes('tree') && route.parameters.includes('node')))(
  '[A65] %s refuses a node of another tree',
  async (_name, route) => {
    const own = await createTree(server, ['Mine'], 'cleo');
    const { status } = await attack(route, { token: 'cleo' }, pathOf(route, { tree: own.id }));
    expect([404, 409, 422]).toContain(status);
  },
);

test.each(called.filter(([, route]) => route.method !== 'get'))(
  '[A66] %s refuses forms and bodies with a wrong content type',
  async (_name, route) => {
    const admin = route.needs.access === 'admin' ? { token: 'ada' } : {};
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain']) {
      if (route.needs.body === 'bytes' && type === 'text/plain') continue;
      const { status, code } = await attack(route, { ...admin, headers: { 'content-type': type }, body: 'a=b' });
      expect([type, status, code]).toEqual([type, 415, 'http/media-type']);
    }
    const squeezed = await attack(route, { ...admin, headers: { 'content-encoding': 'gzip' }, body: 'x' });
    expect(squeezed.status).toBe(415);
  },
);

test.each(called.filter(([, route]) => route.needs.body !== 'none'))(
  '[A67] %s accepts a body up to its limit and refuses a longer one, whatever length it declares',
  async (_name, route) => {
    const admin = route.needs.access === 'admin' ? { token: 'ada' } : {};
    const large = 'x'.repeat(4_001);
    expect(await attack(route, { ...admin, body: large, headers: { 'content-length': '4001' } })).toEqual({
      status: 413,
      code: 'http/too-large',
    });
    expect((await attack(route, { ...admin, body: large })).status).toBe(413);
    const fits = await attack(route, { ...admin, body: 'x'.repeat(4_000), headers: { 'content-length': '4000' } });
    expect(fits.status).not.toBe(413);
  },
);

test.each(called.filter(([, route]) => route.parameters.length > 0))(
  '[A68] %s refuses a file path as an id',
  async (_name, route) => {
    for (const bad of ['..%2F..%2Fetc%2Fpasswd', '%2e%2e%2f', '%00', "'%20OR%20'1'='1", '__proto__']) {
      const replaced = Object.fromEntries(route.parameters.map((name) => [name, bad]));
      const { status } = await attack(route, { token: 'ada' }, pathOf(route, replaced));
      expect([200, 400, 404, 428]).toContain(status);
      if (!route.parameters.includes('name')) expect([400, 404, 428]).toContain(status);
    }
  },
);

test.each(called.filter(([, route]) => route.needs.access === 'write'))(
  '[A69] %s is refused for viewers',
  async (_name, route) => {
    expect(await attack(route, { token: 'vic' })).toEqual({ status: 403, code: 'http/forbidden' });
  },
);

test.each(called.filter(([, route]) => route.needs.access === 'admin'))(
  '[A70] %s is refused for everybody but admins',
  async (_name, route) => {
    for (const token of ['ben', 'vic'])
      expect(await attack(route, { token })).toEqual({ status: 403, code: 'http/forbidden' });
  },
);

test.each(called.filter(([, route]) => route.needs.version === 'required'))(
  '[A71] %s is refused without a version',
  async (_name, route) => {
    const { body } = routeSamples[route.name]?.(ids) ?? {};
    const response = await server.raw(route.method.toUpperCase(), pathOf(route), {
      token: 'ben',
      ...(body === undefined ? {} : { body }),
    });
    expect(response.status).toBe(428);
  },
);

test('[A72] a GET request changes nothing', async () => {
  const before = await server.ask('GET', `/api/trees/${ids.tree}`, { token: 'ben' });
  for (const [, route] of called.filter(([, one]) => one.method === 'get')) await attack(route, {});
  expect((await server.ask('GET', `/api/trees/${ids.tree}`, { token: 'ben' })).body).toEqual(before.body);
});

test('[A73] an id of another tree in a body is refused by every route', async () => {
  const mine = await createTree(server, ['Mine'], 'cleo');
  const at = `/api/trees/${mine.id}`;
  const theirs = ids.node;
  const requests: [string, string, unknown][] = [
    ['POST', `${at}/messages`, { parentId: theirs, messages: [{ role: 'user', content: 'x' }] }],
    ['POST', `${at}/generations`, { type: 'reply', parentId: theirs, models: ['scripted/one'] }],
    ['POST', `${at}/generations`, { type: 'regenerate', nodeId: theirs, models: ['scripted/one'] }],
    ['POST', `${at}/nodes/${mine.nodeIds[0]}/move`, { parentId: theirs }],
    ['POST', `${at}/nodes/${mine.nodeIds[0]}/move`, { parentId: theirs, treeId: ids.tree }],
    ['POST', `${at}/cherry-pick`, { nodeId: theirs }],
    ['POST', `${at}/cherry-pick`, { nodeId: theirs, from: ids.tree }],
    ['POST', `${at}/merge`, { nodeId: theirs, summary: 'x' }],
    ['POST', `${at}/branch`, { nodeId: theirs }],
    ['POST', `${at}/shares`, { nodeId: theirs }],
    ['PUT', `${at}/active`, { nodeId: theirs }],
    ['POST', `${at}/nodes/delete`, { nodeIds: [theirs] }],
    ['POST', `${at}/group`, { nodeIds: [theirs] }],
    ['POST', `${at}/duplicate`, { nodeId: theirs }],
    ['POST', `${at}/compact`, { nodeId: theirs }],
  ];
  for (const [method, path, body] of requests) {
    const { status, body: said } = await server.ask(method, path, { token: 'cleo', version: mine.version, body });
    expect([path, status]).toEqual([path, 404]);
    expect(JSON.stringify(said)).not.toContain('Hi there');
  }
  const taken = { messages: [{ id: theirs, role: 'user', content: 'x' }] };
  const clash = await server.ask('POST', `${at}/messages`, { token: 'cleo', version: mine.version, body: taken });
  expect([clash.status, clash.body.error.code]).toEqual([409, 'id/taken']);
});

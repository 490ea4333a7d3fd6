import { createMemorySecretRecords } from '@coppice/engine';
import { createMemorySharedRecords } from '@coppice/stores';
import { expect, test } from 'vitest';
import { defaultQuotas } from '../../contract.ts';
import { EventStreams } from '../../live/event-stream.ts';
import { UserUsageTracker } from '../../middleware/limits.ts';
import { createTree, EventReader, openSharedServer, openTestServer } from '../../testing/index.ts';

test('[A80] on a shared server users see only their own trees, in searches, lists and feeds too', async () => {
  const server = await openSharedServer();
  const { id } = await createTree(server, ['a secret of Ben'], 'ben');
  expect((await server.ask('GET', '/api/trees', { token: 'ben' })).body.items).toMatchObject([{ id }]);
  for (const token of ['cleo', 'ada', 'vic']) {
    expect((await server.ask('GET', '/api/trees', { token })).body.items).toEqual([]);
    expect((await server.ask('GET', '/api/search?q=secret', { token })).body.items).toEqual([]);
    expect((await server.ask('GET', '/api/folders', { token })).body.items).toEqual([]);
  }
  expect((await server.ask('GET', '/api/me', { token: 'ben' })).body).toEqual({
    id: 'ben',
    name: 'ben',
    role: 'member',
    mode: 'users',
  });
  await server.close();
});

test('[A81] an admin adds users with a token that is shown once and stored as a hash, and disables them again', async () => {
  const server = await openSharedServer();
  const made = await server.ask('POST', '/api/users', {
    token: 'ada',
    body: { id: 'dora', name: 'Dora', role: 'viewer' },
  });
  expect(made.status).toBe(201);
  const token: string = made.body.token;
  expect((await server.ask('GET', '/api/me', { token })).body).toMatchObject({ id: 'dora', role: 'viewer' });
  expect(JSON.stringify(await server.store.accounts.tokens('dora'))).not.toContain(token);
  const twice = await server.ask('POST', '/api/users', { token: 'ada', body: { id: 'dora', name: 'Dora' } });
  expect([twice.status, twice.body.error.code]).toEqual([409, 'id/taken']);
  await server.ask('PATCH', '/api/users/dora', { token: 'ada', body: { disabled: true } });
  expect((await server.ask('GET', '/api/me', { token })).status).toBe(401);
  await server.ask('PATCH', '/api/users/dora', { token: 'ada', body: { disabled: false, role: 'member' } });
  expect((await server.ask('GET', '/api/me', { token })).body.role).toBe('member');
  const self = await server.ask('PATCH', '/api/users/ada', { token: 'ada', body: { disabled: true } });
  expect(self.status).toBe(403);
  expect((await server.ask('GET', '/api/users', { token: 'ada' })).body.items.length).toBe(5);
  await server.close();
});

test('[A82] a token expires, is revoked by its owner alone, and is never shown again', async () => {
  let now = 1_000_000;
  const server = await openSharedServer({ now: () => now });
  const body = { name: 'script', expiresAt: now + 1_000 };
  const made = await server.ask('POST', '/api/tokens', { token: 'ben', body });
  const { secret, token } = made.body;
  expect((await server.ask('GET', '/api/me', { token: secret })).status).toBe(200);
  const listed = await server.ask('GET', '/api/tokens', { token: 'ben' });
  expect(JSON.stringify(listed.body)).not.toMatch(new RegExp(`${secret}|hash`));
  expect((await server.ask('DELETE', `/api/tokens/${token.id}`, { token: 'cleo' })).status).toBe(404);
  now += 1_000;
  expect((await server.ask('GET', '/api/me', { token: secret })).status).toBe(401);
  const second = await server.ask('POST', '/api/tokens', { token: 'ben', body: { name: 'other' } });
  await server.ask('DELETE', `/api/tokens/${second.body.token.id}`, { token: 'ben' });
  expect((await server.ask('GET', '/api/me', { token: second.body.secret })).status).toBe(401);
  const past = await server.ask('POST', '/api/tokens', { token: 'ben', body: { name: 'x', expiresAt: now } });
  expect([past.status, past.body.error.code]).toEqual([400, 'http/invalid']);
  await server.close();
});

test('[A157] nobody creates a token for another user, not even an admin', async () => {
  const server = await openSharedServer();
  const make = (token: string, userId?: string) =>
    server.ask('POST', '/api/tokens', { token, body: { name: 'x', ...(userId === undefined ? {} : { userId }) } });
  for (const [who, userId] of [
    ['ben', 'cleo'],
    ['ada', 'ben'],
    ['ada', 'nobody'],
  ] as const) {
    const refused = await make(who, userId);
    expect([refused.status, refused.body.error.code]).toEqual([403, 'http/forbidden']);
  }
  for (const token of ['ben', 'cleo'])
    expect(JSON.stringify((await server.ask('GET', '/api/tokens', { token })).body)).not.toContain('"x"');
  expect((await make('ben', 'ben')).status).toBe(201);
  expect((await make('ada')).status).toBe(201);
  await server.close();
});

test('[A88] revoking a token or disabling a user also ends their open streams', async () => {
  const server = await openSharedServer();
  const { id, nodeIds, version } = await createTree(server, ['Hello'], 'ben');
  const made = await server.ask('POST', '/api/tokens', { token: 'ben', body: { name: 'lost' } });
  const follow = async (token: string, path = `/api/trees/${id}/feed`) =>
    new EventReader(await server.raw('GET', path, { token }));
  const streams = [await follow(made.body.secret), await follow(made.body.secret, '/api/feed')];
  const own = await follow('ben');
  await server.ask('DELETE', `/api/tokens/${made.body.token.id}`, { token: 'ben' });
  for (const stream of streams) expect(await stream.all()).toEqual([]);
  const body = { parentId: nodeIds[0], messages: [{ role: 'assistant', content: 'Hi' }] };
  await server.ask('POST', `/api/trees/${id}/messages`, { token: 'ben', version, body });
  await own.until((seen) => seen.length > 0);
  await server.ask('PATCH', '/api/users/ben', { token: 'ada', body: { disabled: true } });
  expect((await own.all()).length).toBe(1);
  await server.close();
});

test('[A88] a token revoked in another process, or expired, ends its streams at the next heartbeat', async () => {
  let now = 1_000_000;
  const server = await openSharedServer({ limits: { pingMs: 5 }, now: () => now });
  const made = await server.ask('POST', '/api/tokens', { token: 'ben', body: { name: 'short', expiresAt: now + 1 } });
  const soon = new EventReader(await server.raw('GET', '/api/feed', { token: made.body.secret }));
  const other = new EventReader(await server.raw('GET', '/api/feed', { token: 'ben' }));
  now += 1;
  expect(await soon.all()).toEqual([]);
  const [token] = await server.store.accounts.tokens('ben');
  if (token !== undefined) await server.store.accounts.putToken({ ...token, revokedAt: now });
  expect(await other.all()).toEqual([]);
  await server.close();
});

test('[A88] heartbeats query a slow store once at a time, and again when a token is revoked', async () => {
  const closing = new AbortController();
  const streams = new EventStreams(
    new UserUsageTracker({
      quotasOf: () => defaultQuotas,
      now: Date.now,
      records: createMemorySharedRecords(Date.now),
    }),
    { backlogBytes: 1_000_000, pingMs: 1 },
    closing.signal,
  );
  const asked: ((isValid: boolean) => void)[] = [];
  const isValid = () => new Promise<boolean>((resolve) => asked.push(resolve));
  const reader = streams.open({ owner: 'ben', credential: { key: 'k', isValid } }).body.getReader();
  for (let at = 0; at < 6; at += 1) await reader.read();
  expect(asked.length).toBe(1);
  const again = streams.closeRevoked();
  expect(asked.length).toBe(2);
  asked[1]?.(false);
  await again;
  asked[0]?.(true);
  while (!(await reader.read()).done);
  closing.abort();
});

test('[A83] a user name in a header is accepted only from a listed proxy', async () => {
  const proxy = { addresses: ['10.0.0.9'], userHeader: 'x-forwarded-user', admit: true };
  const server = await openSharedServer({ auth: { mode: 'users', proxy } });
  const from = async (remoteAddress: string | null, user: string) => {
    const env = remoteAddress === null ? {} : { incoming: { socket: { remoteAddress } } };
    const response = await server.server.app.request('/api/me', { headers: { 'x-forwarded-user': user } }, env);
    return response.ok ? ((await response.json()) as { readonly id: string }).id : response.status;
  };
  expect(await from('10.0.0.9', 'ben')).toBe('ben');
  expect(await from('::ffff:10.0.0.9', 'ben')).toBe('ben');
  expect(await from('10.0.0.8', 'ben')).toBe(401);
  expect(await from(null, 'ben')).toBe(401);
  expect(await from('10.0.0.9', 'newcomer@example.org')).toBe('newcomer@example.org');
  expect(await from('10.0.0.9', '../../etc')).toBe(401);
  await server.close();
});

test('[A84] a server for one person has one token, by header or by cookie, and no accounts', async () => {
  const server = await openTestServer();
  expect((await server.ask('GET', '/api/me')).body).toMatchObject({ id: 'local', role: 'admin', mode: 'token' });
  const signIn = await server.raw('GET', `/?token=${server.token}`, { token: null });
  expect([signIn.status, signIn.headers.get('location')]).toEqual([303, '/']);
  const cookie = signIn.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^coppice=test-token; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
  const [pair = ''] = cookie.split(';');
  expect((await server.ask('GET', '/api/me', { token: null, headers: { cookie: `other=1; ${pair}` } })).status).toBe(
    200,
  );
  // A link from another site must not sign a user in or out, nor into another user's account.
  for (const [site, signed] of [
    ['cross-site', false],
    ['same-site', false],
    ['same-origin', true],
    ['none', true],
  ] as const) {
    const led = await server.raw('GET', '/?token=of-another', { token: null, headers: { 'sec-fetch-site': site } });
    expect([site, led.status, led.headers.has('set-cookie')]).toEqual([site, 303, signed]);
  }
  expect((await server.ask('GET', '/api/users')).status).toBe(404);
  expect((await server.ask('POST', '/api/tokens', { body: { name: 'x' } })).status).toBe(404);
  await server.close();
});

test('[A87] a browser signs in with a code that works once and expires soon, and never holds the token', async () => {
  let now = 1_000;
  const server = await openTestServer({ now: () => now });
  const { signInCodes } = server.server.services;
  const enter = (code: string, method = 'GET') => server.raw(method, `/?code=${code}`, { token: null });
  const cookieOf = async (code: string) => {
    const answer = await enter(code);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/']);
    return answer.headers.get('set-cookie');
  };
  const [code, unused] = [await signInCodes.make(), await signInCodes.make()];
  expect(code).not.toContain(server.token);
  // A HEAD request does not use up the code.
  expect((await enter(code, 'HEAD')).headers.get('set-cookie')).toBeNull();
  expect(await cookieOf(code)).toMatch(/^coppice=test-token; Path=\/; HttpOnly; SameSite=Strict/);
  expect(await cookieOf(code)).toBeNull();
  expect(await cookieOf('guess')).toBeNull();
  now += 2 * 60_000;
  expect(await cookieOf(unused)).toBeNull();
  await server.close();
  const shared = await openSharedServer();
  const given = await shared.server.services.signInCodes.make();
  expect((await shared.raw('GET', `/?code=${given}`, { token: null })).headers.get('set-cookie')).toBeNull();
  await shared.close();
});

test('[A85] a user has a limited number of requests per minute', async () => {
  let now = 60_000;
  const server = await openTestServer({ quotas: { requestsPerMinute: 3 }, now: () => now });
  for (let count = 0; count < 3; count++) expect((await server.ask('GET', '/api/me')).status).toBe(200);
  const refused = await server.ask('GET', '/api/me');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
  now += 60_000;
  expect((await server.ask('GET', '/api/me')).status).toBe(200);
  await server.close();
});

test('[A86] recorded calls of other users are not shown', async () => {
  const server = await openSharedServer();
  const body = { model: 'offline/babble', max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] };
  const called = await server.ask('POST', '/v1/chat/completions', { token: 'ben', body });
  expect(called.status).toBe(200);
  const calls = async (token: string) => (await server.ask('GET', '/api/proxy', { token })).body.calls.length;
  while ((await calls('ben')) === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect([await calls('ben'), await calls('cleo'), await calls('ada')]).toEqual([1, 0, 0]);
  await server.close();
});

test('[A196] an admin sees the tokens of a user and revokes one; members do not', async () => {
  const server = await openSharedServer();
  const made = await server.ask('POST', '/api/tokens', { token: 'ben', body: { name: 'laptop' } });
  expect((await server.ask('GET', '/api/users/ben/tokens', { token: 'cleo' })).status).toBe(403);
  const listed = await server.ask('GET', '/api/users/ben/tokens', { token: 'ada' });
  expect(listed.body.items.map((each: { readonly name: string }) => each.name)).toEqual(['test', 'laptop']);
  expect(JSON.stringify(listed.body)).not.toMatch(new RegExp(`${made.body.secret}|hash`));
  const path = `/api/users/ben/tokens/${made.body.token.id}`;
  expect((await server.ask('DELETE', path, { token: 'cleo' })).status).toBe(403);
  expect((await server.ask('DELETE', path, { token: 'ada' })).status).toBe(200);
  expect((await server.ask('GET', '/api/me', { token: made.body.secret })).status).toBe(401);
  expect((await server.ask('DELETE', '/api/users/ben/tokens/nothing', { token: 'ada' })).status).toBe(404);
  await server.close();
});

test('[A197] an admin sees the model usage of each user', async () => {
  const server = await openSharedServer();
  const { id, nodeIds, version } = await createTree(server, ['Hello'], 'ben');
  await server.ask('POST', `/api/trees/${id}/generations`, {
    token: 'ben',
    version,
    body: { type: 'reply', parentId: nodeIds[0], models: ['scripted/one'] },
  });
  const read = async () => (await server.ask('GET', '/api/usage', { token: 'ada' })).body;
  await expect.poll(async () => (await read()).items.length).toBe(1);
  const { items, days } = await read();
  expect(days).toBe(30);
  expect(items[0]).toMatchObject({ userId: 'ben', today: { calls: 1 }, period: { calls: 1 } });
  expect(items[0].today.tokens).toBeGreaterThan(0);
  expect((await server.ask('GET', '/api/usage', { token: 'ben' })).status).toBe(403);
  await server.close();
});

test('[A198] an admin sets limits that take effect at once and never exceed those of the operator', async () => {
  const server = await openSharedServer({
    keys: createMemorySecretRecords(),
    config: '[budgets]\nday_usd = 5',
    quotas: { generations: 4 },
  });
  const put = (body: object, token = 'ada') => server.ask('PUT', '/api/settings/limits', { token, body });
  expect((await put({ requestsPerMinute: 2 }, 'ben')).status).toBe(403);
  const set = await put({ requestsPerMinute: 2, dayUsd: 50, generations: 9 });
  expect(set.body).toMatchObject({
    editable: true,
    chosen: { requestsPerMinute: 2, dayUsd: 50, generations: 9, uploadBytesPerDay: null },
    inForce: { requestsPerMinute: 2, dayUsd: 5, generations: 4, uploadBytesPerDay: null },
  });
  const statuses: number[] = [];
  for (let at = 0; at < 3; at++) statuses.push((await server.ask('GET', '/api/me', { token: 'cleo' })).status);
  expect(statuses).toEqual([200, 200, 429]);
  await server.close();
});

test('[A198] the limits of one person replace those of each person, and removing them restores these', async () => {
  const now = Date.UTC(2026, 10, 18, 9, 30);
  const server = await openSharedServer({
    keys: createMemorySecretRecords(),
    quotas: { generations: 4 },
    now: () => now,
  });
  const put = (body: object, token = 'ada') => server.ask('PUT', '/api/users/cleo/limits', { token, body });
  await server.ask('PUT', '/api/users/ada/limits', { token: 'ada', body: { requestsPerMinute: 1_000 } });
  await server.ask('PUT', '/api/settings/limits', { token: 'ada', body: { requestsPerMinute: 2 } });
  expect((await put({ requestsPerMinute: 4 }, 'ben')).status).toBe(403);
  expect((await server.ask('PUT', '/api/users/nobody/limits', { token: 'ada', body: {} })).status).toBe(404);
  const set = await put({ requestsPerMinute: 4, dayUsd: 0.5, generations: 9 });
  expect(set.body).toMatchObject({
    chosen: { requestsPerMinute: 4, dayUsd: 0.5, generations: 9 },
    inForce: { requestsPerMinute: 4, dayUsd: 0.5, generations: 4, uploadBytesPerDay: null },
  });
  const count = async (token: string) => {
    let answered = 0;
    while ((await server.ask('GET', '/api/me', { token })).status === 200) answered++;
    return answered;
  };
  expect([await count('cleo'), await count('vic')]).toEqual([4, 2]);
  await put({ requestsPerMinute: null, dayUsd: null, generations: null });
  expect((await server.ask('GET', '/api/users/cleo/limits', { token: 'ada' })).body).toMatchObject({
    chosen: { requestsPerMinute: null, dayUsd: null },
    inForce: { requestsPerMinute: 2, dayUsd: null },
  });
  await server.close();
});

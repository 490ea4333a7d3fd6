import { expect, test } from 'vitest';
import { openSharedServer, openTestServer, testToken } from '../../testing/index.ts';

/** Returns the cookie that a browser would send back. */
function cookieOf(headers: Headers): string {
  return (headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

test('[A185] a token signs a browser in with a cookie that scripts cannot read, and signing out ends it', async () => {
  const server = await openTestServer();
  expect((await server.ask('GET', '/api/sign-in', { token: null })).body).toEqual({ mode: 'token' });
  const wrong = await server.ask('POST', '/api/sign-in', { token: null, body: { token: 'not-the-token' } });
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get('set-cookie')).toBeNull();
  const { status, headers } = await server.ask('POST', '/api/sign-in', { token: null, body: { token: testToken } });
  expect(status).toBe(200);
  expect(headers.get('set-cookie')).toMatch(/; HttpOnly; SameSite=Strict; /);
  const cookie = cookieOf(headers);
  expect((await server.ask('GET', '/api/me', { token: null, headers: { cookie } })).status).toBe(200);
  const out = await server.ask('POST', '/api/sign-out', { token: null, headers: { cookie } });
  expect(out.headers.get('set-cookie')).toMatch(/^coppice=; .*Max-Age=0/);
  const elsewhere = { 'sec-fetch-site': 'cross-site' };
  const foreign = { token: null, headers: elsewhere, body: { token: testToken } };
  expect((await server.ask('POST', '/api/sign-in', foreign)).status).toBe(403);
  await server.close();
});

test('[A186] signing out everywhere replaces the local token, ends other streams and keeps this browser signed in', async () => {
  let token = 'first-token-of-this-server';
  const server = await openTestServer({
    auth: {
      mode: 'token',
      get token() {
        return token;
      },
      renew: async () => {
        token = 'second-token-of-this-server';
        return token;
      },
    },
  });
  const first = { token: null, headers: { cookie: `coppice=${token}` } };
  const stream = await server.raw('GET', '/api/feed', { token });
  const reader = stream.body?.getReader();
  const out = await server.ask('POST', '/api/sign-out-everywhere', first);
  expect(out.status).toBe(200);
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read());
  expect((await server.ask('GET', '/api/me', first)).status).toBe(401);
  const next = { token: null, headers: { cookie: cookieOf(out.headers) } };
  expect((await server.ask('GET', '/api/me', next)).status).toBe(200);
  await server.close();
});

test('[A186] a token chosen at the start is not replaced, and users keep the token in use', async () => {
  const chosen = await openTestServer();
  expect((await chosen.ask('POST', '/api/sign-out-everywhere')).status).toBe(403);
  await chosen.close();
  const server = await openSharedServer();
  const made = await server.ask('POST', '/api/tokens', { token: 'ben', body: { name: 'laptop' } });
  const { body } = await server.ask('POST', '/api/sign-out-everywhere', { token: made.body.secret });
  expect(body).toEqual({ ended: 1 });
  expect((await server.ask('GET', '/api/me', { token: 'ben' })).status).toBe(401);
  expect((await server.ask('GET', '/api/me', { token: made.body.secret })).status).toBe(200);
  expect((await server.ask('GET', '/api/me', { token: 'ada' })).status).toBe(200);
  await server.close();
});

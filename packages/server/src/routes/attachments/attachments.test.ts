import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openSharedServer, openTestServer, type TestServer } from '../../testing/index.ts';

const bytes = new Uint8Array(1_000).map((_, index) => index % 251);
const hash = createHash('sha256').update(bytes).digest('hex');

function upload(server: TestServer, type = 'image/png', body = bytes, token?: string) {
  return server.ask('POST', '/api/attachments', {
    body,
    headers: { 'content-type': type },
    ...(token === undefined ? {} : { token }),
  });
}

test('[A90] bytes are stored under their hash and can be read completely or in ranges', async () => {
  const server = await openTestServer();
  const stored = await upload(server);
  expect([stored.status, stored.body]).toEqual([201, { hash, size: 1_000, mediaType: 'image/png' }]);
  expect((await upload(server)).body.hash).toBe(hash);
  const whole = await server.raw('GET', `/api/attachments/${hash}`);
  expect(new Uint8Array(await whole.arrayBuffer())).toEqual(bytes);
  const cases: [string, number, number, number][] = [
    ['bytes=0-9', 206, 0, 10],
    ['bytes=990-', 206, 990, 1_000],
    ['bytes=-5', 206, 995, 1_000],
    ['bytes=990-5000', 206, 990, 1_000],
  ];
  for (const [range, status, start, end] of cases) {
    const part = await server.raw('GET', `/api/attachments/${hash}`, { headers: { range } });
    expect([part.status, part.headers.get('content-range')]).toEqual([status, `bytes ${start}-${end - 1}/1000`]);
    expect(new Uint8Array(await part.arrayBuffer())).toEqual(bytes.slice(start, end));
  }
  const beyond = await server.raw('GET', `/api/attachments/${hash}`, { headers: { range: 'bytes=1000-' } });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */1000']);
  const head = await server.raw('HEAD', `/api/attachments/${hash}`);
  expect([head.status, await head.text()]).toEqual([200, '']);
  // A range that ends before it begins is ignored.
  const backwards = await server.raw('GET', `/api/attachments/${hash}`, { headers: { range: 'bytes=5-2' } });
  expect([backwards.status, backwards.headers.get('content-range')]).toEqual([200, null]);
  for (const [tags, status] of [
    [`"${hash}"`, 304],
    [`W/"${hash}"`, 304],
    [`"other", "${hash}"`, 304],
    ['*', 304],
    ['"other"', 200],
  ] as const) {
    const known = await server.raw('GET', `/api/attachments/${hash}`, { headers: { 'if-none-match': tags } });
    expect([tags, known.status]).toEqual([tags, status]);
  }
  await server.close();
});

test('[A91] an attachment is cached by browsers forever, its type is never guessed, and it never runs as a page', async () => {
  const server = await openTestServer();
  await upload(server);
  const page = await upload(server, 'text/html', new TextEncoder().encode('<script>alert(1)</script>'));
  const shown = await server.raw('GET', `/api/attachments/${hash}`);
  expect(shown.headers.get('content-disposition')).toBe('inline');
  expect(shown.headers.get('cache-control')).toContain('immutable');
  const script = await server.raw('GET', `/api/attachments/${page.body.hash}`);
  expect(script.headers.get('content-disposition')).toBe('attachment');
  for (const answer of [shown, script]) {
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
  }
  expect((await upload(server, 'nonsense')).status).toBe(415);
  expect((await upload(server, 'image/png', new Uint8Array())).status).toBe(400);
  await server.close();
});

test('[A92] attachments of other users are unknown, and uploads have a daily limit', async () => {
  const server = await openSharedServer({ quotas: { uploadBytesPerDay: 1_500 } });
  await upload(server, 'image/png', bytes, 'ben');
  expect((await server.raw('GET', `/api/attachments/${hash}`, { token: 'cleo' })).status).toBe(404);
  expect((await upload(server, 'image/png', bytes, 'ben')).body.error.code).toBe('http/too-many');
  expect((await upload(server, 'image/png', bytes, 'cleo')).status).toBe(201);
  await server.close();
});

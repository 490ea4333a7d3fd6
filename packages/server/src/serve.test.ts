import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import { parseConfig } from '@coppice/engine';
import { makeTextEvents } from '@coppice/engine/testing';
import { openStore } from '@coppice/stores';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findOptionProblems } from './check-options.ts';
import { createLog } from './log.ts';
import { assertSafeBind, isLoopback, serve } from './serve.ts';
import { createTree, EventReader, openTestServer, testToken } from './testing/index.ts';

const auth = { authorization: 'Bearer test-token' };

test('[A120] a server responds under the exact address that it was told to listen on', async () => {
  const server = await openTestServer();
  const config = parseConfig({ name: 'test.toml', text: '' }, {});
  const token = { mode: 'token', token: server.token } as const;
  const { url, close } = await serve({ store: server.store, config, auth: token, host: '127.0.0.2' });
  const answer = await fetch(`${url}/api/me`, { headers: auth });
  expect([new URL(url).hostname, answer.status]).toEqual(['127.0.0.2', 200]);
  await close();
  await server.close();
});

test('[A120] a server listens on a free port of this machine and responds only under its own names and port', async () => {
  const server = await openTestServer();
  const { url, port, signInUrl, host } = await server.listen();
  expect([host, url, signInUrl]).toEqual(['127.0.0.1', `http://127.0.0.1:${port}`, `${url}/?token=test-token`]);
  expect((await fetch(`${url}/api/me`, { headers: auth })).status).toBe(200);
  const asHost = (name: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ port, host: '127.0.0.1', path: '/api/me', headers: { ...auth, host: name } }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
  expect(await asHost(`localhost:${port}`)).toBe(200);
  for (const name of ['localhost', `localhost:${port + 1}`, `evil.example:${port}`, 'evil.example'])
    expect([name, await asHost(name)]).toEqual([name, 403]);
  const signIn = await fetch(signInUrl ?? '', { redirect: 'manual' });
  expect(signIn.headers.get('set-cookie')).toMatch(
    new RegExp(`^coppice-${port}=test-token;.*HttpOnly; SameSite=Strict`),
  );
  await server.close();
});

test('[A121] an address that others can reach is refused without a chosen token or users', () => {
  const made = { mode: 'token', token: 'x' } as const;
  for (const host of ['0.0.0.0', '::', '192.168.1.5', 'trees.example.org'])
    expect(() => assertSafeBind(host, made)).toThrow('can be reached from other computers');
  for (const host of ['127.0.0.1', 'localhost', '::1', '[::1]', '127.8.8.8']) {
    expect(isLoopback(host)).toBe(true);
    expect(() => assertSafeBind(host, made)).not.toThrow();
  }
  expect(() => assertSafeBind('0.0.0.0', { ...made, chosen: true })).not.toThrow();
  expect(() => assertSafeBind('0.0.0.0', { mode: 'users' })).not.toThrow();
});

test('[A122] a stop does not wait for connections whose streams it ended', async () => {
  // A time limit that no test reaches, so that the shutdown can only finish because the streams end.
  const server = await openTestServer({ limits: { stopMs: 10 * 60_000 } });
  const one = await server.listen();
  const { id } = await createTree(server);
  const feed = await fetch(`${one.url}/api/trees/${id}/feed`, { headers: auth });
  const read = feed.text();
  await one.close();
  expect(await read).not.toContain('error');
  await server.close();
  // Shorter than the minute after which Node closes an idle connection.
}, 30_000);

test('[A122] a stop finishes in time, ends streams, keeps received text, and does not wait for hanging clients', async () => {
  const server = await openTestServer({
    store: 'sqlite',
    replies: [[...makeTextEvents('so far').slice(0, 1), { type: 'hang' }]],
    limits: { stopMs: 2_500 },
  });
  const one = await server.listen();
  const { id, version } = await createTree(server, ['Hello']);
  const headers = { ...auth, 'content-type': 'application/json', 'if-match': `"${version}"` };
  const body = JSON.stringify({ type: 'send', messages: [{ role: 'user', content: 'Hi' }], models: ['scripted/one'] });
  const begun = await fetch(`${one.url}/api/trees/${id}/generations`, { method: 'POST', headers, body });
  const { nodes } = (await begun.json()) as { readonly nodes: readonly { readonly nodeId: string }[] };
  const feed = new EventReader(await fetch(`${one.url}/api/trees/${id}/feed`, { headers: auth }));
  await feed.until((seen) => seen.some((event) => event.event === 'delta'));
  // This client opens a connection and sends nothing.
  const silent = connect(one.port, '127.0.0.1');
  silent.on('error', () => undefined);
  await new Promise((resolve) => silent.once('connect', resolve));
  await one.close();
  await feed.all().catch(() => undefined);
  await expect(fetch(`${one.url}/healthz`)).rejects.toThrow();
  const kept = await server.ask('GET', `/api/trees/${id}/nodes/${nodes[0]?.nodeId}`);
  expect(kept.body.node).toMatchObject({ status: 'interrupted', text: 'so' });
  silent.destroy();
  await server.close();
});

test('[A123] a body without a length is refused at its limit', async () => {
  const server = await openTestServer({ limits: { bodyBytes: 10_000 } });
  const { port } = await server.listen();
  let sent = 0;
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const headers = { ...auth, 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const asked = request({ port, host: '127.0.0.1', path: '/api/trees', method: 'POST', headers }, (response) => {
      response.resume();
      clearInterval(timer);
      resolve(response.statusCode);
      asked.destroy();
    });
    const timer = setInterval(() => {
      sent += 5_000;
      asked.write('x'.repeat(5_000));
    }, 5);
    asked.on('error', reject);
  });
  expect(status).toBe(413);
  expect(sent).toBeLessThan(1_000_000);
  await server.close();
});

describe('a refused request whose body is still arriving', () => {
  /** Sends a POST in many pieces and reads nothing before the last one; returns what was received and the error. */
  async function sendThenRead(port: number, path: string, chunked: boolean) {
    const socket = connect(port, '127.0.0.1').pause();
    let received = '';
    let failure: unknown = null;
    socket.on('data', (data) => {
      received += String(data);
    });
    socket.on('error', (error) => {
      failure = error;
    });
    const [pieces, piece] = [40, 'x'.repeat(100_000)];
    const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${pieces * piece.length}`;
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${auth.authorization}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`,
    );
    for (let sent = 0; sent < pieces && !socket.destroyed; sent++) {
      socket.write(chunked ? `${piece.length.toString(16)}\r\n${piece}\r\n` : piece);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    if (chunked) socket.write('0\r\n\r\n');
    socket.resume();
    await new Promise((resolve) => socket.once('close', resolve));
    return { received, failure };
  }

  test.each([
    ['a body that is too large, with its length', '/api/trees', false, 413],
    ['a body that is too large, without a length', '/api/trees', true, 413],
    ['a route that does not exist', '/api/nothing', false, 404],
  ])('[A347] %s: the client reads the reason after it has sent everything', async (_name, path, chunked, status) => {
    const server = await openTestServer({ limits: { bodyBytes: 10_000 } });
    const { port } = await server.listen();
    const { received, failure } = await sendThenRead(port, path, chunked);
    expect(failure).toBe(null);
    expect(received.split('\r\n')[0]).toContain(`HTTP/1.1 ${status} `);
    expect(received.toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(JSON.parse(received.split('\r\n\r\n')[1] ?? '')).toMatchObject({ error: { kind: expect.any(String) } });
    await server.close();
  });

  test('[A347] the next requests of the same client succeed', async () => {
    const server = await openTestServer({ limits: { bodyBytes: 10_000 } });
    const { url } = await server.listen();
    const body = JSON.stringify({ title: 'x'.repeat(33_000_000) });
    const headers = { ...auth, 'content-type': 'application/json' };
    for (let round = 0; round < 3; round++) {
      const refused = await fetch(`${url}/api/trees`, { method: 'POST', headers, body });
      expect([refused.status, JSON.parse(await refused.text()).error.code]).toEqual([413, 'http/too-large']);
      for (let next = 0; next < 2; next++) expect((await fetch(`${url}/api/me`, { headers: auth })).status).toBe(200);
    }
    await server.close();
  });

  test('[A347, A122] a shutdown does not wait for the rest', async () => {
    const server = await openTestServer({ limits: { bodyBytes: 10_000 } });
    const { port } = await server.listen();
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(
      `POST /api/trees HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${auth.authorization}\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n`,
    );
    const [first] = await once(socket, 'data');
    expect(String(first)).toContain('HTTP/1.1 413 ');
    const ended = once(socket, 'close');
    await server.close();
    await ended;
  });
});

test('[A124] the page is served from a list of its files with its own policy, and no path leads outside', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-web-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Coppice</title>');
  writeFileSync(join(folder, 'assets/app.js'), 'export {};');
  symlinkSync('/etc/passwd', join(folder, 'assets/link.txt'));
  mkdirSync(join(folder, 'frames'));
  writeFileSync(join(folder, 'frames/preview.html'), '<!doctype html><title>Preview</title>');
  const server = await openTestServer({ web: folder });
  for (const path of ['/', '/t/some-tree', '/t/some-tree/node', '/s/some-token', '/settings', '/trash']) {
    const page = await server.raw('GET', path, { token: null });
    expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    const policy = page.headers.get('content-security-policy') ?? '';
    for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(part);
    expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  }
  // Code that a model has written runs in this frame, without an origin and without network access.
  const frame = await server.raw('GET', '/frames/preview.html', { token: null });
  const framePolicy = frame.headers.get('content-security-policy') ?? '';
  for (const part of ['sandbox allow-scripts;', "default-src 'none'", "frame-ancestors 'self'"])
    expect(framePolicy).toContain(part);
  expect(framePolicy).not.toMatch(/allow-same-origin|connect-src|https?:|\*/);
  expect((await server.raw('GET', '/s/x', { token: null })).headers.get('x-robots-tag')).toBe('noindex');
  const script = await server.raw('GET', '/assets/app.js', { token: null });
  expect(script.headers.get('cache-control')).toContain('immutable');
  writeFileSync(join(folder, 'assets/large.js'), `export const text = '${'tree '.repeat(2_000)}';`);
  const packed = await openTestServer({ web: folder });
  for (const [accepted, encoding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, identity', null],
  ] as const) {
    const sent = await packed.raw('GET', '/assets/large.js', { headers: { 'accept-encoding': accepted } });
    expect([sent.headers.get('content-encoding'), sent.headers.get('vary')]).toEqual([encoding, 'Accept-Encoding']);
    const { length } = new Uint8Array(await sent.arrayBuffer());
    if (encoding !== null) expect(length).toBeLessThan(1_000);
  }
  await packed.close();
  // A build may contain compressed files. The server sends them unchanged, and they have no URL of their own.
  const best = brotliCompressSync(readFileSync(join(folder, 'assets/large.js')));
  writeFileSync(join(folder, 'assets/large.js.br'), best);
  const built = await openTestServer({ web: folder });
  const ready = await built.raw('GET', '/assets/large.js', { headers: { 'accept-encoding': 'br' } });
  expect(Buffer.from(await ready.arrayBuffer()).equals(best)).toBe(true);
  expect((await built.raw('GET', '/assets/large.js.br')).status).toBe(404);
  await built.close();
  const etag = script.headers.get('etag') ?? '';
  expect((await server.raw('GET', '/assets/app.js', { headers: { 'if-none-match': etag } })).status).toBe(304);
  for (const path of [
    '/assets/link.txt',
    '/assets/none.js',
    '/..%2f..%2fetc%2fpasswd.txt',
    '/api/nothing',
    '/v1/nothing',
    '/metrics/x',
  ])
    expect([path, (await server.raw('GET', path)).status]).toEqual([path, 404]);
  expect((await server.raw('POST', '/')).status).toBe(404);
  expect((await server.raw('GET', '/', { headers: { host: 'evil.example' } })).status).toBe(403);
  await server.close();
});

test('[A310] JSON answers are compressed for clients that accept it, however long; short ones and streams are not', async () => {
  const server = await openTestServer({ origins: ['https://notes.example.org'] });
  const messages = [{ role: 'user', content: 'The same few words. '.repeat(10_000) }];
  const { body } = await server.ask('POST', '/api/trees', { body: { title: 'Long', messages } });
  const path = `/api/trees/${body.treeId}/page`;
  const plain = await (await server.raw('GET', path)).text();
  const opened = { br: brotliDecompressSync, gzip: gunzipSync } as const;
  for (const encoding of ['br', 'gzip'] as const) {
    for (const url of [path, '/api/commands']) {
      const sent = await server.raw('GET', url, {
        headers: { 'accept-encoding': encoding, origin: 'https://notes.example.org' },
      });
      expect(sent.headers.get('content-encoding')).toBe(encoding);
      expect(sent.headers.get('vary')).toBe('Origin, Accept-Encoding');
      const bytes = Buffer.from(await sent.arrayBuffer());
      const text = opened[encoding](bytes).toString();
      expect(bytes.length).toBeLessThan(text.length / 2);
      expect(sent.headers.get('x-uncompressed-length')).toBe(String(Buffer.byteLength(text)));
      if (url === path) expect(text).toBe(plain);
    }
  }
  const short = await server.raw('GET', '/api/me', { headers: { 'accept-encoding': 'br' } });
  expect(short.headers.get('content-encoding')).toBe(null);
  const head = await server.raw('HEAD', path, { headers: { 'accept-encoding': 'br' } });
  expect([head.status, await head.text()]).toEqual([200, '']);
  await server.close();
});

test('[A125] an origin that the operator lists may call, and only that one gets the CORS header', async () => {
  const server = await openTestServer({ origins: ['https://notes.example.org'] });
  const from = (origin: string, method = 'GET') => server.raw(method, '/api/me', { headers: { origin } });
  const allowed = await from('https://notes.example.org');
  expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
    200,
    'https://notes.example.org',
  ]);
  expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
  // A browser reads this header from the response itself, not from the preflight response.
  expect(allowed.headers.get('access-control-expose-headers')).toContain('ETag');
  expect((await from('https://notes.example.org', 'OPTIONS')).status).toBe(204);
  const mayISend = async (names: string) => {
    const headers = { origin: 'https://notes.example.org', 'access-control-request-headers': names };
    return (await server.raw('OPTIONS', '/v1/messages', { headers })).headers.get('access-control-allow-headers');
  };
  expect(await mayISend('x-api-key, anthropic-version,x-stainless-lang')).toContain('x-stainless-lang');
  expect(await mayISend('x: y')).toBe('Authorization, Content-Type, If-Match, Last-Event-ID');
  expect((await from('https://notes.example.org.evil.example')).status).toBe(403);
  const own = await from('http://localhost');
  expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  await server.close();
});

test('[A173] a page of another origin that the configuration lists calls with a token; its cookie is ignored', async () => {
  const origin = 'https://notes.example.org';
  const server = await openTestServer({ config: `[server]\norigins = ["${origin}"]` });
  const cookie = `coppice=${server.token}`;
  const ask = (headers: Record<string, string>, path = '/api/me') =>
    server.server.app.request(`http://localhost${path}`, { headers });
  expect((await ask({ cookie })).status).toBe(200);
  expect((await ask({ cookie, origin, 'sec-fetch-site': 'same-site' })).status).toBe(401);
  // Behind a proxy that changes the host, the operator lists the page's own origin.
  expect((await ask({ cookie, origin, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  const headers = { authorization: `Bearer ${server.token}`, cookie, origin, 'sec-fetch-site': 'cross-site' };
  const feed = await ask(headers, '/api/feed');
  expect([feed.status, feed.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
  await feed.body?.cancel();
  await server.close();
});

test('[A158] a request with two Host headers is refused, whichever of them is ours', async () => {
  const server = await openTestServer();
  const { port } = await server.listen();
  const own = `Host: 127.0.0.1:${port}`;
  const orders = [
    [own, 'Host: evil.example'],
    ['Host: evil.example', own],
    [own, own],
    [own, 'hOST: evil.example'],
  ];
  for (const hosts of orders) {
    const said = await new Promise<string>((resolve) => {
      let text = '';
      const head = ['GET /healthz HTTP/1.1', ...hosts, 'Connection: close'].join('\r\n');
      const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n`));
      socket.on('data', (piece) => (text += piece)).on('close', () => resolve(text));
    });
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
  }
  await server.close();
});

test('[A155] a JSON body that arrives too slowly is refused after its time limit, though each piece comes soon', async () => {
  let clock = 1_000_000;
  const server = await openTestServer({ now: () => clock, limits: { bodyMs: 40 } });
  const { port } = await server.listen();
  const head = `POST /api/trees HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${testToken}`;
  for (const length of ['Content-Length: 100000', 'Transfer-Encoding: chunked']) {
    const said = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1');
      socket.write(`${head}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`);
      // The server's clock advances by a second with every chunk.
      const trickle = setInterval(() => {
        clock += 1_000;
        socket.write('1\r\n{\r\n');
      }, 5);
      socket.on('data', (piece) => (text += piece)).on('error', () => undefined);
      socket.on('close', () => {
        clearInterval(trickle);
        resolve(text);
      });
    });
    expect([length, said.slice(0, 12), said.includes('http/too-slow')]).toEqual([length, 'HTTP/1.1 408', true]);
  }
  await server.close();
});

test('[A129] a malformed request gets a readable error', async () => {
  const server = await openTestServer();
  const { port } = await server.listen();
  const heads = [
    `GET /api/me HTTP/1.1\r\nHost: 127.0.0.1:${port}.example.org`,
    `GET /api\\me HTTP/1.1\r\nHost: 127.0.0.1:${port}`,
  ];
  for (const head of heads) {
    const said = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => socket.write(`${head}\r\nConnection: close\r\n\r\n`));
      socket.on('data', (piece) => (text += piece)).on('close', () => resolve(text));
    });
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(/\{.*\}/.exec(said)?.[0] ?? '').error).toMatchObject({
      code: 'http/invalid',
      message: expect.stringMatching(/host or the path/),
    });
  }
  await server.close();
});

test('[A126] invalid UTF-8, duplicate keys and numbers that would change are refused', async () => {
  const server = await openTestServer();
  const send = (body: string | Uint8Array<ArrayBuffer>) =>
    server.ask('POST', '/api/trees', { body, headers: { 'content-type': 'application/json' } });
  for (const body of [
    new Uint8Array([0x22, 0xff, 0x22]),
    '{"title":"a","title":"b"}',
    '{"metadata":{"n":1e999}}',
    '{',
    '[]',
    `${'['.repeat(300)}${']'.repeat(300)}`,
  ]) {
    const refused = await send(body);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'http/invalid']);
  }
  const odd = await send('{"metadata":{"__proto__":{"polluted":true},"constructor":1}}');
  expect(odd.status).toBe(201);
  expect(Object.keys(odd.body.result.tree.metadata)).toEqual(['__proto__', 'constructor']);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  await server.close();
});

test('[A127] invalid options are refused all at once, before anything is opened', async () => {
  const found = findOptionProblems({
    auth: { mode: 'token', token: 'short', chosen: true },
    hosts: ['Trees.example.org', 'trees.example.org:8080', 'http://x'],
    origins: ['https://notes.example.org/', 'https://notes.example.org', 'notes'],
    limits: { bodyBytes: 0 },
    quotas: { streams: Number.NaN, requestsPerMinute: null },
    port: 70_000,
  });
  expect(found.length).toBe(8);
  const proxy = { addresses: [], userHeader: 'x-user' };
  expect(findOptionProblems({ auth: { mode: 'users', proxy } })).toEqual([expect.stringContaining('address')]);
  expect(findOptionProblems({ auth: { mode: 'token', token: 'has space' } }).length).toBe(1);
  expect(findOptionProblems({ auth: { mode: 'token', token: 'made' } })).toEqual([]);
});

test('[A128] if branching is off, lists are read and appended to, and branching commands are refused by name', async () => {
  const store = await openStore('memory:', { treeWrites: 'off' });
  const server = await openTestServer({ store });
  const { id, nodeIds, version } = await createTree(server, ['Hello', 'Hi']);
  const at = `/api/trees/${id}`;
  expect((await server.ask('GET', at)).body.conversation_format).toBe('linear');
  const edit = await server.ask('POST', `${at}/nodes/${nodeIds[0]}/edit`, { version, body: { content: 'Hey' } });
  expect([edit.status, edit.body.error.code]).toEqual([422, 'tree/branching-off']);
  const messages = [{ role: 'user', content: 'more' }];
  expect((await server.ask('POST', `${at}/messages`, { version, body: { messages } })).status).toBe(200);
  expect((await server.ask('GET', `${at}?format=linear`)).body.messages.length).toBe(3);
  await server.close();
  await store.close();
});

test('[A46] disconnecting a slow reader is one line in the log, and nothing else is printed', async () => {
  const lines: string[] = [];
  const log = createLog({ to: { write: (line) => void lines.push(line) } });
  const printed: unknown[] = [];
  for (const name of ['log', 'info', 'warn', 'error'] as const)
    vi.spyOn(console, name).mockImplementation((...words) => void printed.push(words));
  const server = await openTestServer({ log, limits: { backlogBytes: 100_000 } });
  const { port, server: served } = await server.listen();
  const { id } = await createTree(server);
  const { usage } = served.services;
  const silent = connect(port, '127.0.0.1');
  const cut = new Promise((resolve) => silent.once('close', resolve));
  silent.on('error', () => undefined).pause();
  silent.write(
    `GET /api/trees/${id}/feed HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer test-token\r\n\r\n`,
  );
  while (usage.streams === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const text = 'x'.repeat(500_000);
  for (let version = 2; usage.streams === 1 && version < 100; version++) {
    const messages = [{ role: 'user', content: `${version} ${text}` }];
    expect((await server.ask('POST', `/api/trees/${id}/messages`, { version, body: { messages } })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const reported = (words: string) => lines.map((line) => JSON.parse(line)).filter((line) => line.msg.includes(words));
  await expect.poll(() => reported('was too slow and was disconnected')).toHaveLength(1);
  expect(reported('was too slow and was disconnected')).toMatchObject([{ level: 40, route: '/api/trees/{tree}/feed' }]);
  // The client reads the bytes that were already sent, then the connection closes without a proper end of the response.
  silent.resume();
  await cut;
  expect(printed).toEqual([]);
  vi.restoreAllMocks();
  await server.close();
});

test('[A48] a reader that disconnects, or does not read, frees its place even behind a socket; a HEAD request takes none', async () => {
  const server = await openTestServer({ limits: { backlogBytes: 100_000 } });
  const { port, url, server: served } = await server.listen();
  const { id } = await createTree(server);
  const path = `/api/trees/${id}/feed`;
  const { usage } = served.services;
  const until = async (holds: () => boolean) => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  expect((await fetch(`${url}${path}`, { method: 'HEAD', headers: auth })).headers.get('content-type')).toContain(
    'event-stream',
  );
  expect(usage.streams).toBe(0);
  const leaving = request({ port, host: '127.0.0.1', path, headers: auth });
  leaving.on('error', () => undefined).end();
  await until(() => usage.streams === 1);
  leaving.destroy();
  await until(() => usage.streams === 0);
  // This client never reads. The data fills the socket buffers of both sides, then the backlog.
  const silent = connect(port, '127.0.0.1');
  silent.on('error', () => undefined).pause();
  silent.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer test-token\r\n\r\n`);
  await until(() => usage.streams === 1);
  const text = 'x'.repeat(500_000);
  for (let version = 2; usage.streams === 1 && version < 100; version++) {
    const messages = [{ role: 'user', content: `${version} ${text}` }];
    expect((await server.ask('POST', `/api/trees/${id}/messages`, { version, body: { messages } })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await until(() => usage.streams === 0);
  silent.destroy();
  await server.close();
});

/**
 * Requests on a raw socket that break off, lie about their length or are not HTTP. Requests of client libraries are
 * tested with the routes.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createHttpServer } from './http-server.ts';
import { createLog } from './log.ts';
import { openTestServer, testToken } from './testing/index.ts';
import { openProxyFixture, type ProxyFixture } from './testing/proxy-fixture.ts';

const spool = mkdtempSync(join(tmpdir(), 'coppice-broken-'));
const logged: string[] = [];
// The service behind the proxy begins an answer, and ends it when a test says so.
const heldAnswers: (() => void)[] = [];
let closedAnswers = 0;
let fixture: ProxyFixture;

beforeAll(async () => {
  fixture = await openProxyFixture(
    (_seen, back) => {
      back.on('close', () => closedAnswers++);
      back.writeHead(200, { 'content-type': 'text/event-stream' });
      back.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'So' } }] })}\n\n`);
      heldAnswers.push(() => back.end());
    },
    {
      spool,
      log: createLog({ to: { write: (line) => void logged.push(line) } }),
      // An import that is not released would refuse the next one.
      quotas: { imports: 1 },
      limits: { bodyBytes: 100_000 },
    },
  );
});
afterAll(async () => {
  for (const end of heldAnswers) end();
  await fixture.close();
  rmSync(spool, { recursive: true, force: true });
});

/** Returns the logged requests, and everything that was logged as an error. */
function readLog() {
  const lines = logged.map((line) => JSON.parse(line));
  return {
    requests: lines.filter(({ msg }) => msg === 'request' || msg === 'request failed'),
    errors: lines.filter(({ level, status }) => level >= 50 || status === 500),
  };
}

/** Returns the open files of uploads. They have no name, so only the process knows them. */
function openUploads(): readonly string[] {
  if (!existsSync('/proc/self/fd')) return readdirSync(spool);
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(spool) ? [path] : [];
    } catch {
      return [];
    }
  });
}

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`${fixture.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${testToken}`, 'content-type': 'application/json', ...init.headers },
  });

const countTrees = async () => (await fixture.server.store.trees({ limit: 1_000 })).items.length;

afterEach(async () => {
  // Another client writes, reads and uploads as if nothing had happened.
  const created = await ask('/api/trees', { method: 'POST', body: '{"title":"After"}' });
  expect(created.status).toBe(201);
  const { treeId } = (await created.json()) as { readonly treeId: string };
  expect((await ask(`/api/trees/${treeId}`)).status).toBe(200);
  const begin = async () => (await ask('/api/imports', { method: 'POST', body: '[]' })).status;
  await expect.poll(begin, { interval: 10 }).toBe(202);
  const { imports, usage } = fixture.listening.server.services;
  await expect.poll(() => imports.running, { interval: 10 }).toBe(0);
  await expect.poll(openUploads, { interval: 10 }).toEqual([]);
  await expect.poll(() => usage.streams, { interval: 10 }).toBe(0);
  expect(readLog().errors).toEqual([]);
});

/** A connection that sends any bytes. It closes its side when the server has closed its own. */
class RawConnection {
  readonly socket: Socket;
  readonly #ended: Promise<unknown>;
  received = '';

  constructor(port = fixture.listening.port) {
    this.socket = connect(port, '127.0.0.1');
    this.#ended = new Promise((resolve) => this.socket.once('close', resolve));
    this.socket.on('data', (piece) => {
      this.received += piece.toString('latin1');
    });
    this.socket.on('error', () => undefined);
    onTestFinished(() => void this.socket.destroy());
  }

  send(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => this.socket.write(bytes, () => resolve()));
  }

  async until(text: string): Promise<void> {
    await expect.poll(() => this.received, { interval: 10 }).toContain(text);
  }

  /** Waits for the end of the connection, and returns the status of each answer and the body of the last one. */
  async closed() {
    await this.#ended;
    return { statuses: statusesOf(this.received), body: lastBodyOf(this.received) };
  }
}

const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

function lastBodyOf(text: string): unknown {
  const body = text.slice(text.lastIndexOf('\r\n\r\n') + 4);
  return body === '' ? null : JSON.parse(body);
}

function headOf(method: string, path: string, ...headers: readonly string[]): string {
  const own = [`Host: 127.0.0.1:${fixture.listening.port}`, `Authorization: Bearer ${testToken}`];
  return [`${method} ${path} HTTP/1.1`, ...own, ...headers, '', ''].join('\r\n');
}

const chat = '/v1/chat/completions';
const json = 'Content-Type: application/json';
const chunked = 'Transfer-Encoding: chunked';
const post = (...headers: readonly string[]) => headOf('POST', '/api/trees', json, ...headers);
const me = () => headOf('GET', '/api/me');

/** The routes that read a body in different ways. */
const bodies = [
  ['JSON', '/api/trees', json],
  ['an attachment', '/api/attachments', 'Content-Type: image/png'],
  ['an import', '/api/imports', 'Content-Type: application/octet-stream'],
  ['a recorded call', chat, json],
  ['a call that is only forwarded', '/v1/files', 'Content-Type: application/octet-stream'],
  ['a call of an MCP tool', '/mcp', json],
] as const;

const part = '{"title":"Never","par';
const hashOfPart = createHash('sha256').update(part).digest('hex');

/** Runs a broken request, and makes sure that nothing of it was stored or recorded. */
async function expectNothingStored(run: () => Promise<void>): Promise<void> {
  const [trees, calls] = [await countTrees(), fixture.service.requests.length];
  await run();
  await fixture.recorder.idle();
  expect(await countTrees()).toBe(trees);
  expect(fixture.service.requests.length).toBe(calls);
  expect((await ask(`/api/attachments/${hashOfPart}`)).status).toBe(404);
}

describe('a request that is not valid HTTP', () => {
  const heads: readonly (readonly [name: string, status: number, bytes: () => string | Uint8Array])[] = [
    ['no request', 400, () => 'hello there\r\n\r\n'],
    ['a TLS handshake', 400, () => Uint8Array.of(0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3)],
    ['HTTP/2', 400, () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['another version', 400, () => me().replace('HTTP/1.1', 'HTTP/1.9')],
    ['no host', 400, () => 'GET /api/me HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a NUL in a header', 400, () => headOf('GET', '/api/me', 'X-Odd: a\0b')],
    ['a folded header', 400, () => headOf('GET', '/api/me', 'X-Odd: a', ' b')],
    ['lines without CR', 400, () => me().replaceAll('\r', '')],
    ['a length and chunks', 400, () => `${post('Content-Length: 2', chunked)}{}`],
    ['two lengths', 400, () => `${post('Content-Length: 2', 'Content-Length: 3')}{}x`],
    ['a negative length', 400, () => `${post('Content-Length: -1')}{}`],
    ['a length in hexadecimal', 400, () => `${post('Content-Length: 0x2')}{}`],
    ['a length that no number holds', 400, () => `${post(`Content-Length: ${'9'.repeat(40)}`)}{}`],
    ['an unknown transfer encoding', 400, () => `${post('Transfer-Encoding: gzip')}{}`],
    ['chunks that are encoded again', 400, () => `${post('Transfer-Encoding: chunked, gzip')}{}`],
    ['a body of a GET with a wrong chunk', 400, () => `${headOf('GET', '/api/feed', chunked)}zz\r\n`],
    ['many headers', 431, () => headOf('GET', '/api/me', ...Array.from({ length: 50_000 }, () => 'X-A: b'))],
    ['a long header', 431, () => headOf('GET', '/api/me', `X-A: ${'b'.repeat(1_000_000)}`)],
    ['a long path', 431, () => headOf('GET', `/${'a'.repeat(1_000_000)}`)],
    ['long chunk extensions', 413, () => `${post(chunked)}1;${'x'.repeat(100_000)}\r\n{\r\n`],
  ];

  test.each(heads)('[A348] %s gets %i as JSON, and the connection is closed', async (_name, status, bytes) => {
    await expectNothingStored(async () => {
      const connection = new RawConnection();
      await connection.send(bytes());
      const { statuses, body } = await connection.closed();
      expect(statuses).toEqual([status]);
      const code = status === 400 ? 'http/invalid' : 'http/too-large';
      expect(body).toMatchObject({ error: { code, kind: 'invalid', message: expect.stringMatching(/^[A-Z].+\.$/) } });
      expect(connection.received).toMatch(/connection: close/i);
    });
  });

  test('[A348] headers that arrive too slowly get 408 as JSON, and other requests are answered meanwhile', async () => {
    const { http } = createHttpServer((_incoming, outgoing) => void outgoing.end('ok'), 1_000);
    http.listen(0, '127.0.0.1');
    onTestFinished(() => void http.close());
    await once(http, 'listening');
    const address = http.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const slow = new RawConnection(port);
    await slow.send('GET / HTTP/1.1\r\nHost: loc');
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('ok');
    const { statuses, body } = await slow.closed();
    expect([statuses, body]).toEqual([[408], { error: expect.objectContaining({ code: 'http/too-slow' }) }]);
  });

  describe.each(bodies)('with the body of %s', (_what, path, type) => {
    const wrongChunks: readonly (readonly [name: string, text: string])[] = [
      ['a size that is no number', 'zz\r\n'],
      ['a negative size', '-5\r\n{"tit\r\n'],
      ['a size that no number holds', `${'f'.repeat(20)}\r\n`],
      ['a chunk that is longer than its size', '3\r\n{"title\r\n'],
      ['a size without its line end', '5 {"tit\r\n'],
    ];
    test.each(wrongChunks)('[A348] %s gets 400 as JSON', async (_name, text) => {
      await expectNothingStored(async () => {
        const connection = new RawConnection();
        await connection.send(headOf('POST', path, type, chunked, 'Expect: 100-continue'));
        await connection.until('100 Continue');
        await connection.send(`${part.length.toString(16)}\r\n${part}\r\n`);
        await connection.send(text);
        const { statuses, body } = await connection.closed();
        expect(statuses).toEqual([100, 400]);
        expect(body).toMatchObject({ error: { code: 'http/invalid', message: expect.stringContaining('valid HTTP') } });
      });
    });

    test.each([
      ['with its length', `Content-Length: ${part.length + 5}`, part],
      ['in chunks', chunked, `${part.length.toString(16)}\r\n${part}\r\n`],
    ])('[A348, A349] %s: a client that stops in the middle can read 400', async (_name, length, text) => {
      await expectNothingStored(async () => {
        const connection = new RawConnection();
        await connection.send(headOf('POST', path, type, length, 'Expect: 100-continue'));
        await connection.until('100 Continue');
        await connection.send(text);
        connection.socket.end();
        const { statuses, body } = await connection.closed();
        expect(statuses).toEqual([100, 400]);
        expect(body).toMatchObject({ error: { code: 'http/invalid', message: expect.stringContaining('ended') } });
      });
    });

    test.each([
      ['with its length', `Content-Length: ${part.length + 5}`, part],
      ['in chunks', chunked, `${part.length.toString(16)}\r\n${part}\r\n`],
    ])(
      '[A349] %s: a client that disappears in the middle is logged once, and not as a fault',
      async (_name, length, text) => {
        await expectNothingStored(async () => {
          const before = readLog().requests.length;
          const connection = new RawConnection();
          await connection.send(headOf('POST', path, type, length, 'Expect: 100-continue'));
          await connection.until('100 Continue');
          await connection.send(text);
          connection.socket.resetAndDestroy();
          const added = () => readLog().requests.slice(before);
          await expect.poll(added, { interval: 10 }).toMatchObject([{ level: 30, code: 'http/closing' }]);
          // Checked at once, because garbage collection would later close a file that the server left open.
          expect(openUploads()).toEqual([]);
        });
      },
    );
  });
});

describe('an answer whose reader disappears', () => {
  test('[A349] a live feed is released', async () => {
    const { usage } = fixture.listening.server.services;
    const connection = new RawConnection();
    await connection.send(headOf('GET', '/api/feed'));
    await connection.until('retry: ');
    expect(usage.streams).toBe(1);
    connection.socket.resetAndDestroy();
    await expect.poll(() => usage.streams, { interval: 10 }).toBe(0);
  });

  test('[A349] a recorded call is ended, and what arrived of its answer is kept', async () => {
    const closed = closedAnswers;
    const connection = new RawConnection();
    const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Is it cut?' }] });
    await connection.send(`${headOf('POST', chat, json, `Content-Length: ${body.length}`)}${body}`);
    await connection.until('"So"');
    connection.socket.resetAndDestroy();
    await expect.poll(() => closedAnswers, { interval: 10 }).toBe(closed + 1);
    await expect
      .poll(async () => (await fixture.nodes()).map(({ text, status }) => [text, status]), { interval: 10 })
      .toEqual([
        ['Is it cut?', 'success'],
        ['So', 'aborted'],
      ]);
  });

  test('[A349] a download that nobody reads any more is ended', async () => {
    const before = readLog().requests.length;
    const bytes = Buffer.alloc(8_000_000, 'picture');
    const stored = await ask('/api/attachments', {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'image/png' },
    });
    const { hash } = (await stored.json()) as { readonly hash: string };
    const connection = new RawConnection();
    connection.socket.once('data', () => connection.socket.resetAndDestroy());
    await connection.send(headOf('GET', `/api/attachments/${hash}`));
    await connection.closed().catch(() => undefined);
    await expect.poll(() => readLog().requests.length, { interval: 10 }).toBe(before + 2);
  });
});

describe('several requests on a connection', () => {
  test('[A350] requests that are sent at once are answered in their order', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 20; index++) {
      const created = await ask('/api/trees', { method: 'POST', body: `{"title":"Pipelined ${index}"}` });
      ids.push(((await created.json()) as { readonly treeId: string }).treeId);
    }
    const reads = ids.map((id) => headOf('GET', `/api/trees/${id}`));
    const wrong = '{"title":]';
    const refused = `${post(`Content-Length: ${wrong.length}`)}${wrong}`;
    const write = `${post('Content-Length: 2')}{}`;
    const connection = new RawConnection();
    await connection.send([...reads, refused, write, headOf('GET', '/api/me', 'Connection: close')].join(''));
    await connection.closed();
    expect(statusesOf(connection.received)).toEqual([...ids.map(() => 200), 400, 201, 200]);
    const titles = [...connection.received.matchAll(/"title":"Pipelined (\d+)"/g)].map(([, index]) => Number(index));
    expect(titles).toEqual(ids.map((_id, index) => index));
  });

  test('[A348] a valid request before a malformed one gets its own answer, and nothing after it is run', async () => {
    const trees = await countTrees();
    const connection = new RawConnection();
    await connection.send(`${post('Content-Length: 2')}{}rubbish\r\n\r\n${post('Content-Length: 2')}{}`);
    const { statuses, body } = await connection.closed();
    expect([statuses, body]).toEqual([[201, 400], { error: expect.objectContaining({ code: 'http/invalid' }) }]);
    expect(await countTrees()).toBe(trees + 1);
  });

  test('[A348] a body that is longer than its length is no second body', async () => {
    const trees = await countTrees();
    const connection = new RawConnection();
    await connection.send(`${post('Content-Length: 2')}{}{"title":"Smuggled"}`);
    expect((await connection.closed()).statuses).toEqual([201, 400]);
    expect(await countTrees()).toBe(trees + 1);
  });

  test('[A348] a malformed request ends a feed on the same connection only after the feed', async () => {
    const connection = new RawConnection();
    await connection.send(headOf('GET', '/api/feed'));
    await connection.until('retry: ');
    await connection.send('rubbish\r\n\r\n');
    const created = await ask('/api/trees', { method: 'POST', body: '{"title":"Still told"}' });
    const { treeId } = (await created.json()) as { readonly treeId: string };
    await connection.until(treeId);
    expect(statusesOf(connection.received)).toEqual([200]);
    connection.socket.end();
    await connection.closed().catch(() => undefined);
  });

  test('[A347, A348] the body of a refused request is never run as a request', async () => {
    const trees = await countTrees();
    const connection = new RawConnection();
    const rest = `${post('Content-Length: 2')}{}`;
    await connection.send(`${post('Content-Length: 1000000')}${rest.repeat(10)}`);
    await connection.until('http/too-large');
    connection.socket.end();
    await connection.closed().catch(() => undefined);
    expect(statusesOf(connection.received)).toEqual([413]);
    expect(await countTrees()).toBe(trees);
  });
});

test.each([
  ['has sent nothing', ''],
  ['has sent a part of a request', 'GET /healthz HTTP/1.1\r\nHost: loc'],
  ['has sent a part of its second request', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /hea'],
  ['was refused and does not close its side', 'rubbish\r\n\r\n'],
])('[A122] a shutdown does not wait for a connection that %s', async (_name, text) => {
  // Waiting for the time limit would fail this test.
  const server = await openTestServer({ limits: { stopMs: 600_000 } });
  const running = await server.listen();
  const socket = connect({ port: running.port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  // The server has accepted the connection before it answers this later one.
  expect((await fetch(`${running.url}/healthz`)).status).toBe(200);
  await running.close();
  await server.close();
});

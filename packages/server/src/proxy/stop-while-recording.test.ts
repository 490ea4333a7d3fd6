import { once } from 'node:events';
import { connect } from 'node:net';
import { text as textIn } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { openSharedServer, openTestServer, testToken } from '../testing/index.ts';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';

const opened: ProxyFixture[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const chat = '/v1/chat/completions';
const ask = (content: string) => ({ model: 'm', stream: true, messages: [{ role: 'user', content }] });
const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
const events = { 'content-type': 'text/event-stream' };

describe('a server that stops', () => {
  it('[RP21] waits for running calls to finish, and records them', async () => {
    let end: () => void = () => undefined;
    const one = await openProxyFixture(
      (_seen, back) => {
        back.writeHead(200, events);
        back.write(chunk('All '));
        end = () => back.end(chunk('of it.', 'stop'));
      },
      { limits: { stopMs: 20_000 } },
    );
    opened.push(one);
    const answer = await one.begin(chat, ask('Hi'));
    const stopping = one.listening.close();
    await expect.poll(() => one.listening.server.services.closing.aborted).toBe(true);
    end();
    expect(await answer.text()).toBe(chunk('All ') + chunk('of it.', 'stop'));
    await stopping;
    expect((await one.nodes()).map(({ text, status }) => [text, status])).toEqual([
      ['Hi', 'success'],
      ['All of it.', 'success'],
    ]);
  });

  it('[RP21] ends calls that take longer, and records the received part as interrupted', async () => {
    const gone: string[] = [];
    const one = await openProxyFixture(
      (seen, back) => {
        const silent = seen.body.includes('silent');
        back.on('close', () => gone.push(silent ? 'silent' : 'hanging'));
        if (silent) return;
        back.writeHead(200, events);
        back.write(chunk('So far'));
      },
      { limits: { stopMs: 2_000 } },
    );
    opened.push(one);
    const hanging = await one.begin(chat, ask('hanging'));
    const silent = one.begin(chat, ask('silent'));
    await expect.poll(() => one.service.requests.length).toBe(2);
    const upstreamRequest = hanging.text().catch(() => 'broke off');
    await one.listening.close();
    expect([await upstreamRequest, (await silent).status]).toEqual(['broke off', 503]);
    await expect.poll(() => gone.toSorted()).toEqual(['hanging', 'silent']);
    const nodes = (await one.nodes()).map(({ role, text, status }) => [role, text, status]);
    expect(nodes).toContainEqual(['assistant', 'So far', 'interrupted']);
    expect(nodes.filter(([, , status]) => status === 'interrupted')).toHaveLength(2);
  });
});

describe('a request body that stops arriving', () => {
  it('[A122] does not delay a stop: it is refused at once, with and without a length', async () => {
    const server = await openTestServer({ limits: { stopMs: 60_000 } });
    const listening = await server.listen();
    const { port } = listening;
    const upstreamRequest: Promise<string>[] = [];
    for (const [path, length] of [
      [chat, 'Content-Length: 1000'],
      ['/api/trees', 'Transfer-Encoding: chunked'],
      ['/api/imports', 'Content-Length: 1000'],
    ]) {
      const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${testToken}`;
      const begun = `${head}\r\nContent-Type: application/json\r\n${length}\r\n\r\n5\r\n{"mod\r\n`;
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (piece) => {
        text += piece.toString();
      });
      upstreamRequest.push(new Promise((resolve) => socket.on('close', () => resolve(text))));
      await new Promise<void>((resolve) => socket.write(begun, () => resolve()));
    }
    // The server has accepted the calls before it answers these later requests.
    for (let count = 0; count < 3; count++) await fetch(`${listening.url}/readyz`);
    await listening.close();
    for (const said of await Promise.all(upstreamRequest))
      expect([said.slice(0, 12), said.includes('http/closing')]).toEqual(['HTTP/1.1 503', true]);
    await server.close();
  });

  it('[A122] does not delay a stop even if nothing has read it yet', async () => {
    const server = await openSharedServer({ limits: { stopMs: 60_000 } });
    const listening = await server.listen();
    const { port } = listening;
    const { closing } = listening.server.services;
    const { accounts } = server.store;
    const find = accounts.tokenByHash.bind(accounts);
    // The server is stopped while it looks up the token.
    const asked = new Promise<void>((resolve) => {
      accounts.tokenByHash = async (hash) => {
        resolve();
        if (!closing.aborted) await once(closing, 'abort');
        return find(hash);
      };
    });
    const head = `POST /api/trees HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ben`;
    const socket = connect(port, '127.0.0.1');
    socket.write(`${head}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"tit\r\n`);
    const upstreamRequest = textIn(socket);
    await asked;
    await listening.close();
    expect(await upstreamRequest).toContain('http/closing');
    await server.close();
  });

  it('[A123] is refused after its time limit, with and without a length, and its connection is closed', async () => {
    const server = await openTestServer({ limits: { uploadWindowMs: 80 } });
    const { port } = await server.listen();
    for (const length of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
      const head = `POST ${chat} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${testToken}`;
      const socket = connect(port, '127.0.0.1');
      socket.write(`${head}\r\nContent-Type: application/json\r\n${length}\r\n\r\n5\r\n{"mod\r\n`);
      const upstreamRequest = await new Promise<string>((resolve) => {
        let text = '';
        socket.on('data', (piece) => {
          text += piece.toString();
        });
        socket.on('close', () => resolve(text));
      });
      expect([length, upstreamRequest.slice(0, 12), upstreamRequest.includes('http/too-slow')]).toEqual([
        length,
        'HTTP/1.1 408',
        true,
      ]);
    }
    await server.close();
  });
});

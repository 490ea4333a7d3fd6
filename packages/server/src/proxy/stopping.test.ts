import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openTestServer, testToken } from '../testing/index.ts';
import { openProxied, type Proxied } from '../testing/proxied.ts';

const opened: Proxied[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

const chat = '/v1/chat/completions';
const ask = (content: string) => ({ model: 'm', stream: true, messages: [{ role: 'user', content }] });
const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
const events = { 'content-type': 'text/event-stream' };

describe('a server that stops', () => {
  it('[RP21] lets calls that are under way come to their end, and records them', async () => {
    let end: () => void = () => undefined;
    const one = await openProxied(
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

  it('[RP21] ends those that take longer, and records what came as interrupted', async () => {
    const gone: string[] = [];
    const one = await openProxied(
      (seen, back) => {
        const silent = seen.body.includes('silent');
        back.on('close', () => gone.push(silent ? 'silent' : 'hanging'));
        if (silent) return;
        back.writeHead(200, events);
        back.write(chunk('So far'));
      },
      { limits: { stopMs: 600 } },
    );
    opened.push(one);
    const hanging = await one.begin(chat, ask('hanging'));
    const silent = one.begin(chat, ask('silent'));
    await expect.poll(() => one.service.requests.length).toBe(2);
    const heard = hanging.text().catch(() => 'broke off');
    await one.listening.close();
    expect([await heard, (await silent).status]).toEqual(['broke off', 503]);
    await expect.poll(() => gone.toSorted()).toEqual(['hanging', 'silent']);
    const nodes = (await one.nodes()).map(({ role, text, status }) => [role, text, status]);
    expect(nodes).toContainEqual(['assistant', 'So far', 'interrupted']);
    expect(nodes.filter(([, , status]) => status === 'interrupted')).toHaveLength(2);
  });
});

describe('a body that stops coming', () => {
  it('[A123] is refused after its time, with and without a length, and its connection ends', async () => {
    const server = await openTestServer({ limits: { bodyIdleMs: 80 } });
    const { port } = await server.listen();
    for (const length of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
      const head = `POST ${chat} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${testToken}`;
      const socket = connect(port, '127.0.0.1');
      socket.write(`${head}\r\nContent-Type: application/json\r\n${length}\r\n\r\n5\r\n{"mod\r\n`);
      const heard = await new Promise<string>((resolve) => {
        let text = '';
        socket.on('data', (piece) => {
          text += piece.toString();
        });
        socket.on('close', () => resolve(text));
      });
      expect([length, heard.slice(0, 12), heard.includes('http/too-slow')]).toEqual([length, 'HTTP/1.1 408', true]);
    }
    await server.close();
  });
});

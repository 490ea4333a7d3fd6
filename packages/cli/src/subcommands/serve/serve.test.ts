import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { misbehavingServerCommand } from '@coppice/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice serve', () => {
  let fixture: CliFixture;
  let stop: AbortController;
  let reported: string;
  let received: Promise<string>;

  function serving(env: Readonly<Record<string, string>> = {}): CliFixture {
    stop = new AbortController();
    reported = '';
    let reportLine: (text: string) => void = () => undefined;
    received = new Promise((resolve) => {
      reportLine = resolve;
    });
    const stdout = {
      write(text: string | Uint8Array) {
        reported += text;
        if (reported.endsWith('\n')) reportLine(reported);
      },
    };
    return makeCliFixture({ home: fixture.home, env, stdout, signal: stop.signal });
  }
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => {
    stop.abort();
    fixture.close();
  });

  it('[O35] --port 0 prints port and token as JSON, serves the same trees, and stops on request', async () => {
    const { tree } = await fixture.createChat('One');
    const running = serving().run(['serve', '--port', '0']);
    const { port, token } = JSON.parse(await received);
    const address = `http://127.0.0.1:${port}/api/trees/${tree}`;
    expect((await fetch(address)).status).toBe(401);
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}` } });
    expect(await answer.json()).toMatchObject({ id: tree });
    stop.abort();
    expect((await running).code).toBe(0);
    await expect(fetch(address)).rejects.toThrow();
  });

  it('[O92] coppice without arguments, in a terminal, prints what one can do and the address of the page', async () => {
    stop = new AbortController();
    let shown = '';
    const started = new Promise<void>((resolve) => {
      const stdout = {
        isTTY: true,
        columns: 80,
        write(text: string | Uint8Array) {
          shown += text;
          if (shown.includes('Ctrl-C')) resolve();
        },
      };
      const env = { CI: '1', NO_COLOR: '1' };
      void makeCliFixture({ home: fixture.home, env, stdout, signal: stop.signal })
        .run([])
        .then(() => resolve());
    });
    await started;
    for (const part of ['coppice chat', 'coppice import', 'coppice ls', 'coppice --help', 'http://127.0.0.1:'])
      expect(shown).toContain(part);
    stop.abort();
  });

  it('[O123] the token is the same after a restart, and a new one is accepted while the server runs', async () => {
    const first = serving().run(['serve', '--port', '0']);
    const { token } = JSON.parse(await received);
    stop.abort();
    await first;
    const again = serving().run(['serve', '--port', '0']);
    const { port, token: kept } = JSON.parse(await received);
    expect(kept).toBe(token);
    const status = async (bearer: string) =>
      (await fetch(`http://127.0.0.1:${port}/api/me`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    expect(await status(token)).toBe(200);
    const renewed = String((await fixture.json(['token', '--new']))['token']);
    await expect.poll(() => status(renewed)).toBe(200);
    expect(await status(token)).toBe(401);
    stop.abort();
    await again;
  });

  it('[O35] an empty store gets an example to explore, once', async () => {
    const running = serving().run(['serve', '--json', '--no-open']);
    await received;
    stop.abort();
    await running;
    const { items } = await fixture.json(['ls']);
    expect(items).toMatchObject([{ attributes: { tags: ['example'] } }]);
    const { nodes } = await fixture.json(['show', 'last']);
    expect(nodes).toMatchObject({ length: 6 });
    expect(await fixture.run(['fsck'])).toMatchObject({ code: 0 });
    await fixture.json(['rm', 'last']);
    const again = serving().run(['serve', '--json', '--no-open']);
    await received;
    stop.abort();
    await again;
    expect(await fixture.json(['ls'])).toMatchObject({ items: [] });
  });

  it('[O37] a server for several people starts with an admin whose token is shown once', async () => {
    const running = serving().run(['serve', '--users', '--port', '0']);
    const { port, token } = JSON.parse(await received);
    const ask = (path: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } });
    expect(await (await ask('/api/me')).json()).toMatchObject({ role: 'admin' });
    expect((await ask('/api/users')).status).toBe(200);
    stop.abort();
    const { err } = await running;
    expect(err).toContain(token);
    const again = serving().run(['serve', '--users', '--port', '0']);
    expect(JSON.parse(await received)).toMatchObject({ token: '' });
    stop.abort();
    expect((await again).err).not.toContain('first user');
  });

  it('[O37] a port that is in use is reported with what to do, and creates no token', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const { code, err } = await serving().run(['serve', '--users', '--port', port]);
    expect(code).toBe(6);
    expect(err).toContain(`Port ${port} is taken by another program. Choose another with --port`);
    taken.close();
    const again = serving().run(['serve', '--users', '--port', '0']);
    expect(JSON.parse(await received).token).not.toBe('');
    stop.abort();
    await again;
  });

  it('[O37] the start message says whether the address alone signs people in', async () => {
    const alone = serving().run(['serve', '--no-open', '--no-example']);
    expect(await received).toContain('Coppice is at');
    stop.abort();
    await alone;
    expect(reported).toContain('Everyone who has this URL');
    const shared = serving().run(['serve', '--users', '--no-open', '--no-example']);
    await received;
    stop.abort();
    await shared;
    expect(reported).toContain('Each user signs in with a token.');
    expect(reported).not.toContain('Everyone who has this URL');
  });

  it('[O36] MCP servers of the configuration are started with it, their tools are offered, and none keeps running', async () => {
    mkdirSync(`${fixture.home}/.coppice`, { recursive: true });
    const command = JSON.stringify(misbehavingServerCommand('good'));
    writeFileSync(`${fixture.home}/.coppice/config.toml`, `[mcp.servers.odd]\ncommand = ${command}\n`);
    const path = process.env['PATH'] ?? '';
    const running = serving({ PATH: path }).run(['serve', '--port', '0']);
    const { port, token } = JSON.parse(await received);
    const headers = { authorization: `Bearer ${token}` };
    const state = await (await fetch(`http://127.0.0.1:${port}/api/mcp`, { headers })).json();
    expect(state).toMatchObject({ servers: [{ name: 'odd', status: 'ready' }] });
    const tools = await (await fetch(`http://127.0.0.1:${port}/api/tools`, { headers })).json();
    expect(JSON.stringify(tools)).toContain('odd__');
    stop.abort();
    expect((await running).code).toBe(0);
  });

  it('[O39] responds only under the given host names, and logs requests if asked to', async () => {
    const line = ['serve', '--port', '0', '--allow-host', 'trees.example.org', '--log', 'info'];
    const running = serving().run(line);
    const { port, token } = JSON.parse(await received);
    const status = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, authorization: `Bearer ${token}` };
        request({ port, path: '/api/me', headers }, (answer) => resolve(answer.resume().statusCode))
          .on('error', reject)
          .end();
      });
    expect(await status('trees.example.org')).toBe(200);
    expect(await status('other.example.org')).toBe(403);
    stop.abort();
    const { code, err } = await running;
    expect(code).toBe(0);
    expect(err).toContain('"route":"/api/me","status":200');
    expect(err).not.toContain(token);
    expect(reported.trim().split('\n').length).toBe(1);
  });

  it('[O205] admits pages of the origins in the configuration and of those that are given', async () => {
    mkdirSync(`${fixture.home}/.coppice`, { recursive: true });
    const origins = '[server]\norigins = ["http://127.0.0.1:5173"]\n';
    writeFileSync(`${fixture.home}/.coppice/config.toml`, origins);
    const running = serving().run(['serve', '--port', '0', '--allow-origin', 'https://notes.example.org']);
    const { port, token } = JSON.parse(await received);
    const allowed = async (origin: string) => {
      const headers = { origin, authorization: `Bearer ${token}` };
      const answer = await fetch(`http://127.0.0.1:${port}/api/me`, { headers });
      return [answer.status, answer.headers.get('access-control-allow-origin')];
    };
    for (const origin of ['http://127.0.0.1:5173', 'https://notes.example.org'])
      expect(await allowed(origin)).toEqual([200, origin]);
    expect(await allowed('http://127.0.0.1:5174')).toEqual([403, null]);
    stop.abort();
    expect((await running).code).toBe(0);
  });

  it('[O39] an invalid log level or proxy is refused before anything is opened', async () => {
    expect((await serving().run(['serve', '--port', '0', '--log', 'loud'])).code).toBe(2);
    expect((await serving().run(['serve', '--port', '0', '--sign-in-proxy', '10.0.0.1'])).code).toBe(2);
    expect((await serving().run(['serve', '--port', '0', '--allow-host', 'No Host'])).code).toBe(2);
  });

  it('[O36] no key and no token is in the arguments or the environment of any process that it starts', async () => {
    const [configured, inherited] = ['sk-canary-configured-0001', 'sk-canary-inherited-0002'];
    mkdirSync(`${fixture.home}/.coppice`, { recursive: true });
    writeFileSync(
      `${fixture.home}/.coppice/config.toml`,
      `[providers.anthropic]\napi_key = "${configured}"\n[mcp.servers.odd]\ncommand = ${JSON.stringify(misbehavingServerCommand('good'))}\npass_env = ["OPENAI_API_KEY"]\n`,
    );
    const running = serving({ PATH: process.env['PATH'] ?? '', OPENAI_API_KEY: inherited }).run([
      'serve',
      '--port',
      '0',
    ]);
    const { port, token } = JSON.parse(await received);
    const headers = { authorization: `Bearer ${token}` };
    expect(await (await fetch(`http://127.0.0.1:${port}/api/mcp`, { headers })).text()).toContain('"ready"');
    const words = execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' });
    const environments = execFileSync('ps', ['-A', 'eww', '-o', 'args='], { encoding: 'utf8' });
    expect(words).toContain('odd-server.mjs');
    for (const secret of [configured, inherited, token]) {
      expect(words).not.toContain(secret);
      expect(environments).not.toContain(secret);
    }
    stop.abort();
    expect((await running).code).toBe(0);
  });

  it('[O35] a public address without a chosen token is refused', async () => {
    const { code, err } = await serving().run(['serve', '--host', '0.0.0.0', '--port', '0']);
    expect(code).not.toBe(0);
    expect(err).toContain('token');
  });
});

import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import {
  approveAll,
  findFreePort,
  type makeMcpClient,
  resultTextOf,
  serverStateOf,
  startReferenceServer,
  waitForServerStatus,
} from '../testing/mcp.ts';
import { createMcpFixture } from '../testing/mcp-fixture.ts';
import { openRawServer, type RawServer } from '../testing/raw-server.ts';
import type { McpClient } from './index.ts';

const fixture = createMcpFixture();

function open(url: string, lines = '', more: Parameters<typeof makeMcpClient>[1] = {}): McpClient {
  const text = `[mcp.servers.web]\nurl = ${JSON.stringify(url)}\n${lines}`;
  return fixture.open(parseConfig({ name: 'test.toml', text }, {}), more);
}

let everything: ChildProcess;
let port: number;

async function serve(): Promise<void> {
  everything = await startReferenceServer(port);
}

describe('the reference server "everything" over streamable HTTP', () => {
  beforeAll(async () => {
    port = await findFreePort();
    await serve();
  });
  afterAll(() => void everything.kill('SIGKILL'));

  const echo = (client: McpClient, message: string) =>
    client.tools.call({ id: 'c1', name: 'web__echo', parameters: { message } }, { approve: approveAll });

  test('[M20] offers its tools and responds to calls, and a stopped call is stopped on the server', async () => {
    const client = open(`http://127.0.0.1:${port}/mcp`);
    await client.start();
    const { status, tools, target } = serverStateOf(client, 'web');
    expect([status, target]).toEqual(['ready', [`http://127.0.0.1:${port}/mcp`]]);
    expect(tools.length).toBeGreaterThan(10);
    expect(resultTextOf(await echo(client, 'hello'))).toBe('Echo: hello');
    const picture = await client.tools.call(
      { id: 'c2', name: 'web__get-tiny-image', parameters: {} },
      { approve: approveAll },
    );
    expect(picture.message.content.map((block) => block.type)).toContain('image');
    const control = new AbortController();
    const parameters = { duration: 600, steps: 600 };
    const long = client.tools.call(
      { id: 'c3', name: 'web__trigger-long-running-operation', parameters },
      { signal: control.signal, approve: approveAll },
    );
    await echo(client, 'meanwhile');
    control.abort();
    expect((await long).error).toBe('tool/aborted');
    expect(serverStateOf(client, 'web').status).toBe('ready');
  });

  test('[M20] that disconnects is reported as unavailable, and is used again when it responds again', async () => {
    const client = open(`http://127.0.0.1:${port}/mcp`, '', { limits: { restarts: 1_000 } });
    await client.start();
    const parameters = { duration: 600, steps: 600 };
    const long = client.tools.call(
      { id: 'c1', name: 'web__trigger-long-running-operation', parameters },
      { approve: approveAll },
    );
    await echo(client, 'it runs');
    everything.kill('SIGKILL');
    await once(everything, 'exit');
    // The call that was running when the server stopped, and one that started later, both return an error.
    expect((await echo(client, 'anybody?')).error).toBe('tool/unavailable');
    expect((await long).error).toBe('tool/unavailable');
    expect(client.tools.find('web__echo')).toBeDefined();
    await serve();
    await waitForServerStatus(client, 'web', 'ready');
    expect(resultTextOf(await echo(client, 'back'))).toBe('Echo: back');
  });
});

describe('an address', () => {
  let server: RawServer;
  afterEach(() => server.close());

  test('[M20] gets the configured key and headers', async () => {
    server = await openRawServer((_request, response) => void response.writeHead(401).end('No.'));
    const client = open(`${server.url}/mcp`, 'api_key = "very-secret-key-1"\nheaders = { "x-team" = "trees" }', {
      limits: { restarts: 0 },
    });
    await client.start();
    expect(server.requests[0]?.headers).toMatchObject({ authorization: 'Bearer very-secret-key-1', 'x-team': 'trees' });
    expect(serverStateOf(client, 'web').status).toBe('down');
    expect(JSON.stringify(client.servers())).not.toContain('very-secret-key-1');
  });

  test('[M20] that redirects is not followed, wherever it points', async () => {
    const elsewhere = await openRawServer((_request, response) => void response.end());
    server = await openRawServer(
      (_request, response) => void response.writeHead(307, { location: `${elsewhere.url}/mcp` }).end(),
    );
    const client = open(`${server.url}/mcp`, 'api_key = "very-secret-key-1"', { limits: { restarts: 0 } });
    await client.start();
    expect(serverStateOf(client, 'web').lastError).toContain('redirects to');
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  test.each(['application/json', 'text/event-stream'])(
    '[M20] that sends %s without end is disconnected',
    async (type) => {
      server = await openRawServer(async (request, response) => {
        if (request.method !== 'POST') return void response.writeHead(405).end();
        response.writeHead(200, { 'content-type': type });
        const piece = 'data: x\n'.repeat(1_000);
        while (!response.destroyed) await new Promise((resolve) => response.write(piece, resolve));
      });
      const client = open(`${server.url}/mcp`, 'timeout_seconds = 30', {
        limits: { restarts: 0, messageBytes: 100_000 },
      });
      await client.start();
      expect(serverStateOf(client, 'web')).toMatchObject({
        status: 'down',
        lastError: 'web sent a message of more than 100000 bytes.',
      });
      await server.waitForSockets(0);
    },
  );
});

import {
  createMcpClient,
  createMemorySecretRecords,
  createMemoryToolPinStore,
  createTools,
  parseConfig,
} from '@coppice/engine';
import { misbehavingServerCommand, openModelServer } from '@coppice/engine/testing';
import { afterEach, expect, test } from 'vitest';
import {
  openSharedServer,
  openTestServer,
  type TestServer,
  type TestServerOptions,
  testToken,
} from '../../testing/index.ts';

const clean: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of clean.splice(0).reverse()) await end();
});

async function opened(
  open: (options: TestServerOptions) => Promise<TestServer> = openTestServer,
  lines = '',
): Promise<TestServer> {
  const config = parseConfig({ name: '/test.toml', text: lines }, {});
  const tools = createTools({ rules: () => server.server.services.config.tools });
  const mcp = createMcpClient({ config, tools, pins: createMemoryToolPinStore(), env: { PATH: process.env['PATH'] } });
  const server: TestServer = await open({ keys: createMemorySecretRecords(), tools, mcp, config: lines });
  clean.push(
    () => mcp.close(),
    () => server.close(),
  );
  return server;
}

const command = misbehavingServerCommand('good');

test('[A190] a command is added on this machine after signing in again, runs at once, and is stopped and removed', async () => {
  const server = await opened();
  // Without a socket, the server does not know whether other computers can reach it.
  const put = (body: object) => server.ask('PUT', '/api/mcp/servers/odd', { body });
  expect((await put({ command, token: testToken })).status).toBe(403);
  await server.listen();
  server.server.services.bound.isLoopback = true;
  expect((await put({ command, token: 'wrong' })).status).toBe(403);
  expect((await put({ command })).status).toBe(400);
  const added = await put({ command, token: testToken });
  expect(added.body.servers).toMatchObject([{ name: 'odd', status: 'ready', removable: true, target: command }]);
  expect(added.body.servers[0].tools.every((one: { decision: string }) => one.decision === 'ask')).toBe(true);
  const again = await server.ask('POST', '/api/mcp/servers/odd/test');
  expect(again.body.servers[0].status).toBe('ready');
  const removed = await server.ask('DELETE', '/api/mcp/servers/odd');
  expect(removed.body.servers).toEqual([]);
  expect(
    (await server.ask('GET', '/api/tools')).body.items.some((one: { name: string }) => /^odd__/.test(one.name)),
  ).toBe(false);
  expect((await server.ask('DELETE', '/api/mcp/servers/odd')).status).toBe(404);
});

test('[A191] each tool is set to ask, run or refuse; a read-only hint decides nothing', async () => {
  const server = await opened();
  server.server.services.bound.isLoopback = true;
  await server.ask('PUT', '/api/mcp/servers/odd', { body: { command, token: testToken } });
  const { tools } = server.server.services;
  const call = () => tools.call({ id: '1', name: 'odd__echo', parameters: { text: 'hello' } });
  expect((await call()).error).toBe('tool/not-approved');
  const decide = (decision: string) => server.ask('PUT', '/api/tools/odd__echo/decision', { body: { decision } });
  expect((await decide('allow')).body).toEqual({ name: 'odd__echo', decision: 'allow' });
  expect((await call()).error).toBeNull();
  await decide('never');
  expect((await call()).error).toBe('tool/not-approved');
  expect((await decide('ask')).body.decision).toBe('ask');
  expect((await server.ask('PUT', '/api/tools/nothing/decision', { body: { decision: 'ask' } })).status).toBe(404);
});

test('[A192] on a shared server commands need permission of the operator, and addresses must be public', async () => {
  const shut = await opened(openSharedServer);
  const asked = { token: 'ada', body: { command, token: 'ada' } };
  expect((await shut.ask('PUT', '/api/mcp/servers/odd', asked)).status).toBe(403);
  expect((await shut.ask('PUT', '/api/mcp/servers/odd', { ...asked, token: 'ben' })).status).toBe(403);
  const near = await openModelServer();
  clean.push(() => near.close());
  const address = { token: 'ada', body: { url: near.url } };
  expect((await shut.ask('PUT', '/api/mcp/servers/near', address)).body.error.code).toBe('keys/address');
  expect((await shut.ask('GET', '/api/mcp', { token: 'ada' })).body.mayAdd).toEqual({
    addresses: true,
    commands: false,
  });
  expect((await shut.ask('GET', '/api/mcp', { token: 'ben' })).body.mayAdd).toEqual({
    addresses: false,
    commands: false,
  });
  const allowed = await opened(openSharedServer, '[mcp]\npage_commands = true\n');
  expect((await allowed.ask('PUT', '/api/mcp/servers/odd', { ...asked, body: { command, token: 'ben' } })).status).toBe(
    403,
  );
  const added = await allowed.ask('PUT', '/api/mcp/servers/odd', asked);
  expect(added.body.servers).toMatchObject([{ name: 'odd', status: 'ready' }]);
});

test('[A193] a server of the configuration is not replaced or removed, and one that does not respond shows why', async () => {
  const server = await opened(openTestServer, `[mcp.servers.odd]\ncommand = ${JSON.stringify(command)}\n`);
  const replaced = await server.ask('PUT', '/api/mcp/servers/odd', { body: { url: 'http://127.0.0.1:9/mcp' } });
  expect(replaced.body.error.code).toBe('keys/configured');
  const added = await server.ask('PUT', '/api/mcp/servers/gone', {
    body: { url: 'http://127.0.0.1:9/mcp', key: 'sk-canary-server-0001' },
  });
  const gone = added.body.servers.find((one: { name: string }) => one.name === 'gone');
  expect(gone.status).not.toBe('ready');
  expect(gone.lastError).not.toBe('');
  expect(JSON.stringify(added.body)).not.toContain('canary');
});

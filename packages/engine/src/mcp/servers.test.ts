import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../config/secret.ts';
import { systemClock } from '../providers/clock.ts';
import type { Clock } from '../providers/contract.ts';
import {
  approveAll,
  makeMcpClient,
  makeMcpConfig,
  misbehavingServerCommand,
  resultTextOf,
  serverStateOf,
  waitForServerStatus,
} from '../testing/mcp.ts';
import { callOddServerTool, createMcpFixture } from '../testing/mcp-fixture.ts';
import { waitUntil } from '../testing/turn-fixture.ts';
import type { McpClient, McpServerState } from './index.ts';
import { createMemoryToolPinStore } from './pins.ts';

const { open, start } = createMcpFixture();

describe('calls', () => {
  let client: McpClient;
  beforeAll(async () => {
    client = makeMcpClient(makeMcpConfig({ odd: misbehavingServerCommand('good') }));
    await client.start();
  });
  afterAll(() => client.close());

  test('[M9] a result is text, pictures and attachments as the server gave them; unknown content is kept as JSON', async () => {
    const png = Buffer.from('not really a picture').toString('base64');
    const content = [
      { type: 'text', text: 'Here:' },
      { type: 'image', data: `${png.slice(0, 8)}\n${png.slice(8)}`, mimeType: 'image/png' },
      { type: 'audio', data: png, mimeType: 'audio/wav' },
      { type: 'resource', resource: { uri: 'file:///notes/a.md?x=1', mimeType: 'text/markdown', text: '# A' } },
      { type: 'resource', resource: { uri: 'file:///a.png', mimeType: 'image/png', blob: png } },
      { type: 'resource', resource: { uri: 'x://y', blob: png } },
      { type: 'resource_link', uri: 'https://example.org/x', name: 'x', description: 'An x.' },
      { type: 'image', data: '', mimeType: 'image/png' },
      { type: 'hologram', depth: 3 },
      'bare',
    ];
    const { message, error, origin } = await callOddServerTool(client, 'parts', { content });
    const source = { type: 'base64', data: png };
    expect(message).toEqual({
      role: 'tool',
      tool_call_id: 'c1',
      content: [
        { type: 'text', text: 'Here:' },
        { type: 'image', mediaType: 'image/png', source },
        { type: 'file', name: 'audio', mediaType: 'audio/wav', source },
        { type: 'file', name: 'a.md', mediaType: 'text/markdown', source: { type: 'text', text: '# A' } },
        { type: 'image', mediaType: 'image/png', source },
        { type: 'file', name: 'y', mediaType: 'application/octet-stream', source },
        { type: 'text', text: '[resource: x, https://example.org/x, An x.]' },
        { type: 'text', text: '[image: image/png, which cannot be read]' },
        { type: 'text', text: '{"type":"hologram","depth":3}' },
        { type: 'text', text: '"bare"' },
      ],
    });
    expect([error, origin]).toEqual([null, { type: 'mcp', server: 'odd', tool: 'parts' }]);
    const structured = await callOddServerTool(client, 'parts', { content: [], more: { structuredContent: { a: 1 } } });
    expect(resultTextOf(structured)).toBe('{"a":1}');
    expect(resultTextOf(await callOddServerTool(client, 'parts', { content: [] }))).toBe('done');
  });

  test('[M9] an error result of a server is an error, and a refusal is reported with its message', async () => {
    const failed = await callOddServerTool(client, 'fail');
    expect([failed.error, resultTextOf(failed)]).toEqual(['tool/failed', 'Error (tool/failed): no such file']);
    const content = [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }];
    const pictured = await callOddServerTool(client, 'parts', { content, more: { isError: true } });
    expect(pictured.message.content.map((block) => block.type)).toEqual(['text', 'image']);
    const refused = await callOddServerTool(client, 'refuse');
    expect([refused.error, resultTextOf(refused).includes('not in this way')]).toEqual(['tool/failed', true]);
    expect(serverStateOf(client, 'odd').status).toBe('ready');
  });

  test('[M10] a result past the limit is cut, and pictures past theirs are left out; both are marked in place', async () => {
    const much = await callOddServerTool(client, 'much', { length: 600_000 });
    expect([much.truncated, much.error]).toEqual([true, null]);
    expect(Buffer.byteLength(resultTextOf(much))).toBeLessThanOrEqual(1024 * 1024);
    const data = Buffer.alloc(3 * 1024 * 1024, 1).toString('base64');
    const picture = { type: 'image', data, mimeType: 'image/png' };
    const pictures = await callOddServerTool(client, 'parts', {
      content: [picture, picture, { type: 'text', text: 'end' }],
    });
    expect(pictures.message.content.map((block) => block.type)).toEqual(['image', 'text', 'text']);
    expect(resultTextOf(pictures)).toMatch(/^\[left out: image of \d+ bytes, the limit is 5242880\]end$/);
    const parts = Array.from({ length: 300 }, () => ({ type: 'text', text: 'x' }));
    const many = await callOddServerTool(client, 'parts', { content: parts });
    expect(many.message.content).toHaveLength(257);
    expect(many.truncated).toBe(true);
  });

  test('[M11] a stopped call is stopped on the server too, and the server keeps running', async () => {
    const control = new AbortController();
    const hanging = callOddServerTool(client, 'hang', {}, { signal: control.signal });
    await waitUntil(async () => resultTextOf(await callOddServerTool(client, 'echo', { text: 'there' })) === 'there');
    control.abort();
    expect((await hanging).error).toBe('tool/aborted');
    await waitUntil(async () => JSON.parse(resultTextOf(await callOddServerTool(client, 'cancelled'))).length === 1);
    expect(serverStateOf(client, 'odd').status).toBe('ready');
  });

  test('[M12] each call is approved with its exact arguments, even for a tool that claims to be read-only', async () => {
    const asks = Object.fromEntries(serverStateOf(client, 'odd').tools.map((tool) => [tool.tool, tool.asks]));
    expect(asks).toMatchObject({ echo: true, write: true });
    expect((await callOddServerTool(client, 'write', {}, { approve: undefined })).error).toBe('tool/not-approved');
    const asked: unknown[] = [];
    const written = await callOddServerTool(
      client,
      'write',
      { path: 'a' },
      {
        approve(request) {
          asked.push([request.origin, request.parameters]);
          return { approved: true, hash: request.hash };
        },
      },
    );
    expect(resultTextOf(written)).toBe('written');
    expect(asked).toEqual([[{ type: 'mcp', server: 'odd', tool: 'write' }, { path: 'a' }]]);
  });
});

describe('servers that are added and removed', () => {
  test('[M46] a server is added, replaced and removed while another one keeps running', async () => {
    const client = await start('good');
    const pid = resultTextOf(await callOddServerTool(client, 'pid'));
    const [odd] = makeMcpConfig({ odd: misbehavingServerCommand('good') }).mcpServers.values();
    const [two] = makeMcpConfig({ two: misbehavingServerCommand('good') }).mcpServers.values();
    if (odd === undefined || two === undefined) throw new Error('no servers');
    await client.reconfigure(
      new Map([
        ['odd', odd],
        ['two', two],
      ]),
    );
    expect(client.servers().map(({ name, status }) => [name, status])).toEqual([
      ['odd', 'ready'],
      ['two', 'ready'],
    ]);
    expect(client.tools.find('two__echo')).toBeDefined();
    expect(resultTextOf(await callOddServerTool(client, 'pid'))).toBe(pid);
    await client.reconfigure(new Map([['two', two]]));
    expect(client.tools.find('odd__echo')).toBeUndefined();
    expect(client.servers().map(({ name }) => name)).toEqual(['two']);
  });
});

describe('approval by the configuration', () => {
  test('[M12] a tool that the operator names runs without approval, and no other does', async () => {
    const both = [
      { name: 'write', inputSchema: { type: 'object' } },
      { name: 'odd', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true, destructiveHint: true } },
    ];
    const client = await start('listed', JSON.stringify(both), {}, 'auto_approve = ["write"]');
    expect(serverStateOf(client, 'odd').tools.map((tool) => [tool.tool, tool.asks])).toEqual([
      ['odd', true],
      ['write', false],
    ]);
    expect(resultTextOf(await callOddServerTool(client, 'write', {}, { approve: undefined }))).toBe('written');
  });
});

describe('the environment of a child process', () => {
  test('[M2] is small, with the configured variables, and without keys, even if their variable is named', async () => {
    const key = new Secret('sk-lab-very-secret-1', 'https://lab.example.org');
    const env = {
      ...{ PATH: process.env.PATH, HOME: '/home/me', LANG: 'en_GB.UTF-8', OPENAI_API_KEY: 'sk-unheld', OTHER: 'no' },
      ...{ LAB_KEY: 'sk-lab-very-secret-1', PASSED: 'yes', SHELLSHOCK: '() { :; }' },
    };
    const lines = 'env = { OWN = "very-own-token" }\npass_env = ["LAB_KEY", "PASSED", "SHELLSHOCK"]';
    const client = await start('good', '', { env }, lines);
    const seen = JSON.parse(resultTextOf(await callOddServerTool(client, 'env')));
    // The child got `OWN` in its `env` and returns it; the result masks the value, because it is a configured secret.
    expect(seen).toMatchObject({ HOME: '/home/me', LANG: 'en_GB.UTF-8', PASSED: 'yes', OWN: '«hidden»' });
    for (const name of ['OPENAI_API_KEY', 'OTHER', 'LAB_KEY', 'SHELLSHOCK']) expect(seen).not.toHaveProperty(name);
    expect(serverStateOf(client, 'odd').problems).toEqual([
      'LAB_KEY holds a key and is not passed on; give the server one of its own in env.',
    ]);
    expect(JSON.stringify(client.servers())).not.toContain('very-own-token');
    expect(key.for('https://lab.example.org')).toBe(env.LAB_KEY);
  });

  test('[G160] passes a configured secret to a second server and to a restarted one, and masks it in results', async () => {
    const env = { PATH: process.env.PATH, TREE_TOKEN: 'tree-0123456789-abc' };
    const lines = 'pass_env = ["TREE_TOKEN"]';
    const config = makeMcpConfig(
      { odd: misbehavingServerCommand('good'), even: misbehavingServerCommand('good') },
      lines,
      env,
    );
    const client = open(config, { env });
    await client.start();
    await client.restart('odd');
    for (const server of ['odd', 'even']) {
      expect(serverStateOf(client, server).problems).toEqual([]);
      const asked = { id: 'c1', name: `${server}__env`, parameters: {} };
      const seen = JSON.parse(resultTextOf(await client.tools.call(asked, { approve: approveAll })));
      expect(seen).toMatchObject({ TREE_TOKEN: '[key …-abc]' });
    }
  });

  test('[M1] only configured commands are run, as written and without a shell; disabled ones are not', async () => {
    const config = makeMcpConfig({
      odd: [...misbehavingServerCommand('good'), 'sk-a-key-among-arguments', '$(touch /tmp/x); "a b"'],
    });
    const off = makeMcpConfig({ off: misbehavingServerCommand('good') }, 'enabled = false');
    const client = open({ mcpServers: new Map([...config.mcpServers, ...off.mcpServers]) });
    await client.start();
    expect(serverStateOf(client, 'odd').target.slice(-2)).toEqual(['«hidden»', '$(touch /tmp/x); "a b"']);
    expect(serverStateOf(client, 'odd')).toMatchObject({ status: 'ready', server: { name: 'odd', version: '1' } });
    expect(serverStateOf(client, 'off')).toMatchObject({ status: 'disabled', tools: [] });
    await client.restart('off');
    expect(serverStateOf(client, 'off').status).toBe('disabled');
    await expect(client.restart('nobody')).rejects.toMatchObject({ code: 'mcp/unknown-server' });
  });
});

describe('a server that fails', () => {
  test('[M13] in the middle of a call is reported as unavailable with its last output, restarts, and works', async () => {
    const states: McpServerState['status'][] = [];
    const onChange = ({ status }: McpServerState) => void (states.at(-1) === status || states.push(status));
    const client = await start('good', '', { onChange });
    const before = resultTextOf(await callOddServerTool(client, 'pid'));
    const [died, hung] = await Promise.all([callOddServerTool(client, 'die'), callOddServerTool(client, 'hang')]);
    for (const each of [died, hung]) {
      expect(each.error).toBe('tool/unavailable');
      expect(resultTextOf(each)).toContain('exit code 7; it said: Out of cheese.');
    }
    expect(client.tools.find('odd__echo')).toBeDefined();
    await waitForServerStatus(client, 'odd', 'ready');
    const after = resultTextOf(await callOddServerTool(client, 'pid'));
    expect(after).toMatch(/^\d+$/);
    expect(after).not.toBe(before);
    expect(states).toEqual(['starting', 'ready', 'restarting', 'ready']);
    expect(serverStateOf(client, 'odd').lastError).toBeNull();
  });

  test('[M13] by a signal from outside is restarted automatically', async () => {
    const client = await start('good');
    const pid = Number(resultTextOf(await callOddServerTool(client, 'pid')));
    process.kill(pid, 'SIGKILL');
    await waitUntil(() => serverStateOf(client, 'odd').status !== 'ready');
    expect(serverStateOf(client, 'odd').lastError).toContain('SIGKILL');
    await waitForServerStatus(client, 'odd', 'ready');
    expect(resultTextOf(await callOddServerTool(client, 'echo', { text: 'again' }))).toBe('again');
  });

  test('[M14] is restarted three times a minute with growing pauses, then is down and retried after a while', async () => {
    const waits: number[] = [];
    let [now, release] = [1_000_000, (): void => undefined];
    const clock: Clock = {
      now: () => now,
      random: () => 1,
      wait: async (ms, signal) => {
        if (ms === 30_000) return systemClock.wait(2 ** 30, signal);
        waits.push(ms);
        if (ms === 300_000)
          await new Promise<void>((resolve) => {
            release = resolve;
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
        now += ms;
      },
    };
    const limits = { firstWaitMs: 500, longestWaitMs: 1_500 };
    const client = open(
      makeMcpConfig({ odd: misbehavingServerCommand('die-on-init') }, 'env = { TOKEN = "very-hidden-token" }'),
      {
        clock,
        limits,
      },
    );
    await client.start();
    await waitForServerStatus(client, 'odd', 'down');
    expect(waits).toEqual([500, 1_000, 1_500, 300_000]);
    const { lastError, nextTryAt } = serverStateOf(client, 'odd');
    expect(lastError).toBe('it ended with exit code 3; it said: Cannot begin; the token is [key …oken].');
    expect(nextTryAt).toBe(now + 300_000);
    release();
    await waitUntil(() => waits.length > 4);
    expect(waits[4]).toBe(1_500);
  });

  test('[M14] after a minute without failure is restarted with the first pause', async () => {
    const waits: number[] = [];
    let now = 0;
    const clock: Clock = {
      now: () => now,
      random: () => 0,
      wait: async (ms, signal) => {
        if (ms === 30_000) return systemClock.wait(2 ** 30, signal);
        waits.push(ms);
      },
    };
    const client = await start('good', '', { clock, limits: { firstWaitMs: 8, longestWaitMs: 1_000 } });
    for (const pass of [0, 0, 60_000, 0]) {
      now += pass;
      const count = waits.length;
      await callOddServerTool(client, 'die');
      await waitUntil(() => waits.length > count);
      await waitForServerStatus(client, 'odd', 'ready');
    }
    expect(waits).toEqual([4, 8, 4, 8]);
  });

  test('[M15] keeps its tools listed, a call fails at once as unavailable, and a restart makes it work again', async () => {
    const client = await start('good', '', { limits: { restarts: 0 } });
    await callOddServerTool(client, 'die');
    await waitForServerStatus(client, 'odd', 'down');
    expect(client.tools.specs(['odd__echo'])).toHaveLength(1);
    expect(serverStateOf(client, 'odd').tools.map((tool) => tool.status)).toContain('unavailable');
    const answered = await callOddServerTool(client, 'echo', { text: 'x' });
    expect(answered.error).toBe('tool/unavailable');
    expect(resultTextOf(answered)).toContain('The server odd is not connected: down (it ended with exit code 7');
    expect((await client.restart('odd')).status).toBe('ready');
    expect(resultTextOf(await callOddServerTool(client, 'echo', { text: 'x' }))).toBe('x');
  });

  test('[M18] because it no longer responds is ended and restarted', async () => {
    const client = await start('deaf', '', { limits: { pingEveryMs: 5, pingMs: 20, restarts: 0 } });
    await waitForServerStatus(client, 'odd', 'down');
    expect(serverStateOf(client, 'odd').lastError).toContain('does not answer any more');
  });

  test('[M18] a call past its time limit is ended, and a server that still responds stays', async () => {
    const client = await start('good', '', { limits: { pingMs: 30_000 } }, 'timeout_seconds = 3');
    // The time limit also applies to the start, which may fail once on a busy machine.
    await waitForServerStatus(client, 'odd', 'ready');
    const late = await callOddServerTool(client, 'hang');
    expect(late.error).toBe('tool/timeout');
    expect(resultTextOf(await callOddServerTool(client, 'echo', { text: 'here' }))).toBe('here');
    expect(serverStateOf(client, 'odd').status).toBe('ready');
  });
});

describe('a server that does not start', () => {
  test('[M16] because its program is missing, or ends at once, is reported, and the others are ready', async () => {
    const servers = {
      odd: misbehavingServerCommand('good'),
      gone: ['no-such-program'],
      dead: misbehavingServerCommand('die-on-init'),
    };
    const client = open(makeMcpConfig(servers), { limits: { restarts: 0 } });
    await client.start();
    expect(serverStateOf(client, 'odd').status).toBe('ready');
    expect(serverStateOf(client, 'gone')).toMatchObject({
      status: 'down',
      lastError: expect.stringContaining('the program no-such-program was not found'),
    });
    expect(serverStateOf(client, 'dead')).toMatchObject({
      status: 'down',
      lastError: expect.stringContaining('exit code 3'),
    });
  });

  test('[M16] because it never responds fails at the time limit, and a call waits for it until then', async () => {
    const pins = createMemoryToolPinStore();
    const first = await start('good', '', { pins });
    await first.close();
    const client = open(makeMcpConfig({ odd: misbehavingServerCommand('never-answer') }, 'timeout_seconds = 0.3'), {
      pins,
      limits: { restarts: 0 },
    });
    const starting = client.start();
    await waitUntil(() => client.tools.find('odd__echo') !== undefined);
    const [answered] = await Promise.all([callOddServerTool(client, 'echo'), starting]);
    expect(answered.error).toMatch(/^tool\/(?:unavailable|timeout)$/);
    expect(serverStateOf(client, 'odd')).toMatchObject({
      status: 'down',
      lastError: expect.stringContaining('timed out'),
    });
  });

  test('[M16] closing while servers start ends them, and none can be started afterwards', async () => {
    const client = open(makeMcpConfig({ odd: misbehavingServerCommand('never-answer') }));
    const starting = client.start();
    await waitForServerStatus(client, 'odd', 'starting');
    await client.close();
    await starting;
    expect(serverStateOf(client, 'odd').status).toBe('closed');
    await expect(client.start()).rejects.toMatchObject({ code: 'mcp/closed' });
    await expect(client.restart('odd')).rejects.toMatchObject({ code: 'mcp/closed' });
  });

  test('[M22] output that is not a message is ignored, and a server without tools has none', async () => {
    const client = open(
      makeMcpConfig({ odd: misbehavingServerCommand('talkative'), none: misbehavingServerCommand('no-tools') }),
    );
    await client.start();
    expect(serverStateOf(client, 'odd').status).toBe('ready');
    expect(serverStateOf(client, 'none')).toMatchObject({ status: 'ready', tools: [] });
  });
});

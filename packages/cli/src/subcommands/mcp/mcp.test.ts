// @module-tag full
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createMcpClient, createMemoryToolPinStore, parseConfig } from '@coppice/engine';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compileCliOnce } from '../../testing/compiled.ts';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

// Runs from the sources, which load slowly on a busy machine.
const seconds = 150;
const program = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'bin', 'coppice.mjs');

describe('coppice mcp', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O55] an agent reads and extends the same trees over standard input and output', async () => {
    const { tree } = await fixture.createChat('Tell me about the oak.');
    const command = JSON.stringify([
      process.execPath,
      program,
      'mcp',
      '--store',
      `sqlite:${fixture.home}/.coppice/coppice.db`,
    ]);
    const config = parseConfig(
      { name: 'c.toml', text: `[mcp.servers.past]\ncommand = ${command}\ntimeout_seconds = ${seconds}\n` },
      {},
    );
    const env = { PATH: process.env['PATH'], HOME: fixture.home };
    const client = createMcpClient({ config, env, pins: createMemoryToolPinStore() });
    try {
      await client.start();
      expect(client.servers()).toMatchObject([{ status: 'ready', server: { name: 'coppice' } }]);
      const approve = ({ hash }: { readonly hash: string }) => ({ approved: true, hash }) as const;
      const call = (name: string, parameters: Readonly<Record<string, string>>) =>
        client.tools.call({ id: 'c', name: `past__${name}`, parameters }, { approve });
      expect(JSON.stringify((await call('search', { text: 'oak' })).message)).toContain(tree);
      expect((await call('append', { tree, text: 'And the beech?' })).error).toBeNull();
    } finally {
      await client.close();
    }
    expect(await fixture.json(['show', tree])).toMatchObject({ nodes: [{}, { text: 'And the beech?' }] });
  });

  it.each([
    [[], true],
    [['--read-only'], false],
  ] as const)('[O55] `mcp %j` offers the official client only permitted tools: writing %s', async (flags, writes) => {
    const { tree, nodes } = await fixture.createChat('Tell me about the oak.', 'And the beech?');
    const client = new Client({ name: 'test', version: '1' });
    const store = `sqlite:${fixture.home}/.coppice/coppice.db`;
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, 'mcp', ...flags, '--store', store],
      env: { PATH: process.env['PATH'] ?? '', HOME: fixture.home },
    });
    await client.connect(transport, { timeout: seconds * 1000 });
    try {
      const names = (await client.listTools()).tools.map((tool) => tool.name);
      expect(names).toContain('search');
      expect(names.includes('append')).toBe(writes);
      const { resources } = await client.listResources();
      expect(resources.map((resource) => resource.uri)).toEqual([`coppice://trees/${tree}`]);
      const thread = await client.readResource({ uri: `coppice://trees/${tree}/nodes/${nodes[1]}` });
      expect(JSON.stringify(thread.contents)).toContain('And the beech?');
      expect((await client.listPrompts()).prompts).toHaveLength(1);
    } finally {
      await client.close();
    }
  });

  it.each([
    ['nothing', ''],
    ['lines that are no messages', '{"jsonrpc":\n\nnonsense\n'],
    ['a part of a message', '{"jsonrpc":"2.0","id":1,"meth'],
  ])('[O206] ends when its input ends after %s, and answers what it was asked before', async (_name, last) => {
    const store = `sqlite:${fixture.home}/.coppice/coppice.db`;
    const command = await compileCliOnce();
    const env = { PATH: process.env['PATH'], HOME: fixture.home };
    const agent = spawn(process.execPath, [command, 'mcp', '--store', store], { env });
    try {
      const ended = once(agent, 'exit');
      const errors = text(agent.stderr);
      let written = '';
      agent.stdout.on('data', (piece) => (written += piece));
      agent.stdin.write('nonsense\n{"jsonrpc":"2.0","id":7,"method":"ping"}\n');
      await expect.poll(() => written).toContain('"id":7');
      agent.stdin.end(last);
      expect([await ended, await errors]).toEqual([[0, null], '']);
      for (const line of written.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    } finally {
      agent.kill('SIGKILL');
    }
  });
});

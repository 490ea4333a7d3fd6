/** Starts MCP servers for tests: the reference servers, and one that misbehaves in a chosen way. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/contract.ts';
import { parseConfig } from '../config/load.ts';
import {
  createMcpClient,
  type McpClient,
  type McpClientOptions,
  type McpLimits,
  type McpServerState,
} from '../mcp/index.ts';
import { createMemoryToolPinStore } from '../mcp/pins.ts';
import type { ApprovalDecision, ApprovalRequest, ToolResult } from '../tools/contract.ts';
import { waitUntil } from './turn-fixture.ts';

const resolve = createRequire(import.meta.url).resolve;

/** Returns the command that starts the misbehaving server. */
export function misbehavingServerCommand(mode: string, detail = ''): readonly string[] {
  return [process.execPath, fileURLToPath(new URL('./odd-server.mjs', import.meta.url)), mode, detail];
}

/** Returns the command that starts a reference server. */
export function referenceServerCommand(
  name: 'everything' | 'filesystem',
  ...args: readonly string[]
): readonly string[] {
  return [process.execPath, resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args];
}

/** Returns a free port below the ephemeral range, which the system assigns to no other process meanwhile. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const wanted = randomInt(10_000, 30_000);
    const server = createServer().listen(wanted, '127.0.0.1');
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return wanted;
  }
}

/** Starts the reference server "everything" over streamable HTTP, at `http://127.0.0.1:<port>/mcp`. */
export async function startReferenceServer(port: number): Promise<ChildProcess> {
  const [program = '', ...args] = referenceServerCommand('everything', 'streamableHttp');
  const child = spawn(program, args, { env: { PORT: String(port) }, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  for await (const piece of child.stderr) {
    said += String(piece);
    if (said.includes('listening')) return child;
  }
  throw new Error(`The server did not come up: ${said}`);
}

/** Parses a configuration with servers by their commands and additional TOML lines. */
export function makeMcpConfig(
  servers: Readonly<Record<string, readonly string[]>>,
  lines = '',
  env: Readonly<Record<string, string | undefined>> = {},
): Config {
  const sections = Object.entries(servers).map(
    ([name, command]) => `[mcp.servers.${name}]\ncommand = ${JSON.stringify(command)}\n${lines}\n`,
  );
  return parseConfig({ name: 'test.toml', text: sections.join('\n') }, env);
}

/** Delays short enough for tests. */
const quick: Partial<McpLimits> = { firstWaitMs: 5, longestWaitMs: 20, graceMs: 300, settleMs: 1 };

/** Creates a client without starting it. */
export function makeMcpClient(config: Pick<Config, 'mcpServers'>, more: Partial<McpClientOptions> = {}): McpClient {
  return createMcpClient({ config, pins: createMemoryToolPinStore(), ...more, limits: { ...quick, ...more.limits } });
}

/** Returns the state of a server. Throws if it is not configured. */
export function serverStateOf(client: McpClient, name: string): McpServerState {
  const found = client.servers().find((server) => server.name === name);
  if (found === undefined) throw new Error(`There is no server ${name}.`);
  return found;
}

/** Resolves when a server has a status. */
export function waitForServerStatus(client: McpClient, name: string, status: McpServerState['status']): Promise<void> {
  return waitUntil(() => serverStateOf(client, name).status === status);
}

/** Returns the text of a tool result. */
export function resultTextOf({ message }: ToolResult): string {
  return message.content.map((block) => ('text' in block ? String(block.text) : '')).join('');
}

export function approveAll({ hash }: ApprovalRequest): ApprovalDecision {
  return { approved: true, hash };
}

/** Returns the running processes whose command line contains a text, without zombies. */
export function findProcesses(text: string): readonly string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line));
}

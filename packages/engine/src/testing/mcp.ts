/** MCP servers for tests: the reference servers, and one that misbehaves on demand. */
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
import { createMemoryPins } from '../mcp/pins.ts';
import type { ApprovalDecision, ApprovalRequest, ToolResult } from '../tools/contract.ts';
import { waitUntil } from './turn-fixture.ts';

const resolve = createRequire(import.meta.url).resolve;

/** The command of the misbehaving server. */
export function misbehavingServerCommand(mode: string, detail = ''): readonly string[] {
  return [process.execPath, fileURLToPath(new URL('./odd-server.mjs', import.meta.url)), mode, detail];
}

/** The command of a reference server. */
export function referenceServerCommand(
  name: 'everything' | 'filesystem',
  ...args: readonly string[]
): readonly string[] {
  return [process.execPath, resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args];
}

/** A free port below the ephemeral range, so that no other process is assigned it meanwhile. */
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

/** A configuration with servers by their commands and additional TOML lines. */
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

/** Short delays and limits for tests. */
const quick: Partial<McpLimits> = { firstWaitMs: 5, longestWaitMs: 20, graceMs: 300, settleMs: 1 };

/** A client that is not started. */
export function makeMcpClient(config: Pick<Config, 'mcpServers'>, more: Partial<McpClientOptions> = {}): McpClient {
  return createMcpClient({ config, pins: createMemoryPins(), ...more, limits: { ...quick, ...more.limits } });
}

/** The state of a server. */
export function serverStateOf(client: McpClient, name: string): McpServerState {
  const found = client.servers().find((server) => server.name === name);
  if (found === undefined) throw new Error(`There is no server ${name}.`);
  return found;
}

/** Resolves when a server reaches a status. */
export function waitForServerStatus(client: McpClient, name: string, status: McpServerState['status']): Promise<void> {
  return waitUntil(() => serverStateOf(client, name).status === status);
}

/** The text of a result. */
export function resultTextOf({ message }: ToolResult): string {
  return message.content.map((block) => ('text' in block ? String(block.text) : '')).join('');
}

/** Approves every request. */
export function approveAll({ hash }: ApprovalRequest): ApprovalDecision {
  return { approved: true, hash };
}

/** Running processes whose command line contains a text; zombies do not count. */
export function findProcesses(text: string): readonly string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line));
}

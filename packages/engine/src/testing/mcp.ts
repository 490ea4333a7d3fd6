/** MCP servers for tests: the reference servers, and one that does what no server should. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
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
import { memoryPins } from '../mcp/pins.ts';
import type { ApprovalDecision, ApprovalRequest, ToolResult } from '../tools/contract.ts';
import { until } from './turn-fixture.ts';

const resolve = createRequire(import.meta.url).resolve;

/** The command of the server that behaves as it is told. */
export function oddServer(mode: string, detail = ''): readonly string[] {
  return [process.execPath, fileURLToPath(new URL('./odd-server.mjs', import.meta.url)), mode, detail];
}

/** The command of a reference server. */
export function referenceServer(name: 'everything' | 'filesystem', ...args: readonly string[]): readonly string[] {
  return [process.execPath, resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args];
}

/** The configuration of servers by their commands, each with more lines of TOML. */
export function mcpConfig(servers: Readonly<Record<string, readonly string[]>>, lines = ''): Config {
  const sections = Object.entries(servers).map(
    ([name, command]) => `[mcp.servers.${name}]\ncommand = ${JSON.stringify(command)}\n${lines}\n`,
  );
  return parseConfig({ name: 'test.toml', text: sections.join('\n') }, {});
}

/** Pauses and limits that no test has to sit out. */
export const quick: Partial<McpLimits> = { firstWaitMs: 5, longestWaitMs: 20, graceMs: 300, settleMs: 1 };

/** A client of servers, not started. */
export function mcpClient(config: Pick<Config, 'mcpServers'>, more: Partial<McpClientOptions> = {}): McpClient {
  return createMcpClient({ config, pins: memoryPins(), ...more, limits: { ...quick, ...more.limits } });
}

/** The state of a server. */
export function stateOf(client: McpClient, name: string): McpServerState {
  const found = client.servers().find((server) => server.name === name);
  if (found === undefined) throw new Error(`There is no server ${name}.`);
  return found;
}

/** Resolves when a server is in a state. */
export function reaches(client: McpClient, name: string, status: McpServerState['status']): Promise<void> {
  return until(() => stateOf(client, name).status === status);
}

/** The text of a result. */
export function textOfResult({ message }: ToolResult): string {
  return message.content.map((block) => ('text' in block ? String(block.text) : '')).join('');
}

/** Approves whatever is asked. */
export function approveAll({ hash }: ApprovalRequest): ApprovalDecision {
  return { approved: true, hash };
}

/** Living processes whose command line has a text in it; those that died and were not fetched do not count. */
export function processesWith(text: string): readonly string[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,stat=,args='], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes(text) && !/^\s*\d+\s+Z/.test(line));
}

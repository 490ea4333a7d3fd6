/** Clients of the misbehaving MCP server for the tests of a file. */
import { afterEach } from 'vitest';
import type { McpClient } from '../mcp/index.ts';
import type { ToolCallOptions } from '../tools/contract.ts';
import { approveAll, makeMcpClient, makeMcpConfig, misbehavingServerCommand } from './mcp.ts';

/** Opens clients, and closes them after each test of the file. */
export function createMcpFixture() {
  const opened: McpClient[] = [];
  afterEach(async () => {
    for (const client of opened.splice(0)) await client.close();
  });
  const open = (...given: Parameters<typeof makeMcpClient>): McpClient => {
    const client = makeMcpClient(...given);
    opened.push(client);
    return client;
  };
  /** Starts a client with the misbehaving server, which is configured as `odd`. */
  const start = async (mode: string, detail = '', more: Parameters<typeof makeMcpClient>[1] = {}, lines = '') => {
    const client = open(makeMcpConfig({ odd: misbehavingServerCommand(mode, detail) }, lines), more);
    await client.start();
    return client;
  };
  return { open, start };
}

/** Calls a tool of the server `odd`; every approval is given. */
export function callOddServerTool(client: McpClient, tool: string, parameters = {}, options: ToolCallOptions = {}) {
  return client.tools.call({ id: 'c1', name: `odd__${tool}`, parameters }, { approve: approveAll, ...options });
}

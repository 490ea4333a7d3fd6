/** The MCP client: the operator's servers, and their tools among the others. */
import { redact } from '../http/redact.ts';
import { systemClock } from '../providers/clock.ts';
import { createTools } from '../tools/registry.ts';
import { defaultMcpLimits, type McpClient, type McpClientOptions, type McpServerState, mcpError } from './contract.ts';
import { McpServer } from './server.ts';
import { ToolCatalogue } from './tool-catalogue.ts';

export * from './contract.ts';
export { filePins, pinsPath } from './file-pins.ts';
export { memoryPins, type Pin, type PinStore, type ToolDefinition } from './pins.ts';

/** Makes a client. Nothing is started before `start`, and what was started ends with `close`, or with the process. */
export function createMcpClient(options: McpClientOptions): McpClient {
  const limits = { ...defaultMcpLimits, ...options.limits };
  const clock = options.clock ?? systemClock;
  const env = options.env ?? process.env;
  const tools = options.tools ?? createTools({ tools: [] });
  const catalogue = new ToolCatalogue({ tools, limits, pins: options.pins, now: () => clock.now() });
  const servers = new Map<string, McpServer>();
  let isClosed = false;

  const stateOf = (server: McpServer): McpServerState => ({
    name: server.config.name,
    target: (server.config.transport === 'stdio' ? server.config.command : [server.config.url]).map(redact),
    ...server.health,
    tools: catalogue.states(server.config.name),
  });
  for (const [name, config] of options.config.mcpServers) {
    const server: McpServer = new McpServer(config, {
      env,
      limits,
      clock,
      onTools: (faces) => catalogue.take(name, faces),
      onChange: () => options.onChange?.(stateOf(server)),
    });
    servers.set(name, server);
  }
  const refuseClosed = () => {
    if (isClosed) throw mcpError('mcp/closed', 'The MCP client was closed.');
  };
  return {
    tools,
    servers: () => [...servers.values()].map(stateOf),
    async start() {
      refuseClosed();
      await catalogue.open([...servers.values()]);
      refuseClosed();
      await Promise.all([...servers.values()].map((server) => server.start()));
    },
    async restart(name) {
      refuseClosed();
      const server = servers.get(name);
      if (server === undefined) throw mcpError('mcp/unknown-server', `There is no server ${JSON.stringify(name)}.`);
      await server.close();
      refuseClosed();
      await catalogue.open([server]);
      await server.start();
      return stateOf(server);
    },
    async approve(name, hash) {
      refuseClosed();
      const count = await catalogue.approve(name, hash);
      if (count > 0) for (const server of servers.values()) options.onChange?.(stateOf(server));
      return count;
    },
    async close() {
      isClosed = true;
      await Promise.all([...servers.values()].map((server) => server.close()));
      catalogue.close();
    },
  };
}

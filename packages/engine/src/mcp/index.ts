/** The MCP client: connects to the configured servers and adds their tools to the registry. */
import { readEnvironment } from '#platform/system';
import type { McpServerConfig } from '../config/contract.ts';
import { redactKeys } from '../http/redact.ts';
import { systemClock } from '../providers/clock.ts';
import { createTools } from '../tools/registry.ts';
import {
  defaultMcpLimits,
  type McpClient,
  type McpClientOptions,
  type McpServerState,
  makeMcpError,
} from './contract.ts';
import { McpServer } from './server.ts';
import { ToolCatalogue } from './tool-catalogue.ts';

export * from './contract.ts';
export { createFileToolPinStore, toolPinsPath } from './file-pins.ts';
export { type ApprovedTool, createMemoryToolPinStore, type ToolDefinition, type ToolPinStore } from './pins.ts';

/** Creates a client. It starts nothing before `start`; `close` or the end of the process ends what was started. */
export function createMcpClient(options: McpClientOptions): McpClient {
  const limits = { ...defaultMcpLimits, ...options.limits };
  const clock = options.clock ?? systemClock;
  const env = options.env ?? readEnvironment();
  const tools = options.tools ?? createTools({ tools: [] });
  const catalogue = new ToolCatalogue({ tools, limits, pins: options.pins, now: () => clock.now() });
  const servers = new Map<string, McpServer>();
  let isClosed = false;

  const stateOf = (server: McpServer): McpServerState => ({
    name: server.config.name,
    target: (server.config.transport === 'stdio' ? server.config.command : [server.config.url]).map(redactKeys),
    ...server.health,
    tools: catalogue.states(server.config.name),
  });
  const add = (config: McpServerConfig): McpServer => {
    const { name } = config;
    const server: McpServer = new McpServer(config, {
      env,
      limits,
      clock,
      onTools: (definitions) => catalogue.take(name, definitions),
      onChange: () => options.onChange?.(stateOf(server)),
    });
    servers.set(name, server);
    return server;
  };
  for (const config of options.config.mcpServers.values()) add(config);
  // Changes run one after the other, because two at once would start a server twice.
  let changing: Promise<void> = Promise.resolve();
  const reconfigure = async (wanted: ReadonlyMap<string, McpServerConfig>): Promise<void> => {
    for (const [name, server] of [...servers]) {
      const next = wanted.get(name);
      if (next !== undefined && isSameServer(server.config, next)) continue;
      servers.delete(name);
      await server.close();
      catalogue.drop(name);
    }
    const added = [...wanted.values()].filter(({ name }) => !servers.has(name)).map(add);
    if (added.length === 0) return;
    await catalogue.open(added);
    await Promise.all(added.map((server) => server.start()));
  };
  const refuseClosed = () => {
    if (isClosed) throw makeMcpError('mcp/closed', 'The MCP client was closed.');
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
    reconfigure(wanted) {
      refuseClosed();
      const done = changing.then(() => reconfigure(wanted));
      changing = done.catch(() => undefined);
      return done;
    },
    async restart(name) {
      refuseClosed();
      const server = servers.get(name);
      if (server === undefined) throw makeMcpError('mcp/unknown-server', `There is no server ${JSON.stringify(name)}.`);
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

/** Returns whether two configurations describe the same server, including its secrets. */
function isSameServer(a: McpServerConfig, b: McpServerConfig): boolean {
  return serverFingerprint(a) === serverFingerprint(b);
}

/** Returns everything that the server depends on as one text. It contains secrets, so it is only compared. */
function serverFingerprint(config: McpServerConfig): string {
  const common = [config.enabled, config.timeoutMs, config.autoApprove];
  if (config.transport === 'http') {
    const { url, key, headers, publicOnly } = config;
    return JSON.stringify([...common, url, key?.for(key.origin), headers, publicOnly === true]);
  }
  const { command, cwd, env, passEnv } = config;
  const values = [...env].map(([name, value]) => [name, value.reveal()]);
  return JSON.stringify([...common, command, cwd ?? null, values, passEnv]);
}

/** Opens the tools that models may call: the built-in ones, and those of the configured MCP servers. */
import type { LiveConfig } from './connections/live-config.ts';
import { createFileToolPinStore, createMcpClient, type McpClient, toolPinsPath } from './mcp/index.ts';
import { createTools, type ToolRegistry, toToolSettings } from './tools/index.ts';

export interface OpenToolsOptions {
  /** The configuration. Its rules for tools are read at each call, so that a change applies at once. */
  readonly live: LiveConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The home directory, which determines the path of the configuration; approved tools are stored beside that. */
  readonly home: string;
  /** Whether a client is created without configured servers, so that some can be added later. */
  readonly addable?: boolean | undefined;
}

export interface OpenedTools {
  readonly tools: ToolRegistry;
  /** The client of the MCP servers; null if none is configured and none can be added. */
  readonly mcp: McpClient | null;
  /** Starts the configured MCP servers. One that does not start has no tools. */
  start(): Promise<void>;
  /** Ends the MCP servers, also while they start. */
  close(): Promise<void>;
}

/** Opens the tools of a configuration. The tools of MCP servers are added by `start`. */
export function openTools({ live, env, home, addable = false }: OpenToolsOptions): OpenedTools {
  const config = live.current;
  const tools = createTools({ ...toToolSettings(config), rules: () => live.current.tools });
  const isNeeded = config.mcpServers.size > 0 || addable;
  const pins = createFileToolPinStore(toolPinsPath({ env, home }));
  const mcp = isNeeded ? createMcpClient({ config, tools, env, pins }) : null;
  return { tools, mcp, start: async () => mcp?.start(), close: async () => mcp?.close() };
}

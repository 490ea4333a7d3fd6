/** Opens the tools that models may call: built-in tools, and those of the configured MCP servers. */
import {
  createFilePins,
  createMcpClient,
  createTools,
  type LiveConfig,
  type McpClient,
  type ToolRegistry,
  toolPinsPath,
  toToolSettings,
} from '@coppice/engine';
import type { CliContext } from './cli-context.ts';

/**
 * Opens the tools. MCP servers that it starts end with the context. `coppice serve` passes its configuration and always
 * gets a client, so that users can add MCP servers later.
 */
export async function openToolRegistry(
  at: CliContext,
  server?: LiveConfig,
): Promise<{ readonly tools: ToolRegistry; readonly mcp: McpClient | null }> {
  const live = server ?? (await at.live());
  const config = live.current;
  const tools = createTools({ ...toToolSettings(config), rules: () => live.current.tools });
  if (config.mcpServers.size === 0 && server === undefined) return { tools, mcp: null };
  const { env, home } = at.host;
  const mcp = createMcpClient({ config, tools, env, pins: createFilePins(toolPinsPath({ env, home })) });
  at.onClose(() => mcp.close());
  await mcp.start();
  return { tools, mcp };
}

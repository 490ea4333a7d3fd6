/** The tools that models may call: our own, and those of the MCP servers that the operator's configuration names. */
import {
  createMcpClient,
  createTools,
  filePins,
  type McpClient,
  pinsPath,
  type ToolRegistry,
  toolSettings,
} from '@coppice/engine';
import type { CliContext } from './cli-context.ts';

/** Opens the tools; servers that were started end with the workplace. */
export async function openTools(
  at: CliContext,
): Promise<{ readonly tools: ToolRegistry; readonly mcp: McpClient | null }> {
  const config = await at.config();
  const tools = createTools(toolSettings(config));
  if (config.mcpServers.size === 0) return { tools, mcp: null };
  const { env, home } = at.host;
  const mcp = createMcpClient({ config, tools, env, pins: filePins(pinsPath({ env, home })) });
  at.onClose(() => mcp.close());
  await mcp.start();
  return { tools, mcp };
}

/** The MCP server over standard input and output, for agents that start it themselves. */
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import type { TreesServerOptions } from './options.ts';
import { createTreesMcpServer } from './server.ts';

/** Serves until the client disconnects or the signal aborts. No other code may write to standard output meanwhile. */
export async function serveTreesOverStdio(
  options: TreesServerOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const server = createTreesMcpServer(options);
  const transport = new StdioServerTransport();
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => resolve();
    process.stdin.once('end', resolve);
    options.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(transport);
  await ended;
  await server.close();
}

/** Handles each HTTP request with a new MCP server, so that requests share no state. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { TreesMcpServerOptions } from './options.ts';
import { createTreesMcpServer } from './server.ts';

/** Handles a request of the streamable HTTP transport. */
export function answerMcpOverHttp(request: Request, options: TreesMcpServerOptions): Promise<Response> {
  return createMcpHandler(() => createTreesMcpServer(options)).fetch(request);
}

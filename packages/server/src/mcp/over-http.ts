/** One request over HTTP, answered by a server of its own: nothing is kept between two of them. */
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createTreesServer, type TreesServerOptions } from './server.ts';

/** Answers a request of the streamable HTTP transport. */
export function answerOverHttp(request: Request, options: TreesServerOptions): Promise<Response> {
  return createMcpHandler(() => createTreesServer(options)).fetch(request);
}

/** The MCP server over standard input and output, for agents that start it themselves. */
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { JsonRpcLineFilter, maxJsonRpcLineBytes } from './json-rpc-line-filter.ts';
import type { TreesMcpServerOptions } from './options.ts';
import { createTreesMcpServer } from './server.ts';

/** Serves until the client disconnects or the signal aborts. No other code may write to standard output meanwhile. */
export function serveTreesOverStdio(options: TreesMcpServerOptions & { readonly signal: AbortSignal }): Promise<void> {
  return serveTreesOverStreams(options, process.stdin, process.stdout);
}

/** Serves an agent that writes to `input` and reads from `output`, until `input` ends or the signal aborts. */
export async function serveTreesOverStreams(
  options: TreesMcpServerOptions & { readonly signal: AbortSignal },
  input: Readable,
  output: Writable,
): Promise<void> {
  const server = createTreesMcpServer(options);
  const lines = new JsonRpcLineFilter((line) => void output.write(line));
  // The longest line, and what the SDK has not read yet.
  const transport = new StdioServerTransport(lines, output, { maxBufferSize: 2 * (maxJsonRpcLineBytes + 1) });
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => resolve();
    options.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  await server.connect(transport);
  // An input that fails closes without an end, and the last lines are still read.
  input.on('error', () => undefined).once('close', () => lines.end());
  input.pipe(lines);
  await ended;
  input.unpipe(lines).pause();
  await server.close();
}

/** A server at an address, by streamable HTTP. */
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '../config/contract.ts';
import { mcpError } from './contract.ts';

/**
 * The transport of an address. The key goes to the configured host and to no other, redirects are not followed, and no
 * message is longer than the limit, however it comes: one that is breaks the connection, and `onBroken` is told.
 */
export function httpTransport(
  config: McpServerConfig & { readonly transport: 'http' },
  messageBytes: number,
  onBroken: (error: Error) => void,
): Transport {
  const address = new URL(config.url);
  const send = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input);
    if (url.origin !== address.origin)
      throw mcpError('mcp/failed', `${config.name} is at ${address.origin}; ${url.origin} is not asked.`);
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(config.headers)) headers.set(name, value);
    headers.set('user-agent', 'coppice');
    // What is not compressed is no bomb.
    headers.set('accept-encoding', 'identity');
    if (config.key !== undefined) headers.set('authorization', `Bearer ${config.key.for(url)}`);
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      const to = response.headers.get('location') ?? 'somewhere';
      throw mcpError('mcp/failed', `${url.host} redirects to ${to}; put the final address into the configuration.`);
    }
    return boundedBody(response, messageBytes, () => {
      const error = mcpError('mcp/failed', `${config.name} sent a message of more than ${messageBytes} bytes.`);
      onBroken(error);
      return error;
    });
  };
  return new StreamableHTTPClientTransport(address, { fetch: send });
}

/** The answer with a body that breaks off where a message, or a whole body that is no stream of them, is too long. */
function boundedBody(response: Response, most: number, tooLong: () => Error): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isStream = (headers.get('content-type') ?? '').startsWith('text/event-stream');
  let size = 0;
  let tail = Buffer.alloc(0);
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        size += piece.length;
        if (isStream) {
          // A blank line ends an event; it may have come in two pieces.
          const seen = Buffer.concat([tail, piece]);
          const end = Math.max(seen.lastIndexOf('\n\n'), seen.lastIndexOf('\r\n\r\n'), seen.lastIndexOf('\r\r'));
          if (end >= 0) size = Math.min(size, seen.length - end);
          tail = seen.subarray(-3);
        }
        if (size > most) controller.error(tooLong());
        else controller.enqueue(piece);
      },
    }),
  );
  return new Response(counted, { status, statusText, headers });
}

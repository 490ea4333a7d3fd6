/** Creates the transport for MCP servers with streamable HTTP. */
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { fetchPublicAddress } from '#platform/public-fetch';
import type { McpServerConfig } from '../config/contract.ts';
import { makeMcpError } from './contract.ts';

/**
 * Creates the transport for a URL. The key is sent only to the configured host, and redirects are not followed. A
 * message above the size limit breaks the connection; then `onBroken` is called.
 */
export function createHttpTransport(
  config: McpServerConfig & { readonly transport: 'http' },
  messageBytes: number,
  onBroken: (error: Error) => void,
): Transport {
  const address = new URL(config.url);
  const send = async (input: string | URL, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input);
    if (url.origin !== address.origin)
      throw makeMcpError(
        'mcp/failed',
        `${config.name} is configured for ${address.origin}; no request is sent to ${url.origin}.`,
      );
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(config.headers)) headers.set(name, value);
    headers.set('user-agent', 'coppice');
    // An uncompressed body cannot be a decompression bomb.
    headers.set('accept-encoding', 'identity');
    if (config.key !== undefined) headers.set('authorization', `Bearer ${config.key.for(url)}`);
    const response = await sendTo(url, { ...init, headers }, config.publicOnly === true);
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      const to = response.headers.get('location') ?? 'somewhere';
      throw makeMcpError('mcp/failed', `${url.host} redirects to ${to}; put the final address into the configuration.`);
    }
    return boundedBody(response, messageBytes, () => {
      const error = makeMcpError('mcp/failed', `${config.name} sent a message of more than ${messageBytes} bytes.`);
      onBroken(error);
      return error;
    });
  };
  return new StreamableHTTPClientTransport(address, { fetch: send });
}

/**
 * Sends a request without following redirects. With `publicOnly` the address must be public, because a user of a shared
 * server entered it.
 */
function sendTo(url: URL, init: RequestInit & { readonly headers: Headers }, publicOnly: boolean): Promise<Response> {
  if (!publicOnly) return fetch(url, { ...init, redirect: 'manual' });
  const { method, headers, body, signal } = init;
  return fetchPublicAddress(url, {
    method,
    headers: Object.fromEntries(headers),
    body: typeof body === 'string' ? body : null,
    signal: signal ?? undefined,
  });
}

/** Wraps a response so that reading its body fails if an event, or a body that is not an event stream, is too long. */
function boundedBody(response: Response, most: number, tooLong: () => Error): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isStream = (headers.get('content-type') ?? '').startsWith('text/event-stream');
  let size = 0;
  const latin1 = new TextDecoder('latin1');
  let tail = '';
  const counted = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        size += piece.length;
        if (isStream) {
          // A blank line ends an event; it may be split between two chunks.
          // Latin 1 has one character per byte, so that offsets are counts of bytes.
          const seen = tail + latin1.decode(piece);
          const end = Math.max(seen.lastIndexOf('\n\n'), seen.lastIndexOf('\r\n\r\n'), seen.lastIndexOf('\r\r'));
          if (end >= 0) size = Math.min(size, seen.length - end);
          tail = seen.slice(-3);
        }
        if (size > most) controller.error(tooLong());
        else controller.enqueue(piece);
      },
    }),
  );
  return new Response(counted, { status, statusText, headers });
}

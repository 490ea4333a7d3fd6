/** Forwards a call to its service. The bytes stay unchanged in both directions. */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import type { CutOffReason } from '../../proxy/exchange.ts';
import { chunkedHeaders } from '../../proxy/forwarded-headers.ts';
import { ResponseBuffer, type ResponseBufferOptions } from '../../proxy/response-buffer.ts';

/** A call to forward, and how its response is stored. */
export interface ForwardedCall {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The body, in one piece or as it arrives. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | null;
  /** The length of the body; null if it is not known before its end. */
  readonly length: number | null;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Aborts when the stopping server has to end the call. */
  readonly ending: AbortSignal;
  /** The options of the buffer that keeps the answer for recording. */
  readonly keeping: ResponseBufferOptions;
}

/** The stored part of a response that has ended. */
export interface FinishedResponse {
  readonly bytes: Uint8Array;
  readonly cut: CutOffReason;
  readonly firstMs: number | null;
}

/** A response whose body is still arriving. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly encoding: string | undefined;
  readonly body: ReadableStream<Uint8Array> | null;
  readonly upstreamRequest: Promise<FinishedResponse>;
}

// Hop-by-hop and host-specific headers are not forwarded.
const hopByHopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'set-cookie',
  'set-cookie2',
  'clear-site-data',
  'strict-transport-security',
  'alt-svc',
  'content-security-policy',
  'content-security-policy-report-only',
  'cross-origin-resource-policy',
  'cross-origin-opener-policy',
  'nel',
  'report-to',
  'reporting-endpoints',
]);

function forwardedHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  const redirects = (incoming.statusCode ?? 0) >= 300 && (incoming.statusCode ?? 0) < 400;
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || hopByHopHeaders.has(name) || name.startsWith('access-control-')) continue;
    // A client that follows a redirect would send its key, which is our token, to another host.
    if (redirects && name === 'location') continue;
    // The name is capitalised like the headers of this server, so that equal headers replace each other.
    const spelled = name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
    headers[spelled] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers['Content-Length'] === undefined ? { ...headers, ...chunkedHeaders } : headers;
}

/** Sends a call and resolves with the response headers. Rejects if the service does not respond. */
export function forwardCall(passed: ForwardedCall): Promise<UpstreamResponse> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const url = new URL(passed.url);
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    const outgoing = send(
      url,
      {
        method: passed.method,
        headers: {
          ...passed.headers,
          ...(passed.length === null ? {} : { 'content-length': String(passed.length) }),
        },
        signal: AbortSignal.any([passed.signal, passed.ending]),
      },
      (incoming) => resolve(toUpstreamAnswer(incoming, passed, startedAt)),
    );
    outgoing.on('error', reject);
    // A protocol upgrade ends the request without an error. After a response this has no effect.
    outgoing.on('close', () => reject(new Error('The connection was closed without a response.')));
    const { body } = passed;
    if (body === null || body instanceof Uint8Array) outgoing.end(body ?? undefined);
    // An error of either stream is reported by the error event of the request.
    else pipeline(Readable.from(body, { highWaterMark: 1 }), outgoing, () => undefined);
  });
}

// Responses with these statuses have no body.
const bodiless = new Set([101, 204, 205, 304]);

function toUpstreamAnswer(
  incoming: IncomingMessage,
  { keeping, signal }: ForwardedCall,
  startedAt: number,
): UpstreamResponse {
  const isPacked = (incoming.headers['content-encoding'] ?? 'identity') !== 'identity';
  const buffer = new ResponseBuffer(isPacked ? { ...keeping, wire: null } : keeping);
  let firstMs: number | null = null;
  let settle: (cut: CutOffReason) => void = () => undefined;
  const upstreamRequest = new Promise<FinishedResponse>((resolve) => {
    settle = (cut) => {
      const { isWhole } = buffer;
      resolve(buffer.take().then((bytes) => ({ bytes, cut: isWhole ? cut : 'limit', firstMs })));
    };
  });
  const cutBy = (): CutOffReason => (signal.aborted ? 'client' : 'service');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (chunk: Uint8Array) => {
        firstMs ??= Math.round(performance.now() - startedAt);
        buffer.add(chunk);
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 1) <= 0) incoming.pause();
      });
      incoming.on('end', () => {
        controller.close();
        settle(incoming.complete ? null : cutBy());
      });
      const cut = (error?: Error) => {
        settle(cutBy());
        try {
          controller.error(error ?? new Error('The service closed the connection before the end of the response.'));
        } catch {
          // Closing throws if the stream was already closed.
        }
      };
      incoming.on('error', cut);
      incoming.on('aborted', () => cut());
    },
    pull: () => void incoming.resume(),
    cancel() {
      settle('client');
      incoming.destroy();
    },
  });
  const status = incoming.statusCode ?? 502;
  const hasBody = !bodiless.has(status);
  if (!hasBody) incoming.resume();
  const { 'Transfer-Encoding': chunked, ...headers } = forwardedHeaders(incoming);
  const sentHeaders = hasBody && chunked !== undefined ? { ...headers, ...chunkedHeaders } : headers;
  return {
    status,
    headers: sentHeaders,
    encoding: incoming.headers['content-encoding'],
    body: hasBody ? body : null,
    upstreamRequest,
  };
}

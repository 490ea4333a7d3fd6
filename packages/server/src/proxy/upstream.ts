/** Passes a call on with its bytes as they are, in both directions. */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { CutAnswer } from './exchange.ts';
import { KeptAnswer, type KeptAnswerOptions } from './keep-answer.ts';

/** A call to pass on. */
export interface ForwardedBytes {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** Fires when the client goes away. */
  readonly signal: AbortSignal;
  /** Fires when the server has to end it. */
  readonly ending: AbortSignal;
  /** Where the answer is kept for whoever records it. */
  readonly keeping: KeptAnswerOptions;
}

/** What is left of an answer when it is through. */
export interface UpstreamRequest {
  /** As many of its bytes as were kept. */
  readonly bytes: Uint8Array;
  readonly cut: CutAnswer;
  readonly firstMs: number | null;
}

/** What came back, while it comes. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** How the bytes are packed. */
  readonly encoding: string | undefined;
  readonly body: ReadableStream<Uint8Array> | null;
  readonly upstreamRequest: Promise<UpstreamRequest>;
}

// These speak of one connection, or of one host to its browsers; here both are others.
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

/** Without it the server holds a stream back for a moment, to see whether its length can be told. */
export const asItComes: Readonly<Record<string, string>> = { 'Transfer-Encoding': 'chunked' };

function forwardedHeaders(incoming: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  const redirects = (incoming.statusCode ?? 0) >= 300 && (incoming.statusCode ?? 0) < 400;
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value === undefined || hopByHopHeaders.has(name) || name.startsWith('access-control-')) continue;
    // A client that follows shows its key, which is our token, to whoever stands there.
    if (redirects && name === 'location') continue;
    // Spelled as our own headers are, so that one takes the place of the other.
    const spelled = name.replace(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());
    headers[spelled] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers['Content-Length'] === undefined ? { ...headers, ...asItComes } : headers;
}

/** Sends a call and gives the answer as soon as its head is there. Rejects where nobody answers. */
export function forward(passed: ForwardedBytes): Promise<UpstreamAnswer> {
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
          ...(passed.body === null ? {} : { 'content-length': String(passed.body.byteLength) }),
        },
        signal: AbortSignal.any([passed.signal, passed.ending]),
      },
      (incoming) => resolve(toUpstreamAnswer(incoming, passed, startedAt)),
    );
    outgoing.on('error', reject);
    // A service that wants to speak another protocol ends the call without an error; after an answer this says nothing.
    outgoing.on('close', () => reject(new Error('The connection ended without an answer.')));
    outgoing.end(passed.body ?? undefined);
  });
}

// Answers with these have no body, whatever is said about one.
const bodiless = new Set([101, 204, 205, 304]);

function toUpstreamAnswer(
  incoming: IncomingMessage,
  { keeping, signal }: ForwardedBytes,
  startedAt: number,
): UpstreamAnswer {
  const isPacked = (incoming.headers['content-encoding'] ?? 'identity') !== 'identity';
  const kept = new KeptAnswer(isPacked ? { ...keeping, wire: null } : keeping);
  let firstMs: number | null = null;
  let settle: (cut: CutAnswer) => void = () => undefined;
  const upstreamRequest = new Promise<UpstreamRequest>((resolve) => {
    settle = (cut) => {
      const { isWhole } = kept;
      resolve(kept.take().then((bytes) => ({ bytes, cut: isWhole ? cut : 'limit', firstMs })));
    };
  });
  const cutBy = (): CutAnswer => (signal.aborted ? 'client' : 'service');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (chunk: Uint8Array) => {
        firstMs ??= Math.round(performance.now() - startedAt);
        kept.add(chunk);
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
          controller.error(error ?? new Error('The service broke off.'));
        } catch {
          // Closed already: the end came before.
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
  const spoken = hasBody && chunked !== undefined ? { ...headers, ...asItComes } : headers;
  return {
    status,
    headers: spoken,
    encoding: incoming.headers['content-encoding'],
    body: hasBody ? body : null,
    upstreamRequest,
  };
}

/** Passes a call on with its bytes as they are, in both directions. */
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** A call to pass on. */
export interface Passed {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly signal: AbortSignal;
}

/** What came back, while it comes. */
export interface PassedBack {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array>;
  /** The body as text when it is through, decoded; `whole` is false where it was cut. */
  readonly text: Promise<{ readonly text: string; readonly whole: boolean; readonly firstMs: number | null }>;
}

// These speak of one connection, not of the message.
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'set-cookie',
]);

// A reply that is longer is passed on all the same, and recorded up to here.
const keptBytes = 64 * 1024 * 1024;

/** Sends a call and gives the answer as soon as its head is there. Rejects where nobody answers. */
export function passOn(passed: Passed): Promise<PassedBack> {
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
        signal: passed.signal,
      },
      (incoming) => resolve(passedBack(incoming, startedAt)),
    );
    outgoing.on('error', reject);
    outgoing.end(passed.body ?? undefined);
  });
}

function passedBack(incoming: IncomingMessage, startedAt: number): PassedBack {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined && !hopByHop.has(name)) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  const kept: Uint8Array[] = [];
  let size = 0;
  let firstMs: number | null = null;
  let settle: (whole: boolean) => void = () => undefined;
  const text = new Promise<{ text: string; whole: boolean; firstMs: number | null }>((resolve) => {
    settle = (whole) =>
      resolve({ text: decoded(kept, headers['content-encoding']), whole: whole && size <= keptBytes, firstMs });
  });
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on('data', (chunk: Uint8Array) => {
        firstMs ??= performance.now() - startedAt;
        size += chunk.byteLength;
        if (size <= keptBytes) kept.push(chunk);
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 1) <= 0) incoming.pause();
      });
      incoming.on('end', () => {
        controller.close();
        settle(incoming.complete);
      });
      const cut = (error?: Error) => {
        settle(false);
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
      settle(false);
      incoming.destroy();
    },
  });
  return { status: incoming.statusCode ?? 502, headers, body, text };
}

function decoded(pieces: readonly Uint8Array[], encoding: string | undefined): string {
  const bytes = Buffer.concat(pieces);
  try {
    if (encoding === 'gzip') return gunzipSync(bytes, { maxOutputLength: keptBytes }).toString('utf8');
    if (encoding === 'br') return brotliDecompressSync(bytes, { maxOutputLength: keptBytes }).toString('utf8');
    if (encoding === 'deflate') return inflateSync(bytes, { maxOutputLength: keptBytes }).toString('utf8');
  } catch {
    return '';
  }
  return bytes.toString('utf8');
}

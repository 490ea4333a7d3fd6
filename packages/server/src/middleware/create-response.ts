/** Creates all responses, with the security headers. */
import type { ServerContext } from '../env.ts';
import { ReaderDroppedError } from '../live/event-stream.ts';

/**
 * The Content-Security-Policy of responses that are not a page: they load nothing, run nothing and cannot be framed.
 */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const everyAnswer: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Content-Security-Policy': apiPolicy,
  'Cache-Control': 'no-store',
};

export type ResponseBody = ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | string | null;

/** Creates a response with the security headers. The given headers take precedence. */
export function createResponse(
  context: ServerContext,
  body: ResponseBody,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  context.set('status', status);
  const sent = body instanceof ReadableStream ? guardStream(context, body) : body;
  // A forwarded response keeps the request id of its service, because the support of that service asks for it.
  const id = 'x-request-id' in headers ? {} : { 'X-Request-Id': context.get('requestId') };
  return new Response(sent, { status, headers: { ...everyAnswer, ...id, ...context.get('cors'), ...headers } });
}

/**
 * Wraps a stream so that it never fails. Otherwise the HTTP adapter would print the error between the log lines and
 * append its own text to the body. Instead the connection is closed, so that a client does not mistake a partial
 * response for a complete one.
 */
function guardStream(context: ServerContext, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const outgoing = context.env?.outgoing;
  // Without a socket, the caller of `fetch` receives the error.
  if (outgoing === undefined) return body;
  const reader = body.getReader();
  reader.closed.catch((thrown: unknown) => {
    // If the client has disconnected, the source of the stream may fail too, which is not an error.
    if (!outgoing.destroyed) logStreamError(context, thrown);
    outgoing.destroy();
  });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader.read().catch(() => null);
        // After a failure nothing is sent, not even the end of the stream. Closing the connection cancels the stream.
        if (next === null) return;
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: (reason) => reader.cancel(reason).catch(() => undefined),
    },
    // The stream reads nothing in advance, so that a slow reader slows the source down.
    { highWaterMark: 0 },
  );
}

function logStreamError(context: ServerContext, thrown: unknown): void {
  const { log } = context.get('services');
  const line = { method: context.req.method, route: context.get('pattern'), user: context.get('caller')?.actor };
  if (thrown instanceof ReaderDroppedError) log.warn(line, thrown.message);
  else log.error({ ...line, err: thrown }, 'a response ended with an error');
}

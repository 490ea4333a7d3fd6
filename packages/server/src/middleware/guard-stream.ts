/** Handles responses that fail while they are sent: logs the error and closes the connection. */
import type { ServerContext } from '../env.ts';
import { ReaderDroppedError } from '../live/event-stream.ts';

/**
 * Wraps a stream so that it never fails. Otherwise the HTTP adapter would print the error between the log lines and
 * append its own text to the body. Instead the connection is closed, so that a client does not mistake a partial
 * response for a complete one.
 */
export function guardStream(context: ServerContext, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
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

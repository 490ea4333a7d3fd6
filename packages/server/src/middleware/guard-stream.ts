/** Answers that break off while they are sent: told as a line of the log, and to the reader by a connection that ends. */
import type { ServerContext } from '../env.ts';
import { ReaderDropped } from '../live/event-stream.ts';

/**
 * The same stream, which never fails. What sends it would print a failure to standard error among the lines of the log,
 * and add words of its own to what was sent; here the connection is cut, so that no reader takes a part for the whole.
 */
export function guardStream(context: ServerContext, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const outgoing = context.env?.outgoing;
  // Without a socket there is nobody who prints, and whoever asked sees the failure itself.
  if (outgoing === undefined) return body;
  const reader = body.getReader();
  reader.closed.catch((thrown: unknown) => {
    // A reader that went away may make what it read fail; that is how streams end, and no fault.
    if (!outgoing.destroyed) logStreamError(context, thrown);
    outgoing.destroy();
  });
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const next = await reader.read().catch(() => null);
        // After a failure nothing comes any more, not even an end: the connection that was cut cancels this stream.
        if (next === null) return;
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: (reason) => reader.cancel(reason).catch(() => undefined),
    },
    // Nothing is taken before it is wanted, so that a reader that lags is seen to.
    { highWaterMark: 0 },
  );
}

function logStreamError(context: ServerContext, thrown: unknown): void {
  const { log } = context.get('services');
  const line = { method: context.req.method, route: context.get('pattern'), user: context.get('caller')?.actor };
  if (thrown instanceof ReaderDropped) log.warn(line, thrown.message);
  else log.error({ ...line, err: thrown }, 'an answer broke off');
}

/** Refuses a request whose body is still arriving, so that the client can read why. */
import type { ServerContext } from '../env.ts';

/** How long the rest of a refused body is read. */
const drainMs = 30_000;

/** Whether the client is still sending the body of its request. Always false without a socket. */
export function isBodyArriving(context: ServerContext): boolean {
  return context.env?.incoming?.complete === false;
}

/**
 * Returns a response body that ends when the client has sent its whole request, disconnects, or needs too long. The
 * rest of the request is read and discarded. If the connection closed earlier, the client could lose the response,
 * because a system drops received bytes when the other side resets the connection.
 */
export function streamUntilRequestEnds(context: ServerContext, text: string): ReadableStream<Uint8Array> {
  const incoming = context.env?.incoming;
  const { closing } = context.get('services');
  let release: () => void = () => undefined;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      const end = () => {
        release();
        controller.close();
      };
      const timer = setTimeout(end, drainMs);
      release = () => {
        clearTimeout(timer);
        incoming?.off('end', end).off('close', end);
        closing.removeEventListener('abort', end);
      };
      if (incoming === undefined || incoming.complete || incoming.destroyed || closing.aborted) return end();
      closing.addEventListener('abort', end, { once: true });
      // A route that has begun to read would otherwise buffer the rest of the request, or leave it paused.
      incoming.removeAllListeners('data').removeAllListeners('readable');
      incoming.once('end', end).once('close', end).resume();
    },
    cancel: () => release(),
  });
}

/** The routes that stream changes of one tree, or of all trees of the caller. */
import { readTree } from '@coppice/core';
import { waitMs } from '@coppice/engine';
import { z } from '@hono/zod-openapi';
import { throwHttpError } from '../../http-errors.ts';
import { type EventStream, encodeEvent, respondWithStream } from '../../live/event-stream.ts';
import { resolveTree } from '../../resolve-tree.ts';
import type { OwnerServices, SharedServices } from '../../services.ts';
import { wholeNumberQuerySchema } from '../../wire/schemas.ts';
import { defineRoute } from '../define.ts';

/**
 * Returns the version after which a reader continues: from Last-Event-ID after a reconnect, otherwise from the query.
 */
function readCursor(lastEventId: string | undefined, since: number | undefined): number | null {
  if (lastEventId === undefined || lastEventId === '') return since ?? null;
  if (!/^\d{1,15}$/.test(lastEventId))
    return throwHttpError('http/invalid', 'Last-Event-ID must be the id of an event of this stream.');
  return Number(lastEventId);
}

const treeFeed = defineRoute({
  method: 'get',
  path: '/api/trees/{tree}/feed',
  name: 'followTree',
  summary:
    'Streams the changes of a tree as server-sent events: `commit` (id = version, data = the commit and its nodes), `delta` (new text of a reply in progress, no id), `approval`, `reset`. Continues without a gap after Last-Event-ID or `since`.',
  needs: { stream: true },
  query: z.strictObject({ since: wholeNumberQuerySchema.optional() }),
  produces: 'text/event-stream',
  answer: z.string(),
  async handle(call) {
    const { services, ownerServices, caller, params } = call;
    const { store, treeId } = await resolveTree(call, params.tree);
    const since = readCursor(call.header('last-event-id'), call.query.since);
    // An unknown tree is refused with a status before the stream starts.
    await store.read(treeId, () => readTree(treeId));
    const stream = services.streams.open(caller);
    closeOnDisconnect(call.signal, stream);
    services.hubs.join(ownerServices, store, treeId, stream, since).catch((error: unknown) => {
      services.log.warn({ err: error }, 'a reader of a feed was disconnected');
    });
    return respondWithStream(stream);
  },
});

/** Closes the stream when the client disconnects. */
function closeOnDisconnect(signal: AbortSignal, stream: EventStream): void {
  signal.addEventListener('abort', () => stream.close(), { once: true });
}

const listFeed = defineRoute({
  method: 'get',
  path: '/api/feed',
  name: 'followTrees',
  summary:
    'Streams the changes of all your trees as server-sent events: `tree` (id = cursor, data = treeId and version).',
  needs: { stream: true },
  query: z.strictObject({ since: z.string().optional() }),
  produces: 'text/event-stream',
  answer: z.string(),
  async handle(call) {
    const { services, ownerServices, caller } = call;
    const last = call.header('last-event-id');
    const since = last === undefined || last === '' ? (call.query.since ?? null) : last;
    const stream = services.streams.open(caller);
    closeOnDisconnect(call.signal, stream);
    const feed = ownerServices.store.feedAll(since, stream.closed)[Symbol.asyncIterator]();
    // The first read rejects on an invalid cursor. The response must not wait for the first event, which may never
    // come.
    const first = feed.next();
    const refused = await Promise.race([
      first.then(
        () => null,
        (error: unknown) => ({ error }),
      ),
      waitMs(20).then(() => null),
    ]);
    if (refused !== null) {
      stream.close();
      throw refused.error;
    }
    void pump(ownerServices, services, stream, first, feed);
    return respondWithStream(stream);
  },
});

type ListEvents = AsyncIterator<{ readonly cursor: string; readonly treeId: string; readonly version: number }>;

async function pump(
  ownerServices: OwnerServices,
  services: SharedServices,
  stream: EventStream,
  first: ReturnType<ListEvents['next']>,
  feed: ListEvents,
): Promise<void> {
  try {
    for (let next = await first; next.done !== true; next = await feed.next()) {
      const { cursor, treeId, version } = next.value;
      await stream.waitForDrain();
      if (!stream.send(encodeEvent('tree', { treeId, version }, cursor))) break;
    }
  } catch (error) {
    if (!stream.closed.aborted)
      services.log.warn({ err: error, owner: ownerServices.owner }, 'the feed of all trees ended with an error');
  }
  stream.close();
}

export const feedRoutes = [treeFeed, listFeed];

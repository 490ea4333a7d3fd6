/**
 * Measures Coppice's client against a server in the same process. Responses are recorded once and then come from
 * memory.
 */
import { createClient, type TreeSession } from '@coppice/client';
import { nodeId, textMessage, treeId } from '@coppice/core';
import { openTestServer } from '@coppice/server/testing';
import { encodeServerSentEvent, type LibraryCandidate, type OpenedChat } from './candidate.ts';
import { type SampleTree, storeSampleTree } from './sample-tree.ts';

const replyId = nodeId('01890c2e-0000-7000-8000-ffffffffffff');

/** Resolves when a condition is true, checked after each iteration of the event loop. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Opens the candidate. With `everything`, each chat has visited all branches, so that all messages are loaded. */
export async function openCoppiceCandidate(sample: SampleTree, everything: boolean): Promise<LibraryCandidate> {
  const server = await openTestServer();
  const id = await storeSampleTree(server.store, sample);
  const recorded = new Map<string, string>();
  const json = { headers: { 'content-type': 'application/json' } };
  return {
    name: everything ? 'coppice, all loaded' : 'coppice',
    events(pieces) {
      let offset = 0;
      return pieces.map((text) => {
        const event = encodeServerSentEvent('delta', { nodeId: replyId, offset, text });
        offset += text.length;
        return event;
      });
    },
    async open() {
      let feed: ReadableStreamDefaultController<Uint8Array> | undefined;
      let underWay = 0;
      const client = createClient({
        baseUrl: 'http://localhost',
        token: server.token,
        async fetch(request) {
          const { pathname, search } = new URL(request.url);
          if (pathname.endsWith('/feed')) {
            const { body } = await server.server.app.request(request);
            const reader = body?.getReader();
            const joined = new ReadableStream<Uint8Array>({
              start: (controller) => {
                feed = controller;
              },
              async cancel() {
                feed = undefined;
                await reader?.cancel();
              },
            });
            void pump(reader, (chunk) => feed?.enqueue(chunk));
            return new Response(joined, { headers: { 'content-type': 'text/event-stream' } });
          }
          const key = request.method === 'GET' ? pathname + search : null;
          const known = key === null ? undefined : recorded.get(key);
          if (known !== undefined) return new Response(known, json);
          underWay++;
          const response = await server.server.app.request(request);
          const text = await response.text();
          underWay--;
          if (key !== null && response.ok) recorded.set(key, text);
          return new Response(text, { ...json, status: response.status });
        },
      });
      const session = client.openTree(treeId(id));
      await session.open();
      const chat = openChat(
        session,
        () => underWay,
        (chunk) => feed?.enqueue(chunk),
      );
      if (everything)
        for (const variant of sample.variants) {
          await session.go(variant, { keep: false });
          await chat.settle();
        }
      const [first] = sample.variants;
      if (everything && first !== undefined) await session.go(first, { keep: false });
      return chat;
    },
    close: () => server.close(),
  };
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) take(next.value);
}

function openChat(session: TreeSession, underWay: () => number, push: (chunk: Uint8Array) => void): OpenedChat {
  const open = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>) => {
    open.add(work);
    const drop = () => open.delete(work);
    work.then(drop, drop);
  };
  /** Calls a function once, when the shown branch has changed. */
  const afterChange = (call: () => void) => {
    const stop = session.store.subscribe(({ part }, before) => {
      if (part === before.part) return;
      stop();
      call();
    });
  };
  return {
    texts: () => session.messages.map(({ text }) => text),
    show(variant, drawn) {
      afterChange(drawn);
      track(session.go(variant));
    },
    append(id, text, drawn) {
      afterChange(drawn);
      track(session.actions.append(textMessage('user', text), { id }));
    },
    async stream(events, whole) {
      await new Promise<void>((resolve) => {
        const stop = session.store.subscribe(({ live }) => {
          if ((live.get(replyId)?.text.length ?? 0) < whole) return;
          stop();
          resolve();
        });
        for (const event of events) push(event);
      });
      session.replies.removeReply(replyId);
    },
    async settle() {
      await until(() => open.size === 0 && underWay() === 0 && session.state.overlays.length === 0);
      await session.waitForVersion(session.version);
    },
    close: () => session.close(),
  };
}

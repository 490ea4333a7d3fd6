/**
 * Runs the server of the demo, the app of `@coppice/server` on an in-memory store, in a worker of the visitor's
 * browser.
 */
import { createExampleTree } from '@coppice/cli/example-tree';
import { messageKit } from '@coppice/content';
import { newId, parseConfig } from '@coppice/engine';
import { createServer } from '@coppice/server/app';
import { createMemoryStore } from '@coppice/stores/memory';
import type { WorkerRequest, WorkerResponse } from './protocol.ts';

// The token protects nothing, because only the page that started this worker can send requests.
const token = 'demo';
const store = createMemoryStore();
const config = parseConfig({ name: 'demo', text: '[offline]\ndelay_ms = 15\n[ollama]\ndetect = false\n' }, {});
const server = createServer({ store, config, auth: { mode: 'token', token }, hosts: ['demo'] });
const ready = createExampleTree(store, {
  now: () => Date.now(),
  newId: () => newId(Date.now()),
  kit: messageKit,
  actor: store.owner,
});

const running = new Map<number, AbortController>();

async function answer(
  request: Extract<WorkerRequest, { type: 'request' }>,
  send: (message: WorkerResponse) => void,
): Promise<void> {
  const { id, method, address, headers, body } = request;
  const stop = new AbortController();
  running.set(id, stop);
  try {
    await ready;
    const fields = new Headers([...headers.map(([name, value]): [string, string] => [name, value])]);
    fields.set('authorization', `Bearer ${token}`);
    const response = await server.fetch(
      new Request(`http://demo${address}`, { method, headers: fields, body, signal: stop.signal }),
    );
    send({
      type: 'head',
      id,
      status: response.status,
      headers: [...response.headers],
      hasBody: response.body !== null,
    });
    const reader = response.body?.getReader();
    stop.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined));
    for (;;) {
      const piece = await reader?.read();
      if (piece?.value === undefined) break;
      send({ type: 'piece', id, bytes: new Uint8Array(piece.value) });
    }
    send({ type: 'end', id, failure: null });
  } catch (thrown) {
    send({ type: 'end', id, failure: thrown instanceof Error ? thrown.message : String(thrown) });
  } finally {
    running.delete(id);
  }
}

// The page sends a port; all further messages use it.
addEventListener('message', ({ ports: [port] }) => {
  if (port === undefined) return;
  port.onmessage = ({ data }: MessageEvent<WorkerRequest>) => {
    if (data.type === 'request') void answer(data, (message) => port.postMessage(message));
    else running.get(data.id)?.abort();
  };
});

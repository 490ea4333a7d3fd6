/** The server process of a benchmark: Coppice, and for comparison a bare handler of the same framework. */
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageKit } from '@coppice/content';
import { run, textMessage, treeId } from '@coppice/core';
import { newId, parseConfig } from '@coppice/engine';
import { createServer, readThreadPage, toWriteAnswer } from '@coppice/server';
import { openStore } from '@coppice/stores';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';

const [url = '', token = ''] = process.argv.slice(2);
const store = await openStore(url);
const config = parseConfig({ name: 'bench.toml', text: 'model = "offline/guide"' }, {});
const coppice = createServer({
  store,
  config,
  auth: { mode: 'token', token },
  titles: false,
  quotas: { streams: 5_000 },
});
const context = { actor: store.owner, now: Date.now, newId: () => newId(), kit: messageKit };

// Makes the same store calls and sends the same bytes without any checks of host, origin, token, version, limit or
// schema.
const bare = new Hono();
bare.get('/api/trees/:tree/page', async (c) => {
  const page = await readThreadPage(store, treeId(c.req.param('tree')), {});
  const format = (await store.formatOf(treeId(c.req.param('tree')))) ?? 'tree';
  return c.body(JSON.stringify({ ...page, conversation_format: format }), 200, {
    'content-type': 'application/json; charset=utf-8',
  });
});
bare.post('/api/trees/:tree/messages', async (c) => {
  const body: { readonly messages: readonly { readonly id: string; readonly content: string }[] } = await c.req.json();
  const messages = body.messages.map(({ id, content }) => ({ id, message: textMessage('user', content) }));
  const outcome = await run(store, { type: 'append', treeId: treeId(c.req.param('tree')), messages }, context);
  return c.body(JSON.stringify(await toWriteAnswer(store, outcome)), 200, {
    'content-type': 'application/json; charset=utf-8',
  });
});

async function listen(fetch: (request: Request, env: object) => Response | Promise<Response>): Promise<number> {
  const http = createHttpServer(
    { keepAliveTimeout: 600_000 },
    getRequestListener((request, env) => fetch(request, env)),
  );
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return (http.address() as AddressInfo).port;
}

async function buildSample(count: number): Promise<string> {
  const id = treeId(newId());
  await run(store, { type: 'create', treeId: id }, context);
  const text = 'word '.repeat(100);
  const messages = Array.from({ length: count }, (_, index) => ({
    message: textMessage(index % 2 === 0 ? 'user' : 'assistant', `${index} ${text}`),
  }));
  await run(store, { type: 'append', treeId: id, messages }, context);
  return id;
}

const ports = {
  coppice: await listen((request, env) => coppice.fetch(request, env)),
  bare: await listen((request, env) => bare.fetch(request, env)),
};
coppice.services.bound.port = ports.coppice;
// One tree per connection, so that no request waits for a lock or has a stale version.
const several = async () => {
  const ids: string[] = [];
  for (let lane = 0; lane < 16; lane++) ids.push(await buildSample(20));
  return ids;
};
const trees = {
  page: await buildSample(200),
  coppice: await several(),
  bare: await several(),
  feed: await buildSample(20),
};
process.send?.({ ports, trees });
process.on('message', (message) => {
  if (message === 'usage') process.send?.({ usage: process.cpuUsage() });
  if (message === 'collect') {
    globalThis.gc?.();
    process.send?.({ collected: true });
  }
});
process.on('disconnect', () => process.exit(0));

import { pathToFileURL } from 'node:url';
import { createChatHandler } from '@coppice/ai-sdk';
import { openStore } from '@coppice/stores';
import { serve } from '@hono/node-server';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { createOfflineModel } from './offline-model.ts';

/** Serves the built page and the chats. In your app, use a real model, and the signed-in user of the request. */
export async function startServer({ port = 5180, root = `${import.meta.dirname}/dist`, url = 'sqlite:chats.db' } = {}) {
  const store = await openStore(url);
  const handler = createChatHandler({ store, model: createOfflineModel(), user: 'me' });
  const app = new Hono();
  app.all('/api/chat', (context) => handler(context.req.raw));
  app.all('/api/chat/*', (context) => handler(context.req.raw));
  app.use('/*', serveStatic({ root }));
  const address = await new Promise<{ readonly port: number }>((resolve) => {
    const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port }, resolve);
    closers.push(() => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      server.close();
    });
  });
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: async () => {
      for (const close of closers.splice(0)) close();
      await store.close();
    },
  };
}

const closers: (() => void)[] = [];

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log((await startServer()).url);

import { pathToFileURL } from 'node:url';
import { parseConfig } from '@coppice/engine';
import { serve } from '@coppice/server';
import { openStore } from '@coppice/stores';

/** Serves the built page and the API. The model is in the page (src/model.ts). */
export async function startServer({ port = 5181, root = `${import.meta.dirname}/dist`, url = 'sqlite:chats.db' } = {}) {
  const store = await openStore(url);
  const auth = { mode: 'token', token: crypto.randomUUID() } as const;
  const server = await serve({ store, config: parseConfig(null, {}), auth, web: root, port });
  return {
    url: server.signInUrl ?? server.url,
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log((await startServer()).url);

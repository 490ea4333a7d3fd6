/** Starts a turn on a SQLite file, reports when part of the reply is stored, and waits to be killed. */
import { messageKit } from '@coppice/content';
import { run, textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { parseConfig } from '../src/config/load.ts';
import { createTurnGenerator } from '../src/generate/index.ts';
import { newId } from '../src/new-id.ts';
import { createProviders } from '../src/providers/index.ts';
import { createScriptedProvider } from '../src/testing/scripted.ts';

const [, , url = '', tree = ''] = process.argv;
const store = await openStore(url);
const provider = createScriptedProvider([[{ type: 'text-delta', text: 'It was a dark ' }, { type: 'hang' }]]);
const providers = createProviders({ config: parseConfig(null, {}), extra: [provider] });
const generator = createTurnGenerator({ store, providers, limits: { flushMs: 5, heartbeatMs: 10 } });
const id = treeId(tree);
await run(store, { type: 'create', treeId: id }, { actor: 'me', now: Date.now, newId: () => newId(), kit: messageKit });
generator.generate(
  { type: 'send', treeId: id, messages: [{ message: textMessage('user', 'Tell me a story') }] },
  { models: ['scripted/one'] },
);
for (;;) {
  const [one] = await store.runs.list();
  if (one !== undefined && (await store.runs.chunks(one.id)).length > 0) break;
  await new Promise((resolve) => setTimeout(resolve, 5));
}
process.stdout.write('put down\n');

/** The thread of one import: it opens the store for itself, so that a long transaction holds up nobody's event loop. */
import { parentPort, workerData } from 'node:worker_threads';
import { openStore } from '@coppice/stores';
import { importHere } from './import-here.ts';
import { type FromImport, type ImportJob, type ToImport, toWords } from './import-words.ts';

const { store: at, files, settings }: ImportJob = workerData;
const stop = new AbortController();

function say(words: FromImport): void {
  parentPort?.postMessage(words);
}

async function carryOut(): Promise<void> {
  const store = await openStore(at.url, { owner: at.owner });
  try {
    for await (const event of importHere(store, files, { ...settings, signal: stop.signal }))
      say({ type: 'event', event });
  } finally {
    // Everything is committed or rolled back by now, whatever becomes of closing.
    await store.close().catch(() => undefined);
  }
}

parentPort?.on('message', (told: ToImport) => {
  if (told.type === 'cancel') stop.abort();
});
say({ type: 'ready' });
try {
  await carryOut();
} catch (error) {
  say({ type: 'failed', error: toWords(error) });
}
say({ type: 'over' });
parentPort?.close();

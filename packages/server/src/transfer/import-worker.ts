/**
 * The worker thread of an import. It opens the store itself, so that a long transaction does not block the server's
 * event loop.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openStore } from '@coppice/stores/open';
import { serialiseError } from '../serialise-error.ts';
import { importOnThisThread } from './import-on-this-thread.ts';
import type { ImportJob, ImportWorkerMessage, ImportWorkerRequest } from './import-protocol.ts';

const { store: at, files, settings }: ImportJob = workerData;
const stop = new AbortController();

function sendToParent(words: ImportWorkerMessage): void {
  parentPort?.postMessage(words);
}

async function runImport(): Promise<void> {
  const store = await openStore(at.url, { owner: at.owner });
  try {
    for await (const event of importOnThisThread(store, files, { ...settings, signal: stop.signal }))
      sendToParent({ type: 'event', event });
  } finally {
    // All changes are committed or rolled back at this point, so an error of closing does not matter.
    await store.close().catch(() => undefined);
  }
}

parentPort?.on('message', (reported: ImportWorkerRequest) => {
  if (reported.type === 'cancel') stop.abort();
});
sendToParent({ type: 'ready' });
try {
  await runImport();
} catch (error) {
  sendToParent({ type: 'failed', error: serialiseError(error) });
}
sendToParent({ type: 'over' });
parentPort?.close();

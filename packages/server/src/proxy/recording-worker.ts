/** The worker thread that records calls. It opens the store itself, so that a slow disk delays only recording. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Store } from '@coppice/core';
import { newId } from '@coppice/engine/new-id';
import { openStore } from '@coppice/stores/open';
import { serialiseError } from '../serialise-error.ts';
import type { WorkerStoreAddress } from '../threads.ts';
import { LocalRecording } from './recording-backend.ts';
import type {
  RecordingTask,
  RecordingTaskResult,
  RecordingWorkerMessage,
  RecordingWorkerRequest,
} from './recording-protocol.ts';

const { url, owner }: WorkerStoreAddress = workerData;
const owners = new Map<string, Store>();
let opening: Promise<Store> | null = null;

/** Opens the store for the first call. If that fails, the next call tries again. */
async function openWorkerStore(): Promise<Store> {
  opening ??= openStore(url, { owner }).catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function storeOf(of: string): Promise<Store> {
  const store = await openWorkerStore();
  const known = owners.get(of) ?? (of === store.owner ? store : store.forOwner(of));
  owners.set(of, known);
  return known;
}

const recording = new LocalRecording({ storeOf, now: Date.now, newId: () => newId() });

async function runTask(task: RecordingTask): Promise<RecordingTaskResult> {
  switch (task.verb) {
    case 'digest':
      return { digest: await recording.digest(task.call) };
    case 'keys':
      return { keys: await recording.keys(task.call) };
    case 'recordHistory':
      await recording.recordHistory(task.call);
      return {};
    case 'summary':
      return { summary: await recording.summary(task.call) };
    case 'record':
      return { recorded: await recording.record(task.call, task.priced) };
  }
}

function postMessage(message: RecordingWorkerMessage): void {
  parentPort?.postMessage(message);
}

parentPort?.on('message', async (request: RecordingWorkerRequest) => {
  if ('forget' in request) recording.forget(request.forget);
  else if ('close' in request) {
    await (await opening?.catch(() => null))?.close();
    parentPort?.close();
  } else {
    const { ask, task } = request;
    try {
      postMessage({ ask, done: await runTask(task) });
    } catch (error) {
      postMessage({ ask, refused: serialiseError(error) });
    }
  }
});
postMessage({ ready: true });

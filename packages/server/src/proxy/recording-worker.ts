/** The recording thread. It opens the store itself, so that a slow disk delays only recording. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Store } from '@coppice/core';
import { newId } from '@coppice/engine/new-id';
import { openStore } from '@coppice/stores/open';
import type { ThreadStore } from '../threads.ts';
import { LocalRecording } from './recording-backend.ts';
import {
  type RecordingTask,
  type RecordingTaskResult,
  type RecordingThreadMessage,
  type RecordingThreadRequest,
  serialiseError,
} from './recording-protocol.ts';

const { url, owner }: ThreadStore = workerData;
const owners = new Map<string, Store>();
let opening: Promise<Store> | null = null;

/** Opens the store with the first call. If that fails, the next call tries again. */
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

async function carryOutTask(task: RecordingTask): Promise<RecordingTaskResult> {
  switch (task.verb) {
    case 'outline':
      return { outline: await recording.outline(task.call) };
    case 'keys':
      return { keys: await recording.keys(task.call) };
    case 'placeAhead':
      await recording.placeAhead(task.call);
      return {};
    case 'heading':
      return { heading: await recording.heading(task.call) };
    case 'record':
      return { recorded: await recording.record(task.call, task.priced) };
  }
}

function postMessage(words: RecordingThreadMessage): void {
  parentPort?.postMessage(words);
}

parentPort?.on('message', async (reported: RecordingThreadRequest) => {
  if ('forget' in reported) recording.forget(reported.forget);
  else if ('close' in reported) {
    await (await opening?.catch(() => null))?.close();
    parentPort?.close();
  } else {
    const { ask, task } = reported;
    try {
      postMessage({ ask, done: await carryOutTask(task) });
    } catch (error) {
      postMessage({ ask, refused: serialiseError(error) });
    }
  }
});
postMessage({ ready: true });

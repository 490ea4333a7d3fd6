/** The thread that records calls: it opens the store for itself, so that a slow disk holds up nobody but what is to be recorded. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Store } from '@coppice/core';
import { newId } from '@coppice/engine/new-id';
import { openStore } from '@coppice/stores';
import type { ThreadStore } from '../threads.ts';
import { Desk } from './recording-desk.ts';
import { type Done, type FromThread, type Task, type ToThread, toWords } from './recording-protocol.ts';

const { url, owner }: ThreadStore = workerData;
const owners = new Map<string, Store>();
let opening: Promise<Store> | null = null;

/** Opened at the first call; one that cannot be opened now is tried again with the next. */
async function opened(): Promise<Store> {
  opening ??= openStore(url, { owner }).catch((error: unknown) => {
    opening = null;
    throw error;
  });
  return opening;
}

async function storeOf(of: string): Promise<Store> {
  const store = await opened();
  const known = owners.get(of) ?? (of === store.owner ? store : store.forOwner(of));
  owners.set(of, known);
  return known;
}

const desk = new Desk({ storeOf, now: Date.now, newId: () => newId() });

async function carryOut(task: Task): Promise<Done> {
  switch (task.verb) {
    case 'outline':
      return { outline: await desk.outline(task.call) };
    case 'keys':
      return { keys: await desk.keys(task.call) };
    case 'placeAhead':
      await desk.placeAhead(task.call);
      return {};
    case 'heading':
      return { heading: await desk.heading(task.call) };
    case 'record':
      return { recorded: await desk.record(task.call, task.priced) };
  }
}

function say(words: FromThread): void {
  parentPort?.postMessage(words);
}

parentPort?.on('message', async (told: ToThread) => {
  if ('forget' in told) desk.forget(told.forget);
  else if ('close' in told) {
    await (await opening?.catch(() => null))?.close();
    parentPort?.close();
  } else {
    const { ask, task } = told;
    try {
      say({ ask, done: await carryOut(task) });
    } catch (error) {
      say({ ask, refused: toWords(error) });
    }
  }
});
say({ ready: true });

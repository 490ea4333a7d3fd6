import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, type Store } from '@coppice/core';
import { newId } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { afterEach, describe, expect, it } from 'vitest';
import { readAsked, readReturned } from './exchange.ts';
import { type CallTaken, Recorder, type RecorderOptions } from './recorder.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function callOf(text: string): CallTaken {
  const asked = readAsked('chat', { model: 'm', messages: [{ role: 'user', content: text }] });
  if (asked === null) throw new Error('Nothing was asked.');
  const response = JSON.stringify({ choices: [{ message: { content: `${text}!` }, finish_reason: 'stop' }] });
  const timing = { startedAt: 1, firstMs: 1, totalMs: 2 };
  return { asked, project: 'p', provider: 'openai', response, status: 200, whole: true, timing };
}

function recorderOn(store: Store, more: Partial<RecorderOptions> = {}): Recorder {
  return new Recorder({
    storeOf: () => store,
    now: () => 1,
    newId: () => newId(),
    recording: true,
    readReturned: ({ asked, response, status, whole }) => readReturned(asked.wire, response, status, whole),
    costOf: () => null,
    ...more,
  });
}

async function textsIn(store: Store): Promise<string[]> {
  return (await store.search({ text: '!' })).items.map((hit) => hit.snippet).sort();
}

describe('the recorder', () => {
  it('[RP1] applies calls in the order in which their requests came', async () => {
    const store = await openStore('memory:');
    const recorder = recorderOn(store);
    const [first, second] = [recorder.enter('local', 'p'), recorder.enter('local', 'p')];
    second.finish(callOf('two'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 0, waiting: 1 });
    first.finish(callOf('one'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 2, waiting: 0, waitingBytes: 0 });
    expect(recorder.calls.map((call) => call.nodes)).toEqual([2, 2]);
  });

  it('[RP10] what does not fit into memory goes to a file and is recorded all the same', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-spill-'));
    folders.push(folder);
    const store = await openStore('memory:');
    const recorder = recorderOn(store, { memoryBytes: 3_000, spillFolder: folder });
    const gate = recorder.enter('local', 'p');
    const tickets = ['a', 'b', 'c'].map(() => recorder.enter('local', 'p'));
    for (const [at, ticket] of tickets.entries()) ticket.finish(callOf(`call ${at}`));
    await expect.poll(() => readdirSync(folder).length).toBeGreaterThan(0);
    gate.cancel();
    await expect.poll(() => recorder.state.recorded).toBe(3);
    await recorder.idle();
    expect(await textsIn(store)).toEqual(['call 0!', 'call 1!', 'call 2!']);
    expect(readdirSync(folder)).toEqual([]);
    expect(recorder.state).toMatchObject({ dropped: 0, spilled: 0, waitingBytes: 0 });
  });

  it('[RP10] where there is no file to go to, the oldest is dropped and counted', async () => {
    const store = await openStore('memory:');
    const recorder = recorderOn(store, { memoryBytes: 5_000 });
    const gate = recorder.enter('local', 'p');
    for (const text of ['a', 'b', 'c', 'd']) recorder.enter('local', 'p').finish(callOf(text));
    await expect.poll(() => recorder.state.dropped).toBeGreaterThan(0);
    gate.cancel();
    await recorder.idle();
    const { dropped, recorded, lastError } = recorder.state;
    expect(dropped + recorded).toBe(4);
    expect((await textsIn(store)).at(-1)).toBe('d!');
    expect(lastError === null || lastError.includes('not recorded')).toBe(true);
  });

  it('[RP10] a store that is away for a while is tried again; one that refuses is counted', async () => {
    const store = await openStore('memory:');
    let away = 2;
    const flaky = new Proxy(store, {
      get(target, name, receiver) {
        if (name === 'change' && away-- > 0)
          return () =>
            Promise.reject(new AppError({ code: 'store/unavailable', kind: 'unavailable', message: 'Away.' }));
        const value = Reflect.get(target, name, receiver);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const recorder = recorderOn(flaky);
    recorder.enter('local', 'p').finish(callOf('again'));
    await expect.poll(() => recorder.state.recorded).toBe(1);
    expect(await textsIn(store)).toEqual(['again!']);
    const broken = recorderOn(await openStore('memory:', { readOnly: true }));
    broken.enter('local', 'p').finish(callOf('never'));
    await expect.poll(() => broken.state.failed).toBe(1);
    expect(broken.state.lastError).not.toBeNull();
  });
});

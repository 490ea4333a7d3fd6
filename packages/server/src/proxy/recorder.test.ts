import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { AppError, ask, type Store } from '@coppice/core';
import { newId } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { afterEach, describe, expect, it } from 'vitest';
import { addCallToRecorder, toJsonBytes } from '../../test/recorded-calls.ts';
import { type CapturedResponse, Recorder, type RecorderOptions } from './recorder.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function answered(text: string): CapturedResponse {
  const response = toJsonBytes({ choices: [{ message: { content: text }, finish_reason: 'stop' }] });
  const timing = { startedAt: 1, firstMs: 1, totalMs: 2 };
  return { provider: 'openai', response, encoding: undefined, status: 200, cut: null, timing };
}

function recorderOn(store: Store, more: Partial<RecorderOptions> = {}): Recorder {
  return new Recorder({
    storeOf: () => store,
    now: () => 1,
    newId: () => newId(),
    recording: true,
    costOf: () => null,
    ...more,
  });
}

async function textsIn(store: Store): Promise<string[]> {
  return (await store.search({ text: '!' })).items.map((hit) => hit.snippet).sort();
}

describe('the recorder', () => {
  it('[RP1] requests are in the tree in order of arrival, whichever is answered first', async () => {
    const store = await openStore('memory:');
    const recorder = recorderOn(store);
    const [first, second] = [addCallToRecorder(recorder, 'one'), addCallToRecorder(recorder, 'two')];
    second.finish(answered('two!'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 1, waiting: 0 });
    first.finish(answered('one!'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 2, waiting: 0, waitingBytes: 0 });
    expect(await nodesIn(store)).toEqual(['one', 'two', 'two!', 'one!']);
  });

  it('[RP11] a call waits for the one whose response it continues, for no other, and not forever', async () => {
    const store = await openStore('memory:');
    let now = 1;
    const recorder = recorderOn(store, { now: () => now, reorderTimeoutMs: 40 });
    const history = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'one!' },
      { role: 'user', content: 'more' },
    ];
    const first = addCallToRecorder(recorder, 'one');
    const endless = addCallToRecorder(recorder, 'endless');
    addCallToRecorder(recorder, history).finish(answered('more!'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 0, waiting: 1 });
    first.finish(answered('one!'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 2, waiting: 0 });
    expect((await nodesIn(store)).filter((text) => text === 'one!')).toHaveLength(1);
    addCallToRecorder(recorder, [{ role: 'user', content: 'endless' }, ...history.slice(1)]).finish(answered('late'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 2, waiting: 1 });
    now += 40;
    await expect.poll(() => recorder.state.recorded).toBe(3);
    endless.cancel();
    expect(recorder.state).toMatchObject({ waiting: 0, waitingBytes: 0 });
  });

  it('[RP10] calls that do not fit into memory are written to a file and recorded later', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-spill-'));
    folders.push(folder);
    const store = await openStore('memory:');
    const held = blockWrites(store);
    const recorder = recorderOn(held.store, { memoryBytes: 5_000, spillFolder: folder });
    for (const at of [0, 1, 2]) addCallToRecorder(recorder, `call ${at}`).finish(answered(`call ${at}!`));
    await expect.poll(() => recorder.state.spilled).toBe(1);
    expect(recorder.state.health).toBe('behind');
    held.release();
    await recorder.idle();
    expect(await textsIn(store)).toEqual(['call 0!', 'call 1!', 'call 2!']);
    expect(recorder.state).toMatchObject({ recorded: 3, dropped: 0, spilled: 0, waitingBytes: 0, health: 'recording' });
    await recorder.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('[RP10] calls that a server could not write before it stopped are recorded by the next', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-spill-'));
    folders.push(folder);
    const store = await openStore('memory:');
    const recorder = recorderOn(blockWrites(store).store, { spillFolder: folder });
    for (const at of [0, 1]) addCallToRecorder(recorder, `call ${at}`).finish(answered(`call ${at}!`));
    await recorder.close(10);
    const [left = ''] = readdirSync(folder);
    expect(readdirSync(join(folder, left))).toHaveLength(2);
    // The folder gets the name that an ended process would have left, because the id of this process is in use.
    renameSync(join(folder, left), join(folder, `${endedProcessId()}-left`));
    const next = recorderOn(store, { spillFolder: folder });
    next.resume();
    await expect.poll(() => next.state.recorded).toBe(2);
    expect(await textsIn(store)).toEqual(['call 0!', 'call 1!']);
    await expect.poll(() => next.state.spilled).toBe(0);
  });

  it('[RP4] no key is in a file, compressed or not, not even one that a call brings for its own service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-spill-'));
    folders.push(folder);
    const store = await openStore('memory:');
    const recorder = recorderOn(blockWrites(store).store, { spillFolder: folder });
    const [key, other] = ['a-canary-of-the-client-42', 'a-canary-for-a-server-of-tools'];
    const request = toJsonBytes({
      messages: [{ role: 'user', content: `env says ${key}` }],
      mcp_servers: [{ url: 'https://example.org', authorization_token: other }],
      tools: [{ type: 'mcp', server_label: 'docs', authorization: other, headers: { Authorization: other } }],
    });
    const enter = () => recorder.enter({ owner: 'local', project: 'p', wire: 'chat', secrets: [key], request });
    const said = answered(`${key}!`);
    enter().finish(said);
    enter().finish({ ...said, response: gzipSync(said.response), encoding: 'gzip' });
    await recorder.close(10);
    const [left = ''] = readdirSync(folder);
    const files = readdirSync(join(folder, left)).map((file) => readFileSync(join(folder, left, file), 'utf8'));
    expect(files).toHaveLength(2);
    expect(files.filter((text) => text.includes('canary'))).toEqual([]);
    renameSync(join(folder, left), join(folder, `${endedProcessId()}-left`));
    const next = recorderOn(store, { spillFolder: folder });
    next.resume();
    await expect.poll(() => next.state.recorded).toBe(2);
    expect(await textsIn(store)).toEqual(['[key …t-42]!', '[key …t-42]!']);
    await next.close();
  });

  it('[RP10] calls left by a server are recorded in the order of their requests, whatever their size, and incomplete files are not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-spill-'));
    folders.push(folder);
    const store = await openStore('memory:');
    const recorder = recorderOn(blockWrites(store).store, { spillFolder: folder });
    const long = `long ${'word '.repeat(100_000)}`;
    const history = [
      { role: 'user', content: long },
      { role: 'assistant', content: 'long!' },
      { role: 'user', content: 'more' },
    ];
    addCallToRecorder(recorder, long).finish(answered('long!'));
    addCallToRecorder(recorder, history).finish(answered('more!'));
    await recorder.close(10);
    const [left = ''] = readdirSync(folder);
    writeFileSync(join(folder, left, '000000000009-torn.call.part'), '{"owner":"local"');
    renameSync(join(folder, left), join(folder, `${endedProcessId()}-left`));
    const next = recorderOn(store, { spillFolder: folder });
    next.resume();
    await expect.poll(() => next.state.recorded).toBe(2);
    expect(next.state).toMatchObject({ failed: 0, health: 'recording' });
    // If an answer were recorded after its own history, it would exist twice.
    expect(await textsIn(store)).toEqual(['long!', 'more!']);
    await next.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('[RP10] a damaged file is reported and left; the calls beside it are recorded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-spill-'));
    folders.push(folder);
    const store = await openStore('memory:');
    const recorder = recorderOn(blockWrites(store).store, { spillFolder: folder });
    addCallToRecorder(recorder, 'whole').finish(answered('whole!'));
    await recorder.close(10);
    const [left = ''] = readdirSync(folder);
    const names = ['', '{"owner":"local"', '{"owner":5,"wire":"chat"}\n', '{"owner":"local","wire":"other"}\n'].map(
      (text, index) => {
        const name = `00000000000${index + 2}-damaged.call`;
        writeFileSync(join(folder, left, name), text);
        return name;
      },
    );
    renameSync(join(folder, left), join(folder, `${endedProcessId()}-left`));
    const errors: unknown[] = [];
    const next = recorderOn(store, { spillFolder: folder, onError: (error) => errors.push(error) });
    next.resume();
    await expect.poll(() => next.state.recorded).toBe(1);
    expect(await textsIn(store)).toEqual(['whole!']);
    expect(errors).toHaveLength(names.length);
    await next.close();
    expect(readdirSync(join(folder, readdirSync(folder)[0] ?? ''))).toEqual(names);
  });

  it('[RP10] a call that waits in a file is recorded even if a later one asks whether it continues it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-spill-'));
    folders.push(folder);
    const store = await openStore('memory:');
    const recorder = recorderOn(store, { memoryBytes: 5_000, spillFolder: folder });
    const first = addCallToRecorder(recorder, 'first');
    addCallToRecorder(recorder, `long ${'word '.repeat(500)}`).finish(answered('long!'));
    await expect.poll(() => recorder.state.spilled).toBe(1);
    addCallToRecorder(recorder, 'short').finish(answered('short!'));
    await recorder.idle();
    first.finish(answered('first!'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 3, failed: 0, dropped: 0, waiting: 0 });
    expect(await textsIn(store)).toEqual(['first!', 'long!', 'short!']);
    await recorder.close();
  });

  it('[RP10] without space for files, the oldest call is dropped and counted', async () => {
    const store = await openStore('memory:');
    const held = blockWrites(store);
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const recorder = recorderOn(held.store, { memoryBytes: 7_000, spillBytes: 0, onError });
    for (const text of ['a', 'b', 'c', 'd']) addCallToRecorder(recorder, text).finish(answered(`${text}!`));
    await expect.poll(() => recorder.state.dropped).toBe(1);
    expect(recorder.state).toMatchObject({ health: 'failing', lastError: expect.stringContaining('not recorded') });
    expect(errors).toHaveLength(1);
    held.release();
    await recorder.idle();
    expect(recorder.state).toMatchObject({ dropped: 1, recorded: 3, health: 'failing', unacknowledged: 1 });
    expect(await textsIn(store)).toEqual(['a!', 'c!', 'd!']);
  });

  it('[RP10] a folder that cannot be written costs only the oldest call', async () => {
    const store = await openStore('memory:');
    const held = blockWrites(store);
    const recorder = recorderOn(held.store, { memoryBytes: 5_000, spillFolder: '/dev/null/nowhere' });
    for (const text of ['a', 'b', 'c']) addCallToRecorder(recorder, text).finish(answered(`${text}!`));
    await expect.poll(() => recorder.state.dropped).toBe(1);
    held.release();
    await recorder.idle();
    expect(await textsIn(store)).toEqual(['a!', 'c!']);
  });

  it('[RP10] a store that is temporarily unavailable is retried; a refusal is counted', async () => {
    const store = await openStore('memory:');
    let away = 2;
    let recovered = 0;
    const flaky = wrapStore(store, (name) => {
      if (name === 'change' && away-- > 0)
        throw new AppError({ code: 'store/unavailable', kind: 'unavailable', message: 'Away.' });
    });
    const recorder = recorderOn(flaky, { onRecovered: () => recovered++ });
    addCallToRecorder(recorder, 'again').finish(answered('again!'));
    await expect.poll(() => recorder.state.recorded).toBe(1);
    expect(recovered).toBe(1);
    expect(await textsIn(store)).toEqual(['again!']);
    const broken = recorderOn(await openStore('memory:', { readOnly: true }));
    addCallToRecorder(broken, 'never').finish(answered('never!'));
    await expect.poll(() => broken.state.failed).toBe(1);
    expect(broken.state).toMatchObject({ health: 'failing', lastError: expect.any(String) });
  });

  it('[RP10] a response that was written although the store reported a failure is recorded once', async () => {
    const store = await openStore('memory:');
    let lies = 1;
    const lying = wrapStore(
      store,
      () => undefined,
      async (name, value) => {
        const reported = await value;
        if (name === 'change' && (await textsIn(store)).length > 0 && lies-- > 0)
          throw new AppError({ code: 'store/unavailable', kind: 'unavailable', message: 'Gone.' });
        return reported;
      },
    );
    const recorder = recorderOn(lying);
    addCallToRecorder(recorder, 'once').finish(answered('once!'));
    await expect.poll(() => recorder.state.recorded).toBe(1);
    expect(await nodesIn(store)).toEqual(['once', 'once!']);
  });
});

/** Wraps a store: runs a check before each call, and can change its result. */
function wrapStore(
  store: Store,
  before: (name: string) => void,
  after: (name: string, value: unknown) => unknown = (_, value) => value,
): Store {
  return new Proxy(store, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver);
      if (typeof value !== 'function' || typeof name !== 'string') return value;
      return async (...words: unknown[]) => {
        before(name);
        return after(name, value.apply(target, words));
      };
    },
  });
}

/** Returns a store in which every change waits for `release`. */
function blockWrites(store: Store): { readonly store: Store; release(): void } {
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow = wrapStore(store, () => undefined);
  const held = new Proxy(slow, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver);
      if (name !== 'change' || typeof value !== 'function') return value;
      return (...words: unknown[]) => gate.then(() => value.apply(target, words));
    },
  });
  return { store: held, release: () => release() };
}

/** Returns the id of a process that has ended. */
function endedProcessId(): number {
  return spawnSync(process.execPath, ['-e', '']).pid;
}

/** Returns the nodes in the trees of a store, in the order in which they were added. */
async function nodesIn(store: Store): Promise<string[]> {
  const { items } = await store.trees({});
  const texts: string[] = [];
  for (const { id, rootId } of items) {
    const nodes = await store.read(id, () => ask('subtree', { of: rootId }));
    for (const node of [...nodes].sort((a, b) => a.seq - b.seq)) if (node.kind !== 'root') texts.push(node.text);
  }
  return texts;
}

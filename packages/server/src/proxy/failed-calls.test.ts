import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, type Store } from '@coppice/core';
import { newId } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { afterEach, describe, expect, it } from 'vitest';
import { addCallToRecorder, toJsonBytes } from '../../test/recorded-calls.ts';
import { createLog } from '../log.ts';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';
import { FailedCalls } from './failed-calls.ts';
import { type CapturedResponse, Recorder, type RecorderOptions } from './recorder.ts';

const folders: string[] = [];
let open: ProxyFixture | null = null;
afterEach(async () => {
  await open?.close();
  open = null;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-failed-'));
  folders.push(folder);
  return folder;
}

/** Returns a store that refuses the next changes, as many as `faults.left`. */
async function refusingStore() {
  const store = await openStore('memory:');
  const faults = { left: 0 };
  const refusing: Store = new Proxy(store, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      if (name !== 'change') return value.bind(target);
      return async (...words: unknown[]) => {
        if (faults.left > 0) {
          faults.left -= 1;
          throw new AppError({ code: 'store/damaged', kind: 'internal', message: 'The file is damaged.' });
        }
        return value.apply(target, words);
      };
    },
  });
  return { store, refusing, faults };
}

const key = 'sk-canary-of-the-client-0123456789';

function answered(text: string): CapturedResponse {
  const response = toJsonBytes({ model: 'm-1', choices: [{ message: { content: text }, finish_reason: 'stop' }] });
  const timing = { startedAt: 1, firstMs: 1, totalMs: 2 };
  return { provider: 'openai', response, encoding: undefined, status: 200, cut: null, timing };
}

function recorderOn(store: Store, more: Partial<RecorderOptions> = {}): Recorder {
  const plain = { storeOf: () => store, now: () => 7, newId: () => newId(), recording: true, costOf: () => null };
  return new Recorder({ ...plain, ...more });
}

describe('a call that could not be recorded', () => {
  it('[RP23] stays listed with its reason when later calls are recorded, until it is acknowledged', async () => {
    const { refusing, faults } = await refusingStore();
    const reported: string[] = [];
    const recorder = recorderOn(refusing, { onFailed: ({ code }) => void reported.push(code) });
    faults.left = 3;
    for (const words of ['one', 'two', 'three']) addCallToRecorder(recorder, words).finish(answered(`${words}!`));
    await recorder.idle();
    addCallToRecorder(recorder, 'four').finish(answered('four!'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({
      health: 'failing',
      recorded: 1,
      failed: 3,
      unacknowledged: 3,
      lastError: null,
    });
    expect(reported).toEqual(['store/damaged', 'store/damaged', 'store/damaged']);
    const [first, ...rest] = await recorder.listFailed('local');
    expect(first).toMatchObject({
      owner: 'local',
      at: 7,
      wire: 'chat',
      model: 'm-1',
      status: 200,
      code: 'store/damaged',
      reason: 'The file is damaged.',
    });
    expect(rest).toHaveLength(2);
    expect(await recorder.listFailed('somebody else')).toEqual([]);
    expect(await recorder.acknowledgeFailed('somebody else')).toBe(0);
    expect(await recorder.acknowledgeFailed('local', [first?.id ?? ''])).toBe(1);
    expect(recorder.state).toMatchObject({ health: 'failing', unacknowledged: 2 });
    expect(await recorder.acknowledgeFailed('local')).toBe(2);
    expect(recorder.state).toMatchObject({ health: 'recording', unacknowledged: 0, failed: 3 });
  });

  it('[RP4, RP23] is kept for the next process without its keys, and is recorded from there', async () => {
    const folder = freshFolder();
    const { store, refusing, faults } = await refusingStore();
    const before = recorderOn(refusing, { spillFolder: folder });
    faults.left = 1;
    const request = toJsonBytes({ model: 'm', messages: [{ role: 'user', content: `My key is ${key}` }] });
    before.enter({ owner: 'local', project: 'p', wire: 'chat', request, secrets: [key] }).finish(answered(`${key}!`));
    await before.idle();
    await before.close();
    const kept = readdirSync(join(folder, 'failed')).map((name) => readFileSync(join(folder, 'failed', name), 'utf8'));
    expect(kept).toHaveLength(2);
    expect(kept.join('')).not.toContain(key);
    const after = recorderOn(refusing, { spillFolder: folder });
    expect(after.state).toMatchObject({ health: 'failing', failed: 0, unacknowledged: 1 });
    const [call] = await after.listFailed('local');
    expect(await after.retryFailed('somebody else', call?.id ?? '')).toBe(false);
    expect(await after.retryFailed('local', call?.id ?? '')).toBe(true);
    await after.idle();
    expect(after.state).toMatchObject({ health: 'recording', recorded: 1, unacknowledged: 0 });
    expect((await store.search({ text: '[key …6789]!' })).items).toHaveLength(1);
    await after.close();
    expect(readdirSync(join(folder, 'failed'))).toEqual([]);
  });

  it('[RP23] that another process acknowledged is removed from the list of this one', async () => {
    const folder = freshFolder();
    const { refusing, faults } = await refusingStore();
    const recorder = recorderOn(refusing, { spillFolder: folder });
    faults.left = 1;
    addCallToRecorder(recorder, 'one').finish(answered('one!'));
    await recorder.idle();
    const other = new FailedCalls(folder);
    expect(await other.list('local')).toHaveLength(1);
    expect(await other.acknowledge('local')).toBe(1);
    await recorder.refreshFailed();
    expect(recorder.state.unacknowledged).toBe(0);
  });

  it('[RP10, RP23] that was dropped for lack of space is listed as well', async () => {
    const { refusing } = await refusingStore();
    const recorder = recorderOn(refusing, { memoryBytes: 4_000, spillBytes: 0 });
    const open = addCallToRecorder(recorder, 'one');
    addCallToRecorder(recorder, 'x'.repeat(3_000)).finish(answered('two!'));
    await recorder.idle();
    open.cancel();
    await recorder.idle();
    expect(recorder.state).toMatchObject({ dropped: 1, unacknowledged: 1, health: 'failing' });
    expect(await recorder.listFailed('local')).toMatchObject([{ code: 'proxy/failed', keptBytes: 0 }]);
  });

  it('[RP23, A86] is reported over HTTP to its owner, with a line each in the log', async () => {
    const { refusing, faults } = await refusingStore();
    const lines: string[] = [];
    const log = createLog({ to: { write: (line) => void lines.push(line) } });
    open = await openProxyFixture(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end('{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}');
      },
      { store: refusing, log },
    );
    const { server, post, recorder } = open;
    faults.left = 3;
    for (const words of ['one', 'two', 'three'])
      await post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: words }] });
    await expect.poll(() => recorder.state.failed).toBe(3);
    await post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: 'four' }] });
    await expect.poll(() => recorder.state.recorded).toBe(1);
    expect(
      lines.filter((line) => line.includes('listed as a failed call') && line.includes('store/damaged')),
    ).toHaveLength(3);
    expect((await server.ask('GET', '/healthz')).body.recorder).toMatchObject({ health: 'failing', unacknowledged: 3 });
    const { calls } = (await server.ask('GET', '/api/proxy/failed')).body;
    expect(calls).toHaveLength(3);
    expect(calls[0]).toMatchObject({ code: 'store/damaged', reason: 'The file is damaged.', project: 'proxy' });
    expect((await server.ask('POST', '/api/proxy/failed/none/retry')).status).toBe(404);
    const { body } = await server.ask('POST', '/api/proxy/failed/acknowledge', { body: {} });
    expect(body).toEqual({ acknowledged: 3, calls: [] });
    expect((await server.ask('GET', '/healthz')).body.recorder).toMatchObject({ health: 'recording' });
  });
});

describe('a malformed message', () => {
  it('[RP24] keeps its position in the history, with all its fields', async () => {
    open = await openProxyFixture((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}');
    });
    const call = { id: 'same', type: 'function', function: { name: 'look', arguments: '{}' } };
    const twice = { role: 'assistant', content: null, tool_calls: [call, call] };
    const question = (content: string) => ({ role: 'user', content });
    await open.post('/v1/chat/completions', { model: 'm', messages: [question('One'), twice, question('Two')] });
    const all = await open.nodes();
    expect(all.map(({ role, depth }) => [role, depth])).toEqual([
      ['user', 1],
      ['assistant', 2],
      ['user', 3],
      ['assistant', 4],
    ]);
    expect(JSON.stringify(all[1]?.node.message)).toContain('"same"');
  });
});

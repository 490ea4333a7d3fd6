// @module-tag full
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, type Node, type Store } from '@coppice/core';
import { newId } from '@coppice/engine';
import { encodeReply } from '@coppice/engine/testing';
import { openStore } from '@coppice/stores';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { addCallToRecorder, toJsonBytes } from '../../test/recorded-calls.ts';
import { clearWorkerFault, injectWorkerFault } from '../../test/worker-faults.ts';
import { createLog } from '../log.ts';
import { openProxyFixture, type ProxyFixture } from '../testing/proxy-fixture.ts';
import { type CapturedResponse, Recorder, type RecorderOptions } from './recorder.ts';
import { LocalRecording } from './recording-backend.ts';
import { unknownCallOrigin } from './session-of-call.ts';
import { WorkerRecording } from './worker-recording.ts';

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const end of endings.splice(0).toReversed()) await end();
});

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-thread-'));
  endings.push(async () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Opened {
  readonly store: Store;
  readonly recorder: Recorder;
  readonly errors: unknown[];
  readonly refusals: unknown[];
}

async function openRecorder(folder: string, more: Partial<RecorderOptions> = {}): Promise<Opened> {
  const url = `sqlite:${join(folder, 'trees.db')}`;
  const store = await openStore(url);
  const [errors, refusals]: [unknown[], unknown[]] = [[], []];
  const recorder = new Recorder({
    // While the worker runs, this thread must not write to the store.
    storeOf: () => {
      throw new Error('The thread that passes calls on was asked to write.');
    },
    now: Date.now,
    newId: () => newId(),
    recording: true,
    costOf: (provider, model, usage) => ({ provider, model, total: usage['total_tokens'] ?? 0 }),
    threadStore: { url, owner: store.owner },
    spillFolder: join(folder, 'spill'),
    onError: (error) => void errors.push(error),
    onNoThread: (error) => void refusals.push(error),
    ...more,
  });
  endings.push(async () => {
    await recorder.close(0);
    await store.close();
  });
  return { store, recorder, errors, refusals };
}

function answered(...texts: readonly string[]): CapturedResponse {
  const choices = texts.map((content) => ({ message: { content }, finish_reason: 'stop' }));
  const response = toJsonBytes({ choices, usage: { total_tokens: 7 } });
  const timing = { startedAt: 1, firstMs: 1, totalMs: 2 };
  return { provider: 'openai', response, encoding: undefined, status: 200, cut: null, timing };
}

/** Returns the nodes in the trees of a store, in the order in which they were added. */
async function nodesIn(store: Store): Promise<readonly Node[]> {
  const { items } = await store.trees({});
  const nodes: Node[] = [];
  for (const { id, rootId } of items)
    for (const node of await store.read(id, () => ask('subtree', { of: rootId })))
      if (node.kind !== 'root') nodes.push(node);
  return nodes.sort((a, b) => a.seq - b.seq);
}

async function textsIn(store: Store): Promise<string[]> {
  return (await nodesIn(store)).map((node) => node.text);
}

const history = [
  { role: 'user', content: 'one' },
  { role: 'assistant', content: 'one!' },
  { role: 'user', content: 'more' },
];

describe('a recording thread', () => {
  it('[RP16] reads, orders and writes calls like the main thread would', async () => {
    const { store, recorder, errors } = await openRecorder(freshFolder());
    const reported: unknown[] = [];
    recorder.listen((call) => void reported.push(call));
    const [first, endless, second] = [
      addCallToRecorder(recorder, 'one'),
      addCallToRecorder(recorder, 'endless'),
      addCallToRecorder(recorder, 'two'),
    ];
    addCallToRecorder(recorder, history).finish(answered('more!'));
    second.finish(answered('two!', 'two, otherwise!'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 1, waiting: 1 });
    first.finish(answered('one!'));
    await recorder.idle();
    endless.cancel();
    expect(recorder.state).toMatchObject({ recorded: 3, failed: 0, waiting: 0, waitingBytes: 0, health: 'recording' });
    expect(errors).toEqual([]);
    const texts = ['one', 'endless', 'two', 'two!', 'two, otherwise!', 'one!', 'more', 'more!'];
    expect(await textsIn(store)).toEqual(texts);
    const nodes = await nodesIn(store);
    const more = nodes.find(({ text }) => text === 'more!');
    expect(more?.meta.source).toMatchObject({ model_name: 'm', cost: { provider: 'openai', model: 'm', total: 7 } });
    expect(reported).toHaveLength(3);
    expect(reported[2]).toMatchObject({ model: 'm', usage: { total_tokens: 7 }, nodeId: more?.id, nodes: 2 });
  });

  it.each([
    ['before-commit', 3],
    ['after-commit', 1],
    ['after-commit', 2],
    ['after-commit', 3],
  ])('[RP16] that ends %s number %i loses and repeats nothing', async (point, nth) => {
    injectWorkerFault(`${point}:${nth}:exit`);
    const { store, recorder, errors } = await openRecorder(freshFolder(), {
      onError: (error) => {
        errors.push(error);
        clearWorkerFault();
      },
    });
    for (const text of ['a', 'b'])
      addCallToRecorder(recorder, text).finish(answered(`${text}!`, `${text}, otherwise!`));
    await recorder.idle();
    expect(errors).toMatchObject([{ code: 'proxy/thread-ended' }]);
    expect(recorder.state).toMatchObject({ recorded: 2, failed: 0, health: 'recording' });
    expect(await textsIn(store)).toEqual(['a', 'a!', 'a, otherwise!', 'b', 'b!', 'b, otherwise!']);
  });

  it('[RP16] that crashes repeatedly at one call drops that call, reports it, and records the others', async () => {
    injectWorkerFault('before-commit:1:exit');
    const { store, recorder, errors } = await openRecorder(freshFolder());
    addCallToRecorder(recorder, 'a').finish(answered('a!'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 0, failed: 1, waiting: 0, health: 'failing' });
    expect(errors).toContainEqual(expect.objectContaining({ code: 'proxy/thread-ended' }));
    clearWorkerFault();
    addCallToRecorder(recorder, 'b').finish(answered('b!'));
    await recorder.idle();
    expect(recorder.state).toMatchObject({ recorded: 1, failed: 1, health: 'failing', lastError: null });
    expect(await recorder.listFailed('local')).toHaveLength(1);
    expect(await textsIn(store)).toEqual(['b', 'b!']);
  });

  it('[RP16] with a full disk reports the code of the refusal and retries', async () => {
    injectWorkerFault('before-commit:1:enospc');
    const { store, recorder, errors } = await openRecorder(freshFolder());
    addCallToRecorder(recorder, 'a').finish(answered('a!'));
    await recorder.idle();
    expect(errors).toMatchObject([{ code: 'store/full', kind: 'unavailable' }]);
    expect(recorder.state).toMatchObject({ recorded: 1, failed: 0, health: 'recording' });
    expect(await textsIn(store)).toEqual(['a', 'a!']);
  });

  it('[RP16] whose disk hangs is abandoned at a stop, and the next process writes its calls, once', async () => {
    const folder = freshFolder();
    // History and answer are written, but the confirmation is never sent.
    injectWorkerFault('after-commit:3:hang');
    const { store, recorder } = await openRecorder(folder);
    for (const text of ['a', 'b'])
      addCallToRecorder(recorder, text).finish(answered(`${text}!`, `${text}, otherwise!`));
    await expect.poll(() => textsIn(store)).toEqual(['a', 'a!', 'a, otherwise!']);
    await recorder.close(0);
    expect(recorder.state).toMatchObject({ recorded: 0, failed: 0, spilled: 2 });
    clearWorkerFault();
    const spill = join(folder, 'spill');
    const [left = ''] = readdirSync(spill);
    // The folder gets the name that an ended process would have left, because the id of this process is in use.
    renameSync(join(spill, left), join(spill, `${spawnSync(process.execPath, ['-e', '']).pid}-left`));
    const next = await openRecorder(folder);
    next.recorder.resume();
    await expect.poll(() => next.recorder.state.recorded).toBe(2);
    expect(await textsIn(store)).toEqual(['a', 'a!', 'a, otherwise!', 'b', 'b!', 'b, otherwise!']);
  });

  it('[RP16] that cannot be started is replaced by the main thread, with one report', async () => {
    const store = await openStore('memory:');
    const refusals: unknown[] = [];
    const fallback = new LocalRecording({ storeOf: () => store, now: Date.now, newId: () => newId() });
    const thread = new WorkerRecording({
      store: { url: 'memory:', owner: store.owner },
      module: new URL('./nowhere.ts', import.meta.url),
      fallback,
      onEnded: (error) => void refusals.push(error),
      onNoThread: (error) => void refusals.push(error),
    });
    for (const [number, text] of ['a', 'b'].entries()) {
      const request = toJsonBytes({ model: 'm', messages: [{ role: 'user', content: text }] });
      const given = {
        id: newId(),
        owner: 'local',
        project: 'p',
        wire: 'chat',
        origin: { ...unknownCallOrigin, session: 'one' },
        number,
        secrets: [],
        request,
      } as const;
      await thread.record({ ...given, call: answered(`${text}!`) }, { cost: null });
    }
    await thread.close();
    expect(thread.usesOtherThread).toBe(false);
    expect(refusals).toEqual([expect.objectContaining({ message: expect.stringContaining('nowhere') })]);
    expect(await textsIn(store)).toEqual(['a', 'a!', 'b', 'b!']);
  });
});

describe('a server with a recording thread', () => {
  const answer = JSON.stringify(encodeReply('openai', { text: 'Yes.' }));
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hi there, canary' }] };

  async function opened(lines: string[] = []): Promise<ProxyFixture> {
    const log = createLog({ to: { write: (line) => void lines.push(line) } });
    const proxied = await openProxyFixture(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(answer);
      },
      { thread: true, log },
    );
    endings.push(() => proxied.close());
    return proxied;
  }

  it('[RP15, RP16] a disk that hangs delays no call and no page', async () => {
    injectWorkerFault('before-commit:2:hang');
    const { post, recorder, listening, server } = await opened();
    await post('/v1/chat/completions', body);
    const trees = async () => (await server.store.trees({})).items.length;
    await expect.poll(trees).toBe(1);
    // On the proxy's own thread, each of these calls would wait for ever.
    for (const _ of [1, 2, 3, 4]) expect(await (await post('/v1/chat/completions', body)).text()).toBe(answer);
    expect((await fetch(`${listening.url}/healthz`)).status).toBe(200);
    expect(recorder.state).toMatchObject({ recorded: 0, waiting: 5, dropped: 0 });
  });

  it('[RP16] commits of the thread are on the feed of the server, and none of their content is in the log', async () => {
    const lines: string[] = [];
    injectWorkerFault('before-commit:1:enospc');
    const { post, server, nodes } = await opened(lines);
    const stop = new AbortController();
    const seen: string[] = [];
    const feeding = (async () => {
      for await (const event of server.store.feedAll(null, stop.signal)) {
        seen.push(event.treeId);
        if (seen.length === 3) break;
      }
    })();
    await post('/v1/chat/completions', body);
    await feeding;
    stop.abort();
    expect((await nodes()).map(({ text }) => text)).toEqual(['Hi there, canary', 'Yes.']);
    expect(new Set(seen).size).toBe(1);
    expect(lines.join('')).toContain('store/full');
    expect(lines.join('')).not.toContain('canary');
  });
});

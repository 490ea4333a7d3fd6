// @module-tag full
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { messageKit } from '@coppice/content';
import { type RunContext, run, type Store, treeId } from '@coppice/core';
import { newId } from '@coppice/engine';
import type { ImportIntoEvent, ImportIntoOptions } from '@coppice/engine/import';
import { createMemoryStore, openStore } from '@coppice/stores';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { clearWorkerFault, injectWorkerFault } from '../../test/worker-faults.ts';
import { openTestServer } from '../testing/index.ts';
import { type FileSource, type ImportTarget, importFiles } from './import-thread.ts';

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const end of endings.splice(0).toReversed()) await end();
});

/** The number of questions of a conversation that is stored alone; shorter conversations are stored in batches. */
const longChat = 120;

function chats(count: number, questions = 1): string {
  const turn = (index: number) => [
    { role: 'user', content: `Question ${index}` },
    { role: 'assistant', content: `Answer ${index}` },
  ];
  const chat = (index: number) => ({
    id: `chat-${index}`,
    title: `Chat ${index}`,
    messages: Array.from({ length: questions }, () => turn(index)).flat(),
  });
  return JSON.stringify(Array.from({ length: count }, (_, index) => chat(index)));
}

interface ImportFixture {
  /** The store through which the test reads. */
  readonly store: Store;
  readonly target: ImportTarget;
  readonly refusals: unknown[];
  file(text: string): FileSource;
}

async function openFixture(): Promise<ImportFixture> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-import-'));
  endings.push(async () => rmSync(folder, { recursive: true, force: true }));
  const url = `sqlite:${join(folder, 'trees.db')}`;
  const store = await openStore(url);
  endings.push(() => store.close());
  const refusals: unknown[] = [];
  // The caller's own store differs from the store of the thread. Trees in it would show that the thread was not used.
  const target: ImportTarget = {
    store: createMemoryStore(),
    thread: { url, owner: store.owner },
    onNoThread: (error) => void refusals.push(error),
    graceMs: 20,
  };
  const file = (text: string): FileSource => {
    const path = join(folder, 'chats.json');
    writeFileSync(path, text);
    return { name: 'chats.json', size: Buffer.byteLength(text), path };
  };
  return { store, target, refusals, file };
}

async function all(
  target: ImportTarget,
  file: FileSource,
  options: ImportIntoOptions = {},
): Promise<ImportIntoEvent[]> {
  const events: ImportIntoEvent[] = [];
  for await (const event of importFiles(target, [file], options)) events.push(event);
  return events;
}

function reportIn(events: readonly ImportIntoEvent[]) {
  const last = events.at(-1);
  return last?.type === 'report' ? last.report : null;
}

async function titlesIn(store: Store): Promise<(string | undefined)[]> {
  const { items } = await store.trees({ limit: 200 });
  return items.map(({ attributes }) => attributes.title).sort();
}

const context: RunContext = { actor: 'local', now: Date.now, newId: () => newId(), kit: messageKit };

describe('an import on its own thread', () => {
  it('[TR15] reports and stores the same as one on the calling thread', async () => {
    const { store, target, refusals, file } = await openFixture();
    const here = createMemoryStore();
    const text = chats(3);
    const reported = await all(target, file(text), { actor: 'ada' });
    expect(reported).toEqual(await all({ store: here }, file(text), { actor: 'ada' }));
    expect(reportIn(reported)?.conversations).toEqual({ read: 3, stored: 3, merged: 0, rejected: 0 });
    expect(await titlesIn(store)).toEqual(['Chat 0', 'Chat 1', 'Chat 2']);
    expect(await titlesIn(target.store)).toEqual([]);
    expect(refusals).toEqual([]);
  });

  it('[TR15] stores nothing in a dry run, and refuses with the same codes and findings', async () => {
    const { store, target, file } = await openFixture();
    const dry = reportIn(await all(target, file(chats(2)), { dryRun: true }));
    expect(dry).toMatchObject({ dryRun: true, conversations: { stored: 2 } });
    const flawed = file(JSON.stringify([{ id: 'x', messages: [{ role: 'user', content: 'Hi' }, 7] }]));
    const refused = { code: 'import/strict', kind: 'refused', data: { findings: [{ severity: 'loss' }] } };
    await expect(all(target, flawed, { strict: true })).rejects.toMatchObject(refused);
    await expect(all(target, file('no export'))).rejects.toMatchObject({ code: 'import/unknown-format' });
    const nowhere = { ...target, thread: { url: `sqlite:${tmpdir()}`, owner: 'local' } };
    await expect(all(nowhere, file(chats(1)))).rejects.toMatchObject({ code: 'store/damaged' });
    expect(await titlesIn(store)).toEqual([]);
  });

  it('[TR15] can be stopped before it begins, and between two conversations', async () => {
    const { store, target, file } = await openFixture();
    const aborted = { code: 'import/aborted', kind: 'aborted' };
    const early = AbortSignal.abort();
    await expect(all(target, file(chats(2)), { signal: early })).rejects.toMatchObject(aborted);
    expect(await titlesIn(store)).toEqual([]);
    const many = 800;
    const stop = new AbortController();
    const events: ImportIntoEvent[] = [];
    const importing = async () => {
      for await (const event of importFiles({ ...target, graceMs: 60_000 }, [file(chats(many))], {
        signal: stop.signal,
      })) {
        events.push(event);
        if (event.type === 'conversation') stop.abort();
      }
    };
    await expect(importing()).rejects.toMatchObject(aborted);
    const reported = events.filter(({ type }) => type === 'conversation').length;
    expect(reported).toBeLessThan(many);
    const rest = reportIn(await all(target, file(chats(many))));
    expect(rest?.conversations).toEqual({ read: many, stored: many - reported, merged: reported, rejected: 0 });
  });

  it('[TR15] that ends in the middle of a commit is reported as a failure, and leaves complete conversations', async () => {
    const { store, target, file } = await openFixture();
    injectWorkerFault('before-commit:3:exit');
    const failure = { code: 'import/thread-ended', kind: 'internal', retryable: true };
    await expect(all(target, file(chats(5, longChat)))).rejects.toMatchObject(failure);
    clearWorkerFault();
    expect(await titlesIn(store)).toEqual(['Chat 0', 'Chat 1']);
    const rest = reportIn(await all(target, file(chats(5, longChat))));
    expect(rest?.conversations).toEqual({ read: 5, stored: 3, merged: 2, rejected: 0 });
  });

  it('[TR16] inside a commit blocks no reader; other writes wait for it, and a stop ends it', async () => {
    const { store, target, file } = await openFixture();
    injectWorkerFault('before-commit:3:hang');
    const stop = new AbortController();
    const events = importFiles(target, [file(chats(5, longChat))], { signal: stop.signal });
    for (let stored = 0; stored < 2; ) if ((await events.next()).value?.type === 'conversation') stored += 1;
    clearWorkerFault();
    // The thread blocks at its third commit, while this thread keeps running.
    const written: string[] = [];
    let writing: Promise<unknown> = Promise.resolve();
    let begun = 0;
    // Writes until a write has to wait, because the thread may not have reached its commit yet.
    while (written.length === begun) {
      const title = `Mine ${begun++}`;
      const create = { type: 'create', treeId: treeId(newId()), attributes: { title } } as const;
      writing = run(store, create, context).then(() => written.push(title));
      for (let turn = 0; turn < 100 && written.length < begun; turn += 1) await setImmediate();
      // The thread needs a moment to reach its commit.
      if (written.length === begun) await sleep(50);
    }
    expect(await titlesIn(store)).toEqual(['Chat 0', 'Chat 1', ...written].sort());
    stop.abort();
    const toTheEnd = async () => {
      while (!(await events.next()).done);
    };
    await expect(toTheEnd()).rejects.toMatchObject({ code: 'import/aborted' });
    await writing;
    expect(written).toHaveLength(begun);
    expect(await titlesIn(store)).toEqual(['Chat 0', 'Chat 1', ...written].sort());
  });

  it('[TR15] runs on the calling thread if no other can be started', async () => {
    const { target, refusals, file } = await openFixture();
    vi.stubEnv('NODE_OPTIONS', '--require=/no/such/module.cjs');
    const reported = await all(target, file(chats(2)));
    expect(reportIn(reported)?.conversations.stored).toBe(2);
    expect(refusals).toHaveLength(1);
    expect(await titlesIn(target.store)).toEqual(['Chat 0', 'Chat 1']);
  });

  it('[TR15] is used by a server that knows the URL of its store', async () => {
    const server = await openTestServer({ store: 'sqlite', thread: true });
    endings.push(() => server.close());
    injectWorkerFault('before-commit:2:exit');
    const begin = () =>
      server.ask('POST', '/api/imports?name=chats.json', {
        body: chats(3, longChat),
        headers: { 'content-type': 'application/json' },
      });
    const { imports } = server.server.services;
    const endOf = async (id: string) => {
      const isRunning = async () => (await imports.find('local', id))?.state === 'running';
      await expect.poll(isRunning).toBe(false);
      return imports.find('local', id);
    };
    const broken = await endOf((await begin()).body.id);
    clearWorkerFault();
    expect(broken).toMatchObject({ state: 'failed', error: { code: 'import/thread-ended' }, taken: { stored: 1 } });
    const again = await endOf((await begin()).body.id);
    expect(again).toMatchObject({ state: 'done', taken: { stored: 2, merged: 1 } });
  });
});

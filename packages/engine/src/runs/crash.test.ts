import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, nodeId, readPath, type Store, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { createTurnGenerator } from '../generate/index.ts';
import { newId } from '../new-id.ts';
import { createProviders } from '../providers/index.ts';
import { createScriptedProvider, makeTextEvents } from '../testing/scripted.ts';

let place: string;
let store: Store | null = null;
let child: ChildProcess | null = null;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'coppice-crash-'));
});
afterEach(async () => {
  // A worker that still runs would write files into the folder while it is removed.
  if (child !== null && child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await store?.close();
  rmSync(place, { recursive: true, force: true });
});

const worker = fileURLToPath(new URL('../../test/dying-turn.ts', import.meta.url));

/** Starts the worker; resolves when it has stored part of its reply. */
function startWorkerUntilMidReply(url: string, tree: string): Promise<ChildProcess> {
  const started = spawn(process.execPath, ['--import', 'tsx', worker, url, tree], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  return new Promise((resolve) => started.stdout.once('data', () => resolve(started)));
}

/** Kills the worker with SIGKILL in the middle of its reply. */
async function killWorkerMidReply(url: string, tree: string): Promise<string | null> {
  const started = await startWorkerUntilMidReply(url, tree);
  return new Promise((resolve) => {
    started.once('close', (_code, signal) => resolve(signal));
    started.kill('SIGKILL');
  });
}

test('[H35] a process killed in the middle of a reply leaves its text, and another engine recovers and finishes it', async () => {
  const url = `sqlite:${join(place, 'trees.db')}`;
  const tree = treeId(newId());
  expect(await killWorkerMidReply(url, tree)).toBe('SIGKILL');
  store = await openStore(url);
  const provider = createScriptedProvider([makeTextEvents('and stormy night.')]);
  const providers = createProviders({ config: parseConfig(null, {}), extra: [provider] });
  const generator = createTurnGenerator({ store, providers });
  for (const run of await store.runs.list()) await store.runs.beat(run.id, Date.now() - 16_000);
  const [saved, ...others] = await generator.recover();
  expect(others).toEqual([]);
  expect(saved).toMatchObject({ treeId: tree, status: 'interrupted' });
  const id = saved?.nodeId ?? nodeId('');
  const nodes = await store.read(tree, () => readPath({ to: id }));
  expect(nodes.map((node) => [node.role, node.text, node.status])).toEqual([
    ['user', 'Tell me a story', 'success'],
    ['assistant', 'It was a dark ', 'interrupted'],
  ]);
  const turn = generator.generate({ type: 'continue', treeId: tree, nodeId: id }, { models: ['scripted/one'] });
  expect((await turn.done).type).toBe('end');
  const node = await store.read(tree, () => ask('node', { id }));
  expect(node).toMatchObject({ status: 'success', text: 'It was a dark and stormy night.' });
  expect(await store.runs.list()).toEqual([]);
});

test('[Y60] a reply that another process writes is stopped from this one', async () => {
  const url = `sqlite:${join(place, 'trees.db')}`;
  const tree = treeId(newId());
  await startWorkerUntilMidReply(url, tree);
  store = await openStore(url);
  const providers = createProviders({ config: parseConfig(null, {}) });
  const generator = createTurnGenerator({ store, providers });
  const [writing] = await store.runs.list(tree);
  const id = writing?.nodeId ?? nodeId('');
  expect(await generator.abort({ nodeId: id })).toBe(true);
  const node = await store.read(tree, () => ask('node', { id }));
  expect(node).toMatchObject({ status: 'aborted', text: 'It was a dark ' });
  expect(await store.runs.list()).toEqual([]);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ask, nodeId, readPath, type Store, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { afterEach, expect, test } from 'vitest';
import { parseConfig } from '../config/load.ts';
import { createGenerator } from '../generate/index.ts';
import { newId } from '../new-id.ts';
import { systemClock } from '../providers/clock.ts';
import { createProviders } from '../providers/index.ts';
import { scriptedProvider, textBeats } from '../testing/scripted.ts';

const place = mkdtempSync(join(tmpdir(), 'coppice-crash-'));
let store: Store | null = null;
let child: ChildProcess | null = null;
afterEach(async () => {
  child?.kill('SIGKILL');
  await store?.close();
  rmSync(place, { recursive: true, force: true });
});

const worker = fileURLToPath(new URL('../../test/dying-turn.ts', import.meta.url));

/** Runs the worker until it has put some of its reply down, and kills it without warning. */
function killedInMidReply(url: string, tree: string): Promise<string | null> {
  const started = spawn(process.execPath, ['--import', 'tsx', worker, url, tree], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  return new Promise((resolve) => {
    started.stdout.once('data', () => started.kill('SIGKILL'));
    started.once('close', (_code, signal) => resolve(signal));
  });
}

test('[H35] a process killed in the middle of a reply leaves what it said, and another engine recovers and ends it', async () => {
  const url = `sqlite:${join(place, 'trees.db')}`;
  const tree = treeId(newId());
  expect(await killedInMidReply(url, tree)).toBe('SIGKILL');
  store = await openStore(url);
  const provider = scriptedProvider([textBeats('and stormy night.')]);
  const providers = createProviders({ config: parseConfig(null, {}), extra: [provider] });
  let ahead = 0;
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  const generator = createGenerator({ store, providers, clock });
  ahead = 16_000;
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

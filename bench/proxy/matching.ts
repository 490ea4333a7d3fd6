/** Measures how long it takes to match a resent history in a small and in a large tree. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { type NewMessage, type NodeId, run, type Store, type TreeId, textMessage, treeId } from '@coppice/core';
import { newId } from '@coppice/engine';
import { openStore } from '@coppice/stores';
import { type Measurement, median } from '../measure.ts';

const me = { actor: 'bench', now: Date.now, newId: () => newId(), kit: messageKit };
const perThread = 200;

interface Forest {
  readonly store: Store;
  readonly id: TreeId;
  readonly rootId: NodeId;
  readonly threads: number;
}

function thread(at: number): NewMessage[] {
  return Array.from({ length: perThread }, (_, index) => ({
    message: textMessage(index % 2 === 0 ? 'user' : 'assistant', `thread ${at}, message ${index}`),
  }));
}

/** Builds a tree of about `nodes` nodes: conversations of 200 messages below one root. */
async function buildSample(url: string, nodes: number): Promise<Forest> {
  const store = await openStore(url);
  const id = treeId(newId());
  await run(store, { type: 'create', treeId: id, attributes: { project: 'bench' }, forest: true }, me);
  const rootId = (await store.trees({ forest: true })).items[0]?.rootId;
  if (rootId === undefined) throw new Error('There is no forest tree.');
  const threads = nodes / perThread;
  for (let at = 0; at < threads; at++)
    await run(store, { type: 'append', treeId: id, parentId: rootId, messages: thread(at), select: false }, me);
  return { store, id, rootId, threads };
}

/** Resends a stored history with one more message, so that the history is matched and one node is written. */
async function match({ store, id, rootId, threads }: Forest, call: number): Promise<void> {
  const at = (call * 7_919) % threads;
  const messages = [...thread(at), { message: textMessage('user', `call ${call}`) }];
  const { result } = await run(store, { type: 'append', treeId: id, parentId: rootId, messages, select: false }, me);
  if (result.reused.length !== perThread) throw new Error(`Only ${result.reused.length} messages were found again.`);
}

/**
 * Measures a small and a large tree alternately. The large one has 100,000 nodes, or a million with `COPPICE_LONG=1`.
 */
export async function benchMatching(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-match-'));
  const many = process.env.COPPICE_LONG === '1' ? 1_000_000 : 100_000;
  try {
    const small = await buildSample(`sqlite:${join(folder, 'small.db')}`, 1_000);
    const large = await buildSample(`sqlite:${join(folder, 'large.db')}`, many);
    const times = { small: [] as number[], large: [] as number[] };
    let call = 0;
    for (let turn = 0; turn <= 10; turn++)
      for (const [name, forest] of [
        ['small', small],
        ['large', large],
      ] as const) {
        globalThis.gc?.();
        const start = process.cpuUsage();
        for (let one = 0; one < 20; one++) await match(forest, call++);
        const { user, system } = process.cpuUsage(start);
        if (turn > 0) times[name].push((user + system) / 20);
      }
    await Promise.all([small.store.close(), large.store.close()]);
    const [before, after] = [median(times.small), median(times.large)];
    const work = 'a history of 200 messages found again, one more written';
    return [
      { work, by: 'among 1,000 nodes', value: before, unit: 'µs', ratio: 1 },
      {
        work,
        by: `among ${many.toLocaleString('en')} nodes`,
        value: after,
        unit: 'µs',
        ratio: after / before,
        budget: '≤ 2×',
        kept: after / before <= 2,
      },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Lets several processes write to one store, and checks that no acknowledged change is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Commit, Store, TreeId } from '@coppice/core';
import { TortureJournal, type TortureReport } from './journal.ts';
import { WriterLedger } from './ledger.ts';
import { SeededRandom } from './seeded-random.ts';
import { openStoreAt, type StoreLocations } from './store-locations.ts';
import { WorkerProcess } from './worker-process.ts';

/** Options of the test with several processes on one store. */
export interface TwoProcessesOptions {
  readonly site: StoreLocations;
  readonly processes: number;
  readonly seconds: number;
  readonly seed: string;
  readonly say?: (line: string) => void;
}

/** Follows the commits of a tree from the first one, and throws on a gap or a duplicate. */
async function follow(
  store: Store,
  treeId: TreeId,
  signal: AbortSignal,
  seen: (commit: Commit) => void,
): Promise<void> {
  let version = 0;
  for await (const commit of store.feed(treeId, 0, signal)) {
    if (commit.version !== version + 1)
      throw new Error(`The feed of ${treeId} goes from version ${version} to ${commit.version}.`);
    version = commit.version;
    seen(commit);
  }
}

/** Runs processes, then compares the store with the acknowledged changes. This process follows the feeds meanwhile. */
export async function runTwoProcesses(options: TwoProcessesOptions): Promise<TortureReport> {
  const { site, processes, seed } = options;
  const journal = new TortureJournal(`twoproc-${site.kind}`, seed, options.say);
  const place = await site.place();
  const ledger = new WriterLedger(journal, processes, new SeededRandom('twoproc', seed));
  const workers = await Promise.all(
    Array.from({ length: processes }, () => WorkerProcess.start((reported) => ledger.record(reported))),
  );
  const tasks = ledger.tasks(seed);
  // The time is measured from the moment at which all workers write.
  const working = Promise.all(
    workers.map((worker) => worker.waitForReport((reported) => reported.reported === 'done')),
  );
  for (const [at, worker] of workers.entries())
    worker.send({ task: 'write', url: place.url, writers: tasks.filter((_, writer) => writer === at) });
  const store = await openStoreAt(place);
  const ending = new AbortController();
  const received = new Map<TreeId, number>();
  let followed: Promise<unknown> = Promise.resolve();
  try {
    await working;
    // A tree can be followed once it exists. Its feed begins with the earlier commits.
    followed = Promise.all(
      ledger.trees.map((tree) => follow(store, tree, ending.signal, (commit) => received.set(tree, commit.version))),
    );
    followed.catch(() => undefined);
    await sleep(options.seconds * 1000);
    for (const worker of workers) worker.send({ task: 'stop' });
    await Promise.all(workers.map((worker) => worker.end()));
    await ledger.compare(store);
    // Feeds report commits a little later than the acknowledgement, but all of them must arrive.
    const whole = () => ledger.trees.every((tree) => (received.get(tree) ?? 0) === ledger.versionOf(tree));
    for (let waited = 0; !whole() && waited < 1000; waited++) await sleep(50);
    if (!whole()) throw journal.failure(`The feed stopped at ${JSON.stringify([...received])}.`);
  } finally {
    for (const worker of workers) worker.kill();
    ending.abort();
    await followed.finally(() => store.close());
    await place.destroy();
  }
  if (ledger.acknowledged === 0) throw journal.failure('Nothing was acknowledged: nothing was tested.');
  const { acknowledged, busy } = ledger;
  return journal.done({ processes, seconds: options.seconds, acknowledged, 'told to come again': busy });
}

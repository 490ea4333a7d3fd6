/**
 * Kills writers while they write, round after round, and compares the store with the changes that were acknowledged.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { TortureJournal, type TortureReport } from './journal.ts';
import { WriterLedger } from './ledger.ts';
import { SeededRandom } from './seeded-random.ts';
import { openStoreAt, type StoreLocation, type StoreLocations } from './store-locations.ts';
import { WorkerProcess } from './worker-process.ts';

/** Options of the test that kills writers. */
export interface KilledWritersOptions {
  readonly site: StoreLocations;
  readonly writers: number;
  readonly rounds: number;
  readonly seed: string;
  /** Kills and restarts the database server. If given, the server is killed instead of the workers. */
  readonly killServer?: () => Promise<void>;
  readonly say?: (line: string) => void;
}

// A new store is created after this many rounds: every round checks the whole store, which grows.
const roundsPerPlace = 25;
const longestLife = 300;

/** Starts the workers of a round, which wait for their tasks. */
async function startWorkers(count: number, ledger: () => WriterLedger | undefined): Promise<WorkerProcess[]> {
  return Promise.all(
    Array.from({ length: count }, () => WorkerProcess.start((reported) => ledger()?.record(reported))),
  );
}

/** Runs rounds of writing and killing. Throws if an acknowledged message is lost or altered. */
export async function runKilledWriters(options: KilledWritersOptions): Promise<TortureReport> {
  const { site, rounds, seed } = options;
  const journal = new TortureJournal(
    `kill9-${site.kind}${options.killServer === undefined ? '' : '-server'}`,
    seed,
    options.say,
  );
  const random = new SeededRandom('kill9', seed);
  const processes = site.processes ? options.writers : 1;
  const total = { acknowledged: 0, unknown: 0, happened: 0, kills: 0 };
  let place: StoreLocation | undefined;
  let ledger: WriterLedger | undefined;
  // A function, because the workers of the first round are started before the store and its ledger exist.
  const current = (): WriterLedger | undefined => ledger;
  let next = startWorkers(processes, current);
  for (let round = 0; round < rounds; round++) {
    if (round % roundsPerPlace === 0) {
      await place?.destroy();
      place = await site.place();
      ledger = new WriterLedger(journal, options.writers, random);
    }
    const workers = await next;
    if (place === undefined || ledger === undefined) throw new Error('There is no place.');
    const tasks = ledger.tasks(`${seed} ${round}`);
    const lives = workers.map(() => random.below(longestLife));
    journal.note({ round, url: place.kind, lives });
    // One round in four kills while the store is opened, and one in four right after that. The others wait for the
    // first acknowledgement.
    const begun = workers.map((worker) =>
      round % 4 === 0 && options.killServer === undefined
        ? Promise.resolve(null)
        : worker.waitForReport(
            ({ reported }) => (round % 4 === 1 ? reported === 'open' : reported === 'done') || reported === 'failed',
          ),
    );
    for (const [at, worker] of workers.entries())
      worker.send({
        task: 'write',
        url: place.url,
        writers: tasks.filter((_, writer) => writer % workers.length === at),
      });
    if (options.killServer === undefined)
      await Promise.all(
        workers.map(async (worker, at) => {
          await begun[at];
          await sleep(lives[at] ?? 0);
          worker.kill();
        }),
      );
    else {
      await Promise.all(begun);
      await sleep(random.below(longestLife));
      await options.killServer();
      for (const worker of workers) worker.send({ task: 'stop' });
    }
    total.kills += options.killServer === undefined ? workers.length : 1;
    await Promise.all(workers.map((worker) => worker.end()));
    next = round + 1 < rounds ? startWorkers(processes, current) : Promise.resolve([]);
    // If the run ends before these workers are used, their error must not be unhandled.
    next.catch(() => undefined);
    const before = ledger.acknowledged;
    await place.waitUntilIdle?.();
    const store = await openStoreAt(place);
    try {
      await ledger.compare(store);
    } catch (error) {
      for (const worker of await next) worker.kill();
      throw error;
    } finally {
      await store.close();
    }
    if ((round + 1) % roundsPerPlace === 0 || round + 1 === rounds) {
      total.acknowledged += ledger.acknowledged;
      total.unknown += ledger.unknown;
      total.happened += ledger.happened;
    }
    if ((round + 1) % 50 === 0) journal.say(`${round + 1} rounds, ${total.acknowledged} acknowledged`);
    if (before === 0 && ledger.acknowledged === 0 && round % roundsPerPlace === roundsPerPlace - 1)
      throw journal.failure('Nothing was acknowledged in a whole place: nothing was tested.');
  }
  await place?.destroy();
  if (total.acknowledged === 0) throw journal.failure('Nothing was acknowledged: nothing was tested.');
  return journal.done({ rounds, writers: options.writers, ...total });
}

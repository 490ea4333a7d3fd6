/** Kills writers during writes, again and again, and compares the store with the acknowledged changes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WorkerProcess } from './crew.ts';
import { RunJournal, type TortureReport } from './journal.ts';
import { WriterLedger } from './ledger.ts';
import { openStoreAt, type StorePlace, type StorePlaces } from './places.ts';
import { Random } from './random.ts';

/** Options of the kill test. */
export interface Kill9Options {
  readonly site: StorePlaces;
  readonly writers: number;
  readonly rounds: number;
  readonly seed: string;
  /** Kills and restarts the server. If given, the server is killed instead of the workers. */
  readonly killServer?: () => Promise<void>;
  readonly say?: (line: string) => void;
}

// A new store is created after this many rounds, because every round checks the whole store.
const roundsPerPlace = 25;
const longestLife = 300;

/** Starts the workers of a round, which wait for the signal to write. */
async function hire(count: number, ledger: () => WriterLedger | undefined): Promise<WorkerProcess[]> {
  return Promise.all(Array.from({ length: count }, () => WorkerProcess.start((reported) => ledger()?.hear(reported))));
}

/** Runs rounds of writing and killing. Throws if an acknowledged node is lost or altered. */
export async function runKill9(options: Kill9Options): Promise<TortureReport> {
  const { site, rounds, seed } = options;
  const journal = new RunJournal(
    `kill9-${site.kind}${options.killServer === undefined ? '' : '-server'}`,
    seed,
    options.say,
  );
  const random = new Random('kill9', seed);
  const processes = site.processes ? options.writers : 1;
  const total = { acknowledged: 0, unknown: 0, happened: 0, kills: 0 };
  let place: StorePlace | undefined;
  let ledger: WriterLedger | undefined;
  // Workers start before the first store exists.
  const current = (): WriterLedger | undefined => ledger;
  let next = hire(processes, current);
  for (let round = 0; round < rounds; round++) {
    if (round % roundsPerPlace === 0) {
      await place?.destroy();
      place = await site.place();
      ledger = new WriterLedger(journal, options.writers, random);
    }
    const crew = await next;
    if (place === undefined || ledger === undefined) throw new Error('There is no place.');
    const tasks = ledger.tasks(`${seed} ${round}`);
    const lives = crew.map(() => random.below(longestLife));
    journal.note({ round, url: place.kind, lives });
    // Every fourth round kills during opening, and every fourth right
    // after it. The other rounds wait for the first acknowledgement.
    const begun = crew.map((worker) =>
      round % 4 === 0 && options.killServer === undefined
        ? Promise.resolve(null)
        : worker.hears(
            ({ reported }) => (round % 4 === 1 ? reported === 'open' : reported === 'done') || reported === 'failed',
          ),
    );
    for (const [at, worker] of crew.entries())
      worker.tell({
        task: 'write',
        url: place.url,
        writers: tasks.filter((_, writer) => writer % crew.length === at),
      });
    if (options.killServer === undefined)
      await Promise.all(
        crew.map(async (worker, at) => {
          await begun[at];
          await sleep(lives[at] ?? 0);
          worker.kill();
        }),
      );
    else {
      await Promise.all(begun);
      await sleep(random.below(longestLife));
      await options.killServer();
      for (const worker of crew) worker.tell({ task: 'stop' });
    }
    total.kills += options.killServer === undefined ? crew.length : 1;
    await Promise.all(crew.map((worker) => worker.end()));
    next = round + 1 < rounds ? hire(processes, current) : Promise.resolve([]);
    // Prevents an unhandled rejection if these workers are never used.
    next.catch(() => undefined);
    const before = ledger.acknowledged;
    await place.quiet?.();
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

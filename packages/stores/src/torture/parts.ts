/** The parts of the torture suite by name, with their options. */
import type { PostgresOptions } from '../postgres/index.ts';
import type { TortureArguments } from './arguments.ts';
import type { TortureReport } from './journal.ts';
import { chooseSeed } from './seeded-random.ts';
import {
  createFolderLocations,
  createMemoryLocations,
  createPostgresLocations,
  type StoreKind,
  type StoreLocations,
} from './store-locations.ts';

/** One part of the suite: its description, and a function that runs it. */
export interface TorturePart {
  readonly about: string;
  run(options: TortureArguments, say: (line: string) => void): Promise<readonly TortureReport[]>;
}

/** A kind of store to run a part on, and where its stores are created. */
interface SiteOptions {
  readonly site: StoreLocations;
  /** Kills and restarts the database server; missing if the store has none. */
  readonly crash?: () => Promise<void>;
}

async function on<T>(kind: StoreKind, work: (grounded: SiteOptions) => Promise<T>): Promise<T> {
  if (kind === 'postgres') {
    const { startCrashableServer } = await import('./server.ts');
    const server = await startCrashableServer();
    try {
      return await work({ site: createPostgresLocations(server), crash: () => server.crash() });
    } finally {
      await server.close();
    }
  }
  const site = kind === 'memory' ? createMemoryLocations() : createFolderLocations(kind);
  try {
    return await work({ site });
  } finally {
    await site.close();
  }
}

function kindsOf(options: TortureArguments, kinds: readonly StoreKind[]): readonly StoreKind[] {
  const asked = options.list('store');
  if (asked === undefined) return kinds;
  return asked.map((name) => {
    const found = kinds.find((kind) => kind === name);
    if (found === undefined) throw new Error(`--store is one of ${kinds.join(', ')}, not ${name}.`);
    return found;
  });
}

async function onEach(
  kinds: readonly StoreKind[],
  work: (grounded: SiteOptions) => Promise<TortureReport | readonly TortureReport[]>,
): Promise<readonly TortureReport[]> {
  const reports: TortureReport[] = [];
  for (const kind of kinds) for (const report of [await on(kind, work)].flat()) reports.push(report);
  return reports;
}

export const tortureParts: ReadonlyMap<string, TorturePart> = new Map<string, TorturePart>([
  [
    'kill9',
    {
      about: 'writers are killed in mid-write; --store, --writers, --rounds, --seed, --server kills PostgreSQL itself',
      async run(options, say) {
        const { runKilledWriters } = await import('./killed-writers.ts');
        const kinds = kindsOf(options, ['sqlite', 'files', 'jsonl', 'postgres']);
        const writers = options.number('writers', 4);
        const rounds = options.text('rounds') === undefined ? undefined : options.number('rounds', 1);
        const seed = chooseSeed(options.text('seed'));
        const server = options.flag('server');
        options.finish();
        return onEach(kinds, ({ site, crash }) =>
          runKilledWriters({
            site,
            writers,
            rounds: rounds ?? (site.kind === 'sqlite' ? 1000 : 200),
            seed,
            say,
            ...(server && crash !== undefined ? { killServer: crash } : {}),
          }),
        );
      },
    },
  ],
  [
    'faultwalk',
    {
      about: 'every write fails at every point; --store, --ops append,edit,…, --failures kill,eio,enospc',
      async run(options, say) {
        const { runFaultwalk } = await import('./faultwalk.ts');
        const kinds = kindsOf(options, ['sqlite', 'files', 'jsonl', 'postgres']);
        const operations = options.list('ops');
        const failures = options.list('failures')?.map((name) => {
          if (name !== 'kill' && name !== 'eio' && name !== 'enospc')
            throw new Error(`--failures are kill, eio, enospc; not ${name}.`);
          return name;
        });
        const seed = chooseSeed(options.text('seed'));
        options.finish();
        return onEach(kinds, ({ site }) =>
          runFaultwalk({
            site,
            seed,
            say,
            ...(operations === undefined ? {} : { operations }),
            ...(failures === undefined ? {} : { failures }),
          }),
        );
      },
    },
  ],
  [
    'permute',
    {
      about: 'sessions in every order and at once; --store, --times, --update writes the outcomes down',
      async run(options, say) {
        const { runPermutations } = await import('./permute.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const times = options.number('times', 100);
        const update = options.flag('update');
        const seed = chooseSeed(options.text('seed'));
        options.finish();
        return onEach(kinds, async ({ site }) => {
          const plain = await runPermutations({ site, seed, times, update, say });
          if (site.kind !== 'postgres') return plain;
          const serializable: PostgresOptions = { isolation: 'serializable' };
          return [plain, await runPermutations({ site, seed, times, say, options: serializable })];
        });
      },
    },
  ],
  [
    'model',
    {
      about: 'random operations against an independent model and against the reference; --store, --seqs, --len',
      async run(options, say) {
        const { runModelComparison } = await import('./model-run.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const sequences = options.number('seqs', 10_000);
        const longest = options.number('len', 200);
        const seed = chooseSeed(options.text('seed'));
        options.finish();
        const withAll = async (
          left: readonly StoreKind[],
          sites: readonly StoreLocations[],
        ): Promise<TortureReport> => {
          const [kind, ...rest] = left;
          if (kind === undefined) return runModelComparison({ sites, sequences, longest, seed, say });
          return on(kind, ({ site }) => withAll(rest, [...sites, site]));
        };
        return [await withAll(kinds, [])];
      },
    },
  ],
  [
    'twoproc',
    {
      about: 'several processes on one store; --store, --procs, --secs',
      async run(options, say) {
        const { runTwoProcesses } = await import('./two-processes.ts');
        const { runSessionProcesses } = await import('./session-processes.ts');
        const kinds = kindsOf(options, ['sqlite', 'postgres', 'jsonl']);
        const processes = options.number('procs', 4);
        const seconds = options.number('secs', 30);
        const seed = chooseSeed(options.text('seed'));
        options.finish();
        return onEach(kinds, ({ site }) =>
          site.kind === 'jsonl'
            ? runSessionProcesses({ processes, seconds, seed, say })
            : runTwoProcesses({ site, processes, seconds, seed, say }),
        );
      },
    },
  ],
  [
    'migrate9',
    {
      about: 'processes are killed while they migrate a session file; --entries, --rounds',
      async run(options, say) {
        const { runKilledSessionMigrations } = await import('./killed-session-migrations.ts');
        const entries = options.number('entries', 60_000);
        const rounds = options.number('rounds', 300);
        const seed = chooseSeed(options.text('seed'));
        options.finish();
        return [await runKilledSessionMigrations({ entries, rounds, seed, say })];
      },
    },
  ],
  [
    'number9',
    {
      about: 'processes are killed while they migrate a SQLite file to row numbers; --nodes, --rounds',
      async run(options, say) {
        const { runKilledRowMigrations } = await import('./killed-row-migrations.ts');
        const nodes = options.number('nodes', 20_000);
        const rounds = options.number('rounds', 300);
        const seed = chooseSeed(options.text('seed'));
        options.finish();
        return [await runKilledRowMigrations({ nodes, rounds, seed, say })];
      },
    },
  ],
  [
    'vectors',
    {
      about: 'the shared vectors through the library and each store; --store',
      async run(options, say) {
        const { runTestVectors } = await import('./vectors.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const seed = chooseSeed(options.text('seed'));
        options.finish();
        return onEach(kinds, ({ site }) => runTestVectors({ site, seed, say }));
      },
    },
  ],
  [
    'deep',
    {
      about: 'a very deep chain and very many siblings; --store, --depth, --width',
      async run(options, say) {
        const { runDeepTree } = await import('./deep.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const depth = options.number('depth', 100_000);
        const width = options.number('width', 50_000);
        const seed = chooseSeed(options.text('seed'));
        options.finish();
        return onEach(kinds, ({ site }) => runDeepTree({ site, depth, width, seed, say }));
      },
    },
  ],
]);

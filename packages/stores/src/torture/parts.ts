/** The parts of the torture suite by name, with their options. */
import type { PostgresOptions } from '../postgres/index.ts';
import type { RunOptions } from './arguments.ts';
import type { TortureReport } from './journal.ts';
import { parseSeed } from './random.ts';
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
  run(options: RunOptions, say: (line: string) => void): Promise<readonly TortureReport[]>;
}

/** A kind of store to run a part on, and where its stores are created. */
interface SiteOptions {
  readonly site: StoreLocations;
  /** Kills and restarts the database server; missing if the store has none. */
  readonly crash?: () => Promise<void>;
}

async function on<T>(kind: StoreKind, work: (grounded: SiteOptions) => Promise<T>): Promise<T> {
  if (kind === 'postgres') {
    const { startCrashableServer: startServer } = await import('./server.ts');
    const server = await startServer();
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

function kindsOf(options: RunOptions, kinds: readonly StoreKind[]): readonly StoreKind[] {
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
        const { runKill9: kill9 } = await import('./kill9.ts');
        const kinds = kindsOf(options, ['sqlite', 'files', 'jsonl', 'postgres']);
        const writers = options.number('writers', 4);
        const rounds = options.text('rounds') === undefined ? undefined : options.number('rounds', 1);
        const seed = parseSeed(options.text('seed'));
        const server = options.flag('server');
        options.finish();
        return onEach(kinds, ({ site, crash }) =>
          kill9({
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
        const { runFaultwalk: faultwalk } = await import('./faultwalk.ts');
        const kinds = kindsOf(options, ['sqlite', 'files', 'jsonl', 'postgres']);
        const operations = options.list('ops');
        const failures = options.list('failures')?.map((name) => {
          if (name !== 'kill' && name !== 'eio' && name !== 'enospc')
            throw new Error(`--failures are kill, eio, enospc; not ${name}.`);
          return name;
        });
        const seed = parseSeed(options.text('seed'));
        options.finish();
        return onEach(kinds, ({ site }) =>
          faultwalk({
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
        const { runPermutations: permute } = await import('./permute.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const times = options.number('times', 100);
        const update = options.flag('update');
        const seed = parseSeed(options.text('seed'));
        options.finish();
        return onEach(kinds, async ({ site }) => {
          const plain = await permute({ site, seed, times, update, say });
          if (site.kind !== 'postgres') return plain;
          const serializable: PostgresOptions = { isolation: 'serializable' };
          return [plain, await permute({ site, seed, times, say, options: serializable })];
        });
      },
    },
  ],
  [
    'model',
    {
      about: 'random operations against an independent model and against the reference; --store, --seqs, --len',
      async run(options, say) {
        const { runModel: modelRun } = await import('./model-run.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const sequences = options.number('seqs', 10_000);
        const longest = options.number('len', 200);
        const seed = parseSeed(options.text('seed'));
        options.finish();
        const withAll = async (
          left: readonly StoreKind[],
          sites: readonly StoreLocations[],
        ): Promise<TortureReport> => {
          const [kind, ...rest] = left;
          if (kind === undefined) return modelRun({ sites, sequences, longest, seed, say });
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
        const { runTwoProcesses: twoProcesses } = await import('./two-processes.ts');
        const { runSessionProcesses: sessionProcesses } = await import('./session-processes.ts');
        const kinds = kindsOf(options, ['sqlite', 'postgres', 'jsonl']);
        const processes = options.number('procs', 4);
        const seconds = options.number('secs', 30);
        const seed = parseSeed(options.text('seed'));
        options.finish();
        return onEach(kinds, ({ site }) =>
          site.kind === 'jsonl'
            ? sessionProcesses({ processes, seconds, seed, say })
            : twoProcesses({ site, processes, seconds, seed, say }),
        );
      },
    },
  ],
  [
    'migrate9',
    {
      about: 'processes are killed while they migrate a session file; --entries, --rounds',
      async run(options, say) {
        const { runMigrate9: migrate9 } = await import('./migrate9.ts');
        const entries = options.number('entries', 60_000);
        const rounds = options.number('rounds', 300);
        const seed = parseSeed(options.text('seed'));
        options.finish();
        return [await migrate9({ entries, rounds, seed, say })];
      },
    },
  ],
  [
    'number9',
    {
      about: 'processes are killed while they migrate a SQLite file to row numbers; --nodes, --rounds',
      async run(options, say) {
        const { runNumber9: number9 } = await import('./number9.ts');
        const nodes = options.number('nodes', 20_000);
        const rounds = options.number('rounds', 300);
        const seed = parseSeed(options.text('seed'));
        options.finish();
        return [await number9({ nodes, rounds, seed, say })];
      },
    },
  ],
  [
    'vectors',
    {
      about: 'the shared vectors through the library and each store; --store',
      async run(options, say) {
        const { runVectors } = await import('./vectors.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const seed = parseSeed(options.text('seed'));
        options.finish();
        return onEach(kinds, ({ site }) => runVectors({ site, seed, say }));
      },
    },
  ],
  [
    'deep',
    {
      about: 'a very deep chain and very many siblings; --store, --depth, --width',
      async run(options, say) {
        const { runDeepTree: deep } = await import('./deep.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const depth = options.number('depth', 100_000);
        const width = options.number('width', 50_000);
        const seed = parseSeed(options.text('seed'));
        options.finish();
        return onEach(kinds, ({ site }) => deep({ site, depth, width, seed, say }));
      },
    },
  ],
]);

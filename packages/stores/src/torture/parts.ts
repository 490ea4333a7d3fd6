/** Every part of the torture suite by name. */
import type { PostgresOptions } from '../postgres/index.ts';
import type { Options } from './arguments.ts';
import type { Report } from './journal.ts';
import { folderSite, type Kind, memorySite, postgresSite, type StoreSite } from './places.ts';
import { seedOf } from './random.ts';

/** One part: its description, and how the command line runs it. */
export interface Part {
  readonly about: string;
  run(options: Options, say: (line: string) => void): Promise<readonly Report[]>;
}

/** The options of a run on one kind of store. */
interface SiteOptions {
  readonly site: StoreSite;
  /** Kills and restarts the store's server, if there is one. */
  readonly crash?: () => Promise<void>;
}

async function on<T>(kind: Kind, work: (grounded: SiteOptions) => Promise<T>): Promise<T> {
  if (kind === 'postgres') {
    const { startServer } = await import('./server.ts');
    const server = await startServer();
    try {
      return await work({ site: postgresSite(server), crash: () => server.crash() });
    } finally {
      await server.close();
    }
  }
  const site = kind === 'memory' ? memorySite() : folderSite(kind);
  try {
    return await work({ site });
  } finally {
    await site.close();
  }
}

function kindsOf(options: Options, kinds: readonly Kind[]): readonly Kind[] {
  const asked = options.list('store');
  if (asked === undefined) return kinds;
  return asked.map((name) => {
    const found = kinds.find((kind) => kind === name);
    if (found === undefined) throw new Error(`--store is one of ${kinds.join(', ')}, not ${name}.`);
    return found;
  });
}

async function onEach(
  kinds: readonly Kind[],
  work: (grounded: SiteOptions) => Promise<Report | readonly Report[]>,
): Promise<readonly Report[]> {
  const reports: Report[] = [];
  for (const kind of kinds) for (const report of [await on(kind, work)].flat()) reports.push(report);
  return reports;
}

/** The parts. */
export const parts: ReadonlyMap<string, Part> = new Map<string, Part>([
  [
    'kill9',
    {
      about: 'writers are killed in mid-write; --store, --writers, --rounds, --seed, --server kills PostgreSQL itself',
      async run(options, say) {
        const { kill9 } = await import('./kill9.ts');
        const kinds = kindsOf(options, ['sqlite', 'files', 'jsonl', 'postgres']);
        const writers = options.number('writers', 4);
        const rounds = options.text('rounds') === undefined ? undefined : options.number('rounds', 1);
        const seed = seedOf(options.text('seed'));
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
        const { faultwalk } = await import('./faultwalk.ts');
        const kinds = kindsOf(options, ['sqlite', 'files', 'jsonl', 'postgres']);
        const operations = options.list('ops');
        const failures = options.list('failures')?.map((name) => {
          if (name !== 'kill' && name !== 'eio' && name !== 'enospc')
            throw new Error(`--failures are kill, eio, enospc; not ${name}.`);
          return name;
        });
        const seed = seedOf(options.text('seed'));
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
        const { permute } = await import('./permute.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const times = options.number('times', 100);
        const update = options.flag('update');
        const seed = seedOf(options.text('seed'));
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
        const { modelRun } = await import('./model-run.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const sequences = options.number('seqs', 10_000);
        const longest = options.number('len', 200);
        const seed = seedOf(options.text('seed'));
        options.finish();
        const withAll = async (left: readonly Kind[], sites: readonly StoreSite[]): Promise<Report> => {
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
        const { twoProcesses } = await import('./two-processes.ts');
        const { sessionProcesses } = await import('./session-processes.ts');
        const kinds = kindsOf(options, ['sqlite', 'postgres', 'jsonl']);
        const processes = options.number('procs', 4);
        const seconds = options.number('secs', 30);
        const seed = seedOf(options.text('seed'));
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
        const { migrate9 } = await import('./migrate9.ts');
        const entries = options.number('entries', 60_000);
        const rounds = options.number('rounds', 300);
        const seed = seedOf(options.text('seed'));
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
        const { number9 } = await import('./number9.ts');
        const nodes = options.number('nodes', 20_000);
        const rounds = options.number('rounds', 300);
        const seed = seedOf(options.text('seed'));
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
        const seed = seedOf(options.text('seed'));
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
        const { deep } = await import('./deep.ts');
        const kinds = kindsOf(options, ['memory', 'sqlite', 'postgres', 'files', 'jsonl']);
        const depth = options.number('depth', 100_000);
        const width = options.number('width', 50_000);
        const seed = seedOf(options.text('seed'));
        options.finish();
        return onEach(kinds, ({ site }) => deep({ site, depth, width, seed, say }));
      },
    },
  ],
]);

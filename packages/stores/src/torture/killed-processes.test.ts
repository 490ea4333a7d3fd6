// @module-tag full
import { afterAll, describe, expect, test } from 'vitest';
import { startOwnPostgresServer } from '../../test/postgres.ts';
import { createDurableLocations } from '../../test/shared-server-locations.ts';
import { runKilledRowMigrations } from './killed-row-migrations.ts';
import { runKilledSessionMigrations } from './killed-session-migrations.ts';
import { runKilledWriters } from './killed-writers.ts';
import { chooseSeed } from './seeded-random.ts';
import { runSessionProcesses } from './session-processes.ts';
import { connectionCountSql, createPostgresLocations } from './store-locations.ts';
import { runTwoProcesses } from './two-processes.ts';

const long = process.env['COPPICE_LONG'] === '1';
const seed = chooseSeed(process.env['COPPICE_SEED']);
const sites = createDurableLocations();
const sizes = { sqlite: long ? 1000 : 6, files: long ? 200 : 3, jsonl: long ? 200 : 4, postgres: long ? 200 : 3 };
const patience = long ? 7_200_000 : 240_000;

afterAll(async () => {
  for (const site of Object.values(sites)) await site.close();
});

describe(`writers that are killed, seed ${seed}`, () => {
  test.each(['sqlite', 'files', 'jsonl', 'postgres'] as const)(
    '[Q10] %s loses and changes no acknowledged write, and an unacknowledged one is stored completely or not at all',
    async (kind) => {
      const { figures } = await runKilledWriters({ site: sites[kind], writers: 4, rounds: sizes[kind], seed });
      expect(figures['rounds']).toBe(sizes[kind]);
      expect(Number(figures['acknowledged'])).toBeGreaterThan(0);
    },
    patience,
  );

  test(
    '[Q11] a killed PostgreSQL server loses no acknowledged write either',
    async () => {
      const server = await startOwnPostgresServer();
      try {
        const site = createPostgresLocations({
          createDatabase: () => server.createDatabase(),
          copyDatabase: () => Promise.reject(new Error('Nothing is copied here.')),
          connections: async (url) => Number((await server.query(connectionCountSql, url))[0]?.['n']),
          dropDatabase: (url) => server.dropDatabase(url),
          close: async () => undefined,
        });
        const killServer = () => server.restart('SIGKILL');
        const rounds = long ? 20 : 1;
        const { figures } = await runKilledWriters({ site, writers: 4, rounds, seed, killServer });
        expect(figures['kills']).toBe(rounds);
      } finally {
        await server.close();
      }
    },
    patience,
  );
});

test(
  `[Q12] four processes on one SQLite file lose nothing, and a fifth follows without a gap, seed ${seed}`,
  async () => {
    const seconds = long ? 30 : 3;
    const { figures } = await runTwoProcesses({ site: sites.sqlite, processes: 4, seconds, seed });
    expect(Number(figures['acknowledged'])).toBeGreaterThan(0);
  },
  patience,
);

test(
  `[Q18] processes that share a session file with a tool that ignores the lease lose and break nothing, seed ${seed}`,
  async () => {
    const { figures } = await runSessionProcesses({ processes: 3, seconds: long ? 30 : 3, seed });
    expect(Number(figures['ours'])).toBeGreaterThan(0);
  },
  patience,
);

test(
  `[Q19] a process killed while it migrates a session file leaves the old or the new file, seed ${seed}`,
  async () => {
    const size = long ? { entries: 60_000, rounds: 300 } : { entries: 3000, rounds: 4 };
    const { figures } = await runKilledSessionMigrations({ ...size, seed });
    expect(Number(figures['rounds'])).toBeGreaterThanOrEqual(size.rounds);
  },
  patience,
);

test(
  `[Q21] a process killed while it migrates a SQLite file leaves the old or the new tables, seed ${seed}`,
  async () => {
    const size = long ? { nodes: 20_000, rounds: 300 } : { nodes: 2000, rounds: 6 };
    const { figures } = await runKilledRowMigrations({ ...size, seed });
    expect(figures['rounds']).toBe(size.rounds);
  },
  patience,
);

import { afterAll, describe, expect, test } from 'vitest';
import { startOwnServer } from '../../test/postgres.ts';
import { sharedGround } from '../../test/postgres-ground.ts';
import { kill9 } from './kill9.ts';
import { folderGround, postgresGround } from './places.ts';
import { seedOf } from './random.ts';
import { twoProcesses } from './two-processes.ts';

const long = process.env['COPPICE_LONG'] !== undefined;
const seed = seedOf(process.env['COPPICE_SEED']);
const grounds = { sqlite: folderGround('sqlite'), files: folderGround('files'), postgres: sharedGround() };
const sizes = { sqlite: long ? 1000 : 10, files: long ? 200 : 3, postgres: long ? 200 : 3 };
const patience = long ? 7_200_000 : 240_000;

afterAll(async () => {
  for (const ground of Object.values(grounds)) await ground.close();
});

describe(`writers that are killed, seed ${seed}`, () => {
  test.each(['sqlite', 'files', 'postgres'] as const)(
    '[Q10] %s loses and alters nothing that it acknowledged, and what it did not is there wholly or not at all',
    async (kind) => {
      const { figures } = await kill9({ ground: grounds[kind], writers: 4, rounds: sizes[kind], seed });
      expect(figures['rounds']).toBe(sizes[kind]);
      expect(Number(figures['acknowledged'])).toBeGreaterThan(0);
    },
    patience,
  );

  test(
    '[Q11] a PostgreSQL server that is killed loses nothing that was acknowledged either',
    async () => {
      const server = await startOwnServer();
      try {
        const ground = postgresGround({
          createDatabase: () => server.createDatabase(),
          copyDatabase: () => Promise.reject(new Error('Nothing is copied here.')),
          dropDatabase: (url) => server.dropDatabase(url),
          close: async () => undefined,
        });
        const killServer = () => server.restart('SIGKILL');
        const rounds = long ? 20 : 1;
        const { figures } = await kill9({ ground, writers: 4, rounds, seed, killServer });
        expect(figures['kills']).toBe(rounds);
      } finally {
        await server.close();
      }
    },
    patience,
  );
});

test(
  `[Q12] four processes on one SQLite file lose nothing, and a fifth one follows without a gap, seed ${seed}`,
  async () => {
    const seconds = long ? 30 : 3;
    const { figures } = await twoProcesses({ ground: grounds.sqlite, processes: 4, seconds, seed });
    expect(Number(figures['acknowledged'])).toBeGreaterThan(0);
  },
  patience,
);

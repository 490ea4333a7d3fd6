// @module-tag full
import { afterAll, describe, expect, test } from 'vitest';
import { sharedGround } from '../../test/postgres-ground.ts';
import type { PostgresOptions } from '../postgres/index.ts';
import { interleavings, permute } from './permute.ts';
import { folderGround, memoryGround } from './places.ts';
import { races } from './races.ts';
import { seedOf } from './random.ts';

const long = process.env['COPPICE_LONG'] === '1';
const seed = seedOf(process.env['COPPICE_SEED']);
const grounds = { memory: memoryGround(), sqlite: folderGround('sqlite'), postgres: sharedGround() };
const patience = long ? 3_600_000 : 240_000;

afterAll(async () => {
  for (const ground of Object.values(grounds)) await ground.close();
});

describe(`sessions that get in each other's way, seed ${seed}`, () => {
  test('[Q13] are run in every order in which each keeps its own', () => {
    expect(interleavings(2, 1)).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(interleavings(2, 2).length).toBe(6);
    expect(interleavings(3, 2).length).toBe(90);
    for (const name of ['M3', 'M4', 'M5']) expect(races.some((race) => race.name.startsWith(name))).toBe(true);
  });

  test(
    '[Q13] come out in memory as it is written down',
    async () => {
      const { figures } = await permute({ ground: grounds.memory, seed, times: 10 });
      expect(figures['orders']).toBe(256);
    },
    patience,
  );

  test.each(['sqlite', 'postgres'] as const)(
    '[Q13][Q14] come out in %s as it is written down, and at once as in one of the orders',
    async (kind) => {
      const { figures } = await permute({ ground: grounds[kind], seed, times: long ? 100 : 3, quick: !long });
      expect(Number(figures['raced'])).toBeGreaterThan(races.length);
    },
    patience,
  );

  test(
    '[Q14] come out no otherwise in PostgreSQL where transactions are serializable',
    async () => {
      const options: PostgresOptions = { isolation: 'serializable' };
      const { figures } = await permute({
        ground: grounds.postgres,
        seed,
        times: long ? 100 : 2,
        quick: true,
        options,
      });
      expect(figures['races']).toBe(races.length);
    },
    patience,
  );
});

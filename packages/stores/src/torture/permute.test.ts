// @module-tag full
import { afterAll, describe, expect, test } from 'vitest';
import { createSharedServerLocations } from '../../test/shared-server-locations.ts';
import type { PostgresOptions } from '../postgres/index.ts';
import { listInterleavings, runPermutations } from './permute.ts';
import { races } from './races.ts';
import { chooseSeed } from './seeded-random.ts';
import { createFolderLocations, createMemoryLocations } from './store-locations.ts';

const long = process.env['COPPICE_LONG'] === '1';
const seed = chooseSeed(process.env['COPPICE_SEED']);
const sites = {
  memory: createMemoryLocations(),
  sqlite: createFolderLocations('sqlite'),
  postgres: createSharedServerLocations(),
};
const patience = long ? 3_600_000 : 240_000;

afterAll(async () => {
  for (const site of Object.values(sites)) await site.close();
});

describe(`sessions that conflict with each other, seed ${seed}`, () => {
  test('[Q13] are run in every interleaving that keeps the order of each', () => {
    expect(listInterleavings(2, 1)).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(listInterleavings(2, 2).length).toBe(6);
    expect(listInterleavings(3, 2).length).toBe(90);
    for (const name of ['M3', 'M4', 'M5']) expect(races.some((race) => race.name.startsWith(name))).toBe(true);
  });

  test(
    '[Q13] give the listed results in memory',
    async () => {
      const { figures } = await runPermutations({ site: sites.memory, seed, times: 10 });
      expect(figures['orders']).toBe(256);
    },
    patience,
  );

  test.each(['sqlite', 'postgres'] as const)(
    '[Q13][Q14] give the listed results in %s, and when run at once those of one of the interleavings',
    async (kind) => {
      const { figures } = await runPermutations({ site: sites[kind], seed, times: long ? 100 : 3, quick: !long });
      expect(Number(figures['raced'])).toBeGreaterThan(races.length);
    },
    patience,
  );

  test(
    '[Q14] give the same results in PostgreSQL with serializable transactions',
    async () => {
      const options: PostgresOptions = { isolation: 'serializable' };
      const { figures } = await runPermutations({
        site: sites.postgres,
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

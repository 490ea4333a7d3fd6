// @module-tag full
import { afterAll, describe, expect, test } from 'vitest';
import { sharedSite } from '../../test/postgres-site.ts';
import type { PostgresOptions } from '../postgres/index.ts';
import { interleavings, permute } from './permute.ts';
import { folderSite, memorySite } from './places.ts';
import { races } from './races.ts';
import { seedOf } from './random.ts';

const long = process.env['COPPICE_LONG'] === '1';
const seed = seedOf(process.env['COPPICE_SEED']);
const sites = { memory: memorySite(), sqlite: folderSite('sqlite'), postgres: sharedSite() };
const patience = long ? 3_600_000 : 240_000;

afterAll(async () => {
  for (const site of Object.values(sites)) await site.close();
});

describe(`sessions that conflict with each other, seed ${seed}`, () => {
  test('[Q13] are run in every interleaving that keeps the order of each', () => {
    expect(interleavings(2, 1)).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(interleavings(2, 2).length).toBe(6);
    expect(interleavings(3, 2).length).toBe(90);
    for (const name of ['M3', 'M4', 'M5']) expect(races.some((race) => race.name.startsWith(name))).toBe(true);
  });

  test(
    '[Q13] give the listed results in memory',
    async () => {
      const { figures } = await permute({ site: sites.memory, seed, times: 10 });
      expect(figures['orders']).toBe(256);
    },
    patience,
  );

  test.each(['sqlite', 'postgres'] as const)(
    '[Q13][Q14] give the listed results in %s, and when run at once those of one of the interleavings',
    async (kind) => {
      const { figures } = await permute({ site: sites[kind], seed, times: long ? 100 : 3, quick: !long });
      expect(Number(figures['raced'])).toBeGreaterThan(races.length);
    },
    patience,
  );

  test(
    '[Q14] give the same results in PostgreSQL with serializable transactions',
    async () => {
      const options: PostgresOptions = { isolation: 'serializable' };
      const { figures } = await permute({
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

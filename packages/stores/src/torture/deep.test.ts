// @module-tag full
// The daily tier has K120 and K122 of the conformance suite, with chains and siblings of similar sizes in every store.
import { afterAll, describe, expect, test } from 'vitest';
import { createAllLocations } from '../../test/shared-server-locations.ts';
import { runDeepTree } from './deep.ts';
import { chooseSeed } from './seeded-random.ts';

const long = process.env['COPPICE_LONG'] === '1';
const seed = chooseSeed(process.env['COPPICE_SEED']);
const sites = createAllLocations();
const kinds = ['memory', 'sqlite', 'files', 'jsonl', 'postgres'] as const;

afterAll(async () => {
  for (const site of Object.values(sites)) await site.close();
});

describe('a chain and a list of siblings longer than any recursion', () => {
  test.each(kinds)(
    '[Q17] can be read, extended, cut and undone in %s',
    async (kind) => {
      const [depth, width] = long ? [100_000, 50_000] : [5_000, 5_000];
      const { figures } = await runDeepTree({ site: sites[kind], depth, width, seed });
      expect(figures['depth']).toBe(depth);
    },
    long ? 36_000_000 : 240_000,
  );
});

import { afterAll, describe, expect, test } from 'vitest';
import { createAllLocations } from '../../test/shared-server-locations.ts';
import { runModelComparison } from './model-run.ts';
import { chooseSeed } from './seeded-random.ts';
import { runTestVectors } from './vectors.ts';

const long = process.env['COPPICE_LONG'] === '1';
const seed = chooseSeed(process.env['COPPICE_SEED']);
const sites = createAllLocations();
const kinds = ['memory', 'sqlite', 'files', 'jsonl', 'postgres'] as const;
const patience = long ? 36_000_000 : 240_000;

afterAll(async () => {
  for (const site of Object.values(sites)) await site.close();
});

test(
  `[Q15] memory agrees with an independent model of the rules, operation by operation, seed ${seed}`,
  async () => {
    const { figures } = await runModelComparison({
      sites: [sites.memory],
      sequences: long ? 10_000 : 150,
      longest: long ? 200 : 40,
      seed,
    });
    expect(Number(figures['operations'])).toBeGreaterThan(1000);
  },
  patience,
);

test(
  `[Q15] all stores agree with the model and with each other, seed ${seed}`,
  async () => {
    const { figures } = await runModelComparison({
      sites: kinds.map((kind) => sites[kind]),
      sequences: long ? 1000 : 10,
      longest: long ? 200 : 30,
      seed,
    });
    expect(figures['stores']).toBe(kinds.join(' '));
  },
  patience,
);

describe('the shared vectors', () => {
  test.each(kinds)(
    '[Q16] are read back from %s unchanged, or are refused with the listed code',
    async (kind) => {
      const { figures } = await runTestVectors({ site: sites[kind], seed });
      expect(Number(figures['kept'])).toBeGreaterThan(30);
      expect(Number(figures['refused'])).toBeGreaterThan(30);
    },
    patience,
  );
});

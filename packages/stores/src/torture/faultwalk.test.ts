// @module-tag full
import { afterAll, describe, expect, test } from 'vitest';
import { createDurableLocations } from '../../test/shared-server-locations.ts';
import { runFaultwalk } from './faultwalk.ts';
import { storeOperations } from './operations.ts';
import { chooseSeed } from './seeded-random.ts';

const long = process.env['COPPICE_LONG'] === '1';
const seed = chooseSeed(process.env['COPPICE_SEED']);
const sites = createDurableLocations();
const all = storeOperations.map((operation) => operation.name);
const patience = long ? 3_600_000 : 240_000;

afterAll(async () => {
  for (const site of Object.values(sites)) await site.close();
});

describe(`a write that fails at any point, seed ${seed}`, () => {
  test(
    '[Q20] leaves the old or the new state in SQLite, whatever the write and the failure',
    async () => {
      const { figures } = await runFaultwalk({
        site: sites.sqlite,
        seed,
        operations: long ? all : ['append', 'create'],
      });
      expect(Number(figures['failures'])).toBeGreaterThan(25);
    },
    patience,
  );

  test(
    '[Q20] leaves the old or the new state on a full disk too, for every write',
    async () => {
      const { figures } = await runFaultwalk({ site: sites.sqlite, seed, failures: ['enospc'] });
      expect(figures['operations']).toBe(all.length);
    },
    patience,
  );

  test(
    '[Q20] leaves the old or the new state in a session folder even when a list becomes a tree or a file is created, and no lock of its own',
    async () => {
      const { figures } = await runFaultwalk({
        site: sites.jsonl,
        seed,
        failures: ['eio'],
        operations: ['migrate', 'import'],
      });
      expect(Number(figures['failures'])).toBeGreaterThan(10);
    },
    patience,
  );

  test.each(['files', 'jsonl', 'postgres'] as const)(
    '[Q20] leaves the old or the new state in %s',
    async (kind) => {
      const wanted = long ? all.filter((name) => name !== 'create') : ['append'];
      const { figures } = await runFaultwalk({
        site: sites[kind],
        seed,
        operations: wanted,
        // Each failure needs a new copy of the store. Copying takes longest in PostgreSQL, so its short form tests only
        // kills.
        ...(long ? {} : { failures: kind === 'postgres' ? ['kill'] : ['kill', 'eio'] }),
      });
      expect(Number(figures['failures'])).toBeGreaterThan(4);
    },
    patience,
  );
});

// @module-tag full
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import { expect, test } from 'vitest';
import { runPgWriters } from './pgwriters.ts';

const long = process.env['COPPICE_LONG'] === '1';

test(
  '[A140] killed servers and a restarted database lose no acknowledged write, and break no invariant',
  async () => {
    const postgres = await PostgresServer.start();
    try {
      const report = await runPgWriters({
        database: { url: await postgres.createDatabase(), restart: () => postgres.restart('SIGQUIT') },
        servers: 3,
        writers: long ? 24 : 6,
        conversations: long ? 10 : 3,
        seconds: long ? 60 : 4,
        atLeast: long ? 10_000 : 40,
        killEvery: long ? 5 : 2,
        restarts: long ? 2 : 1,
        seed: Number(process.env['COPPICE_SEED'] ?? Date.now() % 1_000_000),
      });
      expect(report.acknowledged).toBeGreaterThanOrEqual(long ? 10_000 : 40);
      expect(report.kills).toBeGreaterThan(0);
    } finally {
      await postgres.close();
    }
  },
  long ? 3_600_000 : 240_000,
);

// @module-tag full
import { PostgresServer } from '@coppice/stores/testing/postgres-server';
import { expect, test } from 'vitest';
import { runServerTorture } from './servers.ts';

const long = process.env['COPPICE_LONG'] === '1';

test(
  '[A312] on two database servers with buckets, kills, restarts, moved users, a moved bucket and a promotion lose no acknowledged write and no event',
  async () => {
    const first = await PostgresServer.start({ settings: { wal_level: 'logical' } });
    const second = await PostgresServer.start();
    try {
      const report = await runServerTorture({
        first,
        second,
        servers: long ? 3 : 2,
        users: long ? 8 : 3,
        writers: long ? 24 : 6,
        seconds: long ? 120 : 5,
        atLeast: long ? 10_000 : 60,
        killEvery: long ? 5 : 2,
        restarts: long ? 4 : 1,
        moves: long ? 20 : 1,
        seed: Number(process.env['COPPICE_SEED'] ?? Date.now() % 1_000_000),
      });
      expect(report.acknowledged).toBeGreaterThanOrEqual(long ? 10_000 : 60);
      expect(report.promotions).toBe(1);
      expect(Math.min(report.kills, report.moves, report.bucketMoves, report.restarts)).toBeGreaterThan(0);
    } finally {
      await first.close();
      await second.close();
    }
  },
  long ? 3_600_000 : 300_000,
);

// @module-tag full
import { ask, type Store, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startBucketWriters } from '../../../test/bucket-writers.ts';
import { createTestDatabase, startOwnPostgresServer, type TestDatabase } from '../../../test/postgres.ts';
import type { PostgresServer } from '../../../test/postgres-server.ts';
import { open } from '../index.ts';
import { parsePostgresSettings } from '../options.ts';
import { type BucketAdmin, openBuckets } from './index.ts';

let first: PostgresServer;
let second: PostgresServer;
let directory: TestDatabase;
let oldUrl: string;
let newUrl: string;
let store: Store;
let buckets: BucketAdmin;
beforeAll(async () => {
  first = await startOwnPostgresServer({ settings: { wal_level: 'logical' } });
  second = await startOwnPostgresServer({ settings: { wal_level: 'logical' } });
});
afterAll(async () => {
  await first.close();
  await second.close();
});
beforeEach(async () => {
  directory = await createTestDatabase();
  oldUrl = await first.createDatabase();
  newUrl = await second.createDatabase();
  buckets = await openBuckets(directory.url);
  await buckets.add('far', { url: oldUrl, schema: 'far' });
  store = await open(directory.url);
});
afterEach(async () => {
  await store.close();
  await buckets.close();
  await directory.drop();
});

async function assignTo(bucket: string, owners: readonly string[]): Promise<void> {
  for (const owner of owners) await buckets.moveOwner(owner, bucket);
}

const countTrees = async (server: PostgresServer, url: string) => {
  const [row] = await server.query('SELECT count(*)::int AS n FROM far.tree', url);
  return Number(row?.['n']);
};

/** Counts the replication objects of a server, which a move creates and must drop. */
async function replicationLeftIn(server: PostgresServer, url: string): Promise<number> {
  const [row] = await server.query(
    `SELECT ((SELECT count(*) FROM pg_replication_slots) + (SELECT count(*) FROM pg_publication)
      + (SELECT count(*) FROM pg_subscription))::int AS n`,
    url,
  );
  return Number(row?.['n']);
}

describe('moving a whole bucket', () => {
  test('[L240] everything of its owners is in the new database, and the old one is empty', async () => {
    await assignTo('far', ['ann', 'ben', 'gone']);
    const ann = store.forOwner('ann');
    const fixture = await TestTree.make({ store: ann, treeId: treeId(testUuid(1)) });
    await fixture.addMessages(['a question', 'an answer \ud800 ü']);
    const { hash } = await ann.blobs.put(new TextEncoder().encode('attached'), 'text/plain');
    await ann.putExternalIds([{ treeId: fixture.treeId, nodeId: null, format: 'x', scope: 's', id: 'foreign' }]);
    await TestTree.make({ store: store.forOwner('gone'), treeId: treeId(testUuid(9)) });
    await buckets.moveOwner('gone', 'main');
    const rows = await ann.read(fixture.treeId, () => ask('rows', {}));
    const report = await buckets.moveBucket('far', newUrl);
    expect(report).toMatchObject({ bucket: 'far', isCleared: true });
    expect(report.lockedMs).toBeGreaterThan(0);
    expect(await countTrees(first, oldUrl)).toBe(0);
    expect(await ann.read(fixture.treeId, () => ask('rows', {}))).toEqual(rows);
    expect(new TextDecoder().decode((await ann.blobs.read(hash)) ?? new Uint8Array())).toBe('attached');
    expect(await ann.findExternalIds('x', 's', ['foreign'])).toHaveLength(1);
    expect((await ann.search({ text: 'answer' })).items).toHaveLength(1);
    // New trees and commits get free numbers and later positions.
    await TestTree.make({ store: store.forOwner('ben'), treeId: treeId(testUuid(2)) });
    await fixture.addMessages(['after the move']);
    expect(await countTrees(second, newUrl)).toBe(2);
    expect((await ann.fsck({ treeId: fixture.treeId })).findings).toEqual([]);
    expect((await store.fsck()).findings).toEqual([]);
    expect(await buckets.check()).toEqual([]);
    expect((await store.forOwner('gone').trees()).items).toHaveLength(1);
    expect(await replicationLeftIn(first, oldUrl)).toBe(0);
    expect(await replicationLeftIn(second, newUrl)).toBe(0);
    // The bucket is moved back to the schema that refused all owners after the first move.
    await buckets.moveBucket('far', oldUrl);
    await fixture.addMessages(['back']);
    expect(await countTrees(first, oldUrl)).toBe(2);
    expect((await ann.fsck({ treeId: fixture.treeId })).findings).toEqual([]);
  });

  test('[L240] owners that write meanwhile lose and repeat nothing, and their feeds have every commit once', async () => {
    const owners = ['ann', 'ben', 'cem'];
    await assignTo('far', owners);
    const other = await open(directory.url);
    const stop = new AbortController();
    const feeds = new Map<string, number[]>();
    const listed = new Map<string, number[]>();
    const trees = new Map(owners.map((owner, at) => [owner, treeId(testUuid(at + 1))]));
    const following: Promise<void>[] = [];
    for (const [owner, id] of trees) {
      await TestTree.make({ store: store.forOwner(owner), treeId: id });
      const [seen, inList]: [number[], number[]] = [[], []];
      feeds.set(owner, seen);
      listed.set(owner, inList);
      const mine = other.forOwner(owner);
      following.push(
        (async () => {
          for await (const commit of mine.feed(id, 1, stop.signal)) seen.push(commit.version);
        })(),
        (async () => {
          for await (const event of mine.feedAll(null, stop.signal)) inList.push(event.version);
        })(),
      );
    }
    const writers = startBucketWriters([store, other], trees, 9_000);
    await buckets.moveBucket('far', newUrl);
    const before = owners.map((owner) => writers.count(owner));
    // Waits until every owner has written to the new database several times.
    while (!owners.every((owner, at) => writers.count(owner) > (before[at] ?? 0) + 3))
      await new Promise((resolve) => setTimeout(resolve, 10));
    await writers.stop();
    await writers.expectNothingLost(store);
    for (const owner of owners) {
      const last = writers.count(owner) + 1;
      while (feeds.get(owner)?.at(-1) !== last) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(feeds.get(owner)).toEqual(Array.from({ length: last - 1 }, (_, n) => n + 2));
      while (listed.get(owner)?.at(-1) !== last) await new Promise((resolve) => setTimeout(resolve, 20));
      const versions = listed.get(owner) ?? [];
      expect(versions).toEqual(Array.from({ length: versions.length }, (_, n) => last - versions.length + 1 + n));
    }
    stop.abort();
    await Promise.all(following);
    await other.close();
  });

  test('[L240] a move that was interrupted is named by the check, and finished by repeating it', async () => {
    await assignTo('far', ['ann']);
    const fixture = await TestTree.make({ store: store.forOwner('ann'), treeId: treeId(testUuid(1)) });
    const disconnect =
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    const killed = await openBuckets(directory.url);
    let isCut = false;
    const onProgress = () => {
      if (isCut) return;
      isCut = true;
      void Promise.all([first.query(disconnect, oldUrl), second.query(disconnect, newUrl)]);
    };
    await expect(killed.moveBucket('far', newUrl, { onProgress })).rejects.toThrow();
    await killed.close();
    await fixture.addMessages(['still in the old database']);
    expect(await buckets.check()).toEqual([expect.stringContaining('The bucket far is being copied')]);
    // Simulates a process that ended after it had closed the old bucket.
    const { place } = parsePostgresSettings(newUrl, {});
    const close = (to: string) =>
      first.query(`INSERT INTO far.owner_gone (owner, bucket) VALUES ('', '${to}')`, oldUrl);
    await close('postgres://elsewhere/db');
    await expect(buckets.moveBucket('far', newUrl)).rejects.toThrow('postgres://elsewhere/db');
    await first.query('DELETE FROM far.owner_gone', oldUrl);
    await close(place);
    expect(await buckets.check()).toEqual([`The bucket far is closed, on the way to ${place}: repeat the move.`]);
    await expect(buckets.moveOwner('ann', 'main')).rejects.toThrow(`on the way to ${place}`);
    await expect(buckets.moveOwner('eve', 'main').then(() => buckets.moveOwner('eve', 'far'))).rejects.toThrow(
      `on the way to ${place}`,
    );
    const waiting = fixture.addMessages(['written while the bucket was closed']);
    await buckets.moveBucket('far', newUrl);
    await waiting;
    const moved = await store.forOwner('ann').read(fixture.treeId, () => ask('rows', {}));
    expect(moved?.nodes).toHaveLength(3);
    expect(await buckets.check()).toEqual([]);
    expect(await replicationLeftIn(first, oldUrl)).toBe(0);
    expect(await buckets.moveBucket('far', newUrl)).toMatchObject({ lockedMs: 0 });
  });

  test('[L240] a move that waits for a transaction in another database names it, and leaves no slot', async () => {
    await assignTo('far', ['ann']);
    const fixture = await TestTree.make({ store: store.forOwner('ann'), treeId: treeId(testUuid(1)) });
    const idle = new Client({ connectionString: first.url('postgres') });
    await idle.connect();
    await idle.query('BEGIN; CREATE TABLE idle (n INT)');
    await expect(buckets.moveBucket('far', newUrl)).rejects.toThrow(
      /did not end: process \d+ of .* in the database postgres/,
    );
    await fixture.addMessages(['meanwhile']);
    expect(await replicationLeftIn(first, oldUrl)).toBe(0);
    await idle.query('ROLLBACK');
    await idle.end();
    expect(await buckets.moveBucket('far', newUrl)).toMatchObject({ isCleared: true });
  }, 90_000);

  test('[L240] a move says what is missing, and changes nothing then', async () => {
    const replica = await createTestDatabase();
    await buckets.add('near', { url: replica.url, schema: 'near' });
    await expect(buckets.moveBucket('near', newUrl)).rejects.toThrow(/wal_level = logical.*coppice buckets drain near/);
    await assignTo('far', ['ann']);
    const fixture = await TestTree.make({ store: store.forOwner('ann'), treeId: treeId(testUuid(1)) });
    await expect(buckets.moveBucket('far', `${oldUrl}?application_name=same`)).rejects.toThrow(/has trees|already/);
    await expect(buckets.moveBucket('far', newUrl, { sourceUrl: 'host=127.0.0.1 port=1' })).rejects.toThrow(
      'cannot replicate from',
    );
    await fixture.addMessages(['still here']);
    expect(await replicationLeftIn(first, oldUrl)).toBe(0);
    await buckets.moveBucket('far', newUrl);
    await replica.drop();
  });
});

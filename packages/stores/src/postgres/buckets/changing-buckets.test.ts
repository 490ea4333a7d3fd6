// @module-tag full
/** Buckets that are added, drained or unreachable while servers use the store. */
import { randomBytes } from 'node:crypto';
import { type Store, type TreeListEvent, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { open } from '../index.ts';
import { chooseBucketByHash } from './directory.ts';
import { type BucketAdmin, openBuckets } from './index.ts';

let directory: TestDatabase;
let elsewhere: TestDatabase;
let buckets: BucketAdmin;
let store: Store;
beforeEach(async () => {
  directory = await createTestDatabase();
  elsewhere = await createTestDatabase();
  buckets = await openBuckets(directory.url);
  await buckets.add('second', { url: elsewhere.url });
  store = await open(directory.url);
});
afterEach(async () => {
  await store.close();
  await buckets.close();
  await directory.drop();
  await elsewhere.drop();
});

const make = (owner: string, n: number) => TestTree.make({ store: store.forOwner(owner), treeId: treeId(testUuid(n)) });

/** Returns a new owner whom the hash assigns to a bucket of these names. */
function ownerFor(bucket: string, names: readonly string[], from = 0): string {
  const list = names.map((name) => ({ name, schema: null, url: null, state: 'open' }) as const);
  for (let n = from; ; n++) if (chooseBucketByHash(`user ${n}`, list) === bucket) return `user ${n}`;
}

test('[L194] owners that write for the first time while a bucket is drained are not left in it', async () => {
  await make('early', 900);
  const writing = Array.from({ length: 40 }, (_, n) => make(`new ${n}`, n + 1));
  await buckets.drain('second');
  await Promise.all(writing);
  const rows = await directory.query("SELECT owner FROM coppice_owner WHERE bucket = 'second'");
  expect(rows).toEqual([]);
  for (let n = 0; n < 40; n++) expect((await store.forOwner(`new ${n}`).trees()).items).toHaveLength(1);
});

test('[L194] the last open bucket is not drained, because new owners would have none', async () => {
  await buckets.drain('second');
  await expect(buckets.drain('main')).rejects.toThrow(/no other open bucket/);
  expect((await buckets.list()).find(({ name }) => name === 'main')?.state).toBe('open');
  await make('new', 1);
});

test('[L190] the list feed of a new owner has the first tree, although a bucket was added meanwhile', async () => {
  const names = ['main', 'second', 'third'];
  // The hash of this owner chooses the third bucket as soon as it exists.
  const owner = ownerFor('third', names);
  const events: TreeListEvent[] = [];
  const stop = new AbortController();
  const reading = (async () => {
    for await (const event of store.forOwner(owner).feedAll(null, stop.signal)) events.push(event);
  })();
  await expect
    .poll(async () => (await directory.query('SELECT bucket FROM coppice_owner WHERE owner = $1', [owner])).length)
    .toBe(1);
  await buckets.add('third');
  const other = await open(directory.url);
  await TestTree.make({ store: other.forOwner(owner), treeId: treeId(testUuid(1)) });
  await expect.poll(() => events.length).toBe(1);
  stop.abort();
  await reading;
  await other.close();
});

test('[L190] a bucket is not added twice, and the attempt changes nothing in the bucket that exists', async () => {
  const owner = ownerFor('second', ['main', 'second']);
  await make(owner, 1);
  await buckets.moveOwner(owner, 'main');
  const gone = () => elsewhere.query('SELECT owner FROM coppice_second.owner_gone');
  expect(await gone()).toEqual([{ owner }]);
  await expect(buckets.add('second', { url: elsewhere.url })).rejects.toThrow(/a bucket second already/);
  await expect(buckets.add('other', { url: elsewhere.url, schema: 'coppice_second' })).rejects.toThrow(
    /is that of the bucket second/,
  );
  expect(await gone()).toEqual([{ owner }]);
});

test('[L190] a bucket in a schema that another one was moved from refuses servers with an outdated cache', async () => {
  const owner = ownerFor('second', ['main', 'second']);
  const fixture = await make(owner, 1);
  const stale = await open(directory.url);
  expect((await stale.forOwner(owner).trees()).items).toHaveLength(1);
  // These steps leave the old schema as a move of the whole bucket to another database does.
  const third = await createTestDatabase();
  await buckets.add('copy', { url: third.url });
  await buckets.moveOwner(owner, 'copy');
  await elsewhere.query(
    "DELETE FROM coppice_second.owner_gone; INSERT INTO coppice_second.owner_gone VALUES ('', 'x')",
  );
  await directory.query("DELETE FROM coppice_bucket WHERE name = 'second'");
  await buckets.add('again', { url: elsewhere.url, schema: 'coppice_second' });
  const late = new TestTree(stale.forOwner(owner), fixture.treeId);
  await late.run({ type: 'attributes', treeId: late.treeId, set: { title: 'by a server that missed the move' } });
  expect((await store.forOwner(owner).trees()).items.map(({ version }) => version)).toEqual([2]);
  expect(await elsewhere.query('SELECT id FROM coppice_second.tree')).toEqual([]);
  await stale.close();
  await store.close();
  await buckets.close();
  [store, buckets] = [await open(directory.url), await openBuckets(directory.url)];
  await buckets.moveOwner(owner, 'main');
  await directory.query("DELETE FROM coppice_bucket WHERE name = 'copy'");
  await third.drop();
});

test('[L191] while the database of a bucket is down, lost replies of the other buckets are recovered', async () => {
  const owner = ownerFor('main', ['main', 'second']);
  const fixture = await make(owner, 1);
  const [node] = await fixture.addMessages(['asked']);
  if (node === undefined) throw new Error('There is no node.');
  const run = { id: 'run', treeId: fixture.treeId, nodeId: node, process: 'gone', startedAt: 1, beatAt: 1, data: {} };
  await store.forOwner(owner).runs.start(run);
  await directory.query("UPDATE coppice_bucket SET url = 'postgres://127.0.0.1:1/nowhere' WHERE name = 'second'");
  await store.close();
  store = await open(directory.url);
  expect((await store.runs.claimStaleOfAll(1_000, 'me')).map(({ id }) => id)).toEqual(['run']);
  expect(await store.trimHistory({ before: 0 })).toMatchObject({ skipped: 0 });
});

test('[L299] new users begin in another bucket while that of their hash is down, and stay there; the check names it', async () => {
  await make(ownerFor('second', ['main', 'second']), 1);
  const name = new URL(elsewhere.url).pathname.slice(1);
  const allow = (value: boolean) =>
    directory.connected(async (query) => {
      await query(`ALTER DATABASE "${name}" ALLOW_CONNECTIONS ${value}`);
      await query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    });
  await allow(false);
  const late = ownerFor('second', ['main', 'second'], 50);
  expect((await store.forOwner(late).trees()).items).toEqual([]);
  await make(late, 2);
  expect(await directory.query('SELECT bucket FROM coppice_owner WHERE owner = $1', [late])).toEqual([
    { bucket: 'main' },
  ]);
  expect(await buckets.check()).toEqual([expect.stringContaining('The bucket second cannot be checked')]);
  await allow(true);
  await make(late, 3);
  expect((await store.forOwner(late).trees()).items).toHaveLength(2);
  expect(await buckets.check()).toEqual([]);
});

test('[L297] the password of a bucket is changed without a restart, and an address of other data is refused', async () => {
  const role = `bucket_${randomBytes(6).toString('hex')}`;
  const url = new URL(elsewhere.url);
  const setPassword = (password: string) => directory.query(`ALTER ROLE ${role} PASSWORD '${password}'`);
  await directory.query(`CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD 'first'`);
  const urlWith = (password: string) => Object.assign(new URL(url), { username: role, password }).href;
  await setPassword('first');
  await buckets.setUrl('second', urlWith('first'));
  const owner = ownerFor('second', ['main', 'second']);
  const fixture = await make(owner, 1);
  await setPassword('second');
  await directory.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1', [role]);
  await expect
    .poll(() => fixture.addMessages(['refused']).catch((error: Error) => error.message))
    .toContain('password');
  await expect(buckets.setUrl('second', directory.url)).rejects.toThrow('does not have the data');
  await expect(buckets.setUrl('second', (await createTestDatabase()).url)).rejects.toThrow('does not have the data');
  await expect(buckets.setUrl('main', directory.url)).rejects.toThrow('change the URL of the store');
  await buckets.setUrl('second', urlWith('second'));
  // Servers read the list of buckets when they look for lost replies.
  await store.runs.claimStaleOfAll(60_000, 'me');
  await fixture.addMessages(['again']);
  await buckets.setUrl('second', elsewhere.url);
  await store.close();
  await directory.query(`DROP ROLE ${role}`);
  store = await open(directory.url);
});

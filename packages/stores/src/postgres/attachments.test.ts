import { actId, ask, nodeId, planCommand, type Store, treeId } from '@coppice/core';
import { createTestClock, TestTree, testKit, testUuid } from '@coppice/core/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TestDatabase } from '../../test/postgres.ts';
import { createPreparedDatabase } from '../../test/postgres-subject.ts';
import { askStore, expectRefusalCode } from '../conformance/subject.ts';
import { lockBlobs, putBlob } from '../sql/attachments.ts';
import { execute, queryRow, queryRows, type SqlTask } from '../sql/query.ts';
import { PostgresDatabase } from './database.ts';
import { postgresDialect as dialect } from './dialect.ts';
import { open } from './index.ts';
import { parsePostgresSettings } from './options.ts';

const bytes = new TextEncoder().encode('a picture');
const minute = 60_000;
let where: TestDatabase;
let store: Store;
let database: PostgresDatabase;

beforeEach(async () => {
  where = await createPreparedDatabase();
  database = await PostgresDatabase.create(parsePostgresSettings(where.url, { pool: 2 }));
});
afterEach(async () => {
  await store.close();
  await database.close();
  await where.drop();
});

/** Creates a tree in the trash that refers to an attachment which was added long ago. */
async function trashed(grace: number): Promise<{ readonly fixture: TestTree; readonly hash: string }> {
  store = await open(where.url, { pool: 2, attachmentGrace: grace });
  const { hash } = await store.blobs.put(bytes, 'image/png');
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
  const content = [{ type: 'file', source: { type: 'blob', hash }, mediaType: 'image/png' }];
  await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: { role: 'user', content } }] });
  await fixture.run({ type: 'delete-tree', treeId: fixture.treeId });
  await where.query('UPDATE blob_put SET at = 0');
  return { fixture, hash };
}

const waiting =
  'SELECT count(*) AS n FROM pg_locks l WHERE NOT l.granted AND pg_backend_pid() = ANY(pg_blocking_pids(l.pid))';

/** Runs a transaction of another server, which stays open until `act` waits for its lock. */
async function meanwhile(work: () => SqlTask<unknown>, act: () => Promise<unknown>): Promise<void> {
  let other: Promise<boolean> | undefined;
  await new Promise<void>((begun, failed) => {
    other = database.write(function* () {
      yield* work();
      begun();
      for (let looks = 0; looks < 400; looks++) {
        if (Number((yield* queryRow(waiting))?.n) > 0) return true;
        yield* queryRows('SELECT pg_sleep(0.05)');
      }
      return false;
    });
    other.catch(failed);
  });
  const [waited] = await Promise.all([other, act()]);
  expect(waited).toBe(true);
}

test('[K161] a purge keeps bytes that another server is storing again', async () => {
  const { fixture, hash } = await trashed(minute);
  const info = { hash, size: bytes.length, mediaType: 'image/png' };
  await meanwhile(
    () => putBlob({ dialect, owner: store.owner, grace: minute }, info, bytes, null),
    () => store.purgeTree(fixture.treeId),
  );
  expect(await store.blobs.read(hash)).toEqual(bytes);
});

test('[K161] a purge keeps bytes that another server is about to reference', async () => {
  const { fixture, hash } = await trashed(0);
  const other = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
  await meanwhile(
    function* () {
      yield* lockBlobs(dialect, store.owner, new Set([hash]));
      const attributes = JSON.stringify({ metadata: { picture: { type: 'blob', hash } } });
      yield* execute('UPDATE tree SET attributes = $2 WHERE id = $1', other.treeId, attributes);
    },
    () => store.purgeTree(fixture.treeId),
  );
  expect(await store.blobs.read(hash)).toEqual(bytes);
});

test('[K161] bytes added while a purge deletes them are written again', async () => {
  const { fixture, hash } = await trashed(0);
  const [, info] = await Promise.all([store.purgeTree(fixture.treeId), store.blobs.put(bytes, 'image/png')]);
  expect(info.hash).toBe(hash);
  // Without a grace period both orders are allowed: purged after it was added, or added after the purge.
  const [blobs, times] = [await where.query('SELECT hash FROM blob'), await where.query('SELECT hash FROM blob_put')];
  expect(times).toEqual(blobs);
  expect([null, bytes]).toContainEqual(await store.blobs.read(hash));
});

test('[K161] a message that refers to an attachment protects it until it is committed', async () => {
  const { fixture, hash } = await trashed(0);
  const content = [{ type: 'file', source: { type: 'blob', hash }, mediaType: 'image/png' }];
  const other = await TestTree.make({ store, treeId: treeId(testUuid(2)) });
  await meanwhile(
    () => lockBlobs(dialect, store.owner, new Set([hash])),
    () => other.run({ type: 'append', treeId: other.treeId, messages: [{ message: { role: 'user', content } }] }),
  );
  await store.purgeTree(fixture.treeId);
  expect(await store.blobs.read(hash)).toEqual(bytes);
});

test('[K161] messages that are purged while being copied are not copied without their bytes', async () => {
  const { fixture, hash } = await trashed(0);
  const copy = treeId(testUuid(2));
  const context = { ...createTestClock(9), now: 1, kit: testKit, actor: 'me', treeId: copy, stale: false };
  let purged: Promise<unknown> | undefined;
  let over = false;
  const planning = function* () {
    const plan = yield* planCommand({ type: 'duplicate', treeId: copy, from: fixture.treeId }, context);
    purged ??= store.purgeTree(fixture.treeId).finally(() => {
      over = true;
    });
    while (!over) yield* ask('taken', { ids: [nodeId(testUuid(900))] });
    return plan;
  };
  const options = { actor: 'me', actId: actId(testUuid(901)), at: 1, additive: false };
  expect(await expectRefusalCode(store.change(copy, planning, options))).toBe('tree/unknown-tree');
  await purged;
  expect(await store.blobs.find(hash)).toBeNull();
});

test('[K161] missing bytes do not prevent copying a message that refers to them', async () => {
  const { fixture, hash } = await trashed(minute);
  for (const table of ['blob', 'blob_put']) await where.query(`DELETE FROM ${table}`);
  const copy = new TestTree(store, treeId(testUuid(2)));
  await copy.run({ type: 'duplicate', treeId: copy.treeId, from: fixture.treeId });
  const rows = await askStore(store, copy.treeId, 'rows', {});
  expect(JSON.stringify(rows?.nodes)).toContain(hash);
});

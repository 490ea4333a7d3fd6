/** Moves of attachments between a real PostgreSQL and an object store. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '@coppice/content';
import { type Store, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ObjectServer, setObjectServerVariables, startObjectServer } from '../../../test/object-server.ts';
import { createTestDatabase, type TestDatabase } from '../../../test/postgres.ts';
import { openStore } from '../../open-store.ts';
import { openBuckets } from '../buckets/index.ts';
import { open } from '../index.ts';
import { type AttachmentAdmin, openAttachments } from './move-attachments.ts';

const credentials = { accessKeyId: 'key', secretAccessKey: 'secret', sessionToken: null, region: 'us-east-1' };
const folder = 's3://coppice-test/moved';
const refusedByBackup =
  'A bucket is being moved, or the buckets are being backed up: move the owner when that has ended.';

let server: ObjectServer;
let database: TestDatabase;
let attachments: AttachmentAdmin;
let store: Store;
let restoreVariables: () => void;

beforeAll(async () => {
  server = await startObjectServer(credentials);
  restoreVariables = setObjectServerVariables(server, credentials);
});
afterAll(async () => {
  restoreVariables();
  await server.close();
});
beforeEach(async () => {
  database = await createTestDatabase();
  store = await open(database.url);
  attachments = await openAttachments(database.url);
});
afterEach(async () => {
  server.failing = new Set();
  server.objects.clear();
  await Promise.all([store.close(), attachments.close()]);
  await database.drop();
});

function makeBytes(n: number): Uint8Array {
  return Uint8Array.from({ length: 1_000 + n }, (_, at) => (at * 7 + n) % 256);
}

/** Stores attachments of a user, each with a message that refers to it. Returns their hashes. */
async function addAttachments(of: Store, count: number, first: number): Promise<string[]> {
  const hashes: string[] = [];
  for (let n = first; n < first + count; n++) {
    const { hash } = await of.blobs.put(makeBytes(n), 'image/png');
    const tree = await TestTree.make({ store: of, treeId: treeId(testUuid(n)) });
    const content = [{ type: 'file', source: { type: 'blob', hash }, mediaType: 'image/png' }];
    await tree.run({ type: 'append', treeId: tree.treeId, messages: [{ message: { role: 'user', content } }] });
    hashes.push(hash);
  }
  return hashes;
}

async function assertReadable(of: Store, hashes: readonly string[]): Promise<void> {
  for (const hash of hashes) expect(sha256Hex((await of.blobs.read(hash)) ?? new Uint8Array())).toBe(hash);
}

test('[L293] attachments of all users are moved into an object store and back; the old bytes are deleted', async () => {
  const mine = await addAttachments(store, 3, 1);
  const ann = store.forOwner('ann');
  const hers = await addAttachments(ann, 2, 10);
  const { hash: empty } = await store.blobs.put(new Uint8Array(), 'text/plain');
  expect(await attachments.places()).toEqual([{ place: 'database', attachments: 6, bytes: 5_027 }]);
  const seen: number[] = [];
  const report = await attachments.move(folder, ({ done, total }) => seen.push(done / total));
  expect(report).toMatchObject({ to: folder, damaged: [], left: 0 });
  expect(seen.at(-1)).toBeGreaterThan(0.9);
  expect(await database.query('SELECT sum(length(bytes))::int AS n FROM blob')).toEqual([{ n: 0 }]);
  expect(server.objects.size).toBe(6);
  await assertReadable(store, mine);
  await assertReadable(ann, hers);
  expect(await store.blobs.read(hers[0] ?? '')).toBeNull();
  expect((await store.fsck()).findings).toEqual([]);
  expect(await attachments.places()).toMatchObject([{ place: folder, attachments: 6 }]);
  expect(await attachments.move('database')).toMatchObject({ to: 'database', moved: 6, damaged: [], left: 0 });
  expect(server.objects.size).toBe(0);
  expect(await database.query('SELECT object FROM blob_object')).toEqual([]);
  await assertReadable(store, mine);
  await assertReadable(ann, hers);
  expect(await store.blobs.read(empty)).toEqual(new Uint8Array());
});

test('[L293] a move that breaks off deletes nothing in the old place, and repeating it moves the rest', async () => {
  const hashes = await addAttachments(store, 12, 1);
  const breaks = attachments.move(folder, ({ done }) => {
    if (done === 2) server.failing = new Set(['PUT']);
  });
  await expect(breaks).rejects.toMatchObject({ code: 'store/unavailable' });
  expect(await database.query('SELECT count(*)::int AS n FROM blob WHERE length(bytes) > 0')).toEqual([{ n: 12 }]);
  server.failing = new Set();
  const uploads = server.requests.length;
  expect(await attachments.move(folder)).toMatchObject({ moved: 12, damaged: [], left: 0 });
  const repeated = server.requests.slice(uploads).filter((line) => line.startsWith('PUT'));
  expect(repeated.length).toBeLessThan(12);
  expect(server.objects.size).toBe(12);
  expect(await database.query('SELECT object FROM blob_object')).toEqual([]);
  const back = attachments.move('database', ({ done }) => {
    if (done === 2) server.failing = new Set(['GET']);
  });
  await expect(back).rejects.toMatchObject({ code: 'store/unavailable' });
  expect(server.objects.size).toBe(12);
  server.failing = new Set();
  expect(await attachments.move('database')).toMatchObject({ moved: 12, left: 0 });
  await assertReadable(store, hashes);
}, 60_000);

test('[L293] bytes with another hash stay where they are and are named, and an object that differs is not used', async () => {
  const [first = '', second = ''] = await addAttachments(store, 2, 1);
  await database.query("UPDATE blob SET bytes = 'damaged' WHERE hash = $1", [first]);
  const report = await attachments.move(folder);
  expect(report).toMatchObject({ moved: 1, left: 1, damaged: [expect.stringContaining(first)] });
  expect(await database.query('SELECT length(bytes) AS n FROM blob WHERE hash = $1', [first])).toEqual([{ n: 7 }]);
  const [[key = ''] = []] = [...server.objects];
  const original = server.objects.get(key) ?? new Uint8Array();
  server.objects.set(key, original.toReversed());
  expect((await attachments.move('database')).damaged).toEqual([expect.stringContaining(second)]);
  expect([...server.objects.keys()]).toEqual([key]);
  server.objects.set(key, original);
  expect(await attachments.move('database')).toMatchObject({ moved: 1, damaged: [], left: 0 });
  const { set } = server.objects;
  server.objects.set = (name, bytes) => set.call(server.objects, name, bytes.slice(1));
  await expect(attachments.move(folder)).rejects.toThrow('returned other bytes');
  server.objects.set = set;
  await assertReadable(store, [second]);
});

test('[L294] while attachments are moved to and fro, they are read, purged, moved with their user and backed up', async () => {
  const buckets = await openBuckets(database.url);
  await buckets.add('far', { schema: 'far' });
  await store.close();
  store = await open(database.url);
  await attachments.close();
  attachments = await openAttachments(database.url);
  const ann = store.forOwner('ann');
  await buckets.moveOwner('ann', 'main');
  const kept = await addAttachments(ann, 8, 1);
  await addAttachments(ann, 8, 101);
  const other = await openAttachments(database.url);
  let isDone = false;
  const reading = (async () => {
    while (!isDone) await assertReadable(ann, kept);
  })();
  const backups = mkdtempSync(join(tmpdir(), 'coppice-moves-'));
  const backingUp = (async () => {
    for (let n = 0; n < 4; n++) {
      await store.backup(join(backups, `${n}.db`));
      const copy = await openStore(`sqlite:${join(backups, `${n}.db`)}`);
      await assertReadable(copy.forOwner('ann'), kept);
      await copy.close();
    }
  })();
  const purging = (async () => {
    for (let n = 101; n < 109; n++) {
      const tree = treeId(testUuid(n));
      const fixture = new TestTree(ann, tree);
      await fixture.run({ type: 'delete-tree', treeId: tree });
      await ann.purgeTree(tree);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  const moving = (async () => {
    // A move is refused while the buckets are backed up.
    for (let round = 0; round < 6; ) {
      const moved = buckets.moveOwner('ann', round % 2 === 0 ? 'far' : 'main');
      if ((await moved.catch((error: Error) => error.message)) !== refusedByBackup) round++;
    }
  })();
  for (let round = 0; round < 3; round++) {
    await attachments.move(folder);
    await Promise.all([attachments.move('database'), other.move('database')]);
  }
  await Promise.all([purging, moving, backingUp]);
  isDone = true;
  await reading;
  expect(await attachments.move(folder)).toMatchObject({ left: 0 });
  await assertReadable(ann, kept);
  expect((await store.fsck()).findings).toEqual([]);
  const [{ n } = {}] = await database.query('SELECT count(*)::int AS n FROM blob');
  expect(server.objects.size).toBe(n);
  await Promise.all([other.close(), buckets.close()]);
  rmSync(backups, { recursive: true });
}, 120_000);

test('[L293] a wrong place, another store and a second object store are refused', async () => {
  await expect(openAttachments('memory:')).rejects.toMatchObject({ code: 'command/invalid' });
  await expect(attachments.move('s4://nowhere')).rejects.toMatchObject({ code: 'command/invalid' });
  await addAttachments(store, 1, 1);
  await attachments.move(folder);
  await expect(attachments.move('s3://coppice-test/third')).rejects.toThrow(`in ${folder}`);
  server.failing = new Set(['HEAD']);
  await expect(attachments.move(folder)).rejects.toMatchObject({ code: 'store/unavailable' });
});

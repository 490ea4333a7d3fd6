// @module-tag full
/** Attachments in an object store, on a real PostgreSQL. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Store, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type ObjectServer, setObjectServerVariables, startObjectServer } from '../../../test/object-server.ts';
import { createPostgresSubject, createPreparedDatabase } from '../../../test/postgres-subject.ts';
import { registerAttachmentRules } from '../../conformance/attachments.ts';
import { openStore } from '../../open-store.ts';
import { openBuckets } from '../buckets/index.ts';
import { open } from '../index.ts';
import { signS3Request } from './s3-signature.ts';

const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  sessionToken: null,
  region: 'us-east-1',
};
const attachments = 's3://coppice-test/attachments';
const bytes = Uint8Array.from({ length: 5_000 }, (_, at) => (at * 7) % 256);

let server: ObjectServer;
let restoreVariables: () => void;

beforeAll(async () => {
  server = await startObjectServer(credentials);
  restoreVariables = setObjectServerVariables(server, credentials);
});
afterEach(() => {
  server.failing = new Set();
});
afterAll(async () => {
  restoreVariables();
  await server.close();
});

registerAttachmentRules(createPostgresSubject('postgres with an object store', { attachments }));

/** Creates a tree with a message that refers to an attachment. */
async function createTreeWith(store: Store, hash: string, n = 1): Promise<TestTree> {
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(n)) });
  const content = [{ type: 'file', source: { type: 'blob', hash }, mediaType: 'image/png' }];
  await fixture.run({ type: 'append', treeId: fixture.treeId, messages: [{ message: { role: 'user', content } }] });
  return fixture;
}

async function purge(store: Store, fixture: TestTree) {
  await fixture.run({ type: 'delete-tree', treeId: fixture.treeId });
  return store.purgeTree(fixture.treeId);
}

test('[L290] requests are signed as the documentation of S3 shows', () => {
  const signed = signS3Request(
    {
      method: 'GET',
      url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
      headers: { range: 'bytes=0-9' },
      bodyHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
    credentials,
    new Date('2013-05-24T00:00:00Z'),
  );
  expect(signed['authorization']).toBe(
    'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  );
});

test('[L290] the database has no bytes, equal bytes are uploaded once, and the last purge deletes the object', async () => {
  const database = await createPreparedDatabase();
  const store = await open(`${database.url}?attachments=${attachments}`);
  server.objects.clear();
  const { hash } = await store.blobs.put(bytes, 'image/png');
  await store.blobs.put(bytes, 'image/png');
  expect([...server.objects.values()]).toEqual([bytes]);
  expect(await database.query('SELECT length(bytes) AS n FROM blob')).toEqual([{ n: 0 }]);
  expect((await store.info()).notes.join()).toContain(`Attachments are stored in ${attachments}`);
  // A server without the setting reads it as well, and stores new attachments in the database.
  const plain = await open(database.url);
  expect(await plain.blobs.read(hash, { start: 10, end: 20 })).toEqual(bytes.slice(10, 20));
  await plain.blobs.put(bytes.slice(1), 'image/png');
  expect(server.objects.size).toBe(1);
  const [first, second] = [await createTreeWith(store, hash, 1), await createTreeWith(store, hash, 2)];
  await purge(store, first);
  expect(await plain.blobs.read(hash)).toEqual(bytes);
  await purge(plain, second);
  expect([server.objects.size, await store.blobs.read(hash)]).toEqual([0, null]);
  expect(await database.query('SELECT * FROM blob_object')).toEqual([]);
  await Promise.all([store.close(), plain.close()]);
  await database.drop();
});

test('[L291] an object store that fails refuses uploads, delays only the deletion of bytes, and leaves nothing behind', async () => {
  const database = await createPreparedDatabase();
  const store = await open(database.url, { attachments, attachmentGrace: 0 });
  server.objects.clear();
  server.failing = new Set(['PUT']);
  await expect(store.blobs.put(bytes, 'image/png')).rejects.toMatchObject({ code: 'store/unavailable' });
  expect(await database.query('SELECT hash FROM blob')).toEqual([]);
  server.failing = new Set(['DELETE']);
  const { hash } = await store.blobs.put(bytes, 'image/png');
  const report = await purge(store, await createTreeWith(store, hash));
  expect(report.uncleared).toEqual([expect.stringMatching(/^s3:\/\/coppice-test\/attachments\//)]);
  expect(await store.blobs.read(hash)).toBeNull();
  server.failing = new Set();
  // The next upload deletes what was left, also the objects of uploads that broke off a day ago.
  server.objects.set('coppice-test/attachments/broken', bytes);
  await database.query('INSERT INTO blob_object (object, at) VALUES ($1, 1)', [`${attachments}/broken`]);
  await database.query('UPDATE blob_object SET at = 1 WHERE at > 1');
  await store.blobs.put(bytes, 'image/png');
  expect(server.objects.size).toBe(1);
  expect(await database.query('SELECT * FROM blob_object')).toEqual([]);
  await store.close();
  await database.drop();
});

test('[L291] uploads and purges of the same bytes by two servers at once never lose an object that is needed', async () => {
  const database = await createPreparedDatabase();
  const stores = [await open(database.url, { attachments }), await open(database.url, { attachments })] as const;
  server.objects.clear();
  let hash = '';
  await Promise.all(
    stores.map(async (store, at) => {
      for (let n = 0; n < 10; n++) {
        ({ hash } = await store.blobs.put(bytes, 'image/png'));
        const fixture = await createTreeWith(store, hash, 100 + at * 20 + n);
        expect(await store.blobs.read(hash)).toEqual(bytes);
        await purge(store, fixture);
      }
    }),
  );
  const rows = await database.query('SELECT object FROM blob');
  expect(server.objects.size).toBe(rows.length);
  await createTreeWith(stores[0], (await stores[0].blobs.put(bytes, 'image/png')).hash, 1);
  expect(await stores[1].blobs.read(hash)).toEqual(bytes);
  await Promise.all(stores.map((store) => store.close()));
  await database.drop();
});

test('[L292] the check finds a missing and a shortened object, and a backup has the bytes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-objects-'));
  const database = await createPreparedDatabase();
  const store = await open(database.url, { attachments });
  server.objects.clear();
  const { hash } = await store.blobs.put(bytes, 'image/png');
  await createTreeWith(store, hash);
  expect((await store.fsck()).findings).toEqual([]);
  await store.backup(join(folder, 'backup.db'));
  const [key = ''] = server.objects.keys();
  server.objects.set(key, bytes.slice(1));
  expect((await store.fsck()).findings).toMatchObject([{ code: 'attachment-object', severity: 'error', id: hash }]);
  server.objects.delete(key);
  expect((await store.fsck()).findings[0]?.message).toContain('is missing');
  await expect(store.blobs.read(hash)).rejects.toMatchObject({ code: 'store/damaged' });
  const copy = await openStore(`sqlite:${join(folder, 'backup.db')}`);
  expect(await copy.blobs.read(hash)).toEqual(bytes);
  await Promise.all([store.close(), copy.close()]);
  await database.drop();
  rmSync(folder, { recursive: true });
});

test('[L292] a moved owner keeps its attachments, and the old bucket deletes none of their objects', async () => {
  const database = await createPreparedDatabase();
  await (await open(database.url)).close();
  const buckets = await openBuckets(database.url);
  await buckets.add('objects_far', { schema: 'objects_far' });
  const store = await open(database.url, { attachments });
  server.objects.clear();
  const mine = store.forOwner('ann');
  await buckets.moveOwner('ann', 'main');
  const { hash } = await mine.blobs.put(bytes, 'image/png');
  await createTreeWith(mine, hash);
  await buckets.moveOwner('ann', 'objects_far');
  // An upload to the old bucket deletes the objects that are listed there for deletion.
  await buckets.moveOwner('ben', 'main');
  await store.forOwner('ben').blobs.put(bytes.slice(2), 'image/png');
  expect(await mine.blobs.read(hash)).toEqual(bytes);
  expect((await store.fsck()).findings).toEqual([]);
  await store.close();
  await buckets.close();
  await database.query('DROP SCHEMA objects_far CASCADE');
  await database.query('DROP TABLE coppice_owner, coppice_bucket');
  await database.query('UPDATE feed_epoch SET divided = FALSE');
  await database.drop();
});

test('[L290] a wrong address and missing keys are refused at opening, and doctor is told why uploads fail', async () => {
  const database = await createPreparedDatabase();
  for (const wrong of ['coppice-test', 'https://coppice-test/a', 's3://coppice-test/../other', 's3://A/b'])
    await expect(open(database.url, { attachments: wrong })).rejects.toMatchObject({ code: 'command/invalid' });
  const key = process.env['AWS_ACCESS_KEY_ID'];
  process.env['AWS_ACCESS_KEY_ID'] = '';
  await expect(open(database.url, { attachments })).rejects.toThrow('AWS_ACCESS_KEY_ID');
  process.env['AWS_ACCESS_KEY_ID'] = key;
  const store = await open(database.url, { attachments });
  server.failing = new Set(['HEAD']);
  expect((await store.info()).notes.join()).toContain('It cannot be used');
  await store.close();
  await database.drop();
});

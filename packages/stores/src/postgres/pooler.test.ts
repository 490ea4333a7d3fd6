// @module-tag full
import { readPage, type Store, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startNotificationDroppingProxy } from '../../test/notification-dropping-proxy.ts';
import type { TestDatabase } from '../../test/postgres.ts';
import { createPreparedDatabase } from '../../test/postgres-subject.ts';
import { startTransactionPooler, type TransactionPooler } from '../../test/transaction-pooler.ts';
import { PostgresDatabase } from './database.ts';
import { open } from './index.ts';
import { CommitNotifications, commitChannelOf } from './notifications.ts';
import { parsePostgresSettings } from './options.ts';

let database: TestDatabase;
let pooler: TransactionPooler;
const stores: Store[] = [];

beforeEach(async () => {
  database = await createPreparedDatabase();
  pooler = await startTransactionPooler(database.url);
});

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
  await pooler.close();
  await database.drop();
});

async function opened(): Promise<Store> {
  const store = await open(pooler.url, { pool: 3 });
  stores.push(store);
  return store;
}

/** Runs a statement on the server connection that all clients of the pooler share. */
async function onShared(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({ connectionString: pooler.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Follows a tree until a version, and notes the versions. */
function followToVersion(store: Store, { treeId: id }: TestTree, last: number) {
  const seen: number[] = [];
  const following = (async () => {
    for await (const { version } of store.feed(id, 0)) {
      seen.push(version);
      if (version === last) return;
    }
  })();
  return { seen, following };
}

test('[L177] two stores that share a pooled connection run their own statements and no others', async () => {
  const [here, there] = [await opened(), await opened()];
  const trees = [1, 2, 3, 4].map((number) => treeId(testUuid(number)));
  await Promise.all(
    trees.map(async (id, at) => {
      const fixture = await TestTree.make({ store: at % 2 === 0 ? here : there, treeId: id });
      for (let turn = 0; turn < 5; turn++) await fixture.addMessages([`tree ${at} says ${turn}`]);
    }),
  );
  for (const [at, id] of trees.entries())
    for (const store of [here, there]) {
      expect(await store.formatOf(id)).toBe('tree');
      const { nodes } = await store.read(id, () => readPage(id));
      expect(nodes.map((node) => node.text)).toEqual([0, 1, 2, 3, 4].map((turn) => `tree ${at} says ${turn}`));
    }
  expect((await here.search({ text: 'says tree' })).items).toHaveLength(20);
  expect((await here.info()).notes.join()).toContain('pooler');
});

test('[L177] a store leaves nothing on a shared connection: no setting, no statement, no channel', async () => {
  const names = ['synchronous_commit', 'enable_seqscan', 'plan_cache_mode', 'statement_timeout', 'lock_timeout', 'jit'];
  const settings = `SELECT ${names.map((name) => `current_setting('${name}') AS ${name}`).join(', ')},
    (SELECT count(*) FROM pg_prepared_statements) AS statements, (SELECT count(*) FROM pg_listening_channels()) AS channels`;
  const before = await onShared(settings);
  const store = await opened();
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
  await fixture.addMessages(['one', 'two']);
  await store.search({ text: 'two' });
  expect(await onShared(settings)).toEqual(before);
});

test('[L177] every commit waits for the disk, even if another user of the connection turned that off', async () => {
  await database.query('CREATE TABLE noted (setting TEXT)');
  await database.query(`CREATE FUNCTION note_setting() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO noted VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$`);
  await database.query('CREATE TRIGGER noting BEFORE INSERT ON change FOR EACH ROW EXECUTE FUNCTION note_setting()');
  const store = await opened();
  await onShared('SET synchronous_commit = off');
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
  await fixture.addMessages(['one']);
  expect(await database.query('SELECT DISTINCT setting FROM noted')).toEqual([{ setting: 'on' }]);
});

test('[L177] a feed finds commits that another store made through the pooler', async () => {
  const [here, there] = [await opened(), await opened()];
  const fixture = await TestTree.make({ store: here, treeId: treeId(testUuid(1)) });
  const { seen, following } = followToVersion(there, fixture, 3);
  await fixture.addMessages(['one']);
  await fixture.addMessages(['two']);
  await following;
  expect(seen).toEqual([1, 2, 3]);
});

test('[L181] LISTEN is trusted only after a notification arrived; otherwise commits are polled, and a note says so', async () => {
  const proxy = await startNotificationDroppingProxy(database.url);
  const never = 1e9;
  const [here, there] = [await open(database.url), await open(proxy.url, { pollInterval: never })];
  stores.push(here, there);
  const fixture = await TestTree.make({ store: here, treeId: treeId(testUuid(1)) });
  const { seen, following } = followToVersion(there, fixture, 3);
  await fixture.addMessages(['one']);
  await expect.poll(() => seen.includes(2)).toBe(true);
  await fixture.addMessages(['two']);
  await following;
  expect(seen).toEqual([1, 2, 3]);
  const notesOf = async (store: Store) => (await store.info()).notes.join();
  await expect.poll(async () => (await notesOf(there)).includes('do not arrive')).toBe(true);
  expect(await notesOf(here)).not.toContain('do not arrive');
  await there.close();
  await proxy.close();
});

test('[L213] a listening connection that reports no error and receives nothing is replaced, and the feed has every commit once', async () => {
  const proxy = await startNotificationDroppingProxy(database.url);
  proxy.forwardOnNewConnections();
  const [here, there] = [await open(database.url), await open(proxy.url, { pollInterval: 300 })];
  stores.push(here, there);
  const fixture = await TestTree.make({ store: here, treeId: treeId(testUuid(1)) });
  const seen: number[] = [];
  const stop = new AbortController();
  const following = (async () => {
    for await (const { version } of there.feed(fixture.treeId, 0, stop.signal)) seen.push(version);
  })();
  const listening = async () => {
    const rows = await database.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ~ 'LISTEN|pg_notify' AND pid <> pg_backend_pid() ORDER BY pid",
    );
    return rows.map(({ pid }) => Number(pid));
  };
  await fixture.addMessages(['received']);
  await expect.poll(async () => seen.includes(2) && (await listening()).length === 2).toBe(true);
  const before = await listening();
  proxy.dropOnOpenConnections();
  await fixture.addMessages(['found by a poll']);
  await expect.poll(() => seen.includes(3)).toBe(true);
  await expect
    .poll(
      async () => {
        const now = await listening();
        return now.length === 2 && now.filter((pid) => !before.includes(pid)).length === 1;
      },
      { interval: 200 },
    )
    .toBe(true);
  await fixture.addMessages(['received again']);
  await expect.poll(() => seen.includes(4)).toBe(true);
  expect(seen).toEqual([1, 2, 3, 4]);
  stop.abort();
  await following;
  await there.close();
  await proxy.close();
});

test('[L181] a direct connection receives its own notification, and again after it was cut', async () => {
  const direct = await PostgresDatabase.create(parsePostgresSettings(database.url, {}));
  const clients: Client[] = [];
  const notifications = new CommitNotifications({
    mode: 'notify',
    channel: commitChannelOf(null),
    pollInterval: 5_000,
    client: () => {
      const client = direct.client();
      clients.push(client);
      return client;
    },
    isDirect: (client) => direct.isDirect(client),
    notify: async (channel, payload) => {
      await database.query('SELECT pg_notify($1, $2)', [channel, payload]);
    },
    newest: async () => ({ trees: new Map(), owners: new Map() }),
  });
  expect(notifications.trusted).toBe(false);
  await notifications.start();
  await expect.poll(() => notifications.trusted).toBe(true);
  await clients[0]?.end();
  await expect.poll(() => clients.length > 1 && notifications.trusted).toBe(true);
  expect(notifications.isTestLost).toBe(false);
  await notifications.close();
  await direct.close();
});

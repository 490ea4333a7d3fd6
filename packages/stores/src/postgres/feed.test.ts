import { type Commit, run, type Store, type TreeId, type TreeListEvent, treeId } from '@coppice/core';
import { createTestClock, TestTree, testKit, testUuid } from '@coppice/core/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { createPreparedDatabase } from '../../test/postgres-subject.ts';
import { encodeCursor } from '../cursor.ts';
import { PostgresDatabase } from './database.ts';
import { open, type PostgresOptions } from './index.ts';
import { migratePostgres, postgresMigrations } from './migrations.ts';
import { parsePostgresSettings } from './options.ts';
import { newestSchemaVersion, programSchemaSetting } from './schema-version.ts';

let database: TestDatabase;
let stores: Store[] = [];
beforeEach(async () => {
  database = await createPreparedDatabase();
});
afterEach(async () => {
  for (const store of stores) await store.close();
  stores = [];
  await database.drop();
});

async function opened(options: PostgresOptions = {}): Promise<Store> {
  const store = await open(database.url, { pool: 4, ...options });
  stores.push(store);
  return store;
}

async function taken<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) if (found.push(item) === count) break;
  return found;
}

function make(store: Store, id: TreeId): Promise<TestTree> {
  return TestTree.make({ store, treeId: id });
}

// From this number on, trees only show that a feed has started. No other tree of the tests has such a number.
const firstSign = 900_000;

/**
 * Returns a feed over all trees that has certainly started. A test cannot observe the start, so trees are created until
 * the feed reports one. These events are left out.
 */
async function begun(there: Store, here: Store, signal?: AbortSignal): Promise<AsyncIterable<TreeListEvent>> {
  const feed = there.feedAll(null, signal)[Symbol.asyncIterator]();
  const signs = new Set<string>();
  let hasBegun = false;
  const first = feed.next().then(() => {
    hasBegun = true;
  });
  while (!hasBegun) {
    const sign = treeId(testUuid(firstSign + signs.size));
    signs.add(sign);
    await make(here, sign);
    await Promise.race([first, new Promise((resolve) => setTimeout(resolve, 20))]);
  }
  return (async function* () {
    try {
      for (let next = await feed.next(); next.done !== true; next = await feed.next())
        if (!signs.has(next.value.treeId)) yield next.value;
    } finally {
      await feed.return?.();
    }
  })();
}

// So long that a test would time out if it waited for a poll.
const never = 1_000_000;

describe.each([
  { how: 'reported by NOTIFY', options: { pollInterval: never } },
  { how: 'by looking alone', options: { feed: 'poll', pollInterval: 40 } },
] as const)('commits of another server, $how', ({ options }) => {
  test('arrive in order, without gaps or repeats', async () => {
    const [here, there] = [await opened(options), await opened(options)];
    const fixture = await make(here, treeId(testUuid(1)));
    const coming = taken(there.feed(fixture.treeId, 0), 21);
    const made: Commit[] = [];
    for (let n = 0; n < 20; n++) {
      await fixture.addMessages([`message ${n}`]);
      if (n % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const commit of await taken(here.feed(fixture.treeId, 0), 21)) made.push(commit);
    expect(await coming).toEqual(made);
    expect(made.map((commit) => commit.version)).toEqual(Array.from({ length: 21 }, (_, at) => at + 1));
  });

  test('wake the list of all trees', async () => {
    const [here, there] = [await opened(options), await opened(options)];
    const coming = taken(await begun(there, here), 3);
    await (await make(here, treeId(testUuid(1)))).addMessages(['a']);
    await make(here.forOwner('somebody else'), treeId(testUuid(2)));
    await make(here, treeId(testUuid(3)));
    expect((await coming).map(({ treeId: id, version }) => [id, version])).toEqual([
      [testUuid(1), 1],
      [testUuid(1), 2],
      [testUuid(3), 1],
    ]);
  });
});

test('a feed continues when the listening connection is cut', async () => {
  const [here, there] = [await opened(), await opened({ pollInterval: never })];
  const fixture = await make(here, treeId(testUuid(1)));
  const coming = taken(there.feed(fixture.treeId, 0), 12);
  for (let n = 0; n < 11; n++) {
    await fixture.addMessages([`message ${n}`]);
    if (n % 4 === 3)
      await database.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%LISTEN%' AND pid <> pg_backend_pid()`,
      );
  }
  expect((await coming).map(({ version }) => version)).toEqual(Array.from({ length: 12 }, (_, at) => at + 1));
});

test('a feed ends with its signal and with its store', async () => {
  const store = await opened({ pollInterval: never });
  const fixture = await make(store, treeId(testUuid(1)));
  const stop = new AbortController();
  const stopped = taken(store.feed(fixture.treeId, 1, stop.signal), 1);
  setTimeout(() => stop.abort(), 30);
  expect(await stopped).toEqual([]);
  const all = taken(store.feedAll(null, stop.signal), 1);
  expect(await all).toEqual([]);
});

/** Opens a transaction that has written a commit of a tree and is not committed yet. */
async function openTransaction(of: TestTree, owner = 'local'): Promise<{ commit(): Promise<void> }> {
  const { Client } = (await import('pg')).default;
  const slow = new Client({ connectionString: database.url });
  // If the test fails early, the database is dropped while this connection is open. That error is ignored.
  slow.on('error', () => undefined);
  await slow.connect();
  await slow.query('BEGIN');
  await slow.query('SELECT set_config($1, $2, TRUE)', [programSchemaSetting, String(newestSchemaVersion)]);
  await slow.query('SELECT 1 FROM tree WHERE id = $1 FOR UPDATE', [of.treeId]);
  await slow.query(
    `INSERT INTO change (tree_id, version, act_id, actor, at, kind, seq, structural, is_act, steps, owner)
    VALUES ($1, 2, 'act', 'me', 1, 'do', 1, 0, 1, '[]', $2)`,
    [of.treeId, owner],
  );
  return {
    commit: async () => {
      await slow.query('UPDATE tree SET version = 2 WHERE id = $1', [of.treeId]);
      await slow.query('COMMIT');
      await slow.end();
    },
  };
}

test('[L182] a transaction that stays open delays no list, and its commit is not skipped when it ends', async () => {
  const store = await opened({ pollInterval: 40 });
  const [first, second] = [await make(store, treeId(testUuid(1))), await make(store, treeId(testUuid(2)))];
  const foreign = await make(store.forOwner('somebody else'), treeId(testUuid(3)));
  const feed = await begun(store, store);
  const slow = await openTransaction(first);
  const other = await openTransaction(foreign, 'somebody else');
  await second.addMessages(['overtakes', 'again']);
  const [overtook] = await taken(feed, 1);
  expect([overtook?.treeId, overtook?.version]).toEqual([second.treeId, 2]);
  await slow.commit();
  const [late] = await taken(store.feedAll(overtook?.cursor ?? null), 1);
  expect([late?.treeId, late?.version]).toEqual([first.treeId, 2]);
  // No event is reported twice, so the next event is the new commit.
  await first.run({ type: 'attributes', treeId: first.treeId, set: { title: 'new' } });
  const [next] = await taken(store.feedAll(late?.cursor ?? null), 1);
  expect([next?.treeId, next?.version]).toEqual([first.treeId, 3]);
  await other.commit();
});

test('[L182] more commits of one owner than there are lanes, all open at once, are all reported once', async () => {
  const store = await opened({ pollInterval: 40 });
  const trees = await Promise.all(Array.from({ length: 12 }, (_, at) => make(store, treeId(testUuid(at + 1)))));
  const start = await begun(store, store);
  const open = await Promise.all(trees.slice(0, 7).map((tree) => openTransaction(tree)));
  for (const tree of trees.slice(7)) await tree.addMessages(['while they are open']);
  const before = await taken(start, 5);
  for (const one of open.toReversed()) await one.commit();
  const after = await taken(store.feedAll(before[4]?.cursor ?? null), 7);
  const reported = [...before, ...after].map(({ treeId: id }) => id).sort();
  expect(reported).toEqual(trees.map(({ treeId: id }) => id).sort());
});

test('[L184] a cursor of an earlier version, made of transaction ids, continues at its position', async () => {
  const where = await createTestDatabase();
  const tables = await PostgresDatabase.create(parsePostgresSettings(where.url, {}));
  await tables.write(() =>
    migratePostgres(
      'here',
      postgresMigrations.filter(({ version }) => version < 10),
    ),
  );
  await tables.close();
  // Writes two commits at positions as a server with very many transactions assigned them before version 10.
  const old = 5_000_000_000 * 4096;
  await where.query(
    `INSERT INTO change (id, tree_id, version, act_id, actor, at, kind, seq, structural, is_act, steps, owner)
    SELECT ${old} + n, $1, n, 'act', 'me', 1, 'do', 1, 0, 1, '[]', 'local' FROM generate_series(1, 2) AS n`,
    [testUuid(50)],
  );
  const store = await open(where.url);
  const fixture = await make(store, treeId(testUuid(1)));
  await fixture.addMessages(['a']);
  const reported = await taken(store.feedAll(encodeCursor('changes', [old + 1])), 3);
  expect(reported.map(({ treeId: id, version }) => [id, version])).toEqual([
    [testUuid(50), 2],
    [testUuid(1), 1],
    [testUuid(1), 2],
  ]);
  await store.close();
  await where.drop();
});

test('[L184] a cursor newer than a restored database gets every later commit', async () => {
  const store = await opened();
  const fixture = await make(store, treeId(testUuid(1)));
  await fixture.addMessages(['a']);
  const [ahead] = await database.query('SELECT max(id) + 1000 AS place FROM change');
  const feed = store.feedAll(encodeCursor('changes', [Number(ahead?.['place'])]))[Symbol.asyncIterator]();
  const first = feed.next();
  let n = 0;
  const reported = first.then(() => true);
  while (!(await Promise.race([reported, new Promise((resolve) => setTimeout(() => resolve(false), 20))])))
    await fixture.run({ type: 'attributes', treeId: fixture.treeId, set: { title: `t ${n++}` } });
  expect((await first).value?.treeId).toBe(fixture.treeId);
  await feed.return?.();
});

test('the list of all trees has every commit of many writers once, even when it is reopened again and again', async () => {
  const [here, there] = [await opened({ pool: 8 }), await opened({ pollInterval: 100 })];
  const ids = Array.from({ length: 6 }, (_, at) => treeId(testUuid(at + 1)));
  const events: TreeListEvent[] = [];
  const total = ids.length * 9;
  const feed = await begun(there, here);
  const reading = (async () => {
    const [first] = await taken(feed, 1);
    if (first === undefined) throw new Error('The feed ended.');
    events.push(first);
    let { cursor } = first;
    while (events.length < total) {
      // Reads seven events at a time, each time with a new feed from the last cursor.
      const part: TreeListEvent[] = await taken(there.feedAll(cursor), Math.min(7, total - events.length));
      events.push(...part);
      cursor = part[part.length - 1]?.cursor ?? cursor;
    }
  })();
  await Promise.all(
    ids.map(async (id, at) => {
      await run(here, { type: 'create', treeId: id }, { actor: 'me', kit: testKit, ...createTestClock(at + 1) });
      const fixture = new TestTree(here, id);
      for (let n = 0; n < 8; n++)
        await fixture.run(
          { type: 'attributes', treeId: id, set: { title: `t ${n}` } },
          createTestClock(1000 + at * 100 + n),
        );
    }),
  );
  await reading;
  const seen = events.map(({ treeId: id, version }) => `${id} ${version}`).sort();
  expect(seen).toEqual(ids.flatMap((id) => Array.from({ length: 9 }, (_, at) => `${id} ${at + 1}`)).sort());
});

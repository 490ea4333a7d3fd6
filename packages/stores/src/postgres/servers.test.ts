// @module-tag full
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, isAppError, nodeId, run, type Store, treeId } from '@coppice/core';
import { createTestClock, TestTree, testKit, testUuid, user } from '@coppice/core/testing';
import { Client } from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { createTestDatabase, startOwnPostgresServer } from '../../test/postgres.ts';
import { copyPostgresBinaries, findPackagedPostgresBinaries, PostgresServer } from '../../test/postgres-server.ts';
import { createPreparedDatabase, readAllRows } from '../../test/postgres-subject.ts';
import { expectRefusalCode } from '../conformance/subject.ts';
import { encodeCursor } from '../cursor.ts';
import { PostgresDatabase } from './database.ts';
import { open } from './index.ts';
import { parsePostgresSettings } from './options.ts';

/** Appends with chosen ids, and repeats the call until it succeeds, like a client that retries. */
async function insist(store: Store, tree: string, n: number, parent?: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      await run(
        store,
        {
          type: 'append',
          treeId: treeId(tree),
          ...(parent === undefined ? {} : { parentId: nodeId(parent) }),
          messages: [{ message: user(`message ${n}`), id: testUuid(n) }],
          merge: false,
          // A retry that finds its message commits nothing, so the version equals the number of messages.
          select: false,
        },
        { actor: 'me', kit: testKit, ...createTestClock(n) },
      );
      return tries;
    } catch (error) {
      if (!isAppError(error) || !error.retryable || tries > 5_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

describe('many writers', () => {
  test('24 writers over 10 trees through two pools lose nothing, and a busy tree delays no other', async () => {
    const database = await createPreparedDatabase();
    const pools = [await open(database.url, { pool: 4 }), await open(database.url, { pool: 4 })];
    const [first, second] = pools;
    if (first === undefined || second === undefined) throw new Error('There are two pools.');
    const trees = Array.from({ length: 10 }, (_, at) => testUuid(at + 1));
    for (const id of trees) await TestTree.make({ store: first, treeId: treeId(id) });
    const perWriter = 8;
    const acknowledged = new Map<string, string[]>(trees.map((id) => [id, []]));
    await Promise.all(
      Array.from({ length: 24 }, async (_, writer) => {
        const store = writer % 2 === 0 ? first : second;
        for (let n = 0; n < perWriter; n++) {
          // Half of all writes go to the same tree.
          const tree = (n % 2 === 0 ? trees[0] : trees[(writer + n) % trees.length]) ?? '';
          const number = 10_000 + writer * 100 + n;
          await insist(store, tree, number);
          acknowledged.get(tree)?.push(testUuid(number));
        }
      }),
    );
    for (const id of trees) {
      const rows = await second.read(treeId(id), () => ask('rows', {}));
      const made = acknowledged.get(id) ?? [];
      expect(rows?.row.version).toBe(made.length + 1);
      const found = rows?.nodes.filter((node) => node.parentId !== null) ?? [];
      expect(found.map((node) => node.id).sort()).toEqual([...made].sort());
      expect(new Set(found.map((node) => node.seq)).size).toBe(made.length);
    }
    expect((await first.fsck()).findings).toEqual([]);
    for (const store of pools) await store.close();
    await database.drop();
  });
});

describe('a server that is restarted or killed while it is written to', () => {
  test('every acknowledged message is there once, and a retry with the same id finds out whether it was stored', async () => {
    const server = await startOwnPostgresServer();
    const url = await server.createDatabase();
    const stores = [await open(url, { pool: 4 }), await open(url, { pool: 4 })];
    const [one, other] = stores;
    if (one === undefined || other === undefined) throw new Error('There are two stores.');
    const trees = [testUuid(1), testUuid(2), testUuid(3)];
    for (const id of trees) await TestTree.make({ store: one, treeId: treeId(id) });
    const acknowledged: (readonly [tree: string, id: string])[] = [];
    let retried = 0;
    let stop = false;
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      const tree = trees[writer % trees.length] ?? '';
      for (let n = 0; !stop; n++) {
        const number = 10_000 + writer * 10_000 + n;
        if ((await insist(writer < 3 ? one : other, tree, number)) > 1) retried++;
        acknowledged.push([tree, testUuid(number)]);
      }
    });
    for (const signal of ['SIGKILL', 'SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      const before = acknowledged.length;
      while (acknowledged.length < before + 40) await new Promise((resolve) => setTimeout(resolve, 10));
      await server.restart(signal);
    }
    const before = acknowledged.length;
    while (acknowledged.length < before + 40) await new Promise((resolve) => setTimeout(resolve, 10));
    stop = true;
    await Promise.all(writers);
    expect(retried).toBeGreaterThan(0);
    for (const tree of trees) {
      const rows = await other.read(treeId(tree), () => ask('rows', {}));
      const made = acknowledged.filter(([where]) => where === tree).map(([, id]) => id);
      const found = rows?.nodes.filter((node) => node.parentId !== null).map((node) => node.id) ?? [];
      expect([...found].sort()).toEqual([...made].sort());
      expect(rows?.row.version).toBe(made.length + 1);
    }
    expect((await one.fsck()).findings).toEqual([]);
    for (const store of stores) await store.close();
    await server.close();
  });

  test('[L213] the list feed of another server continues after restarts, with notifications, without gaps or duplicates', async () => {
    const server = await startOwnPostgresServer();
    const url = await server.createDatabase();
    const never = 1e9;
    const [here, there] = [await open(url, { pool: 2 }), await open(url, { pool: 2, pollInterval: never })];
    const tree = testUuid(1);
    await TestTree.make({ store: here, treeId: treeId(tree) });
    const seen: number[] = [];
    const stop = new AbortController();
    const following = (async () => {
      for (let cursor = encodeCursor('changes', [0]); !stop.signal.aborted; )
        try {
          for await (const event of there.feedAll(cursor, stop.signal)) {
            seen.push(event.version);
            cursor = event.cursor;
          }
        } catch (error) {
          // The database was unreachable when the list was read.
          if (!isAppError(error) || !error.retryable) throw error;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
    })();
    let count = 0;
    for (const signal of ['SIGQUIT', 'SIGINT'] as const) {
      for (let n = 0; n < 3; n++) await insist(here, tree, 100 + count++);
      await server.restart(signal);
      for (let n = 0; n < 3; n++) await insist(here, tree, 100 + count++);
      const listening =
        "SELECT count(*)::int AS n FROM pg_stat_activity WHERE query ~ 'LISTEN|pg_notify' AND pid <> pg_backend_pid()";
      await expect.poll(() => server.query(listening, url)).toEqual([{ n: 2 }]);
      await insist(here, tree, 100 + count++);
      await expect.poll(() => seen.length).toBe(count + 1);
    }
    stop.abort();
    await following;
    expect(seen).toEqual(Array.from({ length: count + 1 }, (_, at) => at + 1));
    await here.close();
    await there.close();
    await server.close();
  });

  test('another body with an id that was taken is a conflict, not a retry', async () => {
    const database = await createPreparedDatabase();
    const store = await open(database.url);
    const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
    await insist(store, fixture.treeId, 50);
    const other = {
      type: 'append',
      treeId: fixture.treeId,
      messages: [{ message: user('not that'), id: testUuid(50) }],
    } as const;
    expect(await fixture.refusal(other)).toBe('id/taken');
    await store.close();
    await database.drop();
  });
});

describe('opening', () => {
  test('several servers can create the tables of one database at once', async () => {
    const database = await createTestDatabase();
    const opened = await Promise.all(Array.from({ length: 6 }, () => open(database.url, { pool: 2 })));
    const made = await database.query('SELECT version FROM coppice_schema');
    const [first, last] = [opened[0], opened[5]];
    if (first === undefined || last === undefined) throw new Error('There are six stores.');
    expect(made).toEqual([{ version: String((await first.info()).schemaVersion) }]);
    await (await TestTree.make({ store: first, treeId: treeId(testUuid(1)) })).addMessages(['hello']);
    expect((await last.search({ text: 'hello' })).items.length).toBe(1);
    for (const store of opened) await store.close();
    await database.drop();
  });

  test('tables of another program are refused and left unchanged', async () => {
    const database = await createTestDatabase();
    await database.query('CREATE TABLE node (what TEXT)');
    await database.query("INSERT INTO node VALUES ('theirs')");
    const before = await readAllRows(database);
    expect(await expectRefusalCode(open(database.url))).toBe('store/damaged');
    expect(await readAllRows(database)).toBe(before);
    await database.drop();
  });

  test('a read-only database is opened for reading, and search scans what is not indexed', async () => {
    const database = await createPreparedDatabase();
    const writing = await open(database.url);
    const fixture = await TestTree.make({ store: writing, treeId: treeId(testUuid(1)) });
    const [indexed] = await fixture.addMessages(['a needle in the hay']);
    await writing.search({ text: 'needle' });
    const [later] = await fixture.addMessages(['another NEEDLE', 'nothing']);
    await writing.close();
    await database.query(
      `ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET default_transaction_read_only = on`,
    );
    const reading = await open(database.url);
    const info = await reading.info();
    expect(info.readOnly).toBe(true);
    expect(info.notes.join()).toContain('takes no writes');
    expect((await reading.search({ text: 'needle' })).items.map((hit) => hit.nodeId)).toEqual([later, indexed]);
    expect(await expectRefusalCode(TestTree.make({ store: reading, treeId: treeId(testUuid(2)) }))).toBe(
      'tree/read-only',
    );
    await reading.close();
    await database.drop();
  });

  test('[L298] requests wait for a connection if the server allows no further one, and are told when none gets free', async () => {
    const database = await createTestDatabase();
    const role = `limited_${randomBytes(6).toString('hex')}`;
    await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'limited' CONNECTION LIMIT 3`);
    await database.query(`GRANT ALL ON SCHEMA public TO ${role}`);
    const url = Object.assign(new URL(database.url), { username: role, password: 'limited' }).href;
    const store = await open(url);
    const writes = Array.from({ length: 30 }, (_, n) => TestTree.make({ store, treeId: treeId(testUuid(n + 1)) }));
    expect((await Promise.all(writes)).length).toBe(30);
    const others = Array.from({ length: 3 }, () => new Client({ connectionString: url }));
    await store.close();
    for (const other of others) await other.connect();
    const late = open(url, { connectTimeout: 500 });
    await expect(late).rejects.toMatchObject({ code: 'store/unavailable', retryable: true });
    await expect(open(url, { connectTimeout: 500 })).rejects.toThrow('has no free connection');
    setTimeout(() => void others[0]?.end(), 300);
    await (await open(url, { feed: 'poll' })).close();
    for (const other of others.slice(1)) await other.end();
    await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await database.drop();
  });

  test('writes wait for the disk even if the server is configured not to', async () => {
    const database = await createPreparedDatabase();
    await database.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET synchronous_commit = off`);
    const store = await open(database.url);
    expect((await store.info()).notes.join()).toContain('wait for the disk');
    await database.query(`CREATE FUNCTION note_setting() RETURNS TRIGGER LANGUAGE plpgsql AS $$
      BEGIN INSERT INTO noted VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$`);
    await database.query('CREATE TABLE noted (setting TEXT)');
    await database.query('CREATE TRIGGER noting BEFORE INSERT ON change FOR EACH ROW EXECUTE FUNCTION note_setting()');
    await TestTree.make({ store, treeId: treeId(testUuid(1)) });
    expect(await database.query('SELECT * FROM noted')).toEqual([{ setting: 'on' }]);
    await store.close();
    await database.drop();
  });

  test('a user who may not create extensions gets a search without an index, reported at start', async () => {
    const database = await createTestDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await database.query(`CREATE ROLE "poor_${name}" LOGIN PASSWORD 'poor'`);
    await database.query(`GRANT CREATE ON SCHEMA public TO "poor_${name}"`);
    const url = new URL(database.url);
    [url.username, url.password] = [`poor_${name}`, 'poor'];
    const store = await open(url.href);
    expect((await store.info()).notes.join()).toContain('pg_trgm');
    const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
    const [hit] = await fixture.addMessages(['50% of the hay', 'a needle']);
    expect((await store.search({ text: '50% HAY' })).items.map((one) => one.nodeId)).toEqual([hit]);
    await store.close();
    await database.query(`DROP OWNED BY "poor_${name}" CASCADE`);
    await database.drop();
  });

  test('a server whose clock differs is used, and the difference is reported', async () => {
    const database = await createPreparedDatabase();
    vi.useFakeTimers({ toFake: ['Date'] });
    vi.setSystemTime(Date.now() + 600_000);
    const store = await open(database.url).finally(() => vi.useRealTimers());
    expect((await store.info()).notes.join()).toMatch(
      /clock of the server differs from this machine by (?:599|600|601) seconds/,
    );
    await store.close();
    await database.drop();
  });

  test('a server without trigrams and without fsync is used, and both are reported', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-bare-'));
    const { chmod } = await import('node:fs/promises');
    await chmod(folder, 0o755);
    const binaries = join(folder, 'native');
    await copyPostgresBinaries(findPackagedPostgresBinaries(), binaries);
    const extensions = join(binaries, 'share', 'postgresql', 'extension');
    for (const file of await readdir(extensions)) if (file.startsWith('pg_trgm')) await rm(join(extensions, file));
    const server = await PostgresServer.start({ binaries, settings: { fsync: 'off', max_connections: '12' } });
    const store = await open(await server.createDatabase());
    const { notes } = await store.info();
    expect(notes.join()).toContain('pg_trgm');
    expect(notes.join()).toContain('without fsync');
    expect(notes.join()).toContain('allows 12 connections');
    expect(notes.join()).not.toContain('clock');
    expect(store.supports.durable).toBe(false);
    const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
    const [hit] = await fixture.addMessages(['漢字 and more', 'a needle']);
    expect((await store.search({ text: '漢' })).items.map((one) => one.nodeId)).toEqual([hit]);
    await store.close();
    await server.close();
    await rm(folder, { recursive: true });
  });
});

describe('search', () => {
  test('long terms use the index', async () => {
    const database = await createPreparedDatabase();
    const store = await open(database.url);
    const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
    await fixture.addMessages(Array.from({ length: 300 }, (_, n) => `message number ${n} says nothing of note`));
    await fixture.addMessages(['here is the needle']);
    expect((await store.search({ text: 'needle' })).items.length).toBe(1);
    const plans = await PostgresDatabase.create(parsePostgresSettings(database.url, {}));
    const plan = await plans.read(function* () {
      yield { sql: 'SET LOCAL enable_bitmapscan = on', params: [], want: 'count' };
      const found = yield {
        sql: "EXPLAIN SELECT * FROM search_text s WHERE s.text LIKE '%needle%'",
        params: [],
        want: 'rows',
      };
      return JSON.stringify(found);
    });
    expect(plan).toContain('search_text_trigrams');
    await plans.close();
    await store.close();
    await database.drop();
  });

  test('a purged text is removed from the index', async () => {
    const database = await createPreparedDatabase();
    const store = await open(database.url);
    const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
    const [, secret] = await fixture.addMessages(['first', 'the secret']);
    await store.search({ text: 'secret' });
    await fixture.run({ type: 'delete', treeId: fixture.treeId, nodeIds: [secret ?? nodeId('')] });
    expect((await store.search({ text: 'secret' })).items).toEqual([]);
    expect(await database.query("SELECT 1 FROM search_text WHERE text LIKE '%secret%'")).toHaveLength(1);
    await store.purge(fixture.treeId, { upTo: 100 });
    expect(await database.query("SELECT 1 FROM search_text WHERE text LIKE '%secret%'")).toHaveLength(0);
    await store.close();
    await database.drop();
  });
});

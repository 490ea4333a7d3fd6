import { connect, createServer } from 'node:net';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createTestDatabase, startOwnPostgresServer, type TestDatabase } from '../../test/postgres.ts';
import { expectRefusalCode } from '../conformance/subject.ts';
import { execute, queryRow, queryRows, type SqlParameter, type SqlTask } from '../sql/query.ts';
import { PostgresDatabase } from './database.ts';
import { isConnectionLost, toPostgresError } from './failures.ts';
import { parsePostgresSettings } from './options.ts';

function one(sql: string, ...params: SqlParameter[]): () => SqlTask<unknown> {
  return function* () {
    return Object.values((yield* queryRow(sql, ...params)) ?? {})[0];
  };
}

test('[L178] an error of a pooler in statement mode is not a lost connection: it names the setting to change', () => {
  const answered = Object.assign(new Error('transaction blocks not allowed in statement pooling mode'), {
    code: '08P01',
  });
  expect(isConnectionLost(answered)).toBe(false);
  const refused = toPostgresError(answered, 'postgres://host/trees');
  expect(refused).toMatchObject({ code: 'store/unavailable', retryable: false });
  expect(String(refused)).toContain('pool_mode = transaction');
});

describe('addresses', () => {
  test('the displayed address has no user and no password', () => {
    expect(parsePostgresSettings('postgres://me:secret@db.example:5433/trees', {}).place).toBe(
      'postgres://db.example:5433/trees',
    );
    expect(parsePostgresSettings('postgres://me:secret@/trees?host=/run/pg', {}).place).toBe(
      'postgres:///run/pg/trees',
    );
  });

  test('our own settings in the address are not sent to the server', () => {
    const settings = parsePostgresSettings('postgres://host/db?feed=poll&pool=3&prepare=off&sslmode=disable', {});
    expect(settings).toMatchObject({ feed: 'poll', pool: 3, prepare: false });
    expect(settings.servers).toEqual([{ name: 'host', connectionString: 'postgres://host/db?sslmode=disable' }]);
  });

  test('[L197] several hosts are read as libpq reads them, in the address or in its query', () => {
    const settings = parsePostgresSettings(
      'postgres://me:a%2Cb@h1:5433,[::1],h3/db?target_session_attrs=read-write',
      {},
    );
    expect(settings).toMatchObject({ target: 'read-write', place: 'postgres://h1:5433,[::1],h3/db' });
    expect(settings.servers.map(({ connectionString }) => connectionString)).toEqual([
      'postgres://me:a%2Cb@h1:5433/db',
      'postgres://me:a%2Cb@[::1]/db',
      'postgres://me:a%2Cb@h3/db',
    ]);
    const sockets = parsePostgresSettings('postgres://me@/db?host=/run/a,/run/b&port=1,2', {});
    expect(sockets).toMatchObject({ target: 'any', place: 'postgres:///run/a,/run/b/db' });
    expect(sockets.servers.map(({ connectionString }) => connectionString)).toEqual([
      'postgres://me@/db?host=%2Frun%2Fa&port=1',
      'postgres://me@/db?host=%2Frun%2Fb&port=2',
    ]);
  });

  test.each([
    'postgres://[',
    'postgres://h/db?feed=pigeon',
    'postgres://h/db?pool=none',
    'postgres://h/db?target_session_attrs=fast',
    'postgres:///db?host=/a,/b,/c&port=1,2',
  ])('%s is refused', (address) => {
    expect(() => parsePostgresSettings(address, {})).toThrow('The address of the database');
  });
});

describe('transactions', () => {
  let where: TestDatabase;
  let database: PostgresDatabase;
  beforeAll(async () => {
    where = await createTestDatabase();
    database = await PostgresDatabase.create(parsePostgresSettings(where.url, { pool: 4 }));
    await where.query('CREATE TABLE t (id INT PRIMARY KEY, said TEXT, n BIGINT NOT NULL DEFAULT 0)');
  });
  afterAll(async () => {
    await database.close();
    await where.drop();
  });

  test('any text is stored and read unchanged, and numbers stay numbers', async () => {
    const odd = 'nul \u0000, half \ud83d, other half \udc4d, mark \u001a, \u{1f44d}';
    await database.write(function* () {
      yield* execute('INSERT INTO t (id, said, n) VALUES ($1, $2, $3)', 1, odd, 2 ** 53 - 1);
    });
    const read = await database.read(function* () {
      return yield* queryRow('SELECT said, n, $1 || said AS both FROM t WHERE id = 1', odd);
    });
    expect(read).toEqual({ said: odd, n: 2 ** 53 - 1, both: odd + odd });
  });

  test('bytes are stored and read unchanged', async () => {
    const bytes = new Uint8Array([1, 0, 255, 26]).subarray(1);
    const back = await database.read(one('SELECT CAST($1 AS BYTEA) AS b', bytes));
    expect(back).toEqual(new Uint8Array([0, 255, 26]));
  });

  test('a failing statement rolls everything back and is named', async () => {
    const failing = database.write(function* () {
      yield* execute('INSERT INTO t (id, said) VALUES ($1, $2)', 10, 'kept?');
      yield* execute('INSERT INTO t (id, said) VALUES ($1, $2)', 'no number', 'bad');
      yield* execute('INSERT INTO t (id, said) VALUES ($1, $2)', 11, 'after');
      yield* queryRows('SELECT 1');
    });
    await expect(failing).rejects.toThrow('no number');
    expect(await database.read(one('SELECT count(*) FROM t WHERE id IN (10, 11)'))).toBe(0);
  });

  test('a failure that occurs at the commit is reported', async () => {
    await where.query('CREATE TABLE d (id INT UNIQUE DEFERRABLE INITIALLY DEFERRED)');
    const twice = database.write(function* () {
      yield* execute('INSERT INTO d (id) VALUES ($1)', 1);
      yield* execute('INSERT INTO d (id) VALUES ($1)', 1);
    });
    await expect(twice).rejects.toThrow('duplicate key');
    expect(await database.read(one('SELECT count(*) FROM d'))).toBe(0);
  });

  test('an exception rolls everything back, and the connection can be used again', async () => {
    const thrown = function* (): SqlTask<void> {
      yield* execute('INSERT INTO t (id) VALUES ($1)', 20);
      throw new Error('stop');
    };
    for (let n = 0; n < 10; n++) await expect(database.write(thrown)).rejects.toThrow('stop');
    expect(await database.read(one('SELECT count(*) FROM t WHERE id = 20'))).toBe(0);
  });

  test('a read sees one snapshot, whatever is written meanwhile', async () => {
    const insert = () => database.write(() => execute('INSERT INTO t (id) VALUES ($1)', 25));
    let written: Promise<unknown> = Promise.resolve();
    const seen = await database.read(function* () {
      const before = yield* queryRow('SELECT count(*) AS n FROM t');
      written = insert();
      yield* queryRows('SELECT pg_sleep(0.3)');
      return [before, yield* queryRow('SELECT count(*) AS n FROM t')];
    });
    await written;
    expect(seen[0]).toEqual(seen[1]);
    await expect(database.read(() => execute('DELETE FROM t'))).rejects.toMatchObject({ code: 'tree/read-only' });
  });

  test('a transaction that the server aborts because of a conflict is run again', async () => {
    const strict = await PostgresDatabase.create(
      parsePostgresSettings(where.url, { isolation: 'serializable', pool: 8, lockTimeout: 60_000 }),
    );
    await where.query('INSERT INTO t (id, n) VALUES (30, 0)');
    // All connections must have read before one of them continues; otherwise they would run one after another.
    const gate = database.client();
    await gate.connect();
    await gate.query('SELECT pg_advisory_lock(30)');
    const waiting = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted`;
    let runs = 0;
    const add = () =>
      strict.write(function* () {
        runs++;
        const { n } = (yield* queryRow('SELECT n FROM t WHERE id = 30')) ?? {};
        yield* queryRows('SELECT pg_advisory_xact_lock_shared(30)');
        yield* execute('UPDATE t SET n = $1 WHERE id = 30', Number(n) + 1);
      });
    const added = Promise.all([add(), add(), add()]);
    await expect.poll(() => where.query(waiting)).toHaveLength(3);
    await gate.end();
    await added;
    expect(await database.read(one('SELECT n FROM t WHERE id = 30'))).toBe(3);
    expect(runs).toBeGreaterThan(3);
    await strict.close();
  });

  test('waiting too long for a lock is reported', async () => {
    const hasty = await PostgresDatabase.create(parsePostgresSettings(where.url, { lockTimeout: 50 }));
    await where.query('INSERT INTO t (id) VALUES (40)');
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holding = new Promise<void>((locked, failed) => {
      void (async () => {
        const client = database.client();
        await client.connect();
        await client.query('BEGIN; SELECT * FROM t WHERE id = 40 FOR UPDATE');
        locked();
        await held;
        await client.end();
      })().catch(failed);
    });
    await holding;
    expect(await expectRefusalCode(hasty.write(() => queryRows('SELECT * FROM t WHERE id = 40 FOR UPDATE')))).toBe(
      'store/locked',
    );
    release();
    await hasty.close();
  });

  test('an unreachable server, a refused sign-in and a missing database are unavailable; the error has the address without the password', async () => {
    const url = new URL(where.url);
    for (const change of [{ port: '1' }, { password: 'wrong' }, { password: '' }, { pathname: '/nowhere' }]) {
      const address = new URL(url);
      Object.assign(address, change);
      const away = await PostgresDatabase.create(parsePostgresSettings(address.href, { connectTimeout: 20_000 }));
      const failed: unknown = await away.read(() => queryRows('SELECT 1')).catch((error: unknown) => error);
      expect(failed).toMatchObject({ code: 'store/unavailable', kind: 'unavailable', retryable: 'port' in change });
      expect(String(failed)).not.toContain(url.password);
      if (address.password === '') expect(String(failed)).toContain('asks for a password. Put it into the URL');
      await away.close();
    }
  });

  test('a connection on which the driver cannot sign in is closed by the client, not by the timeout of the server', async () => {
    const url = new URL(where.url);
    const target = Number(url.port);
    let closedBy: 'client' | 'server' | null = null;
    const proxy = createServer((socket) => {
      const there = connect(target, '127.0.0.1');
      for (const one of [socket, there]) one.on('error', () => undefined);
      there.on('end', () => {
        closedBy ??= 'server';
      });
      socket.on('end', () => {
        closedBy ??= 'client';
      });
      socket.pipe(there).pipe(socket);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const address = proxy.address();
    if (address === null || typeof address === 'string') throw new Error('The proxy has no port.');
    Object.assign(url, { password: '', port: String(address.port) });
    const away = await PostgresDatabase.create(parsePostgresSettings(url.href, { pool: 1 }));
    expect(await expectRefusalCode(away.read(one('SELECT 1')))).toBe('store/unavailable');
    await expect.poll(() => closedBy).toBe('client');
    await away.close();
    await new Promise((resolve) => proxy.close(resolve));
  });

  test('[L245] a direct connection gets its settings once, and they survive a rollback and an update of the statistics', async () => {
    const single = await PostgresDatabase.create(parsePostgresSettings(where.url, { pool: 1 }));
    const query = vi.spyOn(pg.Client.prototype, 'query');
    onTestFinished(() => query.mockRestore());
    const listSent = () => query.mock.calls.splice(0).map(([sent]) => (typeof sent === 'string' ? sent : 'statement'));
    const settings = "SELECT concat_ws(' ', current_setting('enable_seqscan'), current_setting('synchronous_commit'))";
    const isApplied = (sent: string) => sent.includes("set_config('enable_seqscan'");
    expect(await single.read(one(settings))).toBe('off on');
    expect(listSent().filter(isApplied)).toHaveLength(1);
    await expect(single.write(one('SELECT 1 / 0'))).rejects.toThrow();
    expect(await single.read(one(settings))).toBe('off on');
    listSent();
    expect(await single.read(one(settings))).toBe('off on');
    expect(listSent()).toEqual(['BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', 'statement', 'COMMIT']);
    // The update of the statistics has no time limit. The next transaction has one again.
    await where.query('CREATE TABLE tree (); CREATE TABLE node (); CREATE TABLE change ()');
    listSent();
    await single.updateStatistics(['tree', 'node', 'change']);
    expect(listSent()).toEqual(['SET statement_timeout = 0', 'ANALYZE tree, node, change']);
    expect(await single.read(one("SELECT current_setting('statement_timeout')"))).not.toBe('0');
    await single.close();
  });

  test('statements are prepared once per connection, or not at all when asked', async () => {
    for (const [prepare, expected] of [
      [true, 1],
      [false, 0],
    ] as const) {
      const single = await PostgresDatabase.create(parsePostgresSettings(where.url, { pool: 1, prepare }));
      for (let n = 0; n < 3; n++) await single.read(one("SELECT 'tell' || $1", String(n)));
      const kept = await single.read(
        one(
          "SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%''tell'' ||%' AND statement NOT LIKE '%pg_prepared%'",
        ),
      );
      expect(kept).toBe(expected);
      await single.close();
    }
  });
});

describe('a server that becomes unreachable', () => {
  test('fails running statements, and the pool recovers by itself', { tags: ['full'] }, async () => {
    const server = await startOwnPostgresServer();
    const url = await server.createDatabase();
    const database = await PostgresDatabase.create(parsePostgresSettings(url, { pool: 3, connectTimeout: 20_000 }));
    await database.write(() => execute('CREATE TABLE t (id INT PRIMARY KEY)'));
    // The idle connections are cut without an error. The next use notices and replaces them.
    await Promise.all([1, 2, 3].map((id) => database.write(() => execute('INSERT INTO t (id) VALUES ($1)', id))));
    await server.restart('SIGKILL');
    expect(await database.read(one('SELECT count(*) FROM t'))).toBe(3);
    const slow = expectRefusalCode(database.read(() => queryRows('SELECT pg_sleep(30)')));
    const sleeping = `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'`;
    await expect.poll(() => server.query(sleeping, url)).toHaveLength(1);
    await server.stop('SIGQUIT');
    expect(await slow).toBe('store/unavailable');
    expect(await expectRefusalCode(database.read(() => queryRows('SELECT 1')))).toBe('store/unavailable');
    await server.start();
    expect(await database.read(one('SELECT count(*) FROM t'))).toBe(3);
    await database.close();
    await server.close();
  });
});

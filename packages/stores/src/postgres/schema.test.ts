// @module-tag full
import { treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { createPreparedDatabase, readAllRows } from '../../test/postgres-subject.ts';
import { listRefusedChanges, rootNumberSql } from '../../test/refused-rows.ts';
import { nodeNumbersPerTree } from '../sql/numbers.ts';
import { queryRow, queryRows } from '../sql/query.ts';
import { PostgresDatabase } from './database.ts';
import { open } from './index.ts';
import { migratePostgres, type PostgresMigration, postgresMigrations } from './migrations.ts';
import { parsePostgresSettings } from './options.ts';
import { newestSchemaVersion, readSchemaVersionNumber } from './schema-version.ts';

describe('the database itself refuses', () => {
  let database: TestDatabase;
  const [first, second] = [treeId(testUuid(1)), treeId(testUuid(2))];
  let ids: readonly string[] = [];
  beforeAll(async () => {
    database = await createPreparedDatabase();
    const store = await open(database.url);
    ids = await (await TestTree.make({ store, treeId: first })).addMessages(['a', 'b']);
    await TestTree.make({ store, treeId: second });
    await store.close();
  });
  afterAll(() => database.drop());

  test.each<readonly [name: string, sql: string]>([
    ...listRefusedChanges(first, second),
    [
      'a root of no tree',
      `UPDATE node SET no = ${rootNumberSql(second)} + ${7 * nodeNumbersPerTree}, root_of = root_of + 7 WHERE no = ${rootNumberSql(second)}`,
    ],
    ['a root in a group', "UPDATE node SET group_id = 1 WHERE role = 'root'"],
    ['a status that there is not', "UPDATE node SET status = 'done' WHERE role = 'user'"],
    ['two commits of one version', `UPDATE change SET version = 1 WHERE tree_id = '${first}'`],
  ])('%s', async (_, sql) => {
    expect(ids).toHaveLength(2);
    const before = await readAllRows(database);
    await expect(database.query(sql)).rejects.toThrow(/violates/);
    expect(await readAllRows(database)).toBe(before);
  });
});

describe('migrations', () => {
  let where: TestDatabase;
  let database: PostgresDatabase;
  beforeAll(async () => {
    where = await createTestDatabase();
    database = await PostgresDatabase.create(parsePostgresSettings(where.url, {}));
  });
  afterAll(async () => {
    await database.close();
    await where.drop();
  });

  const one: PostgresMigration = { version: 1, statements: ['CREATE TABLE first (a INT)'] };
  const two: PostgresMigration = {
    version: 2,
    statements: ['CREATE TABLE second (a INT)', 'INSERT INTO second VALUES (1)'],
  };

  test('each runs once, in order, and a failing one is rolled back', async () => {
    await database.write(() => migratePostgres('here', [one]));
    const broken: PostgresMigration = { version: 2, statements: [...two.statements, 'NOT SQL'] };
    await expect(database.write(() => migratePostgres('here', [one, broken]))).rejects.toThrow('syntax error');
    expect(await database.read(readSchemaVersionNumber)).toBe(1);
    await expect(where.query('SELECT * FROM second')).rejects.toThrow('does not exist');
    for (let n = 0; n < 2; n++) await database.write(() => migratePostgres('here', [one, two]));
    expect(await database.read(readSchemaVersionNumber)).toBe(2);
    expect(await where.query('SELECT * FROM second')).toEqual([{ a: 1 }]);
  });

  test('an older program refuses a newer schema', async () => {
    await expect(database.write(() => migratePostgres('here', [one]))).rejects.toMatchObject({ code: 'store/newer' });
  });
});

describe('updating the tables of a database in use', () => {
  const older = postgresMigrations.filter(({ version }) => version < newestSchemaVersion);

  test('[L199] waits for their lock only briefly, lets other transactions continue, tries again, and builds indexes without blocking', {
    tags: ['full'],
  }, async () => {
    const where = await createTestDatabase();
    const database = await PostgresDatabase.create(parsePostgresSettings(where.url, {}));
    await database.maintain(() => migratePostgres('here', older));
    const holding = database.client();
    await holding.connect();
    await holding.query('BEGIN; SELECT count(*) FROM tree');
    const opening = open(where.url, { lockTimeout: 100 });
    const tries = new Set<string>();
    const waiting = `SELECT virtualtransaction AS who FROM pg_locks l JOIN pg_database d ON d.oid = l.database
      WHERE d.datname = current_database() AND l.mode = 'AccessExclusiveLock' AND NOT l.granted`;
    const countTries = async () => {
      for (const { who } of await where.query(waiting)) tries.add(String(who));
      return tries.size;
    };
    await expect.poll(countTries, { timeout: 60_000, interval: 10 }).toBeGreaterThan(1);
    // Between two attempts of the migration, others can use the tables.
    expect(await where.query('SELECT count(*)::int AS n FROM tree')).toEqual([{ n: 0 }]);
    await holding.end();
    const store = await opening;
    expect(await store.info()).toMatchObject({ schemaVersion: newestSchemaVersion });
    const built = "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'change_place'::regclass";
    expect(await where.query(built)).toEqual([{ valid: true }]);
    await store.close();
    await database.close();
    await where.drop();
  });

  test('[L199] an index that is missing or whose build was interrupted is built by the next opening', async () => {
    const where = await createPreparedDatabase();
    const store = await open(where.url);
    const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
    await fixture.addMessages(['a needle']);
    await store.search({ text: 'needle' });
    await store.close();
    await where.query('DROP INDEX change_feed');
    await where.query(
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid IN ('change_place'::regclass, 'search_text_trigrams'::regclass)",
    );
    const names = ['change_feed', 'change_place', 'search_text_trigrams'];
    const again = await open(where.url);
    const valid = await where.query(
      'SELECT relname AS name FROM pg_class JOIN pg_index ON indexrelid = oid WHERE indisvalid AND relname = ANY ($1) ORDER BY 1',
      [names],
    );
    expect(valid.map(({ name }) => name)).toEqual(names);
    expect((await again.fsck()).findings).toEqual([]);
    await again.close();
    await where.drop();
  });

  test('[L199] is not limited by the timeout of a statement', async () => {
    const where = await createTestDatabase();
    const hasty = await PostgresDatabase.create(parsePostgresSettings(where.url, { statementTimeout: 50 }));
    const slow: PostgresMigration = { version: 1, statements: ['CREATE TABLE first (a INT)', 'SELECT pg_sleep(0.3)'] };
    await hasty.maintain(() => migratePostgres('here', [slow]));
    expect(await where.query('SELECT version::int AS version FROM coppice_schema')).toEqual([{ version: 1 }]);
    await hasty.close();
    await where.drop();
  });
});

describe('errors of the server', () => {
  let where: TestDatabase;
  let database: PostgresDatabase;
  beforeAll(async () => {
    where = await createTestDatabase();
    await where.query(`CREATE FUNCTION fail(state TEXT) RETURNS TEXT LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'said %', state USING ERRCODE = state; END $$`);
    database = await PostgresDatabase.create(parsePostgresSettings(where.url, { pool: 1 }));
  });
  afterAll(async () => {
    await database.close();
    await where.drop();
  });

  test.each([
    ['08006', 'store/unavailable', true],
    ['57P01', 'store/unavailable', true],
    ['57P03', 'store/unavailable', true],
    ['53300', 'store/unavailable', true],
    ['53100', 'store/full', true],
    ['25006', 'tree/read-only', false],
    ['42501', 'tree/read-only', false],
    ['40001', 'store/unavailable', true],
    ['40P01', 'store/unavailable', true],
    ['55P03', 'store/locked', true],
    ['57014', 'store/unavailable', true],
    ['XX001', 'store/damaged', false],
    ['42P01', 'store/damaged', false],
  ])('%s is %s', async (state, code, retryable) => {
    const failing = database.read(() => queryRows('SELECT fail($1)', state));
    await expect(failing).rejects.toMatchObject({ code, retryable, data: { state } });
    // The connection of the pool, which has only one, was returned and still works.
    expect(await database.read(() => queryRow('SELECT 1 AS one'))).toEqual({ one: 1 });
  });

  test('a defect of ours keeps its error', async () => {
    await expect(database.read(() => queryRows('SELECT fail($1)', '23514'))).rejects.toThrow('said 23514');
  });

  test('an invalid index is a finding', async () => {
    const place = await createPreparedDatabase();
    await place.query("UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'tree_recent'::regclass");
    const store = await open(place.url);
    expect((await store.fsck()).findings.map((finding) => finding.message)).toEqual([
      'The index tree_recent is invalid. Rebuild it with REINDEX.',
    ]);
    await store.close();
    await place.drop();
  });
});

describe('a new database', () => {
  test('[L42] gets statistics while it grows, and then finds a node by its key and not by its tree', async () => {
    const database = await createPreparedDatabase();
    const store = await open(database.url);
    const fixture = await TestTree.make({ store });
    for (let turn = 0; turn < 4; turn++)
      await fixture.addMessages(Array.from({ length: 40 }, (_, index) => `${turn} ${index}`));
    await store.close();
    const counted = await database.query("SELECT reltuples AS n FROM pg_class WHERE oid = to_regclass('node')");
    expect(Number(counted[0]?.n)).toBeGreaterThanOrEqual(64);
    await database.drop();
  });
});

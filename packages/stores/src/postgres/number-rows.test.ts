// @module-tag full
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import { ask, run, textMessage } from '@coppice/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { execute, type SqlParameter, type SqlRow, type SqlTask } from '../sql/query.ts';
import {
  addLongTree,
  longTreeId,
  readSchemaFixtureAnswers,
  schemaFixtureAnswers,
  schemaFixtureVersion,
  withSqliteFile,
  writeSchemaFixture,
} from '../torture/schema-fixture.ts';
import { PostgresDatabase } from './database.ts';
import { open } from './index.ts';
import { migratePostgres, postgresMigrations } from './migrations.ts';
import { parsePostgresSettings } from './options.ts';
import { newestSchemaVersion } from './schema-version.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-numbers-'));
const added = 25_000;
let template: TestDatabase;

// The statements of version 7, without storing lists as rows.
const withoutLists = [
  'DROP TABLE linear_node',
  'DROP INDEX tree_linear',
  'DROP VIEW v_conversation',
  'ALTER TABLE tree DROP COLUMN linear_form',
  'CREATE VIEW v_conversation AS SELECT id, version, active_node_id FROM tree',
];

function param(value: unknown): SqlParameter {
  return value instanceof Uint8Array || typeof value === 'string' || typeof value === 'number' ? value : null;
}

function* load(tables: ReadonlyMap<string, readonly SqlRow[]>): SqlTask<void> {
  for (const [table, rows] of tables)
    for (const row of rows) {
      // Log positions are assigned by each database, so they are not compared.
      const columns = Object.keys(row).filter((column) => table !== 'change' || column !== 'id');
      const parameters = columns.map((_, at) => `$${at + 1}`).join(', ');
      const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${parameters})`;
      yield* execute(sql, ...columns.map((column) => param(row[column])));
    }
}

beforeAll(async () => {
  const path = join(folder, 'fixture.db');
  writeSchemaFixture(path);
  addLongTree(path, added);
  const tables = withSqliteFile(
    path,
    (file) =>
      new Map(
        [
          'tree',
          'node',
          'node_alias',
          'node_content',
          'change',
          'bookmark',
          'provenance',
          'external_id',
          'run',
          'node_copy',
        ].map((table) => [table, file.all(`SELECT * FROM ${table}`)]),
      ),
  );
  template = await createTestDatabase();
  const database = await PostgresDatabase.create(parsePostgresSettings(template.url, {}));
  const before = postgresMigrations.filter(({ version }) => version <= schemaFixtureVersion);
  await database.write(() => migratePostgres('here', before));
  await database.write(function* () {
    for (const sql of withoutLists) yield* execute(sql);
    yield* load(tables);
  });
  await database.close();
});
afterAll(async () => {
  await template.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('[L200] a database from before row numbers gives the same results as before', async () => {
  const place = await copyTestDatabase(template);
  const reports: (readonly [number, number])[] = [];
  const store = await open(place.url, { onMigration: (done, total) => reports.push([done, total]) });
  expect((await store.info()).schemaVersion).toBe(newestSchemaVersion);
  expect(await readSchemaFixtureAnswers(store)).toEqual(schemaFixtureAnswers);
  expect((await store.fsck()).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(await store.read(longTreeId, () => ask('links', {}))).toHaveLength(added);
  expect(reports.length).toBeGreaterThan(1);
  expect(reports.at(-1)?.[0]).toBe(reports.at(-1)?.[1]);
  const context = { actor: 'me', kit: messageKit, now: () => 1, newId: () => crypto.randomUUID() };
  await run(
    store,
    { type: 'append', treeId: longTreeId, messages: [{ message: textMessage('user', 'after it') }] },
    context,
  );
  await store.close();
  await place.drop();
});

test('[L200] several programs that open it at once migrate it once', async () => {
  const place = await copyTestDatabase(template);
  const stores = await Promise.all([open(place.url), open(place.url), open(place.url)]);
  for (const store of stores) expect(await readSchemaFixtureAnswers(store)).toEqual(schemaFixtureAnswers);
  for (const store of stores) await store.close();
  await place.drop();
});

test('[L200] a migration that fails in the middle leaves the tables unchanged', async () => {
  const place = await copyTestDatabase(template);
  const failing = open(place.url, {
    onMigration: (done) => {
      if (done > added / 2) throw new Error('stopped');
    },
  });
  await expect(failing).rejects.toThrow('stopped');
  expect(await place.query('SELECT version FROM coppice_schema')).toEqual([{ version: String(schemaFixtureVersion) }]);
  const store = await open(place.url);
  expect(await readSchemaFixtureAnswers(store)).toEqual(schemaFixtureAnswers);
  await store.close();
  await place.drop();
});

// @module-tag full
import { treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDatabase } from '../../test/postgres.ts';
import { createPreparedDatabase } from '../../test/postgres-subject.ts';
import { takeItems } from '../conformance/subject.ts';
import { PostgresDatabase } from './database.ts';
import { open } from './index.ts';
import { migratePostgres, type PostgresMigration, postgresMigrations } from './migrations.ts';
import { parsePostgresSettings } from './options.ts';
import { firstSchemaWithCompatibilityRule, newestSchemaVersion } from './schema-version.ts';

const current = newestSchemaVersion;

// The migrations of three later programs: one adds a column, one makes it required for writers, one removes an old one.
const expand: PostgresMigration = {
  version: current + 1,
  statements: ['tree', 'node', 'change', 'bookmark', 'node_content', 'run'].map(
    (table) => `ALTER TABLE ${table} ADD COLUMN colour TEXT`,
  ),
  oldest: { reader: current, writer: current },
};
const migrate: PostgresMigration = {
  version: current + 2,
  statements: ["UPDATE tree SET colour = 'green'", 'ALTER TABLE tree ALTER COLUMN colour SET NOT NULL'],
  oldest: { reader: current, writer: current + 1 },
};
const contract: PostgresMigration = {
  version: current + 3,
  statements: ['ALTER TABLE tree DROP COLUMN pinned'],
  oldest: { reader: current + 2, writer: current + 2 },
};

test('[L214] the newest migration has the version that this program knows, and each one after the first release states which older programs may continue', () => {
  expect(Math.max(...postgresMigrations.map(({ version }) => version))).toBe(newestSchemaVersion);
  const later = postgresMigrations.filter(({ version }) => version > firstSchemaWithCompatibilityRule);
  expect(later.filter(({ oldest }) => oldest === undefined)).toEqual([]);
});

describe('beside the tables of a newer program', () => {
  let where: TestDatabase;
  let newer: PostgresDatabase;
  const update = (list: readonly PostgresMigration[]) =>
    newer.maintain(() => migratePostgres('here', [...postgresMigrations, ...list]));
  beforeAll(async () => {
    where = await createPreparedDatabase();
    newer = await PostgresDatabase.create(parsePostgresSettings(where.url, {}));
  });
  afterAll(async () => {
    await newer.close();
    await where.drop();
  });

  test('[L214, L215] an older program writes while it may, then only reads, then is refused, and says what to do', async () => {
    const running = await open(where.url);
    const fixture = await TestTree.make({ store: running, treeId: treeId(testUuid(1)) });
    await fixture.addMessages(['before']);
    await running.history(fixture.treeId);
    await takeItems(running.feed(fixture.treeId, 0), 2);

    await update([expand]);
    // The running program has prepared statements from before the update.
    expect(await takeItems(running.feed(fixture.treeId, 0), 2)).toHaveLength(2);
    await fixture.addMessages(['beside']);
    expect(await running.history(fixture.treeId)).toHaveLength(3);
    const opened = await open(where.url);
    const about = await opened.info();
    expect([about.readOnly, about.schemaVersion]).toEqual([false, current + 1]);
    expect(about.notes.join()).toContain(`updated to version ${current + 1}`);
    expect(about.notes.join()).toContain('goes on reading and writing');
    const other = await TestTree.make({ store: opened, treeId: treeId(testUuid(2)) });
    await other.addMessages(['as well']);
    expect((await opened.fsck()).findings).toEqual([]);

    await update([expand, migrate]);
    const refused = { code: 'store/newer', kind: 'refused' };
    await expect(fixture.addMessages(['too late'])).rejects.toMatchObject(refused);
    await expect(fixture.addMessages(['again'])).rejects.toThrow('must be updated to write');
    expect((await running.history(fixture.treeId)).map(({ version }) => version)).toEqual([3, 2, 1]);
    const reader = await open(where.url);
    expect(await reader.info()).toMatchObject({ readOnly: true });
    expect((await reader.info()).notes.join()).toContain('it can only read. Update it to write.');
    expect((await reader.trees()).items).toHaveLength(2);
    await expect(new TestTree(reader, fixture.treeId).addMessages(['no'])).rejects.toMatchObject(refused);

    await update([expand, migrate, contract]);
    await expect(open(where.url)).rejects.toMatchObject({ ...refused, data: { oldestReader: current + 2 } });
    await expect(open(where.url)).rejects.toThrow('Update this program; nothing was changed.');
    await Promise.all([running, opened, reader].map((store) => store.close()));
  });

  test('[L215] a program that knows the tables writes to them', async () => {
    const insert = `INSERT INTO change (tree_id, version, act_id, actor, at, kind, seq, structural, is_act, steps, owner)
      VALUES ('x', 1, 'a', 'me', 1, 'do', 0, 1, 1, '[]', 'me')`;
    await expect(where.query(insert)).rejects.toThrow('the program is too old for the tables');
    await where.query(`DO $$ BEGIN PERFORM set_config('coppice.schema', '${current + 2}', true); ${insert}; END $$`);
    expect(await where.query("SELECT version::int AS version FROM change WHERE tree_id = 'x'")).toEqual([
      { version: 1 },
    ]);
  });
});

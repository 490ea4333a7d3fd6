import { isAppError, readPage, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PgBouncer, startPgBouncer } from '../../test/pgbouncer.ts';
import { createTestDatabase } from '../../test/postgres.ts';
import { createPostgresSubject, createPreparedDatabase } from '../../test/postgres-subject.ts';
import { runStoreConformance } from '../conformance/index.ts';
import { open } from './index.ts';

let bouncer: PgBouncer;

beforeAll(async () => {
  const database = await createTestDatabase();
  bouncer = await startPgBouncer(database.url, 'transaction');
});

afterAll(() => bouncer.close());

runStoreConformance(createPostgresSubject('postgres behind PgBouncer', {}, (url) => bouncer.urlOf(url)));

test('[L177] behind PgBouncer in transaction mode two stores write at once, every commit is durable and a note reports the mode', async () => {
  const database = await createPreparedDatabase();
  await database.query('CREATE TABLE noted (setting TEXT)');
  await database.query(`CREATE FUNCTION note_setting() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO noted VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$`);
  await database.query('CREATE TRIGGER noting BEFORE INSERT ON change FOR EACH ROW EXECUTE FUNCTION note_setting()');
  const url = bouncer.urlOf(database.url);
  const [here, there] = [await open(url), await open(url)];
  const trees = Array.from({ length: 8 }, (_, at) => treeId(testUuid(at + 1)));
  await Promise.all(
    trees.map(async (id, at) => {
      const fixture = await TestTree.make({ store: at % 2 === 0 ? here : there, treeId: id });
      for (let turn = 0; turn < 20; turn++) await fixture.addMessages([`tree ${at} turn ${turn}`]);
    }),
  );
  for (const [at, id] of trees.entries()) {
    const { nodes } = await there.read(id, () => readPage(id));
    expect(nodes.at(-1)?.text).toBe(`tree ${at} turn 19`);
  }
  expect(await database.query('SELECT DISTINCT setting FROM noted')).toEqual([{ setting: 'on' }]);
  expect((await here.info()).notes.join()).toContain('pooler');
  await Promise.all([here.close(), there.close()]);
  await database.drop();
});

test('[L178] statement mode is refused at opening, and the message names the setting to change', async () => {
  const database = await createPreparedDatabase();
  const statements = await startPgBouncer(database.url, 'statement');
  const refused = await open(statements.urlOf(database.url)).catch((error: unknown) => error);
  expect(isAppError(refused) && refused.code).toBe('store/unavailable');
  expect(String(refused)).toContain('pool_mode = transaction');
  await statements.close();
  await database.drop();
});

// @module-tag full
/**
 * Tests with a dump of a database of schema version 9, which the program of that time wrote and `pg_dump` saved, and
 * with its answers.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { messageKit } from '@coppice/content';
import { ask, run, type Store, type TreeId, textMessage, treeId } from '@coppice/core';
import { expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/postgres.ts';
import { open } from './index.ts';
import { newestSchemaVersion } from './schema-version.ts';

function unpacked(name: string): string {
  return gunzipSync(readFileSync(new URL(`./fixtures/${name}.gz`, import.meta.url))).toString();
}

const answers = JSON.parse(unpacked('schema-9.json')) as { readonly trees: readonly string[] };
const trees: readonly TreeId[] = answers.trees.map((id) => treeId(id));
const me = { actor: 'me', kit: messageKit, now: Date.now, newId: () => crypto.randomUUID() };

async function restoreDump(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  await database.query(unpacked('schema-9.sql'));
  return database;
}

/** Returns the answers of a store in the form of the fixture. */
async function answersOf(store: Store): Promise<unknown> {
  const dump: unknown[] = [];
  for (const id of trees)
    dump.push({
      rows: await store.read(id, () => ask('rows', {})),
      log: await store.read(id, () => ask('log', { since: 0 })),
      trash: await store.trash(id),
      history: await store.history(id),
    });
  const [search, list] = [await store.search({ text: 'today' }), await store.trees({ limit: 100 })];
  return JSON.parse(JSON.stringify({ trees, dump, search, list }));
}

test('[L210] a database of an earlier version gives the same answers, passes the check and accepts changes', async () => {
  const database = await restoreDump();
  expect(await database.query('SELECT version FROM coppice_schema')).toEqual([{ version: '9' }]);
  const store = await open(database.url, {});
  onTestFinished(() => store.close());
  expect((await store.info()).schemaVersion).toBe(newestSchemaVersion);
  expect(await answersOf(store)).toEqual(answers);
  expect((await store.fsck()).findings).toEqual([]);
  const [first, second] = trees;
  if (first === undefined || second === undefined) throw new Error('The fixture has two trees.');
  // Commits from before the upgrade can be undone after it.
  await run(store, { type: 'undo', treeId: first }, me);
  await run(store, { type: 'redo', treeId: first }, me);
  await run(store, { type: 'append', treeId: second, messages: [{ message: textMessage('user', 'After it.') }] }, me);
  expect((await store.search({ text: 'after it' })).items).toHaveLength(1);
  expect((await store.fsck()).findings).toEqual([]);
});

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { messageKit } from '@coppice/content';
import { ask, nodeId, type RunContext, readPage, run, type Store, textMessage, treeId } from '@coppice/core';
import { afterEach, expect, it } from 'vitest';
import { readSchemaFixtureAnswers, schemaFixtureAnswers, writeSchemaFixture } from '../torture/schema-fixture.ts';
import { loadSqliteModule, SqliteConnection } from './driver.ts';
import { open } from './index.ts';

const folders: string[] = [];

function placeOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-sqlite-'));
  folders.push(folder);
  return join(folder, 'trees.db');
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const me: RunContext = { actor: 'me', kit: messageKit, now: Date.now, newId: () => crypto.randomUUID() };
const id = treeId('01890c2e-0000-7000-8000-000000000001');
const said = (text: string) => ({ message: textMessage('user', text) });

function withConnection<T>(path: string, work: (connection: SqliteConnection) => T): T {
  const connection = new SqliteConnection(new (loadSqliteModule().DatabaseSync)(path));
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/** The statements that revert versions 6 to 9 in a file from before the migration to row numbers. */
const withoutVersion6 = [
  'ALTER TABLE blob_put DROP COLUMN waiting',
  'ALTER TABLE tree ADD COLUMN linear_form TEXT',
  'CREATE INDEX tree_linear ON tree (owner, id) WHERE linear_form IS NOT NULL',
  'CREATE TABLE linear_node (id TEXT NOT NULL PRIMARY KEY, tree_id TEXT NOT NULL)',
  'DROP TRIGGER node_forgotten',
  'DROP TABLE node_indexed',
  'DROP TABLE node_copy',
  'DROP TABLE residue',
  'DROP TABLE sealed_record',
  'ALTER TABLE search_state DROP COLUMN from_place',
  'CREATE TRIGGER node_forgotten AFTER DELETE ON node BEGIN SELECT 1; END',
].join(';');

/** Returns a file of version 5 as the program of that time wrote it, with an 18 kB text that was purged. */
function fileOfVersion5(): string {
  const path = placeOf();
  writeFileSync(path, gunzipSync(readFileSync(new URL('./fixtures/schema-5.db.gz', import.meta.url))));
  return path;
}

it('[L74] purged texts that an older version left in its file are removed when it is opened', async () => {
  const path = fileOfVersion5();
  const left = () => readFileSync(path).toString('latin1').split('Gone0').length - 1;
  expect(left()).toBeGreaterThan(500);
  const reader = await open(path, { readOnly: true });
  expect((await reader.search({ text: 'second answer' })).items).toHaveLength(2);
  await reader.close();
  const store = await open(path, {});
  expect(left()).toBe(0);
  for (const [words, hits] of [
    ['first', 3],
    ['second answer', 2],
    ['answer of', 2],
  ] as const)
    expect((await store.search({ text: words })).items).toHaveLength(hits);
  const tree = treeId('01890c2e-0000-7000-8000-000000000006');
  await run(store, { type: 'delete-tree', treeId: tree }, me);
  const { copies } = await store.purgeTree(tree);
  expect(copies.map((copy) => copy.title)).toEqual(['A tree of schema 5']);
  expect((await store.fsck()).findings).toEqual([]);
  await store.close();
  // The migration left a backup of the old file.
  expect(existsSync(`${path}.before-schema-11-from-5.bak`)).toBe(true);
});

it('[L40] tables of an older version are upgraded after they were copied, and nothing is lost', async () => {
  const path = placeOf();
  writeSchemaFixture(path);
  withConnection(path, ({ database }) => {
    database.exec(withoutVersion6);
    database.exec('DROP INDEX node_match');
    database.exec(
      'CREATE INDEX node_match ON node (tree_id, match_parent, equality_key) WHERE equality_key IS NOT NULL AND removed_in IS NULL',
    );
    database.exec('ALTER TABLE share DROP COLUMN version');
    database.exec('DROP TABLE blob_put');
    database.exec('DROP TABLE linear_node');
    database.exec('PRAGMA user_version = 1');
  });
  const store = await open(path, {});
  expect((await store.info()).schemaVersion).toBe(11);
  expect(await readSchemaFixtureAnswers(store)).toEqual(schemaFixtureAnswers);
  const { rootId, nodes } = await store.read(id, () => readPage(id));
  const resent = [...nodes.flatMap(({ message }) => (message === null ? [] : [{ message }])), said('one more')];
  const { result } = await run(store, { type: 'append', treeId: id, parentId: rootId, messages: resent }, me);
  expect(result.added).toHaveLength(1);
  await store.close();
  expect(existsSync(`${path}.before-schema-11-from-1.bak`)).toBe(true);
});

/**
 * Returns the answers of a store about every tree of the version 5 file, to compare them with those of that version.
 */
async function answersOf(store: Store): Promise<unknown> {
  const dump: unknown[] = [];
  for (const tree of [1, 6, 20, 30, 40]) {
    const at = treeId(`01890c2e-0000-7000-8000-${String(tree).padStart(12, '0')}`);
    dump.push(await store.read(at, () => ask('rows', {})));
  }
  return JSON.parse(JSON.stringify({ dump, trees: await store.trees(), search: await store.search({ text: 'list' }) }));
}

const answersThen: unknown = JSON.parse(readFileSync(new URL('./fixtures/schema-5.json', import.meta.url), 'utf8'));

it('[L40] lists of an older version become rows, and every tree gives the same results', async () => {
  const path = fileOfVersion5();
  const store = await open(path, { treeWrites: 'off' });
  expect(await answersOf(store)).toEqual(answersThen);
  expect((await store.fsck()).findings).toEqual([]);
  const list = treeId('01890c2e-0000-7000-8000-000000000020');
  const own = nodeId('01890c2e-0000-7000-8000-000000000021');
  expect(await store.read(id, () => ask('home', { id: own }))).toBe(list);
  await store.close();
  const branching = await open(path, {});
  const taken = { type: 'append', treeId: list, messages: [{ ...said('another'), id: own }] } as const;
  await expect(run(branching, taken, me)).rejects.toMatchObject({ code: 'id/taken' });
  await run(branching, { type: 'append', treeId: list, messages: [said('more')] }, me);
  expect(await branching.formatOf(list)).toBe('tree');
  for await (const { left } of branching.backfill()) expect(left).toBe(0);
  expect((await branching.fsck()).findings).toEqual([]);
  await branching.close();
});

it('[L40] lists of an older version can be read in a read-only file, which stays unchanged', async () => {
  const path = fileOfVersion5();
  const bytes = readFileSync(path);
  const store = await open(path, { readOnly: true, treeWrites: 'off' });
  expect(await answersOf(store)).toEqual(answersThen);
  expect((await store.info()).notes.join()).toContain('older format');
  await store.close();
  expect(readFileSync(path).equals(bytes)).toBe(true);
});

it('[L41] a writer continues after the writes of another process, not after its own last one', async () => {
  const path = placeOf();
  const one = await open(path, {});
  const other = await open(path, {});
  await run(one, { type: 'create', treeId: id }, me);
  for (let turn = 0; turn < 3; turn++)
    for (const [name, store] of [
      ['one', one],
      ['other', other],
    ] as const) {
      await run(store, { type: 'append', treeId: id, messages: [said(`${name} ${turn}`)] }, me);
      await run(store, { type: 'append', treeId: id, messages: [said(`${name} ${turn} again`)] }, me);
    }
  const { nodes } = await one.read(id, () => readPage(id));
  expect(nodes.map((node) => node.text)).toEqual(
    [0, 1, 2].flatMap((turn) => [`one ${turn}`, `one ${turn} again`, `other ${turn}`, `other ${turn} again`]),
  );
  await one.close();
  await other.close();
});

it('[L41] refused and rolled back writes are not continued from', async () => {
  const store = await open(placeOf(), {});
  await run(store, { type: 'create', treeId: id }, me);
  await run(store, { type: 'append', treeId: id, messages: [said('kept')] }, me);
  const taken = crypto.randomUUID();
  await run(store, { type: 'append', treeId: id, messages: [{ ...said('named'), id: taken }] }, me);
  const outcomes = await Promise.allSettled([
    run(store, { type: 'append', treeId: id, messages: [said('beside')] }, me),
    run(store, { type: 'append', treeId: id, messages: [{ ...said('another text'), id: taken }] }, me),
    run(store, { type: 'append', treeId: id, messages: [said('after')] }, me),
  ]);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await run(store, { type: 'undo', treeId: id }, me);
  await run(store, { type: 'append', treeId: id, messages: [said('instead')] }, me);
  const { nodes } = await store.read(id, () => readPage(id));
  expect(nodes.map((node) => node.text)).toEqual(['kept', 'named', 'beside', 'instead']);
  expect((await store.fsck()).findings).toEqual([]);
  await store.close();
});

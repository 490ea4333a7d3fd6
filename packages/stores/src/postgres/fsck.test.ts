// @module-tag full
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, type Store, treeId, type WorkProgress } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { insertTreeCopies } from '../../test/insert-tree-copies.ts';
import { countRowsRead, type TestDatabase, waitForClosedConnections } from '../../test/postgres.ts';
import { createPreparedDatabase } from '../../test/postgres-subject.ts';
import { open } from './index.ts';

let database: TestDatabase;
let store: Store;

beforeEach(async () => {
  database = await createPreparedDatabase();
  store = await open(database.url);
});

afterEach(async () => {
  vi.restoreAllMocks();
  await store.close();
  await database.drop();
});

/** Closes the store and waits until its reads are counted. */
async function endConnections(): Promise<void> {
  await store.close();
  await waitForClosedConnections(database);
}

const perTree = 400;

async function manyTrees(copies: number): Promise<TestTree> {
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
  await fixture.addMessages(Array.from({ length: perTree }, (_, at) => `message ${at}`));
  await insertTreeCopies(database.query, fixture.treeId, 1, copies);
  return fixture;
}

test('[L212] the check of one tree reads the rows of that tree, however many others there are', async () => {
  const fixture = await manyTrees(1);
  const readBy = async () => {
    await endConnections();
    const before = await countRowsRead(database, 'node');
    store = await open(database.url);
    const report = await store.fsck({ treeId: fixture.treeId });
    expect(report).toMatchObject({ trees: 1, nodes: perTree + 1, findings: [] });
    await endConnections();
    const read = (await countRowsRead(database, 'node')) - before;
    store = await open(database.url);
    return read;
  };
  const few = await readBy();
  expect(few).toBeGreaterThan(perTree);
  await insertTreeCopies(database.query, fixture.treeId, 2, 30);
  // New statistics may change a plan a little, but no plan may read the other trees.
  expect(await readBy()).toBeLessThan(2 * few);
});

test('[L212] the check of all trees runs in parts, has one part in memory at a time and reports its progress', async () => {
  await manyTrees(31);
  const reported: WorkProgress[] = [];
  const sent = vi.spyOn(Client.prototype, 'query');
  const report = await store.fsck({ onProgress: (progress) => reported.push(progress) });
  expect(report).toMatchObject({ trees: 32, nodes: 32 * (perTree + 1), findings: [] });
  expect(reported.length).toBeGreaterThanOrEqual(3);
  expect(reported.map(({ done }) => done)).toEqual([...reported.map(({ done }) => done)].sort((a, b) => a - b));
  expect(reported.at(-1)).toEqual({ done: 32, total: 32 });
  const answers = (await Promise.all(sent.mock.results.map(({ value }) => value))).flat();
  expect(Math.max(...answers.map(({ rows }) => rows.length))).toBeLessThanOrEqual(perTree + 1);
});

test('[L212] checking in parts finds the same: nodes without a tree, and references to missing trees', async () => {
  const fixture = await manyTrees(20);
  await database.query(`SET session_replication_role = replica;
    DELETE FROM tree WHERE no = (SELECT max(no) FROM tree);
    INSERT INTO bookmark (tree_id, node_id, title, created_at, updated_at) VALUES ('none', 'nobody', 'gone', 1, 1)`);
  const { findings } = await store.fsck();
  const codes = new Map<string, number>();
  for (const { code } of findings) codes.set(code, (codes.get(code) ?? 0) + 1);
  expect(Object.fromEntries(codes)).toEqual({ 'I05 node-without-conversation': perTree + 1, 'bookmark-dangling': 1 });
  expect((await store.fsck({ treeId: fixture.treeId })).findings).toEqual([]);
});

test('[Q31] a tree whose own row is missing is repaired with the root that its nodes have', async () => {
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
  await fixture.addMessages(['one', 'two']);
  const before = await store.read(fixture.treeId, () => ask('rows', {}));
  await store.close();
  await database.query('SET session_replication_role = replica; DELETE FROM tree');
  store = await open(database.url);
  await store.fsck({ repair: true });
  const { items } = await store.trees();
  expect(items.map(({ attributes }) => attributes.title)).toEqual(['Recovered']);
  const repaired = items[0]?.id ?? fixture.treeId;
  const rows = await store.read(repaired, () => ask('rows', {}));
  expect(rows?.row.rootId).toBe(before?.row.rootId);
  expect(rows?.nodes.map((node) => node.text)).toEqual(['', 'one', 'two']);
  expect((await store.fsck()).findings).toEqual([]);
  expect((await store.fsck({ repair: true })).repaired).toEqual([]);
});

test('[L212] a backup is copied in parts and reports its progress', async () => {
  await manyTrees(9);
  const reported: WorkProgress[] = [];
  const to = join(tmpdir(), `coppice-copy-${randomUUID()}.db`);
  const sent = vi.spyOn(Client.prototype, 'query');
  try {
    await store.backup(to, { onProgress: (progress) => reported.push(progress) });
  } finally {
    rmSync(to, { force: true });
  }
  const answers = (await Promise.all(sent.mock.results.map(({ value }) => value))).flat();
  expect(Math.max(...answers.map(({ rows }) => rows.length))).toBeLessThanOrEqual(500);
  expect(reported.length).toBeGreaterThan(8);
  const last = reported.at(-1);
  expect(last?.done).toBe(last?.total);
  expect(last?.done).toBeGreaterThanOrEqual(10 * (perTree + 1));
});

// @module-tag full
import { randomUUID } from 'node:crypto';
import { type Store, textMessage, treeId } from '@coppice/core';
import { TestTree, testUuid } from '@coppice/core/testing';
import { afterEach, assert, beforeEach, expect, test } from 'vitest';
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
  await store.close();
  await database.drop();
});

test('[L300] each chain of new messages reads as many rows as the one before, while a new database grows', async () => {
  const id = treeId(testUuid(1));
  const [top] = await (await TestTree.make({ store, treeId: id })).addMessages(['first']);
  assert(top !== undefined);
  const chain = () => Array.from({ length: 60 }, () => ({ message: textMessage('user', randomUUID()) }));
  /** Appends chains and returns how many rows of nodes that read. */
  const appendChains = async (count: number) => {
    const before = await countRowsRead(database, 'node');
    for (let done = 0; done < count; done++)
      await new TestTree(store, id).run(
        { type: 'append', treeId: id, parentId: top, messages: chain() },
        { newId: randomUUID },
      );
    await store.close();
    await waitForClosedConnections(database);
    const read = (await countRowsRead(database, 'node')) - before;
    store = await open(database.url);
    return read;
  };
  const few = await appendChains(2);
  // One connection keeps the plans that it made while the table was small. Old row versions are read too.
  expect(await appendChains(40)).toBeLessThan(3 * 20 * few);
});

test('[L301] the newest act of a user is found without reading all of their commits, nor those of others', async () => {
  const mine = await TestTree.make({ store: store.forOwner('mine'), treeId: treeId(testUuid(1)) });
  const others = await TestTree.make({ store: store.forOwner('others'), treeId: treeId(testUuid(2)) });
  for (const fixture of [mine, others]) {
    const [top] = await fixture.addMessages(['first']);
    for (let at = 0; at < 300; at++) await fixture.addMessages([`message ${at}`], top);
  }
  await store.close();
  await waitForClosedConnections(database);
  const before = await countRowsRead(database, 'change');
  store = await open(database.url);
  expect(await store.forOwner('mine').newestAct('me', 'undoable')).toMatchObject({ treeId: mine.treeId });
  expect(await store.forOwner('mine').newestAct('me', 'redoable')).toBeNull();
  await store.close();
  await waitForClosedConnections(database);
  expect((await countRowsRead(database, 'change')) - before).toBeLessThan(100);
  store = await open(database.url);
});

test('[L302] after a search has copied many texts, the server knows how many there are', async () => {
  const fixture = await TestTree.make({ store, treeId: treeId(testUuid(1)) });
  await fixture.addMessages([...Array.from({ length: 1_200 }, (_, at) => `message ${at}`), 'zebra']);
  expect((await store.search({ text: 'zebra' })).items).toHaveLength(1);
  const [table] = await database.query("SELECT reltuples::int AS n FROM pg_class WHERE oid = 'search_text'::regclass");
  expect(table).toEqual({ n: 1_201 });
});

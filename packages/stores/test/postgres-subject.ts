/** PostgreSQL as the conformance suite works on it: each store gets a database of its own, copied from a prepared one. */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@coppice/core';
import type { StoreSubject } from '../src/conformance/index.ts';
import { open, type PostgresOptions } from '../src/postgres/index.ts';
import { open as openFile } from '../src/sqlite/index.ts';
import { copyTestDatabase, createTestDatabase, type TestDatabase } from './postgres.ts';

let template: Promise<TestDatabase> | undefined;

/** A database with Coppice's tables and nothing in them. */
export async function preparedDatabase(): Promise<TestDatabase> {
  template ??= (async () => {
    const database = await createTestDatabase();
    await (await open(database.url)).close();
    return database;
  })();
  return copyTestDatabase(await template);
}

/** Every row of every table, as text: what a place is compared by before and after. */
export async function contentsOf(database: TestDatabase): Promise<string> {
  const tables = await database.query(
    "SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = to_regnamespace('public') AND c.relkind = 'r' ORDER BY 1",
  );
  const contents: unknown[] = [];
  for (const { name } of tables)
    contents.push([name, await database.query(`SELECT * FROM "${String(name)}" AS t ORDER BY t`)]);
  return JSON.stringify(contents);
}

/** The subject, with options that every store of it is opened with. */
export function postgresSubject(name: string, always: PostgresOptions = {}): StoreSubject {
  const places = new WeakMap<Store, { readonly database: TestDatabase; readonly files: string[] }>();
  const opened = async (
    database: TestDatabase,
    options: PostgresOptions = {},
    files: string[] = [],
  ): Promise<Store> => {
    const store = await open(database.url, { pool: 4, ...always, ...options });
    places.set(store, { database, files });
    return store;
  };
  const placeOf = (store: Store) => {
    const place = places.get(store);
    if (place === undefined) throw new Error('This store was not opened by the subject.');
    return place;
  };
  return {
    name,
    open: async (options) => opened(await preparedDatabase(), options),
    reopen: async (store, options) => {
      await store.close();
      const { database, files } = placeOf(store);
      return opened(database, options, files);
    },
    beside: (store, options) => opened(placeOf(store).database, options),
    spoil: async (store, how) => {
      await store.close();
      const { database } = placeOf(store);
      await database.query(
        how === 'newer' ? 'UPDATE coppice_schema SET version = 1000000' : 'ALTER TABLE node RENAME TO node_elsewhere',
      );
      const before = await contentsOf(database);
      return { open: () => opened(database), unchanged: async () => (await contentsOf(database)) === before };
    },
    backup: async (store) => {
      const to = join(tmpdir(), `coppice-copy-${randomUUID()}.db`);
      placeOf(store).files.push(to);
      return { to, open: () => openFile(to, {}) };
    },
    destroy: async (store) => {
      await store.close();
      const { database, files } = placeOf(store);
      await database.drop();
      for (const file of files) for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    },
  };
}

/** Creates locations for the torture suite, those of PostgreSQL on the server of the test run. */
import {
  connectionCountSql,
  createFolderLocations,
  createMemoryLocations,
  createPostgresLocations,
  type StoreLocations,
} from '../src/torture/store-locations.ts';
import { copyTestDatabase, createTestDatabase, type TestDatabase } from './postgres.ts';

/** Creates locations that are databases of the shared server. */
export function createSharedServerLocations(): StoreLocations {
  const databases = new Map<string, TestDatabase>();
  const known = (database: TestDatabase): string => {
    databases.set(database.url, database);
    return database.url;
  };
  const at = (url: string): TestDatabase => {
    const database = databases.get(url);
    if (database === undefined) throw new Error('This database was not made here.');
    return database;
  };
  return createPostgresLocations({
    createDatabase: async () => known(await createTestDatabase()),
    copyDatabase: async (url) => known(await copyTestDatabase(at(url))),
    connections: async (url) => Number((await at(url).query(connectionCountSql))[0]?.['n']),
    dropDatabase: async (url) => {
      await at(url).drop();
      databases.delete(url);
    },
    close: async () => {
      for (const database of databases.values()) await database.drop();
    },
  });
}

/** Creates locations for each kind of store that outlives its process. */
export function createDurableLocations() {
  return {
    sqlite: createFolderLocations('sqlite'),
    files: createFolderLocations('files'),
    jsonl: createFolderLocations('jsonl'),
    postgres: createSharedServerLocations(),
  };
}

/** Creates locations for each kind of store. */
export function createAllLocations() {
  return { memory: createMemoryLocations(), ...createDurableLocations() };
}

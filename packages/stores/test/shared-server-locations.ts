/** Creates locations for the torture suite on the PostgreSQL server of the test run. */
import { countConnectionsSql, createPostgresLocations, type StoreLocations } from '../src/torture/store-locations.ts';
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
    connections: async (url) => Number((await at(url).query(countConnectionsSql))[0]?.['n']),
    dropDatabase: async (url) => {
      await at(url).drop();
      databases.delete(url);
    },
    close: async () => {
      for (const database of databases.values()) await database.drop();
    },
  });
}

/** The versions of the tables that this build writes. */
export { newestSchemaVersion } from '../src/postgres/schema-version.ts';
export { newestSqliteVersion } from '../src/sqlite/migrations.ts';

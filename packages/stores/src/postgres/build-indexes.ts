/**
 * Builds indexes of large tables with `CREATE INDEX CONCURRENTLY`, which does not block writes, outside a transaction
 * and without a timeout. An interrupted build leaves an invalid index, which is dropped and built again.
 */
import { queryRows, readTextColumn, type SqlTask } from '../sql/query.ts';
import type { PostgresDatabase } from './database.ts';
import { toPostgresError } from './failures.ts';
import { quoteName } from './quote.ts';

/** An index that a migration adds to a table that may be large. */
export interface TableIndex {
  readonly name: string;
  readonly table: string;
  readonly unique?: boolean;
  /** The end of the CREATE INDEX statement, after the table name. */
  readonly definition: string;
}

// The key of the advisory lock, together with the schema. It differs from the lock of migrations: a process that waits
// for that lock has a snapshot, and a concurrent build would wait for the snapshot.
const buildLock = 0x636f_7071;

/** Returns the statement that creates an index. With `of`, the name of a schema, the index is built concurrently. */
export function createIndexSql({ name, table, unique, definition }: TableIndex, of?: string): string {
  const kind = unique === true ? 'UNIQUE INDEX' : 'INDEX';
  return `CREATE ${kind}${of === undefined ? '' : ' CONCURRENTLY'} ${name} ON ${of ?? ''}${table} ${definition}`;
}

/** Returns which indexes of a list exist and are valid. */
function* validIndexes(list: readonly TableIndex[]): SqlTask<ReadonlySet<string>> {
  const found = yield* queryRows(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE c.relnamespace = to_regnamespace(current_schema()) AND i.indisvalid AND c.relname IN (SELECT unnest(CAST($1 AS TEXT[])))`,
    JSON.stringify(list.map(({ name }) => name)),
  );
  return new Set(found.map((row) => readTextColumn(row, 'name')));
}

/**
 * Builds the indexes that are missing or invalid. Does nothing while another process builds them; without the indexes
 * the store works, but more slowly.
 */
export async function buildMissingIndexes(database: PostgresDatabase, list: readonly TableIndex[]): Promise<void> {
  const isMissing = async () => {
    const valid = await database.read(() => validIndexes(list));
    return list.filter(({ name }) => !valid.has(name));
  };
  if ((await isMissing()).length === 0) return;
  const { schema } = database.settings;
  const of = schema === null ? '' : `${quoteName(schema)}.`;
  const guard = database.client();
  const builder = database.client();
  for (const client of [guard, builder]) client.on('error', () => undefined);
  try {
    await guard.connect();
    await builder.connect();
    await guard.query('BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = 0');
    // Sent as a simple query without parameters. A portal of the extended protocol would keep its snapshot until the
    // next statement, and the build would wait forever.
    const whose = `hashtext('${(schema ?? '').replaceAll("'", "''")}')`;
    const { rows } = await guard.query<{ free: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${buildLock}, ${whose}) AS free`,
    );
    if (rows[0]?.free !== true) return;
    // Behind a pooler the setting would stay on a connection that other clients use later.
    if (await database.isDirect(builder)) await builder.query('SET statement_timeout = 0; SET lock_timeout = 0');
    for (const index of await isMissing()) {
      await builder.query(`DROP INDEX CONCURRENTLY IF EXISTS ${of}${index.name}`);
      await builder.query(createIndexSql(index, of));
    }
  } catch (error) {
    throw toPostgresError(error, database.settings.place);
  } finally {
    await guard.end().catch(() => undefined);
    await builder.end().catch(() => undefined);
  }
}

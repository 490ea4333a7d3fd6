/**
 * Builds indexes of large tables without blocking writes (`CREATE INDEX CONCURRENTLY`), outside of a transaction and
 * without a time limit. If a build is interrupted, the index is invalid; it is dropped and built again.
 */
import { queryRows, type SqlTask, sqlText } from '../sql/query.ts';
import { type PostgresDatabase, quoteName } from './database.ts';
import { toPostgresError } from './failures.ts';

/** An index that a migration adds to a table which may be large. */
export interface TableIndex {
  readonly name: string;
  readonly table: string;
  readonly unique?: boolean;
  /** The part of the statement after the name of the table. */
  readonly definition: string;
}

// The key of the advisory lock, together with the schema. It is not the lock of the migrations: a process that waits
// for that lock has a snapshot, and a build would wait for the snapshot.
const buildLock = 0x636f_7071;

/** Returns the statement that creates an index: in a transaction, or with `of` concurrently in that schema. */
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
  return new Set(found.map((row) => sqlText(row, 'name')));
}

/**
 * Builds the indexes of a list that are missing or invalid. Does nothing while another process builds them: the store
 * works without them, but slower.
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
    // Sent as a simple query without parameters. A portal of the extended protocol stays open until the next statement
    // and keeps its snapshot, so the build would wait forever.
    const whose = `hashtext('${(schema ?? '').replaceAll("'", "''")}')`;
    const { rows } = await guard.query<{ free: boolean }>(
      `SELECT pg_try_advisory_xact_lock(${buildLock}, ${whose}) AS free`,
    );
    if (rows[0]?.free !== true) return;
    // Behind a pooler, the setting would stay on a connection that other clients use.
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

/**
 * Copies rows between two buckets. Values stay text, and the columns are read from the tables, so that every schema
 * version works.
 */
import type { Client } from 'pg';
import type { PostgresDatabase } from '../database.ts';
import { quoteName } from '../quote.ts';

/** A connection to a bucket outside the pool, for long transactions. */
export interface BucketConnection {
  readonly client: Client;
  /** Begins a transaction in the bucket's schema. */
  begin(level: 'READ COMMITTED' | 'REPEATABLE READ'): Promise<void>;
  commit(): Promise<void>;
  end(): Promise<void>;
}

// Values stay as the server sends them, because parsers of the driver would change some.
const unparsed = { getTypeParser: () => (value: unknown) => value };
const usualAtOnce = 500;
// Attachments are large, so only a few of them are read at a time.
const blobsAtOnce = 4;

export async function connectBucket(database: PostgresDatabase): Promise<BucketConnection> {
  const client = database.client();
  client.on('error', () => undefined);
  await client.connect();
  const { schema } = database.settings;
  const path = schema === null ? '' : `; SET LOCAL search_path = ${quoteName(schema)}`;
  return {
    client,
    begin: async (level) => {
      // A timeout of the role would end a move, and with it a lock that other moves rely on.
      await client.query(
        `BEGIN ISOLATION LEVEL ${level}; SET LOCAL synchronous_commit = on; SET LOCAL statement_timeout = 0;
        SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0${path}`,
      );
    },
    commit: async () => {
      await client.query('COMMIT');
    },
    end: () => client.end().catch(() => undefined),
  };
}

/** A column of a table, and the SQL type that its text value is cast to. */
interface Column {
  readonly name: string;
  readonly type: string;
}

async function columnsOf({ client }: BucketConnection, table: string): Promise<readonly Column[]> {
  const { rows } = await client.query<Column>({
    text: `SELECT a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type FROM pg_attribute a
      WHERE a.attrelid = CAST($1 AS REGCLASS) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
    values: [table],
    types: unparsed,
  });
  return rows;
}

/** Which rows of a table to copy: those that satisfy `condition`, in which `$1` is `parameter`. */
export interface RowsToCopy {
  readonly table: string;
  readonly condition: string;
  readonly parameter: string | readonly string[];
  /** SQL expressions for columns that are changed by the copy. In an expression, `value` is the value of the column. */
  readonly rewrite?: Readonly<Record<string, string>>;
}

/** Copies rows in batches from one bucket to another, in the open transactions. Returns how many were copied. */
export async function copyRows(
  from: BucketConnection,
  to: BucketConnection,
  { table, condition, parameter, rewrite = {} }: RowsToCopy,
): Promise<number> {
  const columns = await columnsOf(from, table);
  const names = columns.map(({ name }) => quoteName(name));
  await from.client.query({
    text: `DECLARE moved NO SCROLL CURSOR FOR SELECT ${names.map((name) => `CAST(${name} AS TEXT)`).join(', ')} FROM ${table} WHERE ${condition}`,
    values: [parameter],
  });
  const insert = `INSERT INTO ${table} (${names.join(', ')})
    SELECT ${columns.map(({ name, type }, at) => (rewrite[name] ?? 'value').replaceAll('value', `CAST(c${at} AS ${type})`)).join(', ')}
    FROM unnest(${columns.map((_, at) => `CAST($${at + 1} AS TEXT[])`).join(', ')}) AS u(${columns.map((_, at) => `c${at}`).join(', ')})`;
  let copied = 0;
  for (;;) {
    const { rows } = await from.client.query<(string | null)[]>({
      text: `FETCH ${table === 'blob' ? blobsAtOnce : usualAtOnce} FROM moved`,
      rowMode: 'array',
      types: unparsed,
    });
    if (rows.length === 0) break;
    copied += rows.length;
    await to.client.query(
      insert,
      columns.map((_, at) => rows.map((row) => row[at] ?? null)),
    );
  }
  await from.client.query('CLOSE moved');
  return copied;
}

/** Returns the first column of each row of a query, as text. */
export async function queryFirstColumn(
  { client }: BucketConnection,
  sql: string,
  ...values: readonly (string | readonly string[])[]
): Promise<string[]> {
  const { rows } = await client.query<[string]>({ text: sql, values: [...values], rowMode: 'array', types: unparsed });
  return rows.map(([first]) => first);
}

/** Provides PostgreSQL for tests: empty databases, or a separate server that a test may stop, kill and restart. */
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { expect, inject } from 'vitest';
import type { PostgresBrokerAddress } from './postgres-broker.ts';
import { PostgresServer, type PostgresServerOptions } from './postgres-server.ts';

/** Runs a statement. */
export type TestQueryFunction = (
  sql: string,
  params?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

/** An empty database on the server of the test run. */
export interface TestDatabase {
  readonly url: string;
  /** Runs a statement on a new connection. */
  readonly query: TestQueryFunction;
  /** Runs several statements on one new connection; a connection costs more than most statements. */
  connected<T>(work: (query: TestQueryFunction) => Promise<T>): Promise<T>;
  drop(): Promise<void>;
}

async function askBroker(path: string): Promise<string> {
  const { port, token }: PostgresBrokerAddress = inject('postgresBroker');
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: token } });
  const said = await response.text();
  if (!response.ok) throw new Error(said);
  return said;
}

async function connected<T>(url: string, work: (query: TestQueryFunction) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(async (sql, params = []) => (await client.query<Record<string, unknown>>(sql, [...params])).rows);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function sibling(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

function databaseAt(url: string): TestDatabase {
  const name = new URL(url).pathname.slice(1);
  return {
    url,
    query: (sql, params) => connected(url, (query) => query(sql, params)),
    connected: (work) => connected(url, work),
    drop: async () => {
      await connected(sibling(url, 'postgres'), (query) => query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
    },
  };
}

/** Creates an empty database. The first call of a test run starts the server. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return databaseAt(await askBroker('/database'));
}

/** Copies a database. No connection to it may be open. */
export async function copyTestDatabase(of: TestDatabase): Promise<TestDatabase> {
  const name = `copy_${randomBytes(6).toString('hex')}`;
  const template = new URL(of.url).pathname.slice(1);
  await connected(sibling(of.url, 'postgres'), (query) => query(`CREATE DATABASE "${name}" TEMPLATE "${template}"`));
  return databaseAt(sibling(of.url, name));
}

/** Starts a server for one test, with binaries that are prepared once per test run. */
export async function startOwnPostgresServer(
  options: Omit<PostgresServerOptions, 'binaries'> = {},
): Promise<PostgresServer> {
  return PostgresServer.start({ ...options, binaries: await askBroker('/binaries') });
}

/** Returns how many rows of a table the server has read for connections that are closed. */
export async function countRowsRead(database: TestDatabase, table: 'node' | 'change'): Promise<number> {
  const [row] = await database.query(
    `SELECT (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int AS n FROM pg_stat_user_tables WHERE relname = '${table}' AND schemaname = 'public'`,
  );
  return Number(row?.['n']);
}

/** Waits until the connections of closed stores have ended, because the server adds up their reads only at their end. */
export async function waitForClosedConnections(database: TestDatabase): Promise<void> {
  const open = "SELECT 1 FROM pg_stat_activity WHERE application_name = 'coppice' AND datname = current_database()";
  await expect.poll(() => database.query(open), { timeout: 60_000 }).toEqual([]);
}

/** The connection and behaviour of a PostgreSQL store, from its URL and options. */
import { refuse } from '@coppice/core';
import type { StoreOptions } from '../options.ts';

/** The further options of a PostgreSQL store; `pool`, `feed` and `prepare` can also be in the URL. */
export interface PostgresOptions extends StoreOptions {
  /** The most connections held at once, without the listening one; default 10. */
  readonly pool?: number;
  /** Milliseconds to wait for a connection. */
  readonly connectTimeout?: number;
  /** The server's timeout for one statement, in milliseconds. */
  readonly statementTimeout?: number;
  /** How long to wait for the lock of a tree that another server is writing, in milliseconds. */
  readonly lockTimeout?: number;
  /**
   * How commits of other servers are detected: `notify` listens and polls rarely; `poll` only polls, for places where
   * LISTEN does not work, such as behind a pooler that assigns connections per transaction.
   */
  readonly feed?: 'notify' | 'poll';
  /** The polling interval in milliseconds; 500 with `poll`, 5000 with `notify`. */
  readonly pollInterval?: number;
  /** Whether statements stay prepared on the server; switch it off behind a pooler that does not support them. */
  readonly prepare?: boolean;
  /** The isolation level of writes. With the lock on the tree's row the weaker one is enough; both are tested. */
  readonly isolation?: 'read committed' | 'serializable';
}

/** The settings with defaults filled in. */
export interface Settings {
  readonly connectionString: string;
  /** The location of the database, without user and password. */
  readonly place: string;
  readonly pool: number;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  readonly lockTimeout: number;
  readonly feed: 'notify' | 'poll';
  readonly pollInterval: number;
  readonly prepare: boolean;
  readonly isolation: 'read committed' | 'serializable';
  /** The schema of the tables; null leaves it to the server's search path. */
  readonly schema: string | null;
}

function invalidOption(what: string): never {
  return refuse('command/invalid', `The address of the database ${what}.`);
}

function takeOption(url: URL, name: string): string | null {
  const value = url.searchParams.get(name);
  url.searchParams.delete(name);
  return value;
}

/** Reads a `postgres:` URL and the options; options take precedence over the URL. */
export function postgresSettings(address: string, options: PostgresOptions): Settings {
  // An empty host means the socket in the query; the URL parser requires a host, so it gets one that cannot exist.
  const local = /^postgres(?:ql)?:\/\/([^/@]*@)?\//.exec(address);
  const parsable =
    local === null ? address : address.replace(/^(postgres(?:ql)?:\/\/(?:[^/@]*@)?)\//, '$1socket.invalid/');
  if (!URL.canParse(parsable))
    invalidOption('cannot be read; it looks like postgres://user:password@host:5432/database');
  const url = new URL(parsable);
  const feed = options.feed ?? takeOption(url, 'feed') ?? 'notify';
  if (feed !== 'notify' && feed !== 'poll')
    return invalidOption(`asks for the feed '${feed}'; there are notify and poll`);
  const pool = options.pool ?? Number(takeOption(url, 'pool') ?? 10);
  if (!Number.isSafeInteger(pool) || pool < 1)
    return invalidOption('asks for a pool that is no whole number above zero');
  const prepare = options.prepare ?? takeOption(url, 'prepare') !== 'off';
  for (const name of ['feed', 'pool', 'prepare']) url.searchParams.delete(name);
  const host = local === null ? url.host : (url.searchParams.get('host') ?? '');
  const connectionString = local === null ? url.href : url.href.replace('socket.invalid', '');
  return {
    connectionString,
    place: `postgres://${host}${url.pathname}`,
    pool,
    feed,
    prepare,
    connectTimeout: options.connectTimeout ?? 5_000,
    statementTimeout: options.statementTimeout ?? 60_000,
    lockTimeout: options.lockTimeout ?? 15_000,
    pollInterval: options.pollInterval ?? (feed === 'poll' ? 500 : 5_000),
    isolation: options.isolation ?? 'read committed',
    schema: null,
  };
}

/** How a PostgreSQL store is reached and how it behaves, from the URL and from what the opener says. */
import { refuse } from '@coppice/core';
import type { StoreOptions } from '../options.ts';

/** What a PostgreSQL store can be told beside what every store can; `pool`, `feed` and `prepare` also in the URL. */
export interface PostgresOptions extends StoreOptions {
  /** The most connections that are held at once, the listening one not counted; 10 if not given. */
  readonly pool?: number;
  /** Milliseconds to wait for a connection. */
  readonly connectTimeout?: number;
  /** Milliseconds that one statement may take on the server. */
  readonly statementTimeout?: number;
  /** Milliseconds to wait for the lock of a tree that another server is writing. */
  readonly lockTimeout?: number;
  /**
   * How commits of other servers are noticed: `notify` listens and looks by itself only now and then, `poll` only looks,
   * for places where LISTEN does not work, such as behind a pooler that hands connections out per transaction.
   */
  readonly feed?: 'notify' | 'poll';
  /** Milliseconds between two looks; 500 with `poll`, 5000 beside `notify`. */
  readonly pollInterval?: number;
  /** Whether statements are kept prepared on the server; switch it off behind a pooler that does not know them. */
  readonly prepare?: boolean;
  /** The isolation of writes. The lock on the tree's row makes the weaker one enough; the stronger one is tried as well. */
  readonly isolation?: 'read committed' | 'serializable';
}

/** The settings with every gap filled. */
export interface Settings {
  readonly connectionString: string;
  /** Where the database is, without name and password. */
  readonly place: string;
  readonly pool: number;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  readonly lockTimeout: number;
  readonly feed: 'notify' | 'poll';
  readonly pollInterval: number;
  readonly prepare: boolean;
  readonly isolation: 'read committed' | 'serializable';
}

function invalidOption(what: string): never {
  return refuse('command/invalid', `The address of the database ${what}.`);
}

function takeOption(url: URL, name: string): string | null {
  const value = url.searchParams.get(name);
  url.searchParams.delete(name);
  return value;
}

/** Reads a `postgres:` URL and the options; what the opener says goes before what stands in the URL. */
export function postgresSettings(address: string, options: PostgresOptions): Settings {
  // An empty host means the socket named in the query; the URL parser wants a host, and gets one that cannot exist.
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
  };
}

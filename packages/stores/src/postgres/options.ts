/** Parses the URL and the options of a PostgreSQL store. */
import { refuse } from '@coppice/core';
import type { StoreOptions } from '../options.ts';

/** The options of a PostgreSQL store. `pool`, `feed`, `prepare` and `attachments` can also be set in the URL. */
export interface PostgresOptions extends StoreOptions {
  /** The maximum number of connections in the pool, without the listening connection. Defaults to 10. */
  readonly pool?: number;
  /** How many milliseconds to wait for a connection. */
  readonly connectTimeout?: number;
  /** The server's timeout for one statement, in milliseconds. */
  readonly statementTimeout?: number;
  /** How many milliseconds a write waits for the lock of a tree that another server writes to. */
  readonly lockTimeout?: number;
  /**
   * How commits of other servers are detected. `notify` uses LISTEN and polls rarely. `poll` only polls; it is for
   * connections on which LISTEN does not work, such as through a pooler in transaction mode.
   */
  readonly feed?: 'notify' | 'poll';
  /** The polling interval in milliseconds. Defaults to 500 with `poll` and 5000 with `notify`. */
  readonly pollInterval?: number;
  /**
   * Whether statements stay prepared on the server. Must be false for a pooler that does not support prepared
   * statements.
   */
  readonly prepare?: boolean;
  /**
   * The isolation level of write transactions. `read committed` is sufficient, because a write locks the row of its
   * tree. Both are tested.
   */
  readonly isolation?: 'read committed' | 'serializable';
  /**
   * Where the bytes of new attachments are stored, as `s3://bucket/folder`. By default in the database. Keys and region
   * are those of the environment (`AWS_ACCESS_KEY_ID` and so on).
   */
  readonly attachments?: string;
}

const isExtraOption: Readonly<Record<Exclude<keyof PostgresOptions, keyof StoreOptions>, true>> = {
  pool: true,
  connectTimeout: true,
  statementTimeout: true,
  lockTimeout: true,
  feed: true,
  pollInterval: true,
  prepare: true,
  isolation: true,
  attachments: true,
};

/** The names of the options that only a PostgreSQL store has. */
export const extraOptionNames: readonly string[] = Object.keys(isExtraOption);

/** Which kind of server to connect to, with the names that libpq uses for `target_session_attrs`. */
export type TargetServerKind = (typeof targets)[number];

const targets = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;

/** One server of a URL, with the options for connecting to it. */
export interface PostgresServerAddress {
  /** Host and port, for error messages. */
  readonly name: string;
  readonly connectionString: string;
}

/** The parsed settings of a store, with default values filled in. */
export interface PostgresSettings {
  /** The servers of the URL, in its order. */
  readonly servers: readonly PostgresServerAddress[];
  readonly target: TargetServerKind;
  /** The host and name of the database, without user and password, for messages. */
  readonly place: string;
  readonly pool: number;
  readonly connectTimeout: number;
  readonly statementTimeout: number;
  readonly lockTimeout: number;
  readonly feed: 'notify' | 'poll';
  readonly pollInterval: number;
  readonly prepare: boolean;
  readonly isolation: 'read committed' | 'serializable';
  /** The object store for new attachments; null for the database. */
  readonly attachments: string | null;
  /** The schema of the tables; null for the first schema of the server's search path. */
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

/** Splits a URL with several hosts into one URL per host. As in libpq, hosts and ports may also be query parameters. */
function splitHosts(address: string): readonly string[] {
  const [, head = '', authority = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(address) ?? [];
  if (authority.includes(',')) return authority.split(',').map((host) => head + host + rest);
  const [path = '', query] = rest.split('?', 2);
  const parameters = new URLSearchParams(query);
  const hosts = parameters.get('host')?.split(',') ?? [];
  if (hosts.length < 2) return [address];
  const ports = parameters.get('port')?.split(',') ?? [];
  if (ports.length > 1 && ports.length !== hosts.length)
    invalidOption(`names ${hosts.length} hosts and ${ports.length} ports`);
  return hosts.map((host, at) => {
    parameters.set('host', host);
    const port = ports.length > 1 ? ports[at] : ports[0];
    if (port !== undefined) parameters.set('port', port);
    return `${head}${authority}${path}?${parameters}`;
  });
}

function isTarget(value: string): value is TargetServerKind {
  return (targets as readonly string[]).includes(value);
}

/** Parses a `postgres:` URL and the options. An option overrides the same parameter of the URL. */
export function parsePostgresSettings(address: string, options: PostgresOptions): PostgresSettings {
  const read = splitHosts(address).map((one) => readAddress(one, options));
  const [first] = read;
  if (first === undefined) return invalidOption('names no server');
  const servers = read.map(({ server }) => server);
  const place = `postgres://${servers.map(({ name }) => name).join(',')}${first.path}`;
  return { ...first.settings, servers, place };
}

function readAddress(
  address: string,
  options: PostgresOptions,
): {
  readonly settings: Omit<PostgresSettings, 'servers' | 'place'>;
  readonly server: PostgresServerAddress;
  readonly path: string;
} {
  // An empty host means a Unix socket, whose folder is in the query. The URL parser requires a host, so a placeholder
  // is inserted.
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
  const attachments = options.attachments ?? takeOption(url, 'attachments');
  const target = takeOption(url, 'target_session_attrs') ?? 'any';
  if (!isTarget(target)) return invalidOption(`has target_session_attrs=${target}; there are ${targets.join(', ')}`);
  for (const name of ['feed', 'pool', 'prepare', 'attachments']) url.searchParams.delete(name);
  const name = local === null ? url.host : (url.searchParams.get('host') ?? '');
  const connectionString = local === null ? url.href : url.href.replace('socket.invalid', '');
  return {
    settings: {
      target,
      pool,
      feed,
      prepare,
      connectTimeout: options.connectTimeout ?? 5_000,
      statementTimeout: options.statementTimeout ?? 60_000,
      lockTimeout: options.lockTimeout ?? 15_000,
      pollInterval: options.pollInterval ?? (feed === 'poll' ? 500 : 5_000),
      attachments,
      isolation: options.isolation ?? 'read committed',
      schema: null,
    },
    server: { name, connectionString },
    path: url.pathname,
  };
}

/**
 * Chooses between the servers of a URL with several hosts. Connections go to the server that was used last. If it is
 * unreachable or of the wrong kind, the next server in the order of the URL is tried, so that a failover needs no
 * restart.
 */
import { AppError, refusalKinds } from '@coppice/core';
import type { Client, Pool, PoolClient } from 'pg';
import { isConnectionLimitReached, isConnectionLost } from './failures.ts';
import type { PostgresSettings, TargetServerKind } from './options.ts';

/** One server of the URL: its name for messages, its connection pool, and a function that connects outside the pool. */
export interface ListedPostgresServer {
  readonly name: string;
  readonly pool: Pool;
  readonly makeClient: () => Client;
}

/** What is known of a server after connecting: whether it is a standby, and whether it is read-only. */
interface ServerKind {
  readonly standby: boolean;
  readonly read_only: boolean;
}

const firstLimitWaitMs = 10;
const longestLimitWaitMs = 250;

const kindQuery = `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS read_only`;

/** For each requested kind of server, the test of a server and what the error says about one that fails it. */
const requirements: Readonly<
  Record<
    Exclude<TargetServerKind, 'any' | 'prefer-standby'>,
    { readonly fits: (kind: ServerKind) => boolean; readonly otherwise: string }
  >
> = {
  'read-write': { fits: (kind) => !kind.read_only, otherwise: 'takes no writes' },
  'read-only': { fits: (kind) => kind.read_only, otherwise: 'takes writes' },
  primary: { fits: (kind) => !kind.standby, otherwise: 'is a standby' },
  standby: { fits: (kind) => kind.standby, otherwise: 'is not a standby' },
};

/** The servers of one database, and which of them is in use. */
export class PostgresServerList {
  readonly #servers: readonly ListedPostgresServer[];
  readonly #place: string;
  readonly #target: TargetServerKind;
  readonly #connectTimeout: number;
  readonly #kinds = new WeakMap<PoolClient, ServerKind>();
  readonly #homes = new WeakMap<PoolClient, number>();
  readonly #listeners = new Set<() => void>();
  #current = 0;

  constructor(
    servers: readonly ListedPostgresServer[],
    { place, target, connectTimeout }: Pick<PostgresSettings, 'place' | 'target' | 'connectTimeout'>,
  ) {
    this.#servers = servers;
    this.#place = place;
    this.#target = target;
    this.#connectTimeout = connectTimeout;
    for (const { pool } of servers) {
      // The pool drops an idle connection that breaks. Without this listener the error would end the process.
      pool.on('error', () => undefined);
      pool.on('connect', (client) => {
        client.on('error', () => undefined);
      });
    }
  }

  /** Whether another server may accept a write that this server refuses. */
  get canSwitchForWrites(): boolean {
    return this.#servers.length > 1 && (this.#target === 'read-write' || this.#target === 'primary');
  }

  /** Registers a listener that is called when another server is used. Returns a function that removes it. */
  onSwitch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Creates a connection outside of the pools, to the server that was used last. */
  client(): Client {
    return this.#server(this.#current).makeClient();
  }

  /** Takes a connection from the pool of the first server that is reachable and of the requested kind. */
  async connect(): Promise<PoolClient> {
    const begin = this.#current;
    const reasons: string[] = [];
    for (const target of this.#target === 'prefer-standby' ? (['standby', 'any'] as const) : [this.#target])
      for (let tried = 0; tried < this.#servers.length; tried++) {
        const at = (begin + tried) % this.#servers.length;
        const { name, pool } = this.#server(at);
        try {
          const client = await this.#connectTo(pool);
          const reason = await this.#misfit(client, target);
          if (reason === null) {
            this.#use(at);
            this.#homes.set(client, at);
            return client;
          }
          reasons.push(`${name} ${reason}`);
        } catch (error) {
          // If a server answers with another error, such as a wrong password, the other servers are not tried, as in
          // libpq.
          if (!isConnectionLost(error) || this.#servers.length === 1) throw error;
          reasons.push(`${name} cannot be reached`);
        }
      }
    throw new AppError({
      code: 'store/unavailable',
      kind: refusalKinds['store/unavailable'],
      message: `No server of ${this.#place} can be used: ${[...new Set(reasons)].join('; ')}.`,
      retryable: true,
    });
  }

  /**
   * Takes a connection from a pool. If the server's limit of connections is reached, tries again until the timeout:
   * other programs may use many connections, and one of this pool is usually free a moment later.
   */
  async #connectTo(pool: Pool): Promise<PoolClient> {
    const until = performance.now() + this.#connectTimeout;
    for (let wait = firstLimitWaitMs; ; wait = Math.min(wait * 2, longestLimitWaitMs))
      try {
        return await pool.connect();
      } catch (error) {
        if (!isConnectionLimitReached(error) || performance.now() + wait > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait * (0.5 + Math.random())));
      }
  }

  /**
   * Returns why the server of a connection is not of the requested kind, and closes the connection; null if it is of
   * that kind.
   */
  async #misfit(client: PoolClient, target: TargetServerKind): Promise<string | null> {
    if (target === 'any' || target === 'prefer-standby') return null;
    try {
      const kind = this.#kinds.get(client) ?? (await client.query<ServerKind>(kindQuery)).rows[0];
      if (kind === undefined) throw new Error('connection ended');
      this.#kinds.set(client, kind);
      const { fits, otherwise } = requirements[target];
      if (fits(kind)) return null;
      client.release(true);
      return otherwise;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Switches to the next server, because the server of this connection refuses writes. */
  leave(client: PoolClient): void {
    // Several transactions may notice this at once, but only the first may switch to the next server.
    if (this.#homes.get(client) === this.#current) this.#use((this.#current + 1) % this.#servers.length);
  }

  #use(at: number): void {
    if (at === this.#current) return;
    this.#current = at;
    for (const listener of [...this.#listeners]) listener();
  }

  #server(at: number): ListedPostgresServer {
    const server = this.#servers[at];
    if (server === undefined) throw new Error('The URL names at least one server.');
    return server;
  }

  /** Waits until all connections are back in their pools, then closes them. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map(({ pool }) => pool.end()));
  }
}

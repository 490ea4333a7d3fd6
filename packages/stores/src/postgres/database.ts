/** Runs transactions on a connection pool, and repeats a transaction where that is safe. */
import type { Client, ClientBase, QueryResult } from 'pg';
import { failpoint } from '../failpoints.ts';
import { KeyedLocks } from '../in-process/locks.ts';
import { toDriverError } from '../load-driver.ts';
import { decodeColumnText } from '../sql/exact-text.ts';
import { type Query, runAsync, type SqlCells, type SqlRow, type SqlTask } from '../sql/query.ts';
import { postgresDialect } from './dialect.ts';
import {
  constraintOf,
  isConnectionLimitReached,
  isConnectionLost,
  isStatementOutdated,
  isTransactionRace,
  makeIdTakenError,
  sqlStateOf,
  toPostgresError,
} from './failures.ts';
import type { PostgresSettings } from './options.ts';
import { PostgresServerList } from './postgres-server-list.ts';
import { quoteName } from './quote.ts';
import { type PreparedStatement, prepareStatement, statementNameOf, toPostgresValue } from './statements.ts';
import { TransactionAttempt } from './transaction-attempt.ts';
import {
  applySettingsSql,
  distributedSettingsSql,
  listSearchPathSettings,
  listTransactionSettings,
  type ServerSetting,
} from './transaction-settings.ts';

// The OIDs of types, which are the same on every server.
const bytea = 17;
const int8 = 20;
const text = 25;
const numeric = 1700;

const mostTries = 5;
const mostTriesWhenLost = 3;
// How many milliseconds a migration waits for the lock of a table.
const longestTableLock = 3_000;
// The maximum number of prepared statements. Some statement texts are generated, and all of them would fill the
// server's memory.
const mostStatements = 500;

const lockEnding = postgresDialect.forUpdate;

type TransactionMode = 'read' | 'write';

type SentStatement = Promise<QueryResult<Record<string, unknown>>>;

/**
 * Loads the driver. Bundlers such as Turbopack, webpack and esbuild accept a missing package only if its import is
 * written inside `try`; otherwise an app on another store, which has no `pg`, could not be built.
 */
async function loadPg(): Promise<typeof import('pg')> {
  try {
    return await import(/* turbopackOptional: true */ 'pg');
  } catch (error) {
    throw toDriverError(error, 'pg', 'postgres');
  }
}

/** A connection pool for one database, with read, write and maintenance transactions. */
export class PostgresDatabase {
  readonly settings: PostgresSettings;
  readonly #servers: PostgresServerList;
  readonly #statements = new Map<string, PreparedStatement>();
  /** How many times all statements were prepared again, because a migration changed the tables. */
  #generation = 0;
  readonly #queues = new KeyedLocks();
  readonly #begins: Readonly<Record<TransactionMode, string>>;
  /**
   * The statements that begin a transaction on a connection that has its settings. A direct connection has no other
   * user, so its settings stay. Behind a pooler, another client uses the connection a moment later, and every
   * transaction begins with all settings.
   */
  readonly #shortBegins: Readonly<Record<TransactionMode, string>>;
  readonly #settingsSql: string;
  /** The direct connections that have their settings. */
  readonly #configured: WeakSet<ClientBase>;
  /** For each connection, whether it is direct. Only on a direct connection a prepared statement can be used again. */
  readonly #direct: WeakMap<ClientBase, Promise<boolean>>;
  readonly #isShared: boolean;
  #pooled = false;
  #prepare: (() => Promise<void>) | null = null;
  #prepared: Promise<void> | null = null;

  private constructor(
    settings: PostgresSettings,
    servers: PostgresServerList,
    of?: PostgresDatabase,
    distributed: 'on' | 'remote_apply' | null = null,
  ) {
    this.settings = settings;
    this.#servers = servers;
    this.#direct = of === undefined ? new WeakMap() : of.#direct;
    this.#configured = of === undefined ? new WeakSet() : of.#configured;
    this.#isShared = of !== undefined;
    const writeLevel = settings.isolation === 'serializable' ? 'SERIALIZABLE' : 'READ COMMITTED';
    const own = listTransactionSettings(settings);
    const bySchema = listSearchPathSettings(settings);
    const makeBegins = (list: readonly ServerSetting[]): Readonly<Record<TransactionMode, string>> => {
      const apply = list.length === 0 ? '' : `; ${applySettingsSql(list, 'transaction')}`;
      return {
        read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY${apply}`,
        write: `BEGIN ISOLATION LEVEL ${writeLevel}${apply}`,
      };
    };
    this.#settingsSql = applySettingsSql(own, 'connection');
    if (distributed !== null) {
      const apply = distributedSettingsSql(settings, distributed);
      const [read, write] = [`${makeBegins([]).read}; ${apply}`, `${makeBegins([]).write}; ${apply}`];
      this.#begins = this.#shortBegins = { read, write };
      return;
    }
    // Databases of several schemas share connections, so the schema is set for each transaction.
    this.#begins = makeBegins([...bySchema, ...own]);
    this.#shortBegins = makeBegins(bySchema);
  }

  /** Whether a connection that was checked goes through a pooler. */
  get pooled(): boolean {
    return this.#pooled;
  }

  /**
   * Whether a connection is direct. Through a pooler, the process id that the connection got differs from that of the
   * server process.
   */
  async isDirect(client: ClientBase & { readonly processID?: number | null }): Promise<boolean> {
    const known = this.#direct.get(client);
    if (known !== undefined) return known;
    const asked = client
      .query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      .then(({ rows: [found] }) => found !== undefined && found.pid === client.processID);
    this.#direct.set(client, asked);
    const direct = await asked;
    if (!direct) this.#pooled = true;
    return direct;
  }

  /** Creates the pool without connecting. The driver is loaded here, so that other stores never load it. */
  static async create(settings: PostgresSettings): Promise<PostgresDatabase> {
    const { default: pg } = await loadPg();
    const parsers = {
      getTypeParser(oid: number, format?: 'text' | 'binary') {
        if (oid === int8 || oid === numeric) return Number;
        if (oid === text) return decodeColumnText;
        const parse = pg.types.getTypeParser(oid, format);
        return oid === bytea ? (value: string) => plainBytes(parse(value)) : parse;
      },
    };
    const config = {
      application_name: 'coppice',
      connectionTimeoutMillis: settings.connectTimeout,
      // If the server is unreachable, its own timeout has no effect here.
      query_timeout: settings.statementTimeout + 5_000,
      keepAlive: true,
      types: parsers,
    };
    // The driver leaves a connection open on which it cannot sign in, for example without a password. The server would
    // keep it for a minute, among those that it allows, and no database could be dropped meanwhile.
    class PooledClient extends pg.Client {
      override connect(): Promise<Client>;
      override connect(callback: (error: Error | null, client: Client) => void): void;
      override connect(callback?: (error: Error | null, client: Client) => void): Promise<Client> | undefined {
        if (callback === undefined) return super.connect();
        super.connect((error, client) => {
          if (error) this.end().catch(() => undefined);
          callback(error, client);
        });
        return undefined;
      }
    }
    const servers = settings.servers.map(({ name, connectionString }) => {
      const own = { ...config, connectionString };
      return {
        name,
        pool: new pg.Pool({
          ...own,
          Client: PooledClient,
          pipeline: true,
          max: settings.pool,
          idleTimeoutMillis: 30_000,
        }),
        makeClient: () => new pg.Client({ ...own, query_timeout: 0 }),
      };
    });
    return new PostgresDatabase(settings, new PostgresServerList(servers, settings));
  }

  /** Returns the same database with another schema, on the same connections. Closing the result leaves them open. */
  withSchema(schema: string | null): PostgresDatabase {
    return new PostgresDatabase({ ...this.settings, schema }, this.#servers, this);
  }

  /** Returns the same database for a schema that Citus has distributed. */
  asDistributed(commit: 'on' | 'remote_apply'): PostgresDatabase {
    return new PostgresDatabase(this.settings, this.#servers, this, commit);
  }

  /**
   * Returns the same database, which calls a function before its first transaction, and again if the function failed.
   */
  preparedBy(prepare: () => Promise<void>): PostgresDatabase {
    const database = new PostgresDatabase(this.settings, this.#servers, this);
    database.#prepare = prepare;
    return database;
  }

  /** Creates a connection outside the pool, for LISTEN. */
  client(): Client {
    return this.#servers.client();
  }

  /**
   * Registers a listener that is called when the pool switches to another server of the URL. Returns a function that
   * removes it.
   */
  onSwitch(listener: () => void): () => void {
    return this.#servers.onSwitch(listener);
  }

  /** Runs work on one snapshot, which concurrent writes do not affect. */
  read<T>(make: () => SqlTask<T>): Promise<T> {
    return this.#runWithRetries('read', make);
  }

  /**
   * Runs work in one transaction, which is durable when the promise resolves. `make` is called again for every attempt.
   * Work that first locks a row waits in this process for other work on the same row, so that a busy tree uses one
   * connection and not the whole pool.
   */
  async write<T>(make: () => SqlTask<T>): Promise<T> {
    const first = make().next();
    const begins = first.done === true ? [] : 'sql' in first.value ? [first.value] : first.value;
    const lock = begins.find(({ sql }) => sql.endsWith(lockEnding))?.params[0];
    return typeof lock === 'string'
      ? this.#queues.run(lock, () => this.#runWithRetries('write', make))
      : this.#runWithRetries('write', make);
  }

  /**
   * Runs a migration in one transaction without a timeout. It waits only briefly for table locks, because all other
   * transactions would wait behind it.
   */
  async maintain<T>(make: () => SqlTask<T>): Promise<T> {
    const client = this.client();
    client.on('error', () => undefined);
    const attempt = new TransactionAttempt();
    try {
      await client.connect();
      const wait = Math.min(this.settings.lockTimeout, longestTableLock);
      attempt.send(client.query(`${this.#begins.write}; SET LOCAL lock_timeout = ${wait}`));
      return await this.#finish(client, 'write', make, attempt);
    } catch (error) {
      throw toPostgresError(await attempt.firstFailure(error), this.settings.place);
    } finally {
      // Closing the connection also ends the transaction.
      await client.end().catch(() => undefined);
    }
  }

  /** Updates the server's statistics of tables (ANALYZE), which also discards plans that were made without them. */
  async updateStatistics(tables: readonly string[]): Promise<void> {
    const { schema } = this.settings;
    const of = schema === null ? '' : `${quoteName(schema)}.`;
    const client = await this.#servers.connect();
    try {
      // Large tables take longer than the time limit, which a direct connection keeps after a transaction.
      if (this.#configured.delete(client)) await client.query('SET statement_timeout = 0');
      await client.query(`ANALYZE ${tables.map((table) => of + table).join(', ')}`);
    } finally {
      client.release();
    }
  }

  /** Waits until all connections are back in the pool, then closes them. */
  async close(): Promise<void> {
    if (!this.#isShared) await this.#servers.close();
  }

  async #beforeFirst(prepare: () => Promise<void>): Promise<void> {
    this.#prepared ??= prepare().catch((error: unknown) => {
      this.#prepared = null;
      throw error;
    });
    await this.#prepared;
  }

  async #runWithRetries<T>(mode: TransactionMode, make: () => SqlTask<T>): Promise<T> {
    if (this.#prepare !== null) await this.#beforeFirst(this.#prepare);
    for (let tries = 1; ; tries++) {
      const attempt = new TransactionAttempt();
      try {
        return await this.#runOnce(mode, make, attempt);
      } catch (error) {
        if (isStatementOutdated(error)) this.#renameStatements(attempt);
        const again =
          isTransactionRace(error) || isStatementOutdated(error)
            ? tries < mostTries
            : // A COMMIT whose answer was lost may have succeeded, so that transaction is not repeated.
              // If no connection is left, connecting has waited for one already.
              ((isConnectionLost(error) && !isConnectionLimitReached(error)) || this.#isRefusedElsewhere(error)) &&
              !attempt.committing &&
              tries < mostTriesWhenLost;
        if (!again) throw isTaken(error) ? makeIdTakenError(error) : toPostgresError(error, this.settings.place);
        await waitFor(Math.random() * 25 * 2 ** tries);
      }
    }
  }

  /** Prepares all statements again under new names, on every connection. Once for all transactions that failed. */
  #renameStatements({ generation }: TransactionAttempt): void {
    if (generation !== this.#generation) return;
    this.#generation++;
    this.#statements.clear();
  }

  /** Whether a server refused a write that another server of the URL may accept. */
  #isRefusedElsewhere(error: unknown): boolean {
    return this.#servers.canSwitchForWrites && sqlStateOf(error) === '25006';
  }

  async #runOnce<T>(mode: TransactionMode, make: () => SqlTask<T>, attempt: TransactionAttempt): Promise<T> {
    const client = await this.#servers.connect();
    let broken: Error | undefined;
    try {
      failpoint('before-begin');
      attempt.generation = this.#generation;
      attempt.named = this.settings.prepare && (await this.isDirect(client));
      // BEGIN is sent together with the first statement, so that it needs no round trip of its own.
      attempt.send(client.query(this.#beginOn(client, mode, attempt)));
      return await this.#finish(client, mode, make, attempt);
    } catch (error) {
      const first = await attempt.firstFailure(error);
      if (this.#isRefusedElsewhere(first)) this.#servers.leave(client);
      if (isConnectionLost(first) || this.#isRefusedElsewhere(first))
        broken = first instanceof Error ? first : new Error(String(first));
      else
        await client.query('ROLLBACK').catch((failed: Error) => {
          broken = failed;
        });
      throw first;
    } finally {
      client.release(broken);
    }
  }

  /**
   * Returns the statement that begins a transaction. Sends the settings before the first one on a direct connection.
   */
  #beginOn(client: ClientBase, mode: TransactionMode, attempt: TransactionAttempt): string {
    if (!attempt.named) return this.#begins[mode];
    if (!this.#configured.has(client)) {
      // Outside the transaction, because a rollback would revert the settings.
      const sent = client.query(this.#settingsSql);
      attempt.send(sent);
      sent.then(
        () => this.#configured.add(client),
        () => undefined,
      );
    }
    return this.#shortBegins[mode];
  }

  /** Runs the work of a transaction that has begun, and commits it. */
  async #finish<T>(
    client: ClientBase,
    mode: TransactionMode,
    make: () => SqlTask<T>,
    attempt: TransactionAttempt,
  ): Promise<T> {
    const result = await runAsync(make(), (query) => this.#answer(client, query, attempt));
    if (mode === 'read') {
      // The COMMIT of a read is not awaited. The server answers it before the next use of the connection.
      client.query('COMMIT').catch(() => undefined);
      return result;
    }
    failpoint('before-commit');
    attempt.committing = true;
    attempt.flush(client);
    const committed = client.query('COMMIT');
    attempt.send(committed);
    await attempt.allAnswered();
    // After a failed statement the server answers COMMIT with ROLLBACK. Usually the error of that statement was already
    // thrown.
    if ((await committed).command !== 'COMMIT') throw new Error('The transaction was rolled back.');
    failpoint('after-commit');
    return result;
  }

  async #answer(
    client: ClientBase,
    query: Query,
    attempt: TransactionAttempt,
  ): Promise<readonly SqlRow[] | readonly SqlCells[] | number> {
    if (query.want === 'count') failpoint('write');
    const statement = this.#statement(query.sql);
    const values = query.params.map((param, at) => toPostgresValue(param, statement.lists.has(at)));
    if (query.want === 'count' && statement.bulk !== null) {
      await attempt.gather(client, statement, values);
      return 1;
    }
    attempt.flush(client);
    if (query.want === 'cells') {
      const { rows } = await client.query({ ...attempt.sendable(statement, values), rowMode: 'array' });
      return rows;
    }
    const sent: SentStatement = client.query(attempt.sendable(statement, values));
    if (query.want === 'count' && statement.count !== null) {
      attempt.send(sent);
      await attempt.keepUp();
      return statement.count;
    }
    const result = await sent;
    return query.want === 'rows' ? result.rows : (result.rowCount ?? 0);
  }

  /**
   * Returns the name of a prepared statement for this schema. Tables of the same name in another schema need another
   * prepared statement.
   */
  #nameOf(sql: string): string {
    const text = this.#generation === 0 ? sql : `${this.#generation} ${sql}`;
    return statementNameOf(this.settings.schema === null ? text : `${this.settings.schema} ${text}`);
  }

  #statement(sql: string): PreparedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const kept = this.settings.prepare && this.#statements.size < mostStatements;
    const statement = prepareStatement(sql, kept ? (text) => this.#nameOf(text) : null);
    if (kept) this.#statements.set(sql, statement);
    return statement;
  }
}

function isTaken(error: unknown): boolean {
  return sqlStateOf(error) === '23505' && /^(?:tree_pkey|node_pkey|node_id)$/.test(constraintOf(error));
}

function plainBytes(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

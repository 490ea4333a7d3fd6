/** Transactions on a pool of connections: begun, answered, committed, tried again where that is safe. */
import { createHash } from 'node:crypto';
import type { Client, ClientBase, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import { failpoint } from '../failpoints.ts';
import { Locks } from '../in-process/locks.ts';
import { fromColumn, toColumn } from '../sql/exact-text.ts';
import { type Param, type Query, runAsync, type SqlRow, type SqlTask } from '../sql/query.ts';
import { listPlaces, postgresDialect, toPostgres } from './dialect.ts';
import { constraintOf, isLost, isRace, sqlStateOf, takenError, toPostgresError } from './failures.ts';
import type { Settings } from './options.ts';

// Object ids of PostgreSQL's types, which are the same on every server.
const bytea = 17;
const int8 = 20;
const text = 25;
const numeric = 1700;

const mostTries = 5;
const mostTriesWhenLost = 3;
// A statement past this many is not kept: its text was made up, and keeping all such would fill the server's memory.
const mostStatements = 500;

const lockEnding = postgresDialect.forUpdate;

/**
 * Every statement of ours finds rows by a key, in tables that hold everybody's trees. Plans made while a table was small
 * or without statistics would read all of it, once per row of a walk or of a check of a foreign key, and would be kept.
 */
const planning: readonly (readonly [string, string])[] = [
  ...['seqscan', 'hashjoin', 'mergejoin', 'bitmapscan', 'material'].map((way) => [`enable_${way}`, 'off'] as const),
  ['jit', 'off'],
  ['plan_cache_mode', 'force_generic_plan'],
];

// Acknowledged means durable, whatever the server's configuration or another user of the connection says; a setting that
// also waits for standby servers is stronger and stays.
const waitsForDisk = `CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END`;

/**
 * The settings of a transaction, all of them local to it: behind a pooler the connection is another client's a moment
 * later, and what was another client's may be ours.
 */
function settingsFor(mode: TransactionMode, { statementTimeout, lockTimeout }: Settings): string {
  const values: (readonly [string, string])[] = [
    ...planning.map(([name, value]) => [name, `'${value}'`] as const),
    ['statement_timeout', `'${statementTimeout}'`],
    ['lock_timeout', `'${lockTimeout}'`],
    ['idle_in_transaction_session_timeout', `'${statementTimeout}'`],
  ];
  if (mode === 'write') values.push(['synchronous_commit', waitsForDisk]);
  return `SELECT ${values.map(([name, value]) => `set_config('${name}', ${value}, true)`).join(', ')}`;
}

type TransactionMode = 'read' | 'write';

/** What became of a statement that was sent and not waited for. */
type SentStatement = Promise<QueryResult<Record<string, unknown>>>;

interface PreparedStatement {
  readonly text: string;
  readonly name: string | undefined;
  readonly lists: ReadonlySet<number>;
  /** How many rows it changes where its text alone tells, so that nobody has to wait for the answer. */
  readonly count: number | null;
  /** The same for many rows at once, of an insert of one row of values. */
  readonly bulk: { readonly text: string; readonly name: string | undefined } | null;
}

// One row of values, or an error.
const insertsOne = /^\s*(INSERT INTO \w+ \([^)]*\)\s*VALUES )\((\$1(?:, \$\d+)*)\)\s*$/;
// The tree's row, which the transaction holds locked, alone or with a new leaf; and a visit mark, of which nobody asks
// whether it was new.
const updatesOne =
  /^\s*(?:WITH added AS|UPDATE) (?:\(INSERT INTO node |tree SET version = |node SET last_child_id = \$3 WHERE [^=]+= \$1 AND id = \$2 AND \(last_child_id IS NULL OR last_child_id <> \$3\))/;
// Inserts that go together; a large import spends its time on rows and not on messages.
const bulkRows = 100;
// Messages on their way at once; more would only fill memory on both sides.
const mostSent = 64;

function bulkOf(insert: RegExpExecArray | null): string | null {
  if (insert === null) return null;
  const [, head = '', places = ''] = insert;
  const width = places.split(', ').length;
  const row = (at: number) =>
    `(${Array.from({ length: width }, (_, column) => `$${at * width + column + 1}`).join(', ')})`;
  return head + Array.from({ length: bulkRows }, (_, at) => row(at)).join(', ');
}

/** A pool of connections to one database, and the transactions on it. */
export class PostgresDatabase {
  readonly settings: Settings;
  readonly #pool: Pool;
  readonly #makeClient: () => Client;
  readonly #statements = new Map<string, PreparedStatement>();
  readonly #queues = new Locks();
  readonly #begins: Readonly<Record<TransactionMode, string>>;
  /** Whether a connection leads to the server itself: only then a prepared statement is there when it is run again. */
  readonly #direct = new WeakMap<ClientBase, Promise<boolean>>();
  #pooled = false;

  private constructor(settings: Settings, pool: Pool, makeClient: () => Client) {
    this.settings = settings;
    this.#pool = pool;
    this.#makeClient = makeClient;
    // A connection that breaks while nobody uses it is dropped by the pool; without a listener it would end the process.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
    });
    const writeLevel = settings.isolation === 'serializable' ? 'SERIALIZABLE' : 'READ COMMITTED';
    this.#begins = {
      read: `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${settingsFor('read', settings)}`,
      write: `BEGIN ISOLATION LEVEL ${writeLevel}; ${settingsFor('write', settings)}`,
    };
  }

  /** Whether a connection was seen that goes through a pooler. */
  get pooled(): boolean {
    return this.#pooled;
  }

  /** Whether a connection leads to the server itself. A pooler gives its clients another process number than the server's. */
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

  /** Makes the pool; connects to nothing yet. The driver is loaded here, so that who uses another store never does. */
  static async create(settings: Settings): Promise<PostgresDatabase> {
    const { default: pg } = await import('pg');
    const parsers = {
      getTypeParser(oid: number, format?: 'text' | 'binary') {
        if (oid === int8 || oid === numeric) return Number;
        if (oid === text) return fromColumn;
        const parse = pg.types.getTypeParser(oid, format);
        return oid === bytea ? (value: string) => plainBytes(parse(value)) : parse;
      },
    };
    const config = {
      connectionString: settings.connectionString,
      application_name: 'coppice',
      connectionTimeoutMillis: settings.connectTimeout,
      // A server that vanished without a word answers no timeout of its own.
      query_timeout: settings.statementTimeout + 5_000,
      keepAlive: true,
      types: parsers,
    };
    const pool = new pg.Pool({ ...config, pipeline: true, max: settings.pool, idleTimeoutMillis: 30_000 });
    return new PostgresDatabase(settings, pool, () => new pg.Client({ ...config, query_timeout: 0 }));
  }

  /** A connection outside the pool, for listening. */
  client(): Client {
    return this.#makeClient();
  }

  /** Runs work on one snapshot that nothing written meanwhile disturbs. */
  read<T>(make: () => SqlTask<T>): Promise<T> {
    return this.#tried('read', make);
  }

  /**
   * Runs work as one transaction, durable when the promise resolves. It is made anew for every try. Work that begins by
   * locking a row waits in this process for others that lock the same row, so that a tree many write to holds one
   * connection and not the whole pool.
   */
  async write<T>(make: () => SqlTask<T>): Promise<T> {
    const first = make().next();
    const begins = first.done === true ? undefined : 'sql' in first.value ? first.value : first.value[0];
    const lock = begins?.sql.endsWith(lockEnding) === true ? begins.params[0] : undefined;
    return typeof lock === 'string'
      ? this.#queues.run(lock, () => this.#tried('write', make))
      : this.#tried('write', make);
  }

  /** Has the server count what its tables hold; plans that were made without that are made anew. */
  async countRows(): Promise<void> {
    await this.#pool.query('ANALYZE tree, node, change');
  }

  /** Waits until every connection is given back, and closes them. */
  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #tried<T>(mode: TransactionMode, make: () => SqlTask<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const attempt = new Attempt();
      try {
        return await this.#once(mode, make, attempt);
      } catch (error) {
        const again = isRace(error)
          ? tries < mostTries
          : // What was lost on its way to a commit may have been committed: only the caller's own ids can tell.
            isLost(error) && !attempt.committing && tries < mostTriesWhenLost;
        if (!again) throw isTaken(error) ? takenError(error) : toPostgresError(error, this.settings.place);
        await waitFor(Math.random() * 25 * 2 ** tries);
      }
    }
  }

  async #once<T>(mode: TransactionMode, make: () => SqlTask<T>, attempt: Attempt): Promise<T> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      failpoint('before-begin');
      attempt.named = this.settings.prepare && (await this.isDirect(client));
      // Sent together with the first statement: beginning costs no round trip of its own.
      attempt.send(client.query(this.#begins[mode]));
      const result = await runAsync(make(), (query) => this.#answer(client, query, attempt));
      if (mode === 'read') {
        // Nothing hangs on the end of a read: whoever gets the connection next is answered behind it.
        client.query('COMMIT').catch(() => undefined);
        return result;
      }
      failpoint('before-commit');
      attempt.committing = true;
      attempt.flush(client);
      const committed = client.query('COMMIT');
      attempt.send(committed);
      await attempt.settled();
      // A statement that failed on its way turns the commit into a rollback, and was thrown above.
      if ((await committed).command !== 'COMMIT') throw new Error('The transaction was rolled back.');
      failpoint('after-commit');
      return result;
    } catch (error) {
      const first = await attempt.firstFailure(error);
      if (isLost(first)) broken = first instanceof Error ? first : new Error(String(first));
      else
        await client.query('ROLLBACK').catch((failed: Error) => {
          broken = failed;
        });
      throw first;
    } finally {
      client.release(broken);
    }
  }

  async #answer(client: PoolClient, query: Query, attempt: Attempt): Promise<readonly SqlRow[] | number> {
    if (query.want === 'count') failpoint('write');
    const statement = this.#statement(query.sql);
    const values = query.params.map((param, at) => toValue(param, statement.lists.has(at)));
    if (query.want === 'count' && statement.bulk !== null) {
      await attempt.gather(client, statement, values);
      return 1;
    }
    attempt.flush(client);
    const sent: SentStatement = client.query(attempt.sendable(statement, values));
    if (query.want === 'count' && statement.count !== null) {
      attempt.send(sent);
      await attempt.keepUp();
      return statement.count;
    }
    const result = await sent;
    return query.want === 'rows' ? result.rows : (result.rowCount ?? 0);
  }

  #statement(sql: string): PreparedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const kept = this.settings.prepare && this.#statements.size < mostStatements;
    const insert = insertsOne.exec(sql);
    const bulk = bulkOf(insert);
    const words = toPostgres(sql);
    const statement: PreparedStatement = {
      text: words,
      name: kept ? nameOf(words) : undefined,
      lists: listPlaces(sql),
      count: insert !== null || updatesOne.test(sql) ? 1 : null,
      bulk: bulk === null ? null : { text: bulk, name: kept ? nameOf(bulk) : undefined },
    };
    if (kept) this.#statements.set(sql, statement);
    return statement;
  }
}

/** The name of a prepared statement. It follows from the text, so that no name ever stands for two texts. */
function nameOf(sql: string): string {
  return `coppice_${createHash('sha256').update(sql).digest('base64url').slice(0, 32)}`;
}

/** One try of a transaction: what was sent without waiting, what waits for more of its kind, and how far it came. */
class Attempt {
  committing = false;
  /** Whether statements are prepared under their names. */
  named = false;
  readonly #sent: Promise<unknown>[] = [];
  #looked = 0;
  #gathered: { readonly statement: PreparedStatement; readonly rows: Value[][] } | null = null;

  sendable({ text: sql, name }: Pick<PreparedStatement, 'text' | 'name'>, values: Value[]): QueryConfig {
    return name === undefined || !this.named ? { text: sql, values } : { text: sql, name, values };
  }

  send(sent: Promise<unknown>): void {
    // Looked at later; until then a failure is not an unhandled one.
    sent.catch(() => undefined);
    this.#sent.push(sent);
  }

  /** Takes in a row of an insert, and sends what is enough for one message. */
  async gather(client: PoolClient, statement: PreparedStatement, values: Value[]): Promise<void> {
    if (this.#gathered !== null && this.#gathered.statement !== statement) this.flush(client);
    this.#gathered ??= { statement, rows: [] };
    if (this.#gathered.rows.push(values) < bulkRows) return;
    this.flush(client);
    await this.keepUp();
  }

  /** Waits for the answers to what was sent long ago. */
  async keepUp(): Promise<void> {
    for (; this.#looked < this.#sent.length - mostSent; this.#looked++) await this.#sent[this.#looked];
  }

  /** Sends what was gathered: whatever comes next may need it. */
  flush(client: PoolClient): void {
    const gathered = this.#gathered;
    if (gathered === null) return;
    this.#gathered = null;
    const { statement, rows } = gathered;
    if (rows.length === bulkRows && statement.bulk !== null)
      this.send(client.query(this.sendable(statement.bulk, rows.flat())));
    else for (const values of rows) this.send(client.query(this.sendable(statement, values)));
  }

  async settled(): Promise<void> {
    for (const sent of this.#sent) await sent;
  }

  /** The failure that came first: what follows one inside a transaction only says that there was one. */
  async firstFailure(error: unknown): Promise<unknown> {
    for (const outcome of await Promise.allSettled(this.#sent))
      if (outcome.status === 'rejected') return outcome.reason;
    return error;
  }
}

function isTaken(error: unknown): boolean {
  return sqlStateOf(error) === '23505' && /^(?:tree_pkey|node_pkey|node_id)$/.test(constraintOf(error));
}

type Value = string | number | null | Buffer | string[];

function toValue(param: Param, isList: boolean): Value {
  if (typeof param === 'string') return isList ? (JSON.parse(param) as string[]) : toColumn(param);
  return param instanceof Uint8Array ? Buffer.from(param.buffer, param.byteOffset, param.byteLength) : param;
}

function plainBytes(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function waitFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

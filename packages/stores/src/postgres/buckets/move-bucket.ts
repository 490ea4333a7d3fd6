/**
 * Moves a whole bucket to another database while its owners write. PostgreSQL copies the tables by logical replication.
 * When the copy is complete, the old bucket refuses all owners, the last changes arrive, and the directory names the new
 * database. A move that was interrupted is continued by repeating it.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { refuse } from '@coppice/core';
import type { Client } from 'pg';
import { execute, queryRows, type SqlTask } from '../../sql/query.ts';
import type { PostgresDatabase } from '../database.ts';
import { sqlStateOf } from '../failures.ts';
import { positionsPerEpoch } from '../feed-positions.ts';
import { commitChannelOf, everyFeedPayload } from '../notifications.ts';
import { ownerGateLockKeys } from '../owner-gate.ts';
import { preparePostgresServer } from '../prepare-postgres-server.ts';
import { quoteLiteral, quoteName } from '../quote.ts';
import type { BucketPool } from './bucket-pool.ts';
import { type Bucket, requireBucket, setBucketUrl } from './directory.ts';
import type { BucketMoveOptions, BucketMoveReport } from './move-report.ts';
import { bucketMoveLock, movedBlobTable, movedOwnerTables, movedTreeTables } from './moved-tables.ts';
import { type BucketConnection, connectBucket, queryFirstColumn } from './row-copy.ts';

// The record of owners that were moved away must move too: otherwise the new bucket would accept them.
const replicatedTables: readonly string[] = [
  'tree',
  'node',
  ...movedTreeTables.map(([name]) => name),
  ...movedOwnerTables.map(([name]) => name),
  movedBlobTable,
  'blob_object',
  'owner_gone',
];
const dataTables = replicatedTables.filter((name) => name !== 'owner_gone');

const pollMs = 20;
// How long a move waits for transactions of others, also in other databases of the server.
const longestSlotWaitMs = 20_000;
// The bucket refuses its owners only when the new database lacks fewer bytes of the log than this, so that they wait
// briefly.
const closeBytes = 1_000_000;
// How long the deletion of the old rows waits for transactions that still read them. After that, the rows stay.
const longestReaderMs = 60_000;

/** Whether a move of a bucket is in progress or was interrupted: its replication slot still exists. */
export function* hasUnfinishedBucketMove(name: string): SqlTask<boolean> {
  const slots = yield* queryRows(
    'SELECT slot_name FROM pg_replication_slots WHERE database = current_database() AND starts_with(slot_name, $1)',
    `coppice_move_${name}_`,
  );
  return slots.length > 0;
}

/** Moves a bucket to another database. Throws if another bucket or an owner is being moved. */
export async function moveBucket(
  pool: BucketPool,
  name: string,
  url: string,
  options: BucketMoveOptions = {},
): Promise<BucketMoveReport> {
  const guard = await connectBucket(pool.directory);
  try {
    await guard.begin('READ COMMITTED');
    const [free] = await queryFirstColumn(guard, `SELECT pg_try_advisory_xact_lock(${bucketMoveLock})`);
    if (free !== 't')
      return refuse(
        'command/invalid',
        'An owner or a bucket is being moved, or the buckets are being backed up: move the bucket when that has ended.',
      );
    const bucket = await pool.directory.read(() => requireBucket(name));
    const target = await pool.databaseOf({ schema: bucket.schema, url });
    const report = { bucket: name, to: target.settings.place };
    if (bucket.url === url) return { ...report, from: report.to, lockedMs: 0, isCleared: true };
    const source = (await pool.named(name)).database;
    const [from, to] = [await connectBucket(source), await connectBucket(target)];
    try {
      const moving = new BucketMove(pool, bucket, url, { source, target }, { from, to });
      return { ...report, from: source.settings.place, ...(await moving.run(options)) };
    } finally {
      await from.end();
      await to.end();
    }
  } finally {
    await guard.end();
  }
}

/** The state of one move. */
class BucketMove {
  readonly #pool: BucketPool;
  readonly #bucket: Bucket;
  readonly #url: string;
  readonly #source: PostgresDatabase;
  readonly #target: PostgresDatabase;
  readonly #from: BucketConnection;
  readonly #to: BucketConnection;
  /** The name of the publication, the replication slot and the subscription. */
  readonly #stream: string;
  #schema = '';

  constructor(
    pool: BucketPool,
    bucket: Bucket,
    url: string,
    databases: { readonly source: PostgresDatabase; readonly target: PostgresDatabase },
    connections: { readonly from: BucketConnection; readonly to: BucketConnection },
  ) {
    this.#pool = pool;
    this.#bucket = bucket;
    this.#url = url;
    this.#source = databases.source;
    this.#target = databases.target;
    this.#from = connections.from;
    this.#to = connections.to;
    // A replication slot is unique on a database server, which may serve several directories.
    const directory = createHash('sha256').update(pool.directory.settings.place).digest('hex').slice(0, 8);
    this.#stream = `coppice_move_${bucket.name}_${directory}`;
  }

  async run(options: BucketMoveOptions): Promise<Pick<BucketMoveReport, 'lockedMs' | 'isCleared'>> {
    this.#schema = await this.#requireSameSchema();
    const closedFor = await this.#closedFor();
    const place = this.#target.settings.place;
    if (closedFor !== null && closedFor !== place)
      refuse(
        'command/invalid',
        `The bucket ${this.#bucket.name} is on the way to ${closedFor}: repeat the move to that database first.`,
      );
    if (closedFor === null) await this.#copy(options);
    const lockedSince = performance.now();
    if (closedFor === null) await this.#closeSource(place);
    // An earlier attempt ended the replication only after it had delivered everything.
    if (await this.#hasSubscription()) {
      await this.#waitForTables(options);
      await this.#waitForLastChange();
    }
    await this.#endReplication();
    await this.#openTarget();
    await this.#pool.write(() => setBucketUrl(this.#bucket.name, this.#url));
    await this.#pool.reload();
    const lockedMs = performance.now() - lockedSince;
    await this.#from.client.query('SELECT pg_notify($1, $2)', [
      commitChannelOf(this.#source.settings.schema),
      everyFeedPayload,
    ]);
    return { lockedMs, isCleared: await this.#clearSource() };
  }

  /** Copies the bucket, or continues an earlier attempt. If that fails, the bucket stays where it is. */
  async #copy(options: BucketMoveOptions): Promise<void> {
    try {
      if (!(await this.#hasSubscription())) await this.#startCopy(options);
      await this.#waitForTables(options);
      await this.#waitForChanges();
    } catch (error) {
      // An unused replication slot would keep the log of the old server without limit.
      await this.#endReplication().catch(() => undefined);
      throw error;
    }
  }

  #table(name: string): string {
    return `${quoteName(this.#schema)}.${quoteName(name)}`;
  }

  #tables(names: readonly string[]): string {
    return names.map((name) => this.#table(name)).join(', ');
  }

  /**
   * Returns the schema of the bucket. Throws if it differs in the new database, because replication writes to tables of
   * the same schema and name.
   */
  async #requireSameSchema(): Promise<string> {
    const { schema } = this.#bucket;
    if (schema !== null)
      await this.#target.write(function* () {
        yield* execute(`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`);
      });
    const [here, there] = [await readCurrentSchema(this.#from), await readCurrentSchema(this.#to)];
    if (here !== there)
      refuse(
        'command/invalid',
        `The tables are in the schema ${here}, but the new database uses ${there}: set the search path of its user.`,
      );
    return here;
  }

  /** Returns the database that the bucket was closed for by an earlier move; null if the bucket is not closed. */
  async #closedFor(): Promise<string | null> {
    const [place] = await this.#column('from', `SELECT bucket FROM ${this.#table('owner_gone')} WHERE owner = ''`);
    return place ?? null;
  }

  async #hasSubscription(): Promise<boolean> {
    const found = await this.#column(
      'to',
      `SELECT 1 FROM pg_subscription WHERE subname = '${this.#stream}'
      AND subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return found.length > 0;
  }

  async #column(side: 'from' | 'to', sql: string): Promise<string[]> {
    return queryFirstColumn(side === 'from' ? this.#from : this.#to, sql);
  }

  /** Prepares the new database and starts the replication. What an earlier attempt left there is deleted. */
  async #startCopy({ sourceUrl }: BucketMoveOptions): Promise<void> {
    const [level] = await this.#column('from', "SELECT current_setting('wal_level')");
    if (level !== 'logical')
      refuse(
        'command/invalid',
        `The server of the bucket has wal_level = ${level}: set wal_level = logical and restart it, or move its users one by one with coppice buckets drain ${this.#bucket.name}.`,
      );
    await preparePostgresServer(this.#target, {});
    await this.#refuseOccupiedTarget();
    await this.#setReplicaIdentities();
    const { client: source } = this.#from;
    await source.query(`DROP PUBLICATION IF EXISTS ${this.#stream}`);
    await source.query(`CREATE PUBLICATION ${this.#stream} FOR TABLE ${this.#tables(replicatedTables)}`);
    const [isSame] = await this.#column('to', `SELECT 1 FROM pg_publication WHERE pubname = '${this.#stream}'`);
    if (isSame !== undefined) refuse('command/invalid', `The bucket ${this.#bucket.name} is in that database already.`);
    await this.#dropSlot();
    // A subscription that creates its own slot would wait for itself if both databases are on one server.
    await this.#createSlot(source);
    await this.#to.client.query(`TRUNCATE ${this.#tables(replicatedTables)}`);
    const connection = sourceUrl ?? formatConnection(source);
    await this.#to.client
      .query(
        `CREATE SUBSCRIPTION ${this.#stream} CONNECTION ${quoteLiteral(connection)} PUBLICATION ${this.#stream}
        WITH (create_slot = false, slot_name = '${this.#stream}', copy_data = true)`,
      )
      .catch((error: Error) => {
        refuse(
          'store/unavailable',
          `${this.#target.settings.place} cannot replicate from ${this.#source.settings.place}: ${error.message}`,
        );
      });
  }

  /** Creates the replication slot. The server waits until all transactions that have written something end. */
  async #createSlot(source: Client): Promise<void> {
    await source.query(`SET statement_timeout = ${longestSlotWaitMs}`);
    try {
      await source.query("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [this.#stream]);
    } catch (error) {
      if (sqlStateOf(error) !== '57014') throw error;
      const [oldest = 'another transaction'] = await this.#column(
        'from',
        `SELECT format('process %s of %s in the database %s, since %s', pid, usename, datname, xact_start)
        FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid() ORDER BY xact_start LIMIT 1`,
      );
      refuse(
        'store/locked',
        `A move waits for all transactions on ${this.#source.settings.place} that have written something, and one of them did not end: ${oldest}. End it and repeat the move.`,
      );
    } finally {
      await source.query('SET statement_timeout = 0').catch(() => undefined);
    }
  }

  async #refuseOccupiedTarget(): Promise<void> {
    const [tree] = await this.#column('to', `SELECT id FROM ${this.#table('tree')} LIMIT 1`);
    const buckets = await this.#pool.reload();
    const isUsed = buckets.some(({ url, schema }) => url === this.#url && schema === this.#bucket.schema);
    if (tree !== undefined || isUsed)
      refuse(
        'command/invalid',
        `The schema ${this.#schema} of ${this.#target.settings.place} has trees or is another bucket: a bucket is moved to an empty schema.`,
      );
  }

  /**
   * Replication finds a changed row by the primary key. A table without one uses a unique index, or else the whole row.
   */
  async #setReplicaIdentities(): Promise<void> {
    for (const table of replicatedTables) {
      const keys = await this.#column(
        'from',
        `SELECT CASE WHEN i.indisprimary THEN '' ELSE c.relname END FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = CAST(${quoteLiteral(this.#table(table))} AS REGCLASS) AND i.indisunique AND i.indimmediate
          AND i.indisvalid AND i.indpred IS NULL AND i.indexprs IS NULL AND NOT EXISTS (
            SELECT 1 FROM pg_attribute a WHERE a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) AND NOT a.attnotnull)
        ORDER BY i.indisprimary DESC, c.relname`,
      );
      const [key] = keys;
      if (key === '') continue;
      const identity = key === undefined ? 'FULL' : `USING INDEX ${quoteName(key)}`;
      const change = `ALTER TABLE ${this.#table(table)} REPLICA IDENTITY ${identity}`;
      // This waits only briefly for the lock of the table, because all its readers wait meanwhile.
      await this.#source.maintain(function* () {
        yield* execute(change);
      });
    }
  }

  /** Waits until every table is copied. Until then the order in which rows arrive says nothing about other tables. */
  async #waitForTables({ onProgress }: BucketMoveOptions): Promise<void> {
    for (;;) {
      const states = await this.#column(
        'to',
        `SELECT r.srsubstate FROM pg_subscription_rel r JOIN pg_subscription s ON s.oid = r.srsubid WHERE s.subname = '${this.#stream}'`,
      );
      const copied = states.filter((state) => state === 'r').length;
      onProgress?.({ copiedTables: copied, tables: replicatedTables.length });
      if (copied === replicatedTables.length) return;
      await sleep(pollMs);
    }
  }

  /** Waits until the new database has nearly all changes. */
  async #waitForChanges(): Promise<void> {
    await this.#to.client.query(`ANALYZE ${this.#tables(dataTables)}`);
    for (;;) {
      const [missingBytes] = await this.#column(
        'from',
        `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn) FROM pg_replication_slots WHERE slot_name = '${this.#stream}'`,
      );
      if (missingBytes !== undefined && Number(missingBytes) < closeBytes) return;
      await sleep(pollMs);
    }
  }

  /** Makes the old bucket refuse all owners. Waits for transactions that write; later ones are refused. */
  async #closeSource(place: string): Promise<void> {
    await this.#from.begin('READ COMMITTED');
    await this.#from.client.query('SELECT pg_advisory_xact_lock(hashtext(current_schema()), $1)', [
      ownerGateLockKeys.bucket,
    ]);
    await this.#from.client.query(
      `INSERT INTO ${this.#table('owner_gone')} (owner, bucket) VALUES ('', $1) ON CONFLICT (owner) DO NOTHING`,
      [place],
    );
    await this.#from.commit();
  }

  /** The row that closes the old bucket is its last commit, so all others have arrived when this row is there. */
  async #waitForLastChange(): Promise<void> {
    const arrived = `SELECT 1 FROM ${this.#table('owner_gone')} WHERE owner = ''`;
    while ((await this.#column('to', arrived)).length === 0) await sleep(pollMs / 4);
  }

  async #endReplication(): Promise<void> {
    if (await this.#hasSubscription()) {
      const { client } = this.#to;
      await client.query(`ALTER SUBSCRIPTION ${this.#stream} DISABLE`);
      await client.query(`ALTER SUBSCRIPTION ${this.#stream} SET (slot_name = NONE)`);
      await client.query(`DROP SUBSCRIPTION ${this.#stream}`);
    }
    await this.#dropSlot();
    await this.#from.client.query(`DROP PUBLICATION IF EXISTS ${this.#stream}`);
  }

  /** Drops the replication slot. Its connection may take a moment to end. */
  async #dropSlot(): Promise<void> {
    for (;;) {
      const [active] = await this.#column(
        'from',
        `SELECT active FROM pg_replication_slots WHERE slot_name = '${this.#stream}'`,
      );
      if (active === undefined) return;
      if (active === 'f')
        await this.#from.client.query('SELECT pg_drop_replication_slot($1)', [this.#stream]).catch(() => undefined);
      else await sleep(pollMs);
    }
  }

  /** Lets the new bucket accept its owners. First sets the sequences, which replication does not copy. */
  async #openTarget(): Promise<void> {
    const { rows: sequences } = await this.#from.client.query<{ name: string; last: string | null }>(
      'SELECT sequencename AS name, CAST(last_value AS TEXT) AS last FROM pg_sequences WHERE schemaname = $1',
      [this.#schema],
    );
    const [epoch = '0'] = await this.#column('from', `SELECT epoch FROM ${this.#table('feed_epoch')}`);
    await this.#to.begin('READ COMMITTED');
    const { client } = this.#to;
    for (const { name, last } of sequences)
      if (last !== null) await client.query('SELECT setval(CAST($1 AS REGCLASS), $2)', [this.#table(name), last]);
    // Commits in the new database must get higher positions than the copied ones.
    await client.query(
      `UPDATE ${this.#table('feed_epoch')} SET divided = TRUE, epoch = 1 + greatest(epoch, $1,
        (SELECT coalesce(max(id), 0) / ${positionsPerEpoch} FROM ${this.#table('change')}))`,
      [epoch],
    );
    await client.query(`DELETE FROM ${this.#table('owner_gone')} WHERE owner = ''`);
    await this.#to.commit();
  }

  /**
   * Deletes the rows of the old bucket. Returns false if a transaction still reads them, because after TRUNCATE it would
   * find empty tables. The row that refuses all owners stays, for servers that do not know of the move yet.
   */
  async #clearSource(): Promise<boolean> {
    const [closedAt] = await this.#column('from', 'SELECT CAST(clock_timestamp() AS TEXT)');
    const readers = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
      AND backend_xmin IS NOT NULL AND xact_start < CAST(${quoteLiteral(closedAt ?? '')} AS TIMESTAMPTZ)`;
    const until = performance.now() + longestReaderMs;
    while ((await this.#column('from', readers)).length > 0) {
      if (performance.now() > until) return false;
      await sleep(pollMs);
    }
    await this.#from.client.query(`TRUNCATE ${this.#tables(dataTables)}`);
    return true;
  }
}

async function readCurrentSchema(at: BucketConnection): Promise<string> {
  await at.begin('READ COMMITTED');
  const [schema = ''] = await queryFirstColumn(at, 'SELECT current_schema()');
  await at.commit();
  return schema;
}

/** Returns the connection string by which another server connects to the database of a client. */
function formatConnection(client: Client): string {
  const { host, port, user, password, database, ssl } = client;
  const values = { host, port, user, password, dbname: database, ...(ssl ? { sslmode: 'require' } : {}) };
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([key, value]) => `${key}='${String(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`)
    .join(' ');
}

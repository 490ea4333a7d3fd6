/** Begins and ends transactions of a connection, and runs long transactions in parts between other work. */
import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises';
import { failpoint } from '../failpoints.ts';
import type { Query, SqlTask } from '../sql/query.ts';
import { type SqliteConnection, sqliteBusyCode, sqliteResultCode } from './driver.ts';

/** How many milliseconds a connection waits for the lock before it reports that the database is busy. */
export const maxLockWaitMs = 10_000;
/** How many milliseconds of the wait may block the event loop. */
export const maxBlockingWaitMs = 30;
/** How many milliseconds work may run before it yields. */
export const maxRunBeforeYieldMs = 10;

/**
 * Takes the write lock. Returns false if another connection has it and there is still time. SQLite first waits briefly
 * on this thread, which is nearly always enough. In later attempts it does not wait on this thread, because a long
 * writer, such as an import, would block it most of the time.
 */
export function tryBeginWrite({ database }: SqliteConnection, until: number, again: boolean): boolean {
  try {
    failpoint('before-begin');
    if (again) database.exec('PRAGMA busy_timeout = 0');
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (sqliteResultCode(error) !== sqliteBusyCode || Date.now() > until) throw error;
    return false;
  } finally {
    if (again) database.exec(`PRAGMA busy_timeout = ${maxBlockingWaitMs}`);
  }
}

/** Waits a random time before the next attempt, so that waiting connections do not retry at the same moment. */
export function waitBeforeRetry(): Promise<void> {
  return sleep(1 + Math.random() * 15);
}

/** Runs a shared query on a connection. */
export function runQueryOnConnection(connection: SqliteConnection, query: Query): unknown {
  if (query.want === 'count') failpoint('write');
  return connection.query(query);
}

/** Rolls back a transaction. */
export function rollBackTransaction({ database }: SqliteConnection): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back, for example after a full disk or an I/O error.
  }
}

/** A second connection for long transactions, which run in short parts. Meanwhile readers see the old state. */
export class LongTransaction {
  readonly #open: () => SqliteConnection;
  #connection: SqliteConnection | null = null;

  constructor(open: () => SqliteConnection) {
    this.#open = open;
  }

  /** Runs work in one durable transaction. No other transaction may run on this connection until it ends. */
  async run<T>(work: () => SqlTask<T>): Promise<T> {
    this.#connection ??= this.#open();
    const connection = this.#connection;
    const until = Date.now() + maxLockWaitMs;
    for (let again = false; !tryBeginWrite(connection, until, again); again = true) await waitBeforeRetry();
    try {
      const value = await runInTurns(work(), (query) => runQueryOnConnection(connection, query));
      // Other work runs before the commit, which waits for the disk.
      await breath();
      failpoint('before-commit');
      connection.database.exec('COMMIT');
      failpoint('after-commit');
      return value;
    } catch (error) {
      rollBackTransaction(connection);
      throw error;
    }
  }

  /** Checkpoints the part of the write-ahead log that no reader needs. */
  async settle(): Promise<void> {
    await breath();
    try {
      this.#connection?.database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The log contains all data. The next commit tries again.
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}

/** Runs work in short parts, and yields in between. */
async function runInTurns<T>(work: SqlTask<T>, answer: (query: Query) => unknown): Promise<T> {
  let since = performance.now();
  let step = work.next();
  while (!step.done) {
    const { value } = step;
    if (performance.now() - since > maxRunBeforeYieldMs) {
      await breath();
      since = performance.now();
    }
    step = work.next('sql' in value ? answer(value) : value.map(answer));
  }
  return step.value;
}

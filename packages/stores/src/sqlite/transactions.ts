/** Begins and ends transactions of a connection, and runs long ones interleaved with other work. */
import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises';
import { failpoint } from '../failpoints.ts';
import type { Query, SqlTask } from '../sql/query.ts';
import { type SqliteConnection, sqliteBusyCode, sqliteResultCode } from './driver.ts';

/** How long a connection waits for another one before it reports that the database is busy, in milliseconds. */
export const maxLockWaitMs = 10_000;
/** How much of that may block the event loop. */
export const maxBlockingWaitMs = 30;
/** How many milliseconds work may run before it yields. */
export const maxRunBeforeYieldMs = 10;

/**
 * Takes the write lock; false if another connection has it and there is still time. SQLite first waits for it on this
 * thread for a moment, which is nearly always enough. A longer holder, such as an import, is not waited for in this way
 * again, otherwise this thread would be blocked most of the time.
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

/** Waits a random time before the lock is tried again, so that waiting connections do not retry together. */
export function waitBeforeRetry(): Promise<void> {
  return sleep(1 + Math.random() * 15);
}

/** Runs a shared query. */
export function runQueryOnConnection(connection: SqliteConnection, query: Query): unknown {
  if (query.want === 'count') failpoint('write');
  return connection.query(query);
}

/** Rolls back a transaction. */
export function rollBackTransaction({ database }: SqliteConnection): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has already rolled back: a full disk or an I/O error ends the transaction.
  }
}

/** A second connection for long transactions, which run in short stretches; meanwhile readers see the old state. */
export class LongTransaction {
  readonly #open: () => SqliteConnection;
  #connection: SqliteConnection | null = null;

  constructor(open: () => SqliteConnection) {
    this.#open = open;
  }

  /** Runs work in one durable transaction. No other work may run here until it ends. */
  async run<T>(work: () => SqlTask<T>): Promise<T> {
    this.#connection ??= this.#open();
    const connection = this.#connection;
    const until = Date.now() + maxLockWaitMs;
    for (let again = false; !tryBeginWrite(connection, until, again); again = true) await waitBeforeRetry();
    try {
      const value = await runInTurns(work(), (query) => runQueryOnConnection(connection, query));
      // Waiting for the disk is a separate stretch.
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

  /** Checkpoints the write-ahead log, as far as no reader needs it. */
  async settle(): Promise<void> {
    await breath();
    try {
      this.#connection?.database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // Everything is safe in the log; the next commit tries again.
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}

/** Runs work in short stretches. */
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

/** Begins and ends transactions of a connection, and runs long transactions in parts between other work. */
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { failpoint } from '../failpoints.ts';
import type { Query, SqlTask } from '../sql/query.ts';
import { type SqliteConnection, sqliteBusyCode, sqliteResultCode } from './driver.ts';

/** The number of milliseconds that a connection waits for the write lock before it throws that the database is busy. */
export const maxLockWaitMs = 10_000;
/** The number of milliseconds of that wait that may block the event loop. */
export const maxBlockingWaitMs = 30;
/** The number of milliseconds that work may run before it yields to the event loop. */
export const maxRunBeforeYieldMs = 10;

/**
 * Tries to take the write lock. Returns false if another connection holds it and the deadline `until` is not reached;
 * throws after that. The first attempt lets SQLite wait briefly on this thread, which is nearly always enough. Later
 * attempts do not wait, because a long writer, such as an import, would block the thread most of the time.
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

export function runQueryOnConnection(connection: SqliteConnection, query: Query): unknown {
  if (query.want === 'count') failpoint('write');
  return connection.query(query);
}

/** Rolls back the open transaction. Does nothing if SQLite has already done so. */
export function rollBackTransaction({ database }: SqliteConnection): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite rolls back by itself, for example after an I/O error or if the disk is full.
  }
}

/** A second connection for long transactions, which run in short parts. Meanwhile readers see the old state. */
export class LongTransactionRunner {
  readonly #open: () => SqliteConnection;
  #connection: SqliteConnection | null = null;

  constructor(open: () => SqliteConnection) {
    this.#open = open;
  }

  /** Runs work in one transaction and commits it durably. No other transaction may run on this connection meanwhile. */
  async run<T>(work: () => SqlTask<T>): Promise<T> {
    this.#connection ??= this.#open();
    const connection = this.#connection;
    const until = Date.now() + maxLockWaitMs;
    for (let again = false; !tryBeginWrite(connection, until, again); again = true) await waitBeforeRetry();
    try {
      const value = await runInTurns(work(), (query) => runQueryOnConnection(connection, query));
      // Other work gets a chance before the commit, which blocks until the disk has written.
      await yieldToEventLoop();
      failpoint('before-commit');
      connection.database.exec('COMMIT');
      failpoint('after-commit');
      return value;
    } catch (error) {
      rollBackTransaction(connection);
      throw error;
    }
  }

  /** Copies the part of the write-ahead log that no reader needs into the database (a checkpoint). */
  async settle(): Promise<void> {
    await yieldToEventLoop();
    try {
      this.#connection?.database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The log contains all data, and the next checkpoint tries again.
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}

/** Runs work until the time for one part is over, then lets other work run before it continues. */
async function runInTurns<T>(work: SqlTask<T>, answer: (query: Query) => unknown): Promise<T> {
  let since = performance.now();
  let step = work.next();
  while (!step.done) {
    const { value } = step;
    if (performance.now() - since > maxRunBeforeYieldMs) {
      await yieldToEventLoop();
      since = performance.now();
    }
    step = work.next('sql' in value ? answer(value) : value.map(answer));
  }
  return step.value;
}

/** How transactions of a connection begin and end, and how one that takes long leaves others their turns. */
import { setImmediate as breath, setTimeout as sleep } from 'node:timers/promises';
import { failpoint } from '../failpoints.ts';
import type { Query, SqlTask } from '../sql/query.ts';
import { busy, resultCode, type SqliteConnection } from './driver.ts';

/** How long a connection waits for another one before it says that the database is busy. */
export const longestWait = 10_000;
/** How much of that it may wait with the event loop held up. */
export const blockingWait = 30;
/** How many milliseconds work may go on before others have a turn. */
export const longestStretch = 10;

/**
 * Takes the write lock; false where somebody else has it and there is still time. SQLite waits for it on this thread for
 * a moment, which is enough for nearly all; whoever has it longer than that, such as an import, is not waited for in
 * this way again, or this thread would do little else meanwhile.
 */
export function beginStatement({ database }: SqliteConnection, until: number, again: boolean): boolean {
  try {
    failpoint('before-begin');
    if (again) database.exec('PRAGMA busy_timeout = 0');
    database.exec('BEGIN IMMEDIATE');
    return true;
  } catch (error) {
    if (resultCode(error) !== busy || Date.now() > until) throw error;
    return false;
  } finally {
    if (again) database.exec(`PRAGMA busy_timeout = ${blockingWait}`);
  }
}

/** A while until the lock is asked for again, not the same for all who wait. */
export function pauseWork(): Promise<void> {
  return sleep(1 + Math.random() * 15);
}

/** Answers a query of the shared kind. */
export function answerWork(connection: SqliteConnection, query: Query): unknown {
  if (query.want === 'count') failpoint('write');
  return connection.query(query);
}

/** Gives up a transaction. */
export function rolledBack({ database }: SqliteConnection): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // SQLite has rolled back by itself: a full disk or an input error ends the transaction.
  }
}

/**
 * A connection beside the one that answers everybody, for transactions that take long. They go on a stretch at a time:
 * whoever reads meanwhile sees what was there before.
 */
export class LongTransaction {
  readonly #open: () => SqliteConnection;
  #connection: SqliteConnection | null = null;

  constructor(open: () => SqliteConnection) {
    this.#open = open;
  }

  /** Runs work in one durable transaction. Nobody else may run any here until it is through. */
  async run<T>(work: () => SqlTask<T>): Promise<T> {
    this.#connection ??= this.#open();
    const connection = this.#connection;
    const until = Date.now() + longestWait;
    for (let again = false; !beginStatement(connection, until, again); again = true) await pauseWork();
    try {
      const value = await runInTurns(work(), (query) => answerWork(connection, query));
      // What it has to wait for the disk is a stretch of its own.
      await breath();
      failpoint('before-commit');
      connection.database.exec('COMMIT');
      failpoint('after-commit');
      return value;
    } catch (error) {
      rolledBack(connection);
      throw error;
    }
  }

  /** Takes the write-ahead log over into the database, as far as nobody reads from it. */
  async settle(): Promise<void> {
    await breath();
    try {
      this.#connection?.database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // All of it is safe in the log; the next commit tries again.
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}

/** Drives work a stretch at a time. */
async function runInTurns<T>(work: SqlTask<T>, answer: (query: Query) => unknown): Promise<T> {
  let since = performance.now();
  let step = work.next();
  while (!step.done) {
    const { value } = step;
    if (performance.now() - since > longestStretch) {
      await breath();
      since = performance.now();
    }
    step = work.next('sql' in value ? answer(value) : value.map(answer));
  }
  return step.value;
}

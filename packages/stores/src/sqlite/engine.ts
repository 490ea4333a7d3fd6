/** Runs the tasks of the shared SQL store on a SQLite file. */
import { setTimeout as sleep, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import {
  type AbortSignalLike,
  AppError,
  isAppError,
  type StoreCapabilities,
  type StoreInfo,
  type WorkProgress,
} from '@coppice/core';
import { failpoint } from '../failpoints.ts';
import type { FeedTarget, SqlEngine } from '../sql/engine.ts';
import { queryChangesAfter, queryNewestChange } from '../sql/list-feed.ts';
import { readNumberColumn, runSync, type SqlRow, type SqlTask } from '../sql/query.ts';
import { RowCache } from '../sql/row-cache.ts';
import type { NumberedHit, SearchRequest } from '../sql/search.ts';
import { backUpSqlite } from './backup.ts';
import { sqliteDialect } from './dialect.ts';
import { type SqliteConnection, sqliteBusyCode, sqliteResultCode, toSqliteError } from './driver.ts';
import { newestSqliteVersion } from './migrations.ts';
import { overwriteResidue, startRecordingDeletes } from './overwrite-residue.ts';
import { clearResidue, recordLogResidue } from './residue.ts';
import {
  indexCommitsBeforeTrim,
  isSearchIndexBehind,
  rebuildSearchIndex,
  removeFromSearchIndex,
  searchSqlite,
  updateSearchIndex,
} from './search.ts';
import {
  LongTransactionRunner,
  maxLockWaitMs,
  maxRunBeforeYieldMs,
  rollBackTransaction,
  runQueryOnConnection,
  tryBeginWrite,
  waitBeforeRetry,
} from './transactions.ts';

const pollMs = 60;
const maxBatch = 32;
// How many milliseconds a purge waits for other readers.
const maxClearWaitMs = 2_000;
// The interval in which the write-ahead log is emptied after that, in milliseconds.
const clearIntervalMs = 1_000;

interface WaitingTask {
  readonly work: () => SqlTask<unknown>;
  /** The second connection, if the task is long and runs in parts between other requests; null for a short task. */
  readonly long: LongTransactionRunner | null;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface TaskOutcome {
  readonly one: WaitingTask;
  readonly value?: unknown;
  readonly error?: unknown;
}

/** A file that was opened, and what was found out about it. */
export interface OpenedSqlite {
  readonly connection: SqliteConnection;
  readonly place: string;
  readonly readOnly: boolean;
  readonly notes: readonly string[];
  /** Opens a second connection; missing if one connection cannot read while the other writes. */
  readonly beside?: () => SqliteConnection;
  /** Deletes the temporary files that were made to open the store. */
  readonly dispose?: () => void;
}

/**
 * Runs tasks on one connection to one file. A task runs to its end without interruption, so that tasks never mix. A
 * long task runs on a second connection.
 */
export class SqliteEngine implements SqlEngine {
  readonly dialect = sqliteDialect;
  readonly supports: StoreCapabilities = {
    durable: true,
    processes: true,
    search: true,
    crossProcessFeed: true,
    history: true,
  };
  readonly rowCache = new RowCache();
  readonly atOnce = true;
  readonly #opened: OpenedSqlite;
  readonly #connection: SqliteConnection;
  readonly #long: LongTransactionRunner | null;
  readonly #queue: WaitingTask[] = [];
  readonly #listeners = new Set<() => void>();
  #flushing = false;
  /** SQLite's `data_version` when the row cache was last valid. It changes with each commit of another connection. */
  #lastDataVersion = -1;
  #poll: NodeJS.Timeout | null = null;
  #seen = 0;
  /** Increases with every commit of this process, so that feeds notice a commit between a read and the wait. */
  #commitCount = 0;
  #clearing: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(opened: OpenedSqlite) {
    this.#opened = opened;
    this.#connection = opened.connection;
    this.#long = opened.beside === undefined ? null : new LongTransactionRunner(opened.beside);
  }

  async snapshot<T>(work: () => SqlTask<T>): Promise<T> {
    return this.#inTransaction('BEGIN', work);
  }

  /** Runs a write. Writes that wait at the same time are committed together, with one sync. */
  transaction<T>(work: () => SqlTask<T>): Promise<T> {
    return this.#enqueue(work, null);
  }

  longTransaction<T>(work: () => SqlTask<T>): Promise<T> {
    return this.#enqueue(work, this.#long);
  }

  readonly unindex = removeFromSearchIndex;

  /**
   * Runs a purge, overwrites the deleted rows, and empties the write-ahead log. `uncleared` names the files that still
   * contain purged data.
   */
  async purging<T>(work: () => SqlTask<T>): Promise<{ readonly value: T; readonly uncleared: readonly string[] }> {
    const value = await this.longTransaction(function* () {
      yield* startRecordingDeletes();
      const done = yield* work();
      yield* overwriteResidue();
      yield* recordLogResidue();
      return done;
    });
    return { value, uncleared: await this.#clear(Date.now() + maxClearWaitMs) };
  }

  /** Removes the remains of purged rows from the files. Tries again until a time, while other processes prevent it. */
  async #clear(until: number): Promise<readonly string[]> {
    for (;;) {
      const uncleared = this.#closed ? [] : clearResidue(this.#connection, this.#opened.place);
      if (uncleared.length === 0 || Date.now() > until) {
        this.#clearLater(uncleared.length > 0);
        return uncleared;
      }
      await waitBeforeRetry();
    }
  }

  #clearLater(due: boolean): void {
    if (this.#clearing !== null) clearTimeout(this.#clearing);
    this.#clearing = due ? setTimeout(() => void this.#clear(0).catch(() => undefined), clearIntervalMs) : null;
    this.#clearing?.unref();
  }

  #enqueue<T>(work: () => SqlTask<T>, long: LongTransactionRunner | null): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, long, resolve: (value) => resolve(value as T), reject });
      if (this.#flushing) return;
      this.#flushing = true;
      // A resolved promise is used, because queueMicrotask is slower: it tracks the async context.
      void Promise.resolve().then(() => this.#flush());
    });
  }

  async #flush(): Promise<void> {
    let since = performance.now();
    while (this.#queue.length > 0) {
      const next = this.#next();
      const [first] = next;
      const late =
        first?.long == null
          ? this.#commitBatch(next, Date.now() + maxLockWaitMs)
          : this.#runLongTask(first, first.long);
      if (late !== null) await late;
      // Without this pause, callers that always start a new write would block all other work.
      if (performance.now() - since < maxRunBeforeYieldMs) continue;
      await yieldToEventLoop();
      since = performance.now();
    }
    this.#flushing = false;
  }

  /** Takes the next tasks to run from the queue: several short ones, or one long one. */
  #next(): readonly WaitingTask[] {
    const first = this.#queue.findIndex((one) => one.long !== null);
    if (first === 0) return this.#queue.splice(0, 1);
    return this.#queue.splice(0, first === -1 ? maxBatch : Math.min(first, maxBatch));
  }

  /**
   * Runs a long task on the second connection in short parts. Meanwhile readers see the old state, and other writers
   * wait.
   */
  async #runLongTask(one: WaitingTask, long: LongTransactionRunner): Promise<void> {
    this.rowCache.forget();
    try {
      one.resolve(await long.run(one.work));
    } catch (error) {
      one.reject(this.#failed(error));
    }
    // The long transaction wrote on another connection, so the row cache is stale.
    this.rowCache.forget();
    await long.settle();
  }

  /**
   * Commits a batch. Returns null if the write lock was free, which is usual, else a promise that waits for the lock.
   */
  #commitBatch(batch: readonly WaitingTask[], until: number, again = false): Promise<void> | null {
    try {
      if (!tryBeginWrite(this.#connection, until, again)) return this.#commitBatchLater(batch, until);
      for (const { one, value, error } of this.#commit(batch)) {
        if (error === undefined) one.resolve(value);
        else one.reject(this.#failed(error));
      }
      return null;
    } catch (error) {
      return this.#handleFailedBatch(batch, error);
    }
  }

  async #commitBatchLater(batch: readonly WaitingTask[], until: number): Promise<void> {
    await waitBeforeRetry();
    await this.#commitBatch(batch, until, true);
  }

  /** Handles a failed batch. If one task may have made the others fail, each task runs again in its own transaction. */
  #handleFailedBatch(batch: readonly WaitingTask[], error: unknown): Promise<void> | null {
    if (batch.length === 1 || sqliteResultCode(error) === sqliteBusyCode) {
      for (const one of batch) one.reject(this.#failed(error));
      return null;
    }
    return this.#runSeparately(batch);
  }

  // A task may violate a constraint that SQLite checks only at the commit. Run alone, only that task fails.
  async #runSeparately(batch: readonly WaitingTask[]): Promise<void> {
    for (const one of batch) await this.#commitBatch([one], Date.now() + maxLockWaitMs);
  }

  /** Runs a batch in the open transaction and commits it. Returns the outcome of each task. */
  #commit(batch: readonly WaitingTask[]): TaskOutcome[] {
    try {
      this.#clearStaleCache();
      const outcomes = batch.map((one) =>
        batch.length === 1 ? { one, value: this.#drive(one.work) } : this.#savepoint(one),
      );
      failpoint('before-commit');
      this.#connection.database.exec('COMMIT');
      failpoint('after-commit');
      return outcomes;
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  #savepoint(one: WaitingTask): TaskOutcome {
    const { database } = this.#connection;
    database.exec('SAVEPOINT piece');
    try {
      const value = this.#drive(one.work);
      database.exec('RELEASE piece');
      return { one, value };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.rowCache.forget();
      database.exec('ROLLBACK TO piece');
      database.exec('RELEASE piece');
      return { one, error };
    }
  }

  /**
   * Waits for the write lock without blocking the event loop. Then the work runs synchronously, because a concurrent
   * read would otherwise run inside the transaction.
   */
  async #locked<T>(work: () => T): Promise<T> {
    const until = Date.now() + maxLockWaitMs;
    for (let again = false; ; again = true) {
      if (tryBeginWrite(this.#connection, until, again)) return work();
      await waitBeforeRetry();
    }
  }

  #inTransaction<T>(begin: string, work: () => SqlTask<T>): T {
    try {
      this.#connection.database.exec(begin);
      try {
        const value = this.#drive(work);
        this.#connection.database.exec('COMMIT');
        return value;
      } catch (error) {
        this.#rollback();
        throw error;
      }
    } catch (error) {
      throw this.#failed(error);
    }
  }

  #drive<T>(work: () => SqlTask<T>): T {
    return runSync(work(), (query) => runQueryOnConnection(this.#connection, query));
  }

  /**
   * Clears the row cache if another connection has written. The caller holds the write lock, so no other connection can
   * write meanwhile.
   */
  #clearStaleCache(): void {
    const others = this.#dataVersion();
    if (others !== this.#lastDataVersion) this.rowCache.forget();
    this.#lastDataVersion = others;
  }

  #rollback(): void {
    this.rowCache.forget();
    rollBackTransaction(this.#connection);
  }

  #failed(error: unknown): unknown {
    if (isAppError(error)) return error;
    const said = error instanceof Error ? error.message : '';
    if (/UNIQUE constraint failed: (node\.id|node\.tree_id, node\.id|index 'node_id'|tree\.id)/.test(said))
      return new AppError({
        code: 'id/taken',
        kind: 'conflict',
        message: 'An id of this write is in use already; choose another.',
        cause: error,
      });
    if (/UNIQUE constraint failed: tree\.owner/.test(said))
      return new AppError({
        code: 'tree/exists',
        kind: 'conflict',
        message: 'There is another tree with this system prompt in this project.',
        cause: error,
      });
    return toSqliteError(error, this.#opened.place);
  }

  announce(): void {
    this.#wake();
  }

  changeMark(): string {
    return this.#closed ? '' : `${this.#commitCount} ${this.#dataVersion()}`;
  }

  events(owner: string, since: readonly number[], limit: number): SqlTask<readonly SqlRow[]> {
    return queryChangesAfter(owner, since, limit);
  }

  latest(): SqlTask<readonly number[]> {
    return queryNewestChange();
  }

  changed(_target: FeedTarget, signal: AbortSignalLike | undefined, mark: string): Promise<void> {
    // If a commit happened between the read and this call, the caller must read again instead of waiting.
    if (mark !== this.changeMark()) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#listeners.delete(wake);
        signal?.removeEventListener('abort', wake);
        if (this.#listeners.size === 0) this.#stopPolling();
        resolve();
      };
      this.#listeners.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
      if (signal?.aborted === true) wake();
      else this.#startPolling();
    });
  }

  #wake(): void {
    this.#commitCount++;
    for (const wake of [...this.#listeners]) wake();
  }

  /** Polls SQLite's `data_version`, which changes with each commit of another connection. Reading it is very fast. */
  #startPolling(): void {
    if (this.#poll !== null) return;
    this.#seen = this.#dataVersion();
    this.#poll = setInterval(() => {
      const now = this.#dataVersion();
      if (now === this.#seen) return;
      this.#seen = now;
      this.#wake();
    }, pollMs);
    this.#poll.unref();
  }

  #stopPolling(): void {
    if (this.#poll !== null) clearInterval(this.#poll);
    this.#poll = null;
  }

  #dataVersion(): number {
    const row = this.#connection.prepared('PRAGMA data_version').get();
    return row === undefined ? 0 : readNumberColumn(row, 'data_version');
  }

  async search(search: SearchRequest): Promise<readonly NumberedHit[]> {
    try {
      await this.indexTexts();
      return searchSqlite(this.#connection, search, !isSearchIndexBehind(this.#connection));
    } catch (error) {
      throw this.#failed(error);
    }
  }

  async indexTexts(): Promise<void> {
    while (isSearchIndexBehind(this.#connection)) if (this.#opened.readOnly || !(await this.#updateSearch())) return;
  }

  readonly indexCommitsBeforeTrim = indexCommitsBeforeTrim;

  /**
   * Updates the search index. Returns false if nothing can be written, for example because the disk is full; the search
   * then scans the messages.
   */
  async #updateSearch(): Promise<boolean> {
    try {
      await this.#locked(() => {
        try {
          this.#drive(updateSearchIndex);
          failpoint('index');
          this.#connection.database.exec('COMMIT');
        } catch (error) {
          this.#rollback();
          throw error;
        }
      });
      return true;
    } catch (error) {
      const failed = this.#failed(error);
      if (isAppError(failed) && failed.kind === 'unavailable') return false;
      throw failed;
    }
  }

  info(): StoreInfo {
    const { place, readOnly, notes } = this.#opened;
    return { kind: 'sqlite', place, readOnly, schemaVersion: newestSqliteVersion, notes };
  }

  async damage(): Promise<readonly string[]> {
    const found: string[] = [];
    for (const row of this.#connection.all('PRAGMA integrity_check'))
      if (row.integrity_check !== 'ok') found.push(String(row.integrity_check));
    for (const row of this.#connection.all('PRAGMA foreign_key_check'))
      found.push(`A row of ${row.table} refers to a missing row of ${row.parent}.`);
    return found;
  }

  *mend(damage: readonly string[]): SqlTask<string[]> {
    if (!damage.some((line) => /\bnode_text/.test(line))) return [];
    yield* rebuildSearchIndex();
    return ['the index for search was made anew from the messages'];
  }

  backup(to: string, onProgress?: (progress: WorkProgress) => void): Promise<void> {
    return backUpSqlite(this.#connection, to, onProgress);
  }

  async close(): Promise<void> {
    this.#stopPolling();
    this.#wake();
    while (this.#flushing) await sleep(1);
    this.#closed = true;
    this.#clearLater(false);
    this.#long?.close();
    if (!this.#opened.readOnly) {
      try {
        this.#connection.database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      } catch {
        // Another process is reading. It empties the write-ahead log when it closes.
      }
    }
    this.#connection.close();
    this.#opened.dispose?.();
  }
}

// A refusal concerns only the task of its planner. Any other error may have ended the whole transaction.
function isRefusal(error: unknown): boolean {
  return isAppError(error) && error.kind !== 'unavailable' && error.kind !== 'internal';
}

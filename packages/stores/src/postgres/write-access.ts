/**
 * Tracks whether the server accepts writes. While it does not, the server is queried again, so that a promoted standby
 * accepts writes without reopening the store.
 */
import { isAppError } from '@coppice/core';
import { throwReadOnlyStore } from '../refusals.ts';
import { queryRow, type SqlTask } from '../sql/query.ts';
import type { PostgresDatabase } from './database.ts';

const refusedState = '25006';

/**
 * Returns whether the server refuses writes. Settings of the
 * current transaction do not count, because it is read-only itself.
 */
export function* serverRefusesWrites(): SqlTask<boolean> {
  const found = yield* queryRow(
    "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS refuses",
  );
  return found?.refuses === true;
}

/** Whether an open store can write. */
export class WriteAccess {
  readonly #database: PostgresDatabase;
  readonly #isReadOnlyByOption: boolean;
  #isRefused: boolean;

  constructor(database: PostgresDatabase, isReadOnlyByOption: boolean, isRefused: boolean) {
    this.#database = database;
    this.#isReadOnlyByOption = isReadOnlyByOption;
    this.#isRefused = isRefused;
  }

  get readOnly(): boolean {
    return this.#isReadOnlyByOption || this.#isRefused;
  }

  /** Queries the server again if it refused writes the last time. */
  async refresh(): Promise<void> {
    if (this.#isRefused) this.#isRefused = await this.#database.read(serverRefusesWrites);
  }

  /** Runs a write. Throws before it starts if the server still refuses writes. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    await this.refresh();
    if (this.readOnly) throwReadOnlyStore();
    try {
      return await work();
    } catch (error) {
      // The server became read-only, or the connection leads to another server now.
      if (isAppError(error) && (error.data as { readonly state?: unknown } | undefined)?.state === refusedState)
        this.#isRefused = true;
      throw error;
    }
  }

  /** Returns a note for the user; null if the server accepts writes. */
  get note(): string | null {
    return this.#isRefused && !this.#isReadOnlyByOption
      ? 'The database takes no writes: everything can be read, nothing can be saved. Once it takes writes, such as a standby that is promoted, saving works again without a restart.'
      : null;
  }
}

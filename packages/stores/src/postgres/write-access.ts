/**
 * Tracks whether the server accepts writes. While it does not, it is asked again before each write, so that a promoted
 * standby accepts writes without reopening the store.
 */
import { isAppError } from '@coppice/core';
import { throwReadOnlyStore } from '../refusals.ts';
import { queryRow, type SqlTask } from '../sql/query.ts';
import type { PostgresDatabase } from './database.ts';
import { makeProgramTooOldError, programTooOldSqlState } from './schema-version.ts';

const refusedState = '25006';

/**
 * Returns whether the server refuses writes. The settings of the current transaction do not count, because this query
 * itself runs in a read-only one.
 */
function* serverRefusesWrites(): SqlTask<boolean> {
  const found = yield* queryRow(
    "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS refuses",
  );
  return found?.refuses === true;
}

/** Remembers whether the server of an open store accepts writes. */
export class WriteAccess {
  readonly #database: PostgresDatabase;
  readonly #isReadOnlyByOption: boolean;
  #isRefused: boolean;
  /** Whether the tables are too new for this program to write. */
  #isTooOld: boolean;

  constructor(database: PostgresDatabase, isReadOnlyByOption: boolean, isRefused: boolean, isTooOld = false) {
    this.#database = database;
    this.#isReadOnlyByOption = isReadOnlyByOption;
    this.#isRefused = isRefused;
    this.#isTooOld = isTooOld;
  }

  get readOnly(): boolean {
    return this.#isReadOnlyByOption || this.#isRefused || this.#isTooOld;
  }

  /** Asks the server again if it refused writes the last time. */
  async refresh(): Promise<void> {
    if (this.#isRefused) this.#isRefused = await this.#database.read(serverRefusesWrites);
  }

  /** Runs a write. Throws before it starts if the server still refuses writes. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    await this.refresh();
    if (this.#isTooOld && !this.#isReadOnlyByOption) throw makeProgramTooOldError(this.#database.settings.place);
    if (this.readOnly) throwReadOnlyStore();
    try {
      return await work();
    } catch (error) {
      // The server became read-only, or the pool has switched to a server that is.
      const state = isAppError(error) ? (error.data as { readonly state?: unknown } | undefined)?.state : undefined;
      if (state === refusedState) this.#isRefused = true;
      if (state === programTooOldSqlState) this.#isTooOld = true;
      throw error;
    }
  }

  /** Returns the note that the store shows while the server refuses writes; null if it accepts them. */
  get note(): string | null {
    return this.#isRefused && !this.#isReadOnlyByOption
      ? 'The database takes no writes: everything can be read, nothing can be saved. Once it takes writes, such as a standby that is promoted, saving works again without a restart.'
      : null;
  }
}

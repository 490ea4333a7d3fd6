/**
 * Whether the server takes writes. It is asked again while it does not: a standby that was promoted takes writes from
 * then on, without being opened again.
 */
import { isAppError } from '@coppice/core';
import { throwReadOnlyStore } from '../refusals.ts';
import { queryRow, type SqlTask } from '../sql/query.ts';
import type { PostgresDatabase } from './database.ts';

const refusedState = '25006';

/** Returns whether the server refuses writes. The transaction of the question is read-only itself, so its setting says nothing. */
export function* serverRefusesWrites(): SqlTask<boolean> {
  const found = yield* queryRow(
    "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on' AS refuses",
  );
  return found?.refuses === true;
}

/** The write access of an open store. */
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

  /** Asks the server again if it refused writes when it was last asked. */
  async refresh(): Promise<void> {
    if (this.#isRefused) this.#isRefused = await this.#database.read(serverRefusesWrites);
  }

  /** Runs a write; throws before it begins if the server still takes none. */
  async write<T>(work: () => Promise<T>): Promise<T> {
    await this.refresh();
    if (this.readOnly) throwReadOnlyStore();
    try {
      return await work();
    } catch (error) {
      // The server was made read-only since, or a connection leads to another server now.
      if (isAppError(error) && (error.data as { readonly state?: unknown } | undefined)?.state === refusedState)
        this.#isRefused = true;
      throw error;
    }
  }

  /** Returns what a user should know, or null. */
  get note(): string | null {
    return this.#isRefused && !this.#isReadOnlyByOption
      ? 'The database takes no writes: everything can be read, nothing can be saved. Once it takes writes, such as a standby that is promoted, saving works again without a restart.'
      : null;
  }
}

import type { Provenance, Store } from '@coppice/core';

/** How provenance rows are batched. */
export interface ProvenanceLedgerOptions {
  /** How many rows trigger a write; by default 64. */
  readonly batch?: number | undefined;
  /** The longest delay before a write, in milliseconds; by default a second. */
  readonly delayMs?: number | undefined;
  /** Called with rows that could not be written. They are lost; no tree depends on them. */
  readonly onLoss?: ((error: unknown, rows: readonly Provenance[]) => void) | undefined;
}

/**
 * Records which source resent existing messages. Rows are written in batches outside the trees, so that an append that
 * reuses its whole history does not wait for them. Rows that are still queued at a crash are lost.
 */
export class ProvenanceLedger {
  readonly #store: Pick<Store, 'addProvenance'>;
  readonly #options: ProvenanceLedgerOptions;
  #waiting: Provenance[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, 'addProvenance'>, options: ProvenanceLedgerOptions = {}) {
    this.#store = store;
    this.#options = options;
  }

  /** Queues a row. A full batch is written at once, otherwise after the delay. */
  add(row: Provenance): void {
    this.#waiting.push(row);
    if (this.#waiting.length >= (this.#options.batch ?? 64)) {
      void this.flush();
      return;
    }
    // The timer must not keep the process alive.
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.delayMs ?? 1000).unref();
  }

  /** Writes the queued rows after the batches that are still being written. Never rejects. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rows = this.#waiting;
    this.#waiting = [];
    if (rows.length > 0) this.#writing = this.#writing.then(() => this.#write(rows));
    return this.#writing;
  }

  async #write(rows: readonly Provenance[]): Promise<void> {
    try {
      await this.#store.addProvenance(rows);
    } catch (error) {
      this.#options.onLoss?.(error, rows);
    }
  }
}

import type { Provenance, Store } from '@coppice/core';

/** How provenance is gathered. */
export interface LedgerOptions {
  /** Rows are written when so many wait; 64 if not given. */
  readonly batch?: number | undefined;
  /** Or when the oldest has waited so long, in milliseconds; a second if not given. */
  readonly delayMs?: number | undefined;
  /** Told of rows that could not be written: they are lost, which nothing else depends on. */
  readonly onLoss?: ((error: unknown, rows: readonly Provenance[]) => void) | undefined;
}

/**
 * Who sent again what was there already, written in batches beside the trees: an append that reuses its whole history
 * must not wait for a row about it. What was not written before a crash is lost.
 */
export class ProvenanceLedger {
  readonly #store: Pick<Store, 'addProvenance'>;
  readonly #options: LedgerOptions;
  #waiting: Provenance[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: Pick<Store, 'addProvenance'>, options: LedgerOptions = {}) {
    this.#store = store;
    this.#options = options;
  }

  /** Notes a row, to be written soon. */
  add(row: Provenance): void {
    this.#waiting.push(row);
    if (this.#waiting.length >= (this.#options.batch ?? 64)) {
      void this.flush();
      return;
    }
    // A process that has nothing else to do does not stay for this.
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.delayMs ?? 1000).unref();
  }

  /** Writes what waits, one batch after the other. Never rejects. */
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

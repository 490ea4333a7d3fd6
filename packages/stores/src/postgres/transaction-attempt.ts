/** Sends the statements of one transaction without waiting for each answer. */
import type { ClientBase, QueryConfig } from 'pg';
import { type PostgresValue, type PreparedStatement, rowsPerBulkInsert } from './statements.ts';

// The maximum number of statements that wait for an answer. More would only use memory on both sides.
const mostSent = 64;

/**
 * One attempt of a transaction: the statements that wait for an answer, and the rows that are collected for a bulk
 * insert.
 */
export class TransactionAttempt {
  committing = false;
  /** The generation of the prepared statements that this attempt uses. */
  generation = 0;
  /** Whether statements are prepared under a name. */
  named = false;
  readonly #sent: Promise<unknown>[] = [];
  #awaitedCount = 0;
  #gathered: { readonly statement: PreparedStatement; readonly rows: PostgresValue[][] } | null = null;

  sendable({ text: sql, name }: Pick<PreparedStatement, 'text' | 'name'>, values: PostgresValue[]): QueryConfig {
    return name === undefined || !this.named ? { text: sql, values } : { text: sql, name, values };
  }

  send(sent: Promise<unknown>): void {
    // Awaited later; this handler prevents an unhandled rejection until then.
    sent.catch(() => undefined);
    this.#sent.push(sent);
  }

  /** Collects a row for a bulk insert, and sends the statement when enough rows are collected. */
  async gather(client: ClientBase, statement: PreparedStatement, values: PostgresValue[]): Promise<void> {
    if (this.#gathered !== null && this.#gathered.statement !== statement) this.flush(client);
    this.#gathered ??= { statement, rows: [] };
    if (this.#gathered.rows.push(values) < rowsPerBulkInsert) return;
    this.flush(client);
    await this.keepUp();
  }

  /** Waits for the oldest answers if too many are pending. */
  async keepUp(): Promise<void> {
    for (; this.#awaitedCount < this.#sent.length - mostSent; this.#awaitedCount++)
      await this.#sent[this.#awaitedCount];
  }

  /** Sends the collected rows, because the next statement may need to see them. */
  flush(client: ClientBase): void {
    const gathered = this.#gathered;
    if (gathered === null) return;
    this.#gathered = null;
    const { statement, rows } = gathered;
    if (rows.length === rowsPerBulkInsert && statement.bulk !== null)
      this.send(client.query(this.sendable(statement.bulk, rows.flat())));
    else for (const values of rows) this.send(client.query(this.sendable(statement, values)));
  }

  async allAnswered(): Promise<void> {
    for (const sent of this.#sent) await sent;
  }

  /** Returns the error of the first failed statement. Later statements only report that the transaction has failed. */
  async firstFailure(error: unknown): Promise<unknown> {
    for (const outcome of await Promise.allSettled(this.#sent))
      if (outcome.status === 'rejected') return outcome.reason;
    return error;
  }
}

/**
 * Runs operations on several runs in one transaction. The engine updates all replies of a server at the same moment,
 * and one transaction for each would take longer than all other work of a reply. An operation that fails in the shared
 * transaction is repeated in a separate one, so that one owner does not delay the others.
 */
import { isAppError, type Run, type RunChunk } from '@coppice/core';
import type { SqlEngine } from './engine.ts';
import { encodeColumnText } from './exact-text.ts';
import {
  type Query,
  queryRowsOfEach,
  readJsonColumn,
  readNumberColumn,
  readTextColumn,
  type SqlRow,
  type SqlTask,
} from './query.ts';
import { buildRunChunksQuery, decodeChunksFrom, runOfRow } from './side-tables.ts';

export type RunOperation = { readonly owner: string; readonly id: string } & (
  | { readonly type: 'append'; readonly chunk: RunChunk }
  | { readonly type: 'beat' }
  | { readonly type: 'find' }
  | { readonly type: 'chunks'; readonly from: number }
);

/** The result of an operation: whether the run exists, the run itself, or its text. */
export type RunAnswer = boolean | Run | null | readonly RunChunk[];

interface WaitingOperation {
  readonly operation: RunOperation;
  /** Runs the operation in a separate transaction. */
  readonly alone: () => Promise<RunAnswer>;
  readonly resolve: (answer: RunAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Marks an operation that must be repeated in a separate transaction. */
const runSeparately = Symbol('apart');

// More runs than a server writes at once. If more have failed, the list is cleared and all are batched again.
const mostSuspects = 1_000;

export function isRunWrite({ type }: RunOperation): boolean {
  return type === 'append' || type === 'beat';
}

/** Collects the operations of one turn of the event loop and runs them in one transaction. */
export class RunBatches {
  readonly #engine: SqlEngine;
  #waiting: WaitingOperation[] = [];
  /** The runs whose operations failed in a shared transaction. They run separately until an operation succeeds. */
  readonly #suspects = new Set<string>();
  readonly #running = new Set<Promise<void>>();

  constructor(engine: SqlEngine) {
    this.#engine = engine;
  }

  /**
   * Runs an operation together with the others of this turn of the event loop. `alone` runs it separately if that
   * fails.
   */
  run<T extends RunAnswer>(operation: RunOperation, alone: () => Promise<T>): Promise<T> {
    if (this.#engine.sharedTransaction === undefined) return alone();
    return new Promise<RunAnswer>((resolve, reject) => {
      if (this.#waiting.push({ operation, alone, resolve, reject }) === 1) setImmediate(() => this.#start());
    }) as Promise<T>;
  }

  #start(): void {
    const all = this.#waiting;
    this.#waiting = [];
    const isSuspect = ({ operation }: WaitingOperation) => this.#suspects.has(operation.id);
    for (const one of all.filter(isSuspect)) this.#track(this.#alone(one));
    this.#track(this.#together(all.filter((one) => !isSuspect(one))));
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }

  /** Runs the collected operations, and waits until all running operations have ended. */
  async finish(): Promise<void> {
    this.#start();
    await Promise.all(this.#running);
  }

  async #together(batch: readonly WaitingOperation[]): Promise<void> {
    const [first] = batch;
    if (first === undefined) return;
    if (batch.length === 1) return this.#alone(first);
    const operations = batch.map((one) => one.operation);
    try {
      const answers = await this.#answers(operations);
      await Promise.all(
        batch.map((one, at) => {
          const answer = answers?.[at] ?? null;
          return answer === runSeparately ? this.#alone(one) : one.resolve(answer);
        }),
      );
    } catch (error) {
      await this.#split(batch, error);
    }
  }

  #answers(operations: readonly RunOperation[]): Promise<readonly (RunAnswer | typeof runSeparately)[]> | undefined {
    const owners = [...new Set(operations.map(({ owner }) => owner))];
    const writes = operations.some(isRunWrite);
    return this.#engine.sharedTransaction?.(owners, writes, (present) => batchWork(this.#engine, operations, present));
  }

  /**
   * Handles a failed batch. Reads are repeated without the writes. The failing write is found by splitting the batch in
   * halves.
   */
  async #split(batch: readonly WaitingOperation[], error: unknown): Promise<void> {
    const reads = batch.filter(({ operation }) => !isRunWrite(operation));
    const writes = batch.filter(({ operation }) => isRunWrite(operation));
    if (reads.length > 0 && writes.length > 0) {
      await Promise.all([this.#together(reads), this.#split(writes, error)]);
      return;
    }
    // If the database is unreachable, both halves would fail too, after another timeout.
    if (isUnreachable(error)) {
      for (const { reject } of batch) reject(error);
      return;
    }
    const half = Math.ceil(batch.length / 2);
    await Promise.all([this.#together(batch.slice(0, half)), this.#together(batch.slice(half))]);
  }

  async #alone({ operation: { id }, alone, resolve, reject }: WaitingOperation): Promise<void> {
    try {
      resolve(await alone());
      this.#suspects.delete(id);
    } catch (error) {
      if (this.#suspects.size >= mostSuspects) this.#suspects.clear();
      if (!isUnreachable(error)) this.#suspects.add(id);
      reject(error);
    }
  }
}

/** Whether no transaction can succeed at the moment. Other errors may concern a single row. */
function isUnreachable(error: unknown): boolean {
  return isAppError(error) && error.code === 'store/unavailable' && error.retryable;
}

/** The rows that the operations of a batch need. */
interface BatchRows {
  /**
   * The locked rows of the runs to write. A run that another transaction has locked is missing, because waiting for it
   * would delay the others.
   */
  readonly locked: ReadonlyMap<string, SqlRow>;
  /** The last chunk of each run with an append. */
  readonly last: ReadonlyMap<string, SqlRow>;
  readonly reads: ReadonlyMap<RunOperation, readonly SqlRow[]>;
}

function* batchWork(
  { dialect }: SqlEngine,
  operations: readonly RunOperation[],
  present: ReadonlySet<string>,
): SqlTask<readonly (RunAnswer | typeof runSeparately)[]> {
  const here = operations.filter(({ owner }) => present.has(owner));
  if (here.length === 0) return operations.map(() => runSeparately);
  const rows = yield* rowsFor(dialect.list('$1'), here);
  const isMine = ({ id, owner }: RunOperation) => {
    const row = rows.locked.get(id);
    return row !== undefined && readTextColumn(row, 'owner') === owner;
  };
  const writes: Query[] = [];
  const seen = new Set<string>();
  const beats = here.filter((one) => one.type === 'beat' && isMine(one)).map(({ id }) => id);
  if (beats.length > 0)
    writes.push({
      sql: `UPDATE run SET beat_at = ${dialect.now} WHERE id IN ${dialect.list('$1')}`,
      params: [toList(beats)],
      want: 'count',
    });
  const answers = operations.map((one): RunAnswer | typeof runSeparately => {
    if (!present.has(one.owner)) return runSeparately;
    const found = rows.reads.get(one) ?? [];
    if (one.type === 'find') return found[0] === undefined ? null : runOfRow(found[0]);
    if (one.type === 'chunks') return decodeChunksFrom(found, one.from);
    if (!isMine(one)) return runSeparately;
    if (one.type === 'beat') return true;
    const last = rows.last.get(one.id);
    const length =
      last === undefined
        ? 0
        : readNumberColumn(last, 'start') + (readJsonColumn(last, 'text', 'text') as string).length;
    // A second append to a run would need the row of the first. An append that would leave a gap is refused in a
    // separate transaction, with an explanation.
    if (seen.has(one.id) || one.chunk.offset > length) return runSeparately;
    seen.add(one.id);
    const added = one.chunk.text.slice(length - one.chunk.offset);
    if (added !== '')
      writes.push({
        sql: 'INSERT INTO run_chunk (run_id, start, text) VALUES ($1, $2, $3) ON CONFLICT (run_id, start) DO NOTHING',
        params: [one.id, length, JSON.stringify(added)],
        want: 'count',
      });
    return true;
  });
  if (writes.length > 0) yield writes;
  return answers;
}

/** Reads and locks all rows that a batch needs, in one round trip to the database. */
function* rowsFor(list: string, operations: readonly RunOperation[]): SqlTask<BatchRows> {
  const idsOf = (wanted: (one: RunOperation) => boolean) => [...new Set(operations.filter(wanted).map(({ id }) => id))];
  const written = idsOf(isRunWrite);
  const appended = idsOf(({ type }) => type === 'append');
  const reads = operations.filter((one) => !isRunWrite(one));
  const queries: Omit<Query, 'want'>[] = [];
  if (written.length > 0)
    queries.push(
      {
        sql: `SELECT id, owner FROM run WHERE id IN ${list} FOR NO KEY UPDATE SKIP LOCKED`,
        params: [toList(written)],
      },
      {
        // A separate statement, because it must see what was committed before the lock was granted.
        sql: `SELECT r.id, c.start, c.text FROM run r CROSS JOIN LATERAL
          (SELECT b.start, b.text FROM run_chunk b WHERE b.run_id = r.id ORDER BY b.start DESC LIMIT 1) AS c WHERE r.id IN ${list}`,
        params: [toList(appended)],
      },
    );
  for (const one of reads)
    queries.push(
      one.type === 'chunks'
        ? buildRunChunksQuery(one.owner, one.id, one.from)
        : { sql: 'SELECT * FROM run WHERE id = $1 AND owner = $2', params: [one.id, one.owner] },
    );
  const found = yield* queryRowsOfEach(queries);
  const [locked = [], last = []] = written.length > 0 ? found : [];
  const first = written.length > 0 ? 2 : 0;
  return {
    locked: byId(locked),
    last: byId(last),
    reads: new Map(reads.map((one, at) => [one, found[first + at] ?? []])),
  };
}

/** Encodes ids as a JSON list. Each id is encoded like the text of a column. */
function toList(ids: readonly string[]): string {
  return JSON.stringify(ids.map(encodeColumnText));
}

function byId(rows: readonly SqlRow[]): ReadonlyMap<string, SqlRow> {
  return new Map(rows.map((row) => [readTextColumn(row, 'id'), row]));
}

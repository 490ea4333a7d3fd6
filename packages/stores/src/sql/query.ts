/** Work on a SQL database as generators that yield queries: SQLite answers at once, PostgreSQL asynchronously. */

import { refuse } from '@coppice/core';

/** A value that both databases accept. */
export type SqlParameter = string | number | null | Uint8Array;

/** One statement with its parameters `$1`, `$2`, …; each text is prepared once and cached. */
export interface Query {
  readonly sql: string;
  readonly params: readonly SqlParameter[];
  /** Rows by column name, rows as lists of cells, or the number of changed rows. */
  readonly want: 'rows' | 'cells' | 'count';
}

/** A row as the drivers return it. */
export type SqlRow = { readonly [column: string]: unknown };

/** A row as a list of cells in column order: half the cost of objects for a long path or a whole tree. */
export type SqlCells = readonly unknown[];

/**
 * A computation on a database. The queries of one list do not wait for each other's answers; they run in order. An
 * empty list marks a place where other work may run.
 */
export type SqlTask<T> = Generator<Query | readonly Query[], T, unknown>;

/** Queries rows. The answer has the requested form; the cast is here because the generator type cannot express it. */
export function* queryRows(sql: string, ...params: SqlParameter[]): SqlTask<readonly SqlRow[]> {
  return (yield { sql, params, want: 'rows' }) as readonly SqlRow[];
}

/** Queries rows as lists of cells. */
export function* queryCells(sql: string, ...params: SqlParameter[]): SqlTask<readonly SqlCells[]> {
  return (yield { sql, params, want: 'cells' }) as readonly SqlCells[];
}

/** Queries one row. */
export function* queryRow(sql: string, ...params: SqlParameter[]): SqlTask<SqlRow | undefined> {
  return (yield* queryRows(sql, ...params))[0];
}

/** Sends several queries at once, which costs one round trip on a remote database. */
export function* queryRowsOfEach(queries: readonly Omit<Query, 'want'>[]): SqlTask<readonly (readonly SqlRow[])[]> {
  return (yield queries.map(
    ({ sql, params }) => ({ sql, params, want: 'rows' }) as const,
  )) as readonly (readonly SqlRow[])[];
}

/** Changes rows and returns their number. */
export function* execute(sql: string, ...params: SqlParameter[]): SqlTask<number> {
  return (yield { sql, params, want: 'count' }) as number;
}

/** Runs work on a synchronous database. */
export function runSync<T>(work: SqlTask<T>, answer: (query: Query) => unknown): T {
  let step = work.next();
  while (!step.done) {
    const { value } = step;
    step = work.next('sql' in value ? answer(value) : value.map(answer));
  }
  return step.value;
}

/** Runs work on an asynchronous database. */
export async function runAsync<T>(work: SqlTask<T>, answer: (query: Query) => Promise<unknown>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    const { value } = step;
    step = work.next(await ('sql' in value ? answer(value) : Promise.all(value.map(answer))));
  }
  return step.value;
}

/** The differences between the two databases, as SQL. */
export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  /** Integers of up to 53 bits. */
  readonly integer: string;
  readonly float: string;
  /** Text that sorts by code unit, as order keys require. */
  readonly key: string;
  readonly bytes: string;
  /** A key that the database increments. */
  readonly serial: string;
  /** Returns a sub-select of one column for the texts of a JSON array parameter; the texts are encoded like columns. */
  list(parameter: string): string;
  /** Returns a sub-select of the columns `a` and `b` for a JSON array of pairs of texts; null stays null. */
  pairs(parameter: string): string;
  /**
   * Matches a prefix of equality keys below a node in one statement, one lookup per message; the result is a JSON array
   * of ids as `ids`.
   */
  prefixWalk(base: number, from: string, keys: readonly string[]): Omit<Query, 'want'>;
  /**
   * Selects the live nodes from `$2` of the tree with base `$1` up to `$4`, or else to below the root, at most `$3`: the
   * node first, its parent next. The cells are those of `selectPathCells`; a further one may be the id of the parent of
   * the last row.
   */
  pathWalk(columns: string): string;
  /** Locks the selected row until the transaction ends; empty if the transaction itself is the lock. */
  readonly forUpdate: string;
  /** The database's clock in milliseconds, because the clocks of processes and servers may differ. */
  readonly now: string;
  /** Whether one statement may write several tables. */
  readonly together: boolean;
}

/** Throws on a damaged row, with its id and the column. */
export function throwDamagedColumn(row: SqlRow, column: string, what: string): never {
  const id = typeof row['id'] === 'string' ? row['id'] : '';
  return refuse(
    'store/damaged',
    `The ${column} of ${id === '' ? 'a row' : id} ${what}; coppice fsck checks the store.`,
    {
      id,
      column,
    },
  );
}

/** Parses a JSON column. */
export function jsonColumn(row: SqlRow, column: string): unknown {
  const json = sqlText(row, column);
  try {
    return JSON.parse(json);
  } catch {
    return throwDamagedColumn(row, column, 'is damaged and cannot be read');
  }
}

/** A text column. */
export function sqlText(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') return throwDamagedColumn(row, column, `holds ${typeof value}, not text`);
  return value;
}

/** A text column that may be null. */
export function sqlTextOrNull(row: SqlRow, column: string): string | null {
  return row[column] === null || row[column] === undefined ? null : sqlText(row, column);
}

/** A number column. */
export function sqlNumber(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return throwDamagedColumn(row, column, `holds ${typeof value}, not a number`);
}

/** A number column that may be null. */
export function sqlNumberOrNull(row: SqlRow, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : sqlNumber(row, column);
}

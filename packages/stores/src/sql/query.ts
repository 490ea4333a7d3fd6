/**
 * Work on a SQL database, as generators that yield queries. SQLite answers synchronously, PostgreSQL asynchronously.
 */

import { refuse } from '@coppice/core';

/** A parameter value that both databases accept. */
export type SqlParameter = string | number | null | Uint8Array;

/** One statement with its parameters `$1`, `$2` and so on. Each statement text is prepared once and cached. */
export interface Query {
  readonly sql: string;
  readonly params: readonly SqlParameter[];
  /** The form of the answer: rows by column name, rows as lists of cells, or the number of changed rows. */
  readonly want: 'rows' | 'cells' | 'count';
}

/** A row as the drivers return it. */
export type SqlRow = { readonly [column: string]: unknown };

/** A row as a list of cells in column order. For a long path or a whole tree this takes half the time of objects. */
export type SqlCells = readonly unknown[];

/**
 * Work on a database. The queries of one list run in order, and are sent without waiting for each other's answers. An
 * empty list marks a point where other work may run.
 */
export type SqlTask<T> = Generator<Query | readonly Query[], T, unknown>;

/**
 * Queries rows by column name. The cast is necessary, because
 * the type of a generator cannot express the form of the answer.
 */
export function* queryRows(sql: string, ...params: SqlParameter[]): SqlTask<readonly SqlRow[]> {
  return (yield { sql, params, want: 'rows' }) as readonly SqlRow[];
}

/** Queries rows as lists of cells. */
export function* queryCells(sql: string, ...params: SqlParameter[]): SqlTask<readonly SqlCells[]> {
  return (yield { sql, params, want: 'cells' }) as readonly SqlCells[];
}

/** Queries one row; undefined if there is none. */
export function* queryRow(sql: string, ...params: SqlParameter[]): SqlTask<SqlRow | undefined> {
  return (yield* queryRows(sql, ...params))[0];
}

/** Sends several queries in one message, which takes one round trip to a remote database. */
export function* queryRowsOfEach(queries: readonly Omit<Query, 'want'>[]): SqlTask<readonly (readonly SqlRow[])[]> {
  return (yield queries.map(
    ({ sql, params }) => ({ sql, params, want: 'rows' }) as const,
  )) as readonly (readonly SqlRow[])[];
}

/** Runs a statement that changes rows. Returns the number of changed rows. */
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

/** The SQL in which the two databases differ. */
export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  /** The type of integers of up to 53 bits. */
  readonly integer: string;
  readonly float: string;
  /** The type of texts that sort by code unit, as order keys require. */
  readonly key: string;
  readonly bytes: string;
  /** The type of a key that the database assigns in rising order. */
  readonly serial: string;
  /**
   * Returns a sub-select with one column, for a JSON array of texts as a parameter. The texts are encoded like columns.
   */
  list(parameter: string): string;
  /** Returns a sub-select with the columns `a` and `b`, for a JSON array of pairs of texts. Null stays null. */
  pairs(parameter: string): string;
  /**
   * Returns a statement that matches a prefix of equality keys below a node, with one index lookup per message. The
   * result is one column `ids` with a JSON array of ids.
   */
  prefixWalk(base: number, from: string, keys: readonly string[]): Omit<Query, 'want'>;
  /**
   * Returns a statement that selects live nodes from `$2` upwards, in the tree with base `$1`, up to `$4` or else the
   * child of the root, at most `$3`. The first row is the node, the next its parent. The cells are those of
   * `selectPathCells`; a further cell may have the id of the parent of the last row.
   */
  pathWalk(columns: string): string;
  /**
   * The clause that locks the selected row until the transaction
   * ends. Empty if the transaction locks the whole database.
   */
  readonly forUpdate: string;
  /** The clock of the database in milliseconds. The clocks of several servers may differ. */
  readonly now: string;
  /** Whether one statement may write to several tables. */
  readonly together: boolean;
}

/** Throws the error for a damaged row, with its id and the column. */
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

/** Parses the JSON in a column. */
export function jsonColumn(row: SqlRow, column: string): unknown {
  const json = sqlText(row, column);
  try {
    return JSON.parse(json);
  } catch {
    return throwDamagedColumn(row, column, 'is damaged and cannot be read');
  }
}

/** Returns the text in a column. Throws if the column holds anything else. */
export function sqlText(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') return throwDamagedColumn(row, column, `holds ${typeof value}, not text`);
  return value;
}

/** Returns the text in a column, or null. */
export function sqlTextOrNull(row: SqlRow, column: string): string | null {
  return row[column] === null || row[column] === undefined ? null : sqlText(row, column);
}

/** Returns the number in a column. Throws if the column holds anything else. */
export function sqlNumber(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return throwDamagedColumn(row, column, `holds ${typeof value}, not a number`);
}

/** Returns the number in a column, or null. */
export function sqlNumberOrNull(row: SqlRow, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : sqlNumber(row, column);
}

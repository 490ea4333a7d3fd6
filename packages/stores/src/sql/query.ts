/**
 * Work on a SQL database, as generators that yield queries. SQLite answers synchronously, PostgreSQL asynchronously.
 */

import { refuse } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';

/** A parameter value that both drivers accept. */
export type SqlParameter = string | number | null | Uint8Array;

/** One statement with its parameters for `$1`, `$2` and so on. Drivers cache prepared statements by their text. */
export interface Query {
  readonly sql: string;
  readonly params: readonly SqlParameter[];
  /** The form of the answer: rows by column name, rows as lists of cells, or the number of changed rows. */
  readonly want: 'rows' | 'cells' | 'count';
}

/** A row by column name, as the drivers return it. */
export type SqlRow = { readonly [column: string]: unknown };

/** A row as a list of cells in column order. For long paths and whole trees this takes half the time of objects. */
export type SqlCells = readonly unknown[];

/**
 * Work on a database, which yields queries. The queries of one list run in order and are sent together. An empty list
 * marks a point at which other work may run.
 */
export type SqlTask<T> = Generator<Query | readonly Query[], T, unknown>;

/**
 * Queries rows by column name. The cast is necessary, because
 * the type of a generator cannot express the form of the answer.
 */
export function* queryRows(sql: string, ...params: SqlParameter[]): SqlTask<readonly SqlRow[]> {
  return (yield { sql, params, want: 'rows' }) as readonly SqlRow[];
}

export function* queryCells(sql: string, ...params: SqlParameter[]): SqlTask<readonly SqlCells[]> {
  return (yield { sql, params, want: 'cells' }) as readonly SqlCells[];
}

/** Queries one row; undefined if there is none. */
export function* queryRow(sql: string, ...params: SqlParameter[]): SqlTask<SqlRow | undefined> {
  return (yield* queryRows(sql, ...params))[0];
}

/** Sends several queries together, which takes one round trip to a remote database. Returns the rows of each. */
export function* queryRowsOfEach(queries: readonly Omit<Query, 'want'>[]): SqlTask<readonly (readonly SqlRow[])[]> {
  return (yield queries.map(
    ({ sql, params }) => ({ sql, params, want: 'rows' }) as const,
  )) as readonly (readonly SqlRow[])[];
}

/** Runs a statement that changes rows. Returns the number of changed rows. */
export function* execute(sql: string, ...params: SqlParameter[]): SqlTask<number> {
  return (yield { sql, params, want: 'count' }) as number;
}

/** Runs work on a database that answers synchronously. */
export function runSync<T>(work: SqlTask<T>, answer: (query: Query) => unknown): T {
  let step = work.next();
  while (!step.done) {
    const { value } = step;
    step = work.next('sql' in value ? answer(value) : value.map(answer));
  }
  return step.value;
}

/**
 * Runs work on a database that answers asynchronously. The queries of a list are sent without waiting for each other.
 */
export async function runAsync<T>(work: SqlTask<T>, answer: (query: Query) => Promise<unknown>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    const { value } = step;
    step = work.next(await ('sql' in value ? answer(value) : Promise.all(value.map(answer))));
  }
  return step.value;
}

/** The parts of SQL in which SQLite and PostgreSQL differ. */
export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  /** The type of integers of up to 53 bits. */
  readonly integer: string;
  readonly float: string;
  /** The type of texts that are compared by code unit, as positions require. */
  readonly key: string;
  readonly bytes: string;
  /** The type of a primary key that the database assigns in increasing order. */
  readonly serial: string;
  /**
   * Returns a sub-select with one column for a parameter that is a JSON array of texts. The texts must be encoded with
   * `encodeColumnText`.
   */
  list(parameter: string): string;
  /**
   * Returns a sub-select with the columns `a` and `b` for a parameter that is a JSON array of pairs of texts. Null
   * stays null.
   */
  pairs(parameter: string): string;
  /**
   * The statement that sets visit marks in the tree with base `$1`. `$2` is a JSON object with the id of the visited
   * child for each id of a node.
   */
  readonly setVisitMarks: string;
  /**
   * Returns a statement that matches a prefix of equality keys below a node, with one index lookup per message. The
   * result is one column `ids` with a JSON array of ids.
   */
  prefixWalk(base: number, from: string, keys: readonly string[]): Omit<Query, 'want'>;
  /**
   * Returns a statement that selects live nodes from `$2` upwards in the tree with base `$1`: up to `$4`, or else up to
   * the child of the root, and at most `$3` rows. The first row is the node itself, the next its parent. The cells are
   * those of `selectPathCells`; one more cell may contain the parent's id of the last row.
   */
  pathWalk(columns: string): string;
  /**
   * The clause that locks the selected row until the transaction
   * ends. Empty if the transaction locks the whole database.
   */
  readonly forUpdate: string;
  /**
   * The SQL expression for the database's clock in milliseconds. It is used because the clocks of several servers may
   * differ.
   */
  readonly now: string;
  /** Whether the bytes of attachments can be in an object store. */
  readonly hasObjects: boolean;
  /** Whether one statement can write to several tables (a WITH clause with INSERT or UPDATE). */
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

/** What the JSON in a column is: an object, a list of objects, a text or a list of texts. */
export type JsonShape = 'object' | 'objects' | 'text' | 'texts';

/** Whether a parsed value has the shape that its column must have, so that no caller fails on damaged JSON. */
export function hasJsonShape(value: unknown, shape: JsonShape): boolean {
  switch (shape) {
    case 'object':
      return isFieldMap(value);
    case 'objects':
      return Array.isArray(value) && value.every(isFieldMap);
    case 'text':
      return typeof value === 'string';
    case 'texts':
      return Array.isArray(value) && value.every((one) => typeof one === 'string');
  }
}

/** Parses the JSON in a column. Throws `store/damaged` if it is not JSON or has another shape. */
export function readJsonColumn(row: SqlRow, column: string, shape: JsonShape): unknown {
  const json = readTextColumn(row, column);
  try {
    const value: unknown = JSON.parse(json);
    if (hasJsonShape(value, shape)) return value;
  } catch {
    // Invalid JSON is refused below.
  }
  return throwDamagedColumn(row, column, 'is damaged and cannot be read');
}

/** Returns the text in a column. Throws if the column holds anything else. */
export function readTextColumn(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') return throwDamagedColumn(row, column, `holds ${typeof value}, not text`);
  return value;
}

export function readTextColumnOrNull(row: SqlRow, column: string): string | null {
  return row[column] === null || row[column] === undefined ? null : readTextColumn(row, column);
}

/** Returns the number in a column. Throws if the column holds anything else. */
export function readNumberColumn(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return throwDamagedColumn(row, column, `contains a ${typeof value}, not a number`);
}

export function readNumberColumnOrNull(row: SqlRow, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : readNumberColumn(row, column);
}

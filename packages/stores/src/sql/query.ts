/** Work on a SQL database as generators that yield queries: SQLite drives them at once, PostgreSQL waits for each. */

import { refuse } from '@coppice/core';

/** A value that both databases take. */
export type Param = string | number | null | Uint8Array;

/** One statement with its parameters. Texts number their parameters `$1`, `$2`, …; each text is prepared once and kept. */
export interface Query {
  readonly sql: string;
  readonly params: readonly Param[];
  /** Rows, or how many rows were changed. */
  readonly want: 'rows' | 'count';
}

/** A row as the drivers give it. */
export type SqlRow = { readonly [column: string]: unknown };

/**
 * A computation on a database. Queries of one list do not wait for each other's answers; they are carried out in order. An
 * empty list asks nothing and marks a place where others may have a turn.
 */
export type SqlTask<T> = Generator<Query | readonly Query[], T, unknown>;

/** Asks for rows. Drivers answer in kind; this is the one place that says so to the compiler. */
export function* queryRows(sql: string, ...params: Param[]): SqlTask<readonly SqlRow[]> {
  return (yield { sql, params, want: 'rows' }) as readonly SqlRow[];
}

/** Asks for one row. */
export function* queryRow(sql: string, ...params: Param[]): SqlTask<SqlRow | undefined> {
  return (yield* queryRows(sql, ...params))[0];
}

/** Asks several things for rows in one go: a database far away is waited for once. */
export function* rowsOfEach(queries: readonly Omit<Query, 'want'>[]): SqlTask<readonly (readonly SqlRow[])[]> {
  return (yield queries.map(
    ({ sql, params }) => ({ sql, params, want: 'rows' }) as const,
  )) as readonly (readonly SqlRow[])[];
}

/** Changes rows and tells how many. */
export function* execute(sql: string, ...params: Param[]): SqlTask<number> {
  return (yield { sql, params, want: 'count' }) as number;
}

/** Drives work on a database that answers at once. */
export function runSync<T>(work: SqlTask<T>, answer: (query: Query) => unknown): T {
  let step = work.next();
  while (!step.done) {
    const { value } = step;
    step = work.next('sql' in value ? answer(value) : value.map(answer));
  }
  return step.value;
}

/** Drives work on a database that has to be waited for. */
export async function runAsync<T>(work: SqlTask<T>, answer: (query: Query) => Promise<unknown>): Promise<T> {
  let step = work.next();
  while (!step.done) {
    const { value } = step;
    step = work.next(await ('sql' in value ? answer(value) : Promise.all(value.map(answer))));
  }
  return step.value;
}

/** What differs between the two databases, as texts. */
export interface SqlDialect {
  readonly name: 'sqlite' | 'postgres';
  /** Whole numbers of up to 53 bits. */
  readonly integer: string;
  readonly float: string;
  /** Text that sorts by code unit: order keys depend on it. */
  readonly key: string;
  readonly bytes: string;
  /** A key that the database counts up. */
  readonly serial: string;
  /** The texts of a JSON array that a parameter holds, written as columns hold them, as a sub-select of one column. */
  list(parameter: string): string;
  /** The pairs of texts of a JSON array of such pairs, as a sub-select of the columns `a` and `b`; null stays null. */
  pairs(parameter: string): string;
  /**
   * How far a prefix of equality keys is in a tree below a node: from message to message, a lookup each, in one
   * statement, which answers a JSON array of ids as `ids`.
   */
  prefixWalk(tree: string, from: string, keys: readonly string[]): Omit<Query, 'want'>;
  /** Locks the row that a select finds until the transaction ends; empty where the transaction itself is the lock. */
  readonly forUpdate: string;
  /** The time of the database's own clock in milliseconds: processes and servers need not agree on theirs. */
  readonly now: string;
  /** Whether one statement may write several tables. */
  readonly together: boolean;
}

/** Refuses a row that was damaged, by its id and the column. */
export function refuseColumn(row: SqlRow, column: string, what: string): never {
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

/** What a column holds as JSON. */
export function parsed(row: SqlRow, column: string): unknown {
  const json = sqlText(row, column);
  try {
    return JSON.parse(json);
  } catch {
    return refuseColumn(row, column, 'is damaged and cannot be read');
  }
}

/** A text column. */
export function sqlText(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') return refuseColumn(row, column, `holds ${typeof value}, not text`);
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
  return refuseColumn(row, column, `holds ${typeof value}, not a number`);
}

/** A number column that may be null. */
export function sqlNumberOrNull(row: SqlRow, column: string): number | null {
  return row[column] === null || row[column] === undefined ? null : sqlNumber(row, column);
}

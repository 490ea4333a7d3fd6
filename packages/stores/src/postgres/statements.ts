/** How statements are sent: under which name, with which values, and what their text says about their result. */
import { createHash } from 'node:crypto';
import { encodeColumnText } from '../sql/exact-text.ts';
import type { SqlParameter } from '../sql/query.ts';
import { findListParameters, toPostgresSql } from './dialect.ts';

/** How a statement is sent to the server. */
export interface PreparedStatement {
  readonly text: string;
  readonly name: string | undefined;
  readonly lists: ReadonlySet<number>;
  /**
   * The number of changed rows if the statement alone determines it, else null. If it is known, the answer need not be
   * awaited.
   */
  readonly count: number | null;
  /** The statement for many rows, if this one inserts a single row; else null. */
  readonly bulk: { readonly text: string; readonly name: string | undefined } | null;
}

// Matches an insert of a single row, which changes exactly one row or fails.
const insertsOne = /^\s*(INSERT INTO \w+ \([^)]*\)\s*VALUES )\((\$1(?:, \$\d+)*)\)\s*$/;
// Matches updates of the tree row, which the transaction has locked, alone or together with the insert of a message.
const updatesOne = /^\s*(?:WITH added AS|UPDATE) (?:\(INSERT INTO node |tree SET version = )/;
/** The number of rows per bulk insert. With fewer, a large import would mostly wait for round trips. */
export const rowsPerBulkInsert = 100;

function bulkOf(insert: RegExpExecArray | null): string | null {
  if (insert === null) return null;
  const [, head = '', parameters = ''] = insert;
  const width = parameters.split(', ').length;
  const row = (at: number) =>
    `(${Array.from({ length: width }, (_, column) => `$${at * width + column + 1}`).join(', ')})`;
  return head + Array.from({ length: rowsPerBulkInsert }, (_, at) => row(at)).join(', ');
}

/** Reads from a statement's text how it is sent. `nameOf` gives the name of a text; null if it is not prepared. */
export function prepareStatement(sql: string, nameOf: ((text: string) => string) | null): PreparedStatement {
  const insert = insertsOne.exec(sql);
  const bulk = bulkOf(insert);
  const text = toPostgresSql(sql);
  return {
    text,
    name: nameOf?.(text),
    lists: findListParameters(sql),
    count: insert !== null || updatesOne.test(sql) ? 1 : null,
    bulk: bulk === null ? null : { text: bulk, name: nameOf?.(bulk) },
  };
}

/** Returns the name of a prepared statement: a hash of its text, so that two texts never have the same name. */
export function statementNameOf(sql: string): string {
  return `coppice_${createHash('sha256').update(sql).digest('base64url').slice(0, 32)}`;
}

/** A parameter as the driver takes it. */
export type PostgresValue = string | number | null | Buffer | string[];

/** Converts a parameter for the driver. Lists are sent as arrays. */
export function toPostgresValue(param: SqlParameter, isList: boolean): PostgresValue {
  if (typeof param === 'string') return isList ? (JSON.parse(param) as string[]) : encodeColumnText(param);
  return param instanceof Uint8Array ? Buffer.from(param.buffer, param.byteOffset, param.byteLength) : param;
}

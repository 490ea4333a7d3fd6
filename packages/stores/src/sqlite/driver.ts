/** Uses Node's own SQLite module, or an npm package with the same interface if Node has none or too old a version. */
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '@coppice/core';
import { toDriverError } from '../load-driver.ts';
import { decodeColumnText, encodeColumnText, encodedUnitMark, isColumnSafe } from '../sql/exact-text.ts';
import type { Query, SqlCells, SqlParameter, SqlRow } from '../sql/query.ts';

/** A prepared statement, with the methods that Node's module and the npm package share. */
export interface SqliteStatement {
  all(...params: readonly SqliteValue[]): readonly SqlRow[];
  /** Makes {@link all} return lists of cells instead of objects. Older drivers do not have this method. */
  setReturnArrays?(on: boolean): void;
  columns?(): readonly { readonly name: string }[];
  get(...params: readonly SqliteValue[]): SqlRow | undefined;
  iterate(...params: readonly SqliteValue[]): IterableIterator<SqlRow>;
  run(...params: readonly SqliteValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
}

type SqliteValue = string | number | bigint | null | Uint8Array;

/** An open database, with the methods that Node's module and the npm package share. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

interface SqliteModule {
  /** Copies a database page by page while it is in use. Older versions of Node do not have this function. */
  readonly backup?: (
    source: SqliteDatabase,
    to: string,
    options?: {
      readonly progress?: (progress: { readonly totalPages: number; readonly remainingPages: number }) => void;
    },
  ) => Promise<number>;
  readonly DatabaseSync: new (
    path: string,
    options?: { readonly readOnly?: boolean; readonly timeout?: number; readonly defensive?: boolean },
  ) => SqliteDatabase;
}

/**
 * The oldest version of SQLite that is used. Older versions have a race that can corrupt a write-ahead log with several
 * connections.
 */
const oldestSqlite = [3, 51, 3] as const;

const driver = '@photostructure/sqlite';
let loaded: SqliteModule | undefined;

/** Returns the SQLite module of this process: Node's own if it is new enough, else the npm package. */
export function loadSqliteModule(): SqliteModule {
  loaded ??= load();
  return loaded;
}

function load(): SqliteModule {
  const builtIn = builtInModule();
  if (builtIn !== undefined && isNewEnough(sqliteVersionOf(builtIn))) return builtIn;
  const fromPackage = requireDriver();
  const version = sqliteVersionOf(fromPackage);
  if (isNewEnough(version)) return fromPackage;
  throw new AppError({
    code: 'store/unavailable',
    kind: 'unavailable',
    message: `SQLite ${version} is too old: builds before ${oldestSqlite.join('.')} can corrupt a database that several processes use.`,
    data: { version },
  });
}

/**
 * Loads the npm package, or the copy for this system that is bundled with the command `coppice`. `createRequire` is not
 * imported, because bundlers such as Turbopack follow it and bundle the driver without its binaries.
 */
function requireDriver(): SqliteModule {
  const { createRequire } = process.getBuiltinModule('node:module');
  const load: (name: string) => SqliteModule = createRequire(import.meta.url);
  try {
    return load(driver);
  } catch (error) {
    try {
      return load(`@coppice/sqlite-${process.platform}-${process.arch}`);
    } catch {
      throw toDriverError(error, driver, 'sqlite');
    }
  }
}

function builtInModule(): SqliteModule | undefined {
  const warn = process.emitWarning;
  // In every command, Node 22 would print a warning that its SQLite is experimental. The warning is suppressed, because
  // the tests of Coppice cover the functions that it uses.
  process.emitWarning = (warning: string | Error, ...words: readonly unknown[]) => {
    if (!String(warning).includes('SQLite is an experimental feature'))
      Reflect.apply(warn, process, [warning, ...words]);
  };
  try {
    return process.getBuiltinModule('node:sqlite') as SqliteModule | undefined;
  } finally {
    process.emitWarning = warn;
  }
}

function sqliteVersionOf(module: SqliteModule): string {
  const database = new module.DatabaseSync(':memory:');
  try {
    const [row] = database.prepare('SELECT sqlite_version() AS version').all();
    return String(row?.version);
  } finally {
    database.close();
  }
}

function isNewEnough(version: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, least] of oldestSqlite.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part > least;
  }
  return true;
}

/** The fields of an error of Node's module or of the npm package. */
interface SqliteFailure {
  readonly message: string;
  readonly code?: string;
  readonly errcode?: number;
  readonly sqliteCode?: number;
  readonly sqliteExtendedCode?: number;
}

/** Returns the primary SQLite result code of an error; undefined for other errors. */
export function sqliteResultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const failure: SqliteFailure = error as Error & SqliteFailure;
  const code = failure.sqliteExtendedCode ?? failure.errcode ?? failure.sqliteCode;
  if (code !== undefined) return code & 0xff;
  return sentences.find(([sentence]) => sentence.test(failure.message))?.[1];
}

/** SQLITE_BUSY: another connection holds the lock. */
export const sqliteBusyCode = 5;
const locked = 6;
const readOnly = 8;
const ioError = 10;
const corrupt = 11;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;
// SQLITE_CONSTRAINT: a row violates a constraint, so the stored rows are not consistent with the planned change.
const constraint = 19;
const protocol = 15;

// If a statement cannot be prepared, the npm package reports no code, so the message is matched.
const sentences: readonly (readonly [RegExp, number])[] = [
  [/^database is locked/, sqliteBusyCode],
  [/^database (?:table|schema) is locked/, locked],
  [/^attempt to write a readonly database/, readOnly],
  [/^disk I\/O error/, ioError],
  [/^database disk image is malformed/, corrupt],
  [/^fts5: (?:corrupt|missing row)/, corrupt],
  [/^database or disk is full/, full],
  [/^unable to open database file/, cannotOpen],
  [/^file is not a database/, notADatabase],
];

/**
 * Converts a SQLite error to an AppError that says what it means and whether a retry may help. Other errors are
 * returned unchanged.
 */
export function toSqliteError(error: unknown, place: string): unknown {
  const code = sqliteResultCode(error);
  const errorText = error instanceof Error ? error.message : String(error);
  const make = (init: { code: string; kind: AppError['kind']; message: string; retryable?: boolean }) =>
    new AppError({ ...init, cause: error, data: { place, sqlite: code } });
  switch (code) {
    case sqliteBusyCode:
    case locked:
    case protocol:
      return make({
        code: 'store/locked',
        kind: 'unavailable',
        message: `The database ${place} is locked by another writer. Try again.`,
        retryable: true,
      });
    case full:
      return make(noSpace(place));
    case readOnly:
      return make({ code: 'tree/read-only', kind: 'refused', message: `The database ${place} is read-only.` });
    case ioError:
      // SQLite reports an I/O error if there is no space for its shared memory file.
      return hasNoSpace(place)
        ? make(noSpace(place))
        : make({
            code: 'store/unavailable',
            kind: 'unavailable',
            message: `The database ${place} could not be read or written: ${errorText}.`,
            retryable: true,
          });
    case corrupt:
    case notADatabase:
      return make({
        code: 'store/damaged',
        kind: 'internal',
        message: `The file ${place} is damaged or not a database: ${errorText}. It was left as it is.`,
      });
    case cannotOpen:
      if (hasNoSpace(place)) return make(noSpace(place));
      return make({
        code: 'store/unavailable',
        kind: 'unavailable',
        message: `The database ${place} cannot be opened: ${errorText}.`,
      });
    case constraint:
      return make({
        code: 'store/damaged',
        kind: 'internal',
        message: `The rows of ${place} are inconsistent (${errorText}); nothing was saved. Run coppice fsck.`,
      });
    case undefined:
      return error;
    default:
      return make({
        code: 'store/unavailable',
        kind: 'unavailable',
        message: `The database ${place} did not answer: ${errorText}.`,
      });
  }
}

const noSpace = (place: string) => ({
  code: 'store/full',
  kind: 'unavailable' as const,
  message: `The disk of ${place} is full: nothing was saved. Free some space and try again.`,
  retryable: true,
});

// SQLite needs at least 32 kB for its shared memory file.
const leastSpace = 32 * 1024;

function hasNoSpace(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(place));
    return bavail * bsize < leastSpace;
  } catch {
    return false;
  }
}

/** Encodes texts that SQLite cannot store exactly. Usually no text needs it, and the same array is returned. */
function exactParams(params: readonly SqlParameter[]): readonly SqlParameter[] {
  for (const param of params)
    if (typeof param === 'string' && !isColumnSafe(param))
      return params.map((each) => (typeof each === 'string' ? encodeColumnText(each) : each));
  return params;
}

// JSON escapes the mark, so a mark in the text of these columns does not come from the encoding.
const jsonColumns = new Set(['content', 'meta', 'marker', 'attributes', 'steps', 'data', 'aliases']);

// Decodes the texts of a row. Only texts with the mark are encoded, which is rare.
function restoreValue(row: SqlRow): SqlRow {
  for (const column in row) {
    const value = row[column];
    if (typeof value === 'string' && value.includes(encodedUnitMark) && !jsonColumns.has(column))
      return Object.fromEntries(
        Object.entries(row).map(([name, cell]) => [name, typeof cell === 'string' ? decodeColumnText(cell) : cell]),
      );
  }
  return row;
}

/** Decodes the texts in a list of cells. Usually none is encoded, and the same list is returned. */
function restoreCells(cells: SqlCells, statement: SqliteStatement): SqlCells {
  for (const cell of cells)
    if (typeof cell === 'string' && cell.includes(encodedUnitMark)) {
      const columns = statement.columns?.() ?? [];
      return cells.map((each, at) =>
        typeof each === 'string' && !jsonColumns.has(columns[at]?.name ?? '') ? decodeColumnText(each) : each,
      );
    }
  return cells;
}

/** Converts the parameters `$1`, `$2` of a shared statement to the form `?1`, `?2` of SQLite. */
function numberedParams(sql: string): string {
  return sql.replace(/\$(\d+)/g, '?$1');
}

/**
 * One connection with a cache of prepared statements, because preparing a statement takes ten times as long as running
 * it.
 */
export class SqliteConnection {
  readonly database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #cellStatements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  /** Runs a query of the shared SQL code and returns its rows, cells or the number of changed rows. */
  query(query: Query): readonly SqlRow[] | readonly SqlCells[] | number {
    if (query.want === 'cells') return this.cells(query.sql, ...query.params);
    const statement = this.prepared(query.sql);
    const params = exactParams(query.params);
    return query.want === 'rows'
      ? statement.all(...params).map(restoreValue)
      : Number(statement.run(...params).changes);
  }

  /** Returns the rows of a statement. Texts are passed and returned as they are, without encoding. */
  all(sql: string, ...params: readonly SqlParameter[]): readonly SqlRow[] {
    return this.prepared(sql).all(...params);
  }

  /** Returns the rows of a statement. Texts that SQLite cannot store exactly are encoded and decoded. */
  page(sql: string, ...params: readonly SqlParameter[]): readonly SqlRow[] {
    return this.prepared(sql)
      .all(...exactParams(params))
      .map(restoreValue);
  }

  /** Returns the rows of a statement as lists of cells. */
  cells(sql: string, ...params: readonly SqlParameter[]): readonly SqlCells[] {
    const statement = this.#preparedForCells(sql);
    if (statement === null) return this.page(sql, ...params).map((row) => Object.values(row));
    const found: readonly unknown[] = statement.all(...exactParams(params));
    return found.flatMap((cells) => (Array.isArray(cells) ? [restoreCells(cells, statement)] : []));
  }

  /** Returns a prepared statement that returns lists of cells; null if the driver can only return objects. */
  #preparedForCells(sql: string): SqliteStatement | null {
    const known = this.#cellStatements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(numberedParams(sql));
    if (statement.setReturnArrays === undefined || statement.columns === undefined) return null;
    statement.setReturnArrays(true);
    this.#cellStatements.set(sql, statement);
    return statement;
  }

  /** Yields the rows of a statement one by one. SQLite computes no further rows if the caller stops. */
  *iterate(sql: string, ...params: readonly SqlParameter[]): Generator<SqlRow, void, undefined> {
    for (const row of this.prepared(sql).iterate(...exactParams(params))) yield restoreValue(row);
  }

  /** Runs a statement, and returns the number of changed rows. */
  run(sql: string, ...params: readonly SqlParameter[]): number {
    return Number(this.prepared(sql).run(...params).changes);
  }

  prepared(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(numberedParams(sql));
    this.#statements.set(sql, statement);
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.#cellStatements.clear();
    this.database.close();
  }
}

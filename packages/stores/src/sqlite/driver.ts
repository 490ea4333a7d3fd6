/** SQLite through the API that Node 22 has built in; on Node 20 the npm package of the same shape steps in. */
import { statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { AppError } from '@coppice/core';
import { exactMark, fromColumn, isExact, toColumn } from '../sql/exact-text.ts';
import type { Param, Query, SqlRow } from '../sql/query.ts';

/** A prepared statement. */
export interface SqliteStatement {
  all(...params: readonly SqliteValue[]): readonly SqlRow[];
  get(...params: readonly SqliteValue[]): SqlRow | undefined;
  iterate(...params: readonly SqliteValue[]): IterableIterator<SqlRow>;
  run(...params: readonly SqliteValue[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
}

/** A value that SQLite takes. */
export type SqliteValue = string | number | bigint | null | Uint8Array;

/** An open database. */
export interface SqliteDatabase {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): void;
  close(): void;
}

interface SqliteModule {
  /** Copies a database page by page while it is in use. */
  readonly backup?: (source: SqliteDatabase, to: string) => Promise<number>;
  readonly DatabaseSync: new (
    path: string,
    options?: { readonly readOnly?: boolean; readonly timeout?: number; readonly defensive?: boolean },
  ) => SqliteDatabase;
}

/** Older builds carry a race that corrupts a WAL with several connections. */
export const oldestSqlite = [3, 51, 3] as const;

let loaded: SqliteModule | undefined;

/** The SQLite of this process: the built-in one if it is new enough, else the package's. */
export function sqliteModule(): SqliteModule {
  loaded ??= load();
  return loaded;
}

function load(): SqliteModule {
  const builtIn = builtInModule();
  if (builtIn !== undefined && isNewEnough(sqliteVersionOf(builtIn))) return builtIn;
  const fromPackage = createRequire(import.meta.url)('@photostructure/sqlite') as SqliteModule;
  const version = sqliteVersionOf(fromPackage);
  if (isNewEnough(version)) return fromPackage;
  throw new AppError({
    code: 'store/unavailable',
    kind: 'unavailable',
    message: `SQLite ${version} is too old: builds before ${oldestSqlite.join('.')} can corrupt a database that several processes use.`,
    data: { version },
  });
}

function builtInModule(): SqliteModule | undefined {
  const get = (process as { getBuiltinModule?: (id: string) => unknown }).getBuiltinModule;
  return get?.call(process, 'node:sqlite') as SqliteModule | undefined;
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

/** What the npm and the built-in module say when something fails. */
interface SqliteFailure {
  readonly message: string;
  readonly code?: string;
  readonly errcode?: number;
  readonly sqliteCode?: number;
  readonly sqliteExtendedCode?: number;
}

/** The primary result code of SQLite in an error, or undefined for an error of another kind. */
export function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const failure: SqliteFailure = error as Error & SqliteFailure;
  const code = failure.sqliteExtendedCode ?? failure.errcode ?? failure.sqliteCode;
  if (code !== undefined) return code & 0xff;
  return sentences.find(([sentence]) => sentence.test(failure.message))?.[1];
}

/** SQLite waits for another connection. */
export const busy = 5;
const locked = 6;
const readOnly = 8;
const ioError = 10;
const corrupt = 11;
const full = 13;
const cannotOpen = 14;
const notADatabase = 26;
// A row breaks a rule of its table: what was planned from does not fit together.
const constraint = 19;
const protocol = 15;

// What fails while a statement is prepared, the npm module tells by its sentence alone.
const sentences: readonly (readonly [RegExp, number])[] = [
  [/^database is locked/, busy],
  [/^database (?:table|schema) is locked/, locked],
  [/^attempt to write a readonly database/, readOnly],
  [/^disk I\/O error/, ioError],
  [/^database disk image is malformed/, corrupt],
  [/^fts5: (?:corrupt|missing row)/, corrupt],
  [/^database or disk is full/, full],
  [/^unable to open database file/, cannotOpen],
  [/^file is not a database/, notADatabase],
];

/** An error of SQLite as ours: what it means for the caller, and whether trying again may help. */
export function toSqliteError(error: unknown, place: string): unknown {
  const code = resultCode(error);
  const said = error instanceof Error ? error.message : String(error);
  const make = (init: { code: string; kind: AppError['kind']; message: string; retryable?: boolean }) =>
    new AppError({ ...init, cause: error, data: { place, sqlite: code } });
  switch (code) {
    case busy:
    case locked:
    case protocol:
      return make({
        code: 'store/locked',
        kind: 'unavailable',
        message: `The database ${place} is busy: another writer holds it. Try again.`,
        retryable: true,
      });
    case full:
      return make(noSpace(place));
    case readOnly:
      return make({ code: 'tree/read-only', kind: 'refused', message: `The database ${place} can only be read.` });
    case ioError:
      // The shared memory beside the file needs space, too, and SQLite calls its want of it an input or output error.
      return hasNoSpace(place)
        ? make(noSpace(place))
        : make({
            code: 'store/unavailable',
            kind: 'unavailable',
            message: `The database ${place} could not be read or written: ${said}.`,
            retryable: true,
          });
    case corrupt:
    case notADatabase:
      return make({
        code: 'store/damaged',
        kind: 'internal',
        message: `The file ${place} is damaged or no database: ${said}. It was left as it is.`,
      });
    case cannotOpen:
      if (hasNoSpace(place)) return make(noSpace(place));
      return make({
        code: 'store/unavailable',
        kind: 'unavailable',
        message: `The database ${place} cannot be opened: ${said}.`,
      });
    case constraint:
      return make({
        code: 'store/damaged',
        kind: 'internal',
        message: `The rows of ${place} do not fit together (${said}): nothing was saved. coppice fsck checks them.`,
      });
    case undefined:
      return error;
    default:
      return make({
        code: 'store/unavailable',
        kind: 'unavailable',
        message: `The database ${place} did not answer: ${said}.`,
      });
  }
}

const noSpace = (place: string) => ({
  code: 'store/full',
  kind: 'unavailable' as const,
  message: `The disk of ${place} is full: nothing was saved. Free some space and try again.`,
  retryable: true,
});

// The least that SQLite takes at once is the 32 kB of its shared memory.
const leastSpace = 32 * 1024;

function hasNoSpace(place: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(place));
    return bavail * bsize < leastSpace;
  } catch {
    return false;
  }
}

/** Parameters as columns can hold them. Nearly all can be handed over as they are, without a list of their own. */
function exact(params: readonly Param[]): readonly Param[] {
  for (const param of params)
    if (typeof param === 'string' && !isExact(param))
      return params.map((each) => (typeof each === 'string' ? toColumn(each) : each));
  return params;
}

// JSON holds the mark as an escape: one that stands there bare is not ours.
const jsonColumns = new Set(['content', 'meta', 'marker', 'attributes', 'steps', 'data', 'aliases']);

// Only texts that hold the mark were written in another form, which is next to none.
function restoreValue(row: SqlRow): SqlRow {
  for (const column in row) {
    const value = row[column];
    if (typeof value === 'string' && value.includes(exactMark) && !jsonColumns.has(column))
      return Object.fromEntries(
        Object.entries(row).map(([name, cell]) => [name, typeof cell === 'string' ? fromColumn(cell) : cell]),
      );
  }
  return row;
}

/** One connection with its statements kept: preparing costs ten times what running does. */
export class SqliteConnection {
  readonly database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  /** Runs a query of the shared kind. */
  query(query: Query): readonly SqlRow[] | number {
    const statement = this.prepared(query.sql);
    const params = exact(query.params);
    return query.want === 'rows'
      ? statement.all(...params).map(restoreValue)
      : Number(statement.run(...params).changes);
  }

  /** Rows of a statement of SQLite's own. */
  all(sql: string, ...params: readonly Param[]): readonly SqlRow[] {
    return this.prepared(sql).all(...params);
  }

  /** Rows of a statement with texts of ours in it. */
  page(sql: string, ...params: readonly Param[]): readonly SqlRow[] {
    return this.prepared(sql)
      .all(...exact(params))
      .map(restoreValue);
  }

  /** Rows of a statement, one by one, so that a reader may stop early. */
  *iterate(sql: string, ...params: readonly Param[]): Generator<SqlRow, void, undefined> {
    for (const row of this.prepared(sql).iterate(...exact(params))) yield restoreValue(row);
  }

  /** Changes rows by a statement of SQLite's own. */
  run(sql: string, ...params: readonly Param[]): number {
    return Number(this.prepared(sql).run(...params).changes);
  }

  prepared(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(sql.replace(/\$(\d+)/g, '?$1'));
    this.#statements.set(sql, statement);
    return statement;
  }

  close(): void {
    this.#statements.clear();
    this.database.close();
  }
}

/** Reads databases of other programs as table rows in JSON, because the format readers take JSON and not SQLite. */
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import {
  type ImportInput,
  type InputFile,
  importErrorKinds,
  openInput,
  type ZipLimits,
} from '@coppice/content/formats';
import { AppError } from '@coppice/core';
import type { SqlRow } from '../sql/query.ts';
import { loadSqliteModule, type SqliteDatabase } from './driver.ts';

/** A program whose database can be read. It is recognised by its tables and columns. */
interface KnownTables {
  /** The tables in reading order. */
  readonly tables: readonly string[];
  readonly columns: readonly string[];
  /** Yields the JSON document that the format reader gets, in parts. By default it contains the rows of the tables. */
  readonly parts?: (database: SqliteDatabase) => Iterable<string>;
}

const known: readonly KnownTables[] = [
  // Cherry Studio, version 2 and later.
  { tables: ['topic', 'message'], columns: ['topic_id', 'parent_id', 'data'] },
  // Cursor. Its other table contains settings and credentials, and is not read.
  { tables: ['cursorDiskKV'], columns: ['key', 'value'], parts: cursorConversations },
  // opencode, since 2026. Its other tables contain accounts and credentials, and are not read.
  {
    tables: ['session', 'message', 'part'],
    columns: ['directory', 'session_id', 'message_id', 'data', 'time_created'],
    parts: opencodeSessions,
  },
];

/** An input whose databases are replaced by JSON, and a function that deletes the temporary copies. */
export interface InputWithTables {
  readonly input: ImportInput;
  close(): Promise<void>;
}

const magic = 'SQLite format 3\0';
// An export may contain thousands of images, so only files with likely names are examined. With at most this many
// files, all are examined.
const fewFiles = 64;
const likely = /\.(?:db3?|sqlite3?|sqlitedb|vscdb)$/i;

async function isDatabase(file: InputFile): Promise<boolean> {
  let head = '';
  for await (const piece of file.stream()) {
    head += String.fromCharCode(...piece.subarray(0, magic.length));
    if (head.length >= magic.length) break;
  }
  return head.startsWith(magic);
}

/**
 * Opens archives, and replaces each database of a known program by a stream with one JSON document of its rows. A
 * database is copied first, with its write-ahead log, because files of other programs must not be opened in place.
 */
export async function openForeignTables(input: ImportInput, limits?: Partial<ZipLimits>): Promise<InputWithTables> {
  const { files } = await openInput(input, limits);
  const folder = { path: '' };
  const databases: SqliteDatabase[] = [];
  const close = async () => {
    for (const database of databases.splice(0)) database.close();
    if (folder.path !== '') await rm(folder.path, { recursive: true, force: true });
  };
  try {
    const logs = new Map(files.filter(({ name }) => name.endsWith('-wal')).map((file) => [file.name, file]));
    const opened: InputFile[] = [];
    const gone = new Set<string>();
    for (const file of files) {
      // A pipe has no known size, cannot be read twice, and is never a database.
      const asked = file.size !== null && (files.length <= fewFiles || likely.test(file.name));
      const database = asked && (await isDatabase(file)) ? await copyInput(file, logs, folder) : undefined;
      if (database !== undefined) databases.push(database);
      const tables = database === undefined ? undefined : tablesIn(database, file.name);
      if (database === undefined || tables === undefined) opened.push(file);
      else {
        for (const ending of ['-wal', '-shm', '-journal']) gone.add(`${file.name}${ending}`);
        opened.push({ name: file.name, size: file.size, stream: () => documentOf(database, tables, file.name) });
      }
    }
    return { input: { files: opened.filter(({ name }) => !gone.has(name)) }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Counts the conversations in the database of Cursor without copying it; null if they cannot be counted. Conversations
 * that are only in the write-ahead log are not counted.
 */
export function countCursorConversations(path: string): number | null {
  return countRows(
    path,
    "SELECT count(*) AS count FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'",
  );
}

/** Counts the sessions in the database of opencode, like {@link countCursorConversations}. */
export function countOpencodeSessions(path: string): number | null {
  return countRows(path, 'SELECT count(*) AS count FROM session');
}

/** Runs a query that counts. The file is opened as immutable, which writes and locks nothing. */
function countRows(path: string, sql: string): number | null {
  let database: SqliteDatabase | undefined;
  try {
    const { DatabaseSync } = loadSqliteModule();
    database = new DatabaseSync(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true });
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
    return Number(database.prepare(sql).get()?.count ?? 0);
  } catch {
    return null;
  } finally {
    database?.close();
  }
}

async function copyInput(
  file: InputFile,
  logs: ReadonlyMap<string, InputFile>,
  folder: { path: string },
): Promise<SqliteDatabase> {
  if (folder.path === '') folder.path = await mkdtemp(join(tmpdir(), 'coppice-tables-'));
  const path = join(await mkdtemp(join(folder.path, 'one-')), 'copy.db');
  await writeTo(path, file);
  const log = logs.get(`${file.name}-wal`);
  if (log !== undefined) await writeTo(`${path}-wal`, log);
  return withTableErrors(file.name, () => {
    const { DatabaseSync } = loadSqliteModule();
    const database = new DatabaseSync(path);
    // The file may be manipulated, so functions in its schema must not have side effects.
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA query_only = ON; PRAGMA cell_size_check = ON');
    return database;
  });
}

// The target file is opened first. Otherwise a stream that fails late could create the file after the folder was
// deleted.
async function writeTo(path: string, file: InputFile): Promise<void> {
  const copy = await open(path, 'wx', 0o600);
  await pipeline(file.stream(), copy.createWriteStream());
}

function tablesIn(database: SqliteDatabase, name: string): KnownTables | undefined {
  return withTableErrors(name, () => {
    const found = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const names = new Set(found.map((row) => row.name));
    return known.find(({ tables, columns }) => {
      if (!tables.every((table) => names.has(table))) return false;
      const own = new Set(tables.flatMap((table) => columnsOf(database, table)));
      return columns.every((column) => own.has(column));
    });
  });
}

function columnsOf(database: SqliteDatabase, table: string): string[] {
  return database
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map((row) => String(row.name));
}

// Chunks of this size are fast to pass on, and small enough that other work can run often.
const chunkSize = 64 * 1024;

async function* documentOf(database: SqliteDatabase, program: KnownTables, name: string): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const parts = (program.parts ?? ((own) => rowsOf(own, program.tables)))(database)[Symbol.iterator]();
  let text = '{';
  for (;;) {
    const next = withTableErrors(name, () => parts.next());
    if (next.done === true) break;
    text += next.value;
    if (text.length < chunkSize) continue;
    yield encoder.encode(text);
    text = '';
  }
  yield encoder.encode(`${text}}`);
}

/** Yields the rows of tables as members of a JSON object, one array per table. */
function* rowsOf(database: SqliteDatabase, tables: readonly string[]): Generator<string> {
  for (const [index, table] of tables.entries()) {
    yield `${index === 0 ? '' : ','}"${table}":[`;
    let first = true;
    // Siblings are sorted by time. Equal times are sorted by id, so that every read gives the same order.
    const order = columnsOf(database, table).includes('created_at') ? ' ORDER BY created_at, id' : '';
    for (const row of database.prepare(`SELECT * FROM "${table}"${order}`).iterate()) {
      yield `${first ? '' : ','}${JSON.stringify(plainTableRow(row))}`;
      first = false;
    }
    yield ']';
  }
}

/**
 * Yields the conversations of Cursor, each with its messages. Conversations and messages are values in one table, with
 * keys that contain their ids.
 */
function* cursorConversations(database: SqliteDatabase): Generator<string> {
  yield '"cursor":[';
  let first = true;
  // `;` is the character after `:`, so a range from `prefix:` to `prefix;` contains all keys with that prefix.
  const between = 'SELECT key, value FROM cursorDiskKV WHERE key >= ? AND key < ? ORDER BY key';
  for (const { key, value } of database.prepare(between).iterate('composerData:', 'composerData;')) {
    const id = String(key).slice('composerData:'.length);
    yield `${first ? '' : ','}{"composer":${jsonOf(value)},"bubbles":[`;
    first = false;
    let firstBubble = true;
    for (const bubble of database.prepare(between).iterate(`bubbleId:${id}:`, `bubbleId:${id};`)) {
      yield `${firstBubble ? '' : ','}${jsonOf(bubble.value)}`;
      firstBubble = false;
    }
    yield ']}';
  }
  yield ']';
}

/**
 * Yields the sessions of opencode, each with its messages and their parts, like the file that `opencode export` writes.
 * A session of a sub-agent comes after the session that spawned it, because it is newer.
 */
function* opencodeSessions(database: SqliteDatabase): Generator<string> {
  yield '"opencode":[';
  let first = true;
  for (const session of database.prepare('SELECT * FROM session ORDER BY time_created, id').iterate()) {
    yield `${first ? '' : ','}{"info":${JSON.stringify(opencodeSession(session))},"messages":[`;
    first = false;
    let firstMessage = true;
    const messages = 'SELECT * FROM message WHERE session_id = ? ORDER BY time_created, id';
    for (const message of database.prepare(messages).iterate(String(session.id))) {
      const parts = database.prepare('SELECT * FROM part WHERE message_id = ? ORDER BY id').all(String(message.id));
      const info = dataOf(message, { id: message.id, sessionID: message.session_id });
      yield `${firstMessage ? '' : ','}{"info":${info},"parts":[${parts.map((part) => dataOf(part, { id: part.id })).join(',')}]}`;
      firstMessage = false;
    }
    yield ']}';
  }
  yield ']';
}

/** Returns a session with the names of fields that its export has. */
function opencodeSession(row: SqlRow): Record<string, unknown> {
  const { id, project_id, parent_id, directory, path, title, version, agent, revert } = row;
  return {
    id,
    projectID: project_id,
    ...(parent_id === null ? {} : { parentID: parent_id }),
    directory,
    ...(path == null ? {} : { path }),
    title,
    version,
    ...(agent == null ? {} : { agent }),
    ...(typeof revert === 'string' ? { revert: parseColumn(revert) } : {}),
    time: {
      created: row.time_created,
      updated: row.time_updated,
      ...(row.time_archived == null ? {} : { archived: row.time_archived }),
    },
  };
}

function parseColumn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the JSON of a row whose other fields are in the column `data`; a JSON string if `data` is no object. */
function dataOf({ data }: SqlRow, fields: SqlRow): string {
  const value = parseColumn(String(data ?? 'null'));
  return JSON.stringify(typeof value === 'object' && value !== null ? { ...fields, ...value } : String(data));
}

/**
 * Returns the value of a column if it is JSON. Any other text becomes a JSON string, which the format reader reports.
 */
function jsonOf(value: SqlRow[string] | undefined): string {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value ?? 'null');
  try {
    JSON.parse(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}

function plainTableRow(row: SqlRow): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value,
    ]),
  );
}

/** Converts SQLite errors about a damaged file to an import error. */
function withTableErrors<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new AppError({
      code: 'import/damaged',
      kind: importErrorKinds['import/damaged'],
      message: `The database ${name} cannot be read: ${said}.`,
      cause: error,
    });
  }
}

/** Records where a purge left data in the files, and removes that data as soon as possible. */
import { closeSync, openSync, readSync } from 'node:fs';
import { execute, readNumberColumn, type SqlTask } from '../sql/query.ts';
import { type SqliteConnection, sqliteBusyCode, sqliteResultCode } from './driver.ts';

/** Records, in the transaction of a purge, that the write-ahead log contains purged data until it is emptied. */
export function* recordLogResidue(): SqlTask<void> {
  yield* execute('UPDATE residue SET log = 1');
}

/**
 * Removes the recorded remains, outside any transaction: rewrites the file if its free pages were never zeroed, and
 * empties the write-ahead log. Returns the files that still contain remains, because other processes use them or the
 * disk is full.
 */
export function clearResidue(connection: SqliteConnection, place: string): readonly string[] {
  const [noted] = connection.all('SELECT pages, log FROM residue');
  if (noted === undefined) return [];
  const pages = readNumberColumn(noted, 'pages') === 1;
  if (!pages && readNumberColumn(noted, 'log') === 0) return [];
  if (pages && !rewriteFile(connection)) return [place];
  if (!emptyLog(connection)) return [`${place}-wal`];
  if (hasRowsInRootPages(connection, place)) {
    if (!rewriteFile(connection)) return [place];
    if (!emptyLog(connection)) return [`${place}-wal`];
  }
  tryStatement(connection, 'UPDATE residue SET pages = 0, log = 0');
  return [];
}

/** Empties the write-ahead log. Returns false if other processes still read it. */
function emptyLog(connection: SqliteConnection): boolean {
  const [outcome] = connection.all('PRAGMA wal_checkpoint(TRUNCATE)');
  return outcome === undefined || readNumberColumn(outcome, 'busy') === 0;
}

/**
 * Whether the root page of a table contains parts of rows in its unused bytes. Another program left them there when it
 * ran VACUUM without `secure_delete`: the root kept the rows that it had before it got child pages.
 */
function hasRowsInRootPages(connection: SqliteConnection, place: string): boolean {
  const pageSize = readNumberColumn(connection.all('PRAGMA page_size')[0] ?? { page_size: 4096 }, 'page_size');
  const roots = connection.all("SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND rootpage > 1");
  const page = Buffer.alloc(pageSize);
  const handle = openSync(place, 'r');
  try {
    return roots.some((root) => {
      const read = readSync(handle, page, 0, pageSize, (readNumberColumn(root, 'rootpage') - 1) * pageSize);
      return read === pageSize && page[0] === tableInteriorPage && containsText(unusedBytes(page));
    });
  } finally {
    closeSync(handle);
  }
}

// The format of SQLite's files: the type of the page, the number of its cells, and where their contents begin.
const tableInteriorPage = 5;
const interiorHeaderBytes = 12;

function unusedBytes(page: Buffer): Buffer {
  const cells = page.readUInt16BE(3);
  return page.subarray(interiorHeaderBytes + 2 * cells, page.readUInt16BE(5) || page.length);
}

// Cells of such a page are four bytes of a page number, which begins with a zero, and a row id.
const shortestText = 12;

function containsText(bytes: Buffer): boolean {
  let run = 0;
  for (const byte of bytes) {
    run = byte < 0x20 ? 0 : run + 1;
    if (run === shortestText) return true;
  }
  return false;
}

// VACUUM copies the file to temporary storage, which is in memory. For a larger file, temporary storage is on disk.
const mostInMemory = 128 * 1024 * 1024;

function rewriteFile(connection: SqliteConnection): boolean {
  const [size] = connection.all('SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size');
  const large = readNumberColumn(size ?? { n: 0 }, 'n') > mostInMemory;
  if (large) connection.database.exec('PRAGMA temp_store = FILE');
  try {
    return tryStatement(connection, 'VACUUM');
  } finally {
    if (large) connection.database.exec('PRAGMA temp_store = MEMORY');
  }
}

/**
 * Runs a statement. Returns false if it has to be tried later, because other processes use the file or the disk is
 * full.
 */
function tryStatement({ database }: SqliteConnection, sql: string): boolean {
  try {
    database.exec(sql);
    return true;
  } catch (error) {
    const code = sqliteResultCode(error);
    if (code === sqliteBusyCode || code === full) return false;
    throw error;
  }
}

const full = 13;

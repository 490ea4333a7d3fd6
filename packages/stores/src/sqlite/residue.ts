/** Records where a purge left data in the files, and removes that data as soon as possible. */
import { execute, type SqlTask, sqlNumber } from '../sql/query.ts';
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
  const pages = sqlNumber(noted, 'pages') === 1;
  if (!pages && sqlNumber(noted, 'log') === 0) return [];
  if (pages && !rewriteFile(connection)) return [place];
  const [outcome] = connection.all('PRAGMA wal_checkpoint(TRUNCATE)');
  if (outcome !== undefined && sqlNumber(outcome, 'busy') !== 0) return [`${place}-wal`];
  isDone(connection, 'UPDATE residue SET pages = 0, log = 0');
  return [];
}

// VACUUM copies the file to temporary storage, which is in memory, so larger files are not rewritten.
const mostInMemory = 128 * 1024 * 1024;

function rewriteFile(connection: SqliteConnection): boolean {
  const [size] = connection.all('SELECT page_count * page_size AS n FROM pragma_page_count, pragma_page_size');
  const large = sqlNumber(size ?? { n: 0 }, 'n') > mostInMemory;
  if (large) connection.database.exec('PRAGMA temp_store = FILE');
  try {
    return isDone(connection, 'VACUUM');
  } finally {
    if (large) connection.database.exec('PRAGMA temp_store = MEMORY');
  }
}

/**
 * Runs a statement. Returns false if it has to be tried later, because other processes use the file or the disk is
 * full.
 */
function isDone({ database }: SqliteConnection, sql: string): boolean {
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

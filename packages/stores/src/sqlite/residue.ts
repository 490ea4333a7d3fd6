/** Records the remains of purged rows in the file, and removes them as soon as possible. */
import { execute, type SqlTask, sqlNumber } from '../sql/query.ts';
import { type SqliteConnection, sqliteBusyCode, sqliteResultCode } from './driver.ts';

/** Records, in the transaction of a purge, that the write-ahead log contains purged data until it is emptied. */
export function* recordLogResidue(): SqlTask<void> {
  yield* execute('UPDATE residue SET log = 1');
}

/**
 * Removes recorded remains, outside of any transaction. Rewrites the file if its
 * free pages were never zeroed, and empties the write-ahead log. Returns the
 * files that still contain remains, because others use them or the disk is full.
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

// VACUUM makes a temporary copy, and temporary data is kept in memory.
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

/** Runs a statement. Returns false if others use the file or there is no space, so that a later attempt may succeed. */
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

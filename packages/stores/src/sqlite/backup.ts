/** Backs up a SQLite file that is in use. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isAppError, refuse, type WorkProgress } from '@coppice/core';
import { loadSqliteModule, type SqliteConnection, toSqliteError } from './driver.ts';

/**
 * Copies a database while it is in use. The copy gets its name only when it is complete. Throws if a file has that name
 * already.
 */
export async function backUpSqlite(
  connection: SqliteConnection,
  to: string,
  onProgress?: (progress: WorkProgress) => void,
): Promise<void> {
  if (existsSync(to))
    refuse('command/invalid', `${to} already exists, and a backup overwrites nothing. Choose another name.`, {
      to,
    });
  const temporary = `${to}.part-${process.pid}`;
  try {
    const { backup } = loadSqliteModule();
    makePrivateFile(temporary);
    const progress = ({ totalPages: total, remainingPages }: { totalPages: number; remainingPages: number }) =>
      onProgress?.({ done: total - remainingPages, total });
    if (backup !== undefined) await backup(connection.database, temporary, { progress });
    else connection.run('VACUUM INTO $1', temporary);
    removeSealedRecords(temporary);
    syncFile(temporary);
    renameSync(temporary, to);
    syncFile(dirname(to));
  } catch (error) {
    removeWithLog(temporary);
    // The error concerns the target path, so it names that path and not the database.
    throw isAppError(error) ? error : toSqliteError(error, to);
  }
}

/** Deletes the encrypted keys of a server from the copy, and zeroes the pages that contained them. */
function removeSealedRecords(path: string): void {
  const copy = new (loadSqliteModule().DatabaseSync)(path);
  try {
    const there = copy.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'sealed_record'").get();
    if (there === undefined || copy.prepare('SELECT 1 FROM sealed_record').get() === undefined) return;
    for (const pragma of ['journal_mode = DELETE', 'secure_delete = ON']) copy.exec(`PRAGMA ${pragma}`);
    copy.exec('DELETE FROM sealed_record');
  } finally {
    copy.close();
    // SQLite does not delete these files while a statement is not finalised. They are empty, because the copy was not
    // written in WAL mode.
    for (const ending of logEndings) rmSync(`${path}${ending}`, { force: true });
  }
}

const logEndings = ['-wal', '-shm'] as const;

function removeWithLog(path: string): void {
  for (const ending of ['', ...logEndings]) rmSync(`${path}${ending}`, { force: true });
}

/** Creates an empty file that only the user can read. SQLite gives its journal and WAL files the same permissions. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'w', 0o600));
}

/** Syncs a file or a directory to disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

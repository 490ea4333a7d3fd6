/** A copy of a SQLite file that is in use. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isAppError, refuse } from '@coppice/core';
import { type SqliteConnection, sqliteModule, toSqliteError } from './driver.ts';

/** Copies a database while it is in use; the copy is complete under its name or not there at all. Refuses to overwrite a file. */
export async function backUpSqlite(connection: SqliteConnection, to: string): Promise<void> {
  if (existsSync(to)) refuse('command/invalid', `There is a file ${to} already: a backup overwrites nothing.`, { to });
  const temporary = `${to}.part-${process.pid}`;
  try {
    const { backup } = sqliteModule();
    makePrivateFile(temporary);
    if (backup !== undefined) await backup(connection.database, temporary);
    else connection.run('VACUUM INTO $1', temporary);
    syncFile(temporary);
    renameSync(temporary, to);
    syncFile(dirname(to));
  } catch (error) {
    rmSync(temporary, { force: true });
    // Where it went wrong is where the copy goes, not where it comes from.
    throw isAppError(error) ? error : toSqliteError(error, to);
  }
}

/** Makes an empty file that only its owner may read and write: SQLite keeps the mode, also for what it puts beside it. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'w', 0o600));
}

/** Waits until a file, or a directory's list of names, is on the disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

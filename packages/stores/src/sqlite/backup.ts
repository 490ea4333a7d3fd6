/** Backs up a SQLite file that is in use. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isAppError, refuse } from '@coppice/core';
import { type SqliteConnection, sqliteModule, toSqliteError } from './driver.ts';

/** Copies a database while it is in use; the copy appears only when it is complete. Throws if the file exists. */
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
    // The error concerns the target, not the source.
    throw isAppError(error) ? error : toSqliteError(error, to);
  }
}

/** Creates an empty file with owner-only permissions; SQLite uses the same mode for the files beside it. */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'w', 0o600));
}

/** Syncs a file, or the names in a directory, to disk. */
export function syncFile(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

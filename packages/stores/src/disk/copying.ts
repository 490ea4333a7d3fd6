/** Copies files and folders for backups. A copy is synced before it gets its final name. */
import { closeSync, copyFileSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runFileOperation, syncFolder, withFileErrors } from './atomic-files.ts';

/** Copies a file or a folder, without the names for which `isLeftOut` is true. Everything is synced on return. */
export function copyDurably(from: string, to: string, isLeftOut: (folder: string, name: string) => boolean): void {
  const open = [{ from, to }];
  const made: string[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const each = at;
    withFileErrors(each.from, () => {
      if (!statSync(each.from).isDirectory()) {
        mkdirSync(dirname(each.to), { recursive: true });
        copyFileSync(each.from, each.to);
        return syncBackupPath(each.to);
      }
      mkdirSync(each.to, { recursive: true });
      made.push(each.to);
      for (const name of readdirSync(each.from))
        if (!isLeftOut(each.from, name)) open.push({ from: join(each.from, name), to: join(each.to, name) });
    });
  }
  for (const folder of made) withFileErrors(folder, () => syncBackupPath(folder));
}

/** Syncs a file or folder to disk. */
export function syncBackupPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    runFileOperation('backup', 'fsync', () => fsyncSync(handle));
  } finally {
    closeSync(handle);
  }
}

/** Renames a complete copy to its final name, and syncs the folder. */
export function renameFinishedCopy(part: string, path: string): void {
  withFileErrors(path, () => {
    runFileOperation('backup', 'rename', () => renameSync(part, path));
    syncFolder(dirname(path), 'backup');
  });
}

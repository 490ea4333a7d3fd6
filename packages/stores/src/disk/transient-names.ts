/** The names in a store's folder that exist only while a process uses the store. Backups leave them out. */
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['locking', 'making', 'gone', 'creating'] as const;

/** The lock file, and the folders for locks, unfinished files and files that are being deleted. */
export const transientNames: ReadonlySet<string> = new Set(['lock', ...folders]);

/** Removes the empty folders that a process created in a store, so that a store that was only read stays unchanged. */
export function removeEmptyTransientFolders(path: string): void {
  for (const name of ['creating/locking', ...folders, ''])
    try {
      rmdirSync(join(path, '.coppice', name));
    } catch {
      // The folder is not empty, or does not exist.
    }
}

/** Names in a store's folder that exist only while a process uses it, and that backups leave out. */
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['locking', 'making', 'gone', 'creating'] as const;

/** These names. */
export const transientNames: ReadonlySet<string> = new Set(['lock', ...folders]);

/** Removes its empty folders, so that only reading a store leaves no trace. */
export function removeEmptyTransientFolders(path: string): void {
  for (const name of ['creating/locking', ...folders, ''])
    try {
      rmdirSync(join(path, '.coppice', name));
    } catch {
      // Not empty, or missing.
    }
}

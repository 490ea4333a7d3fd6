import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { osErrorCode } from './atomic-files.ts';

/**
 * Creates a folder and its missing parents. Node's `recursive` option loops forever where the system reports a missing
 * parent although the parent exists, as below `/proc`.
 */
export function makeFolders(path: string, mode?: number): void {
  const folders = [resolve(path)];
  for (let above = dirname(folders[0] ?? ''); !folderExists(above); above = dirname(above)) folders.push(above);
  for (const folder of folders.reverse()) {
    try {
      mkdirSync(folder, mode);
    } catch (error) {
      // Another process may have created the folder meanwhile.
      if (osErrorCode(error) !== 'EEXIST' || statSync(folder).isDirectory() !== true) throw error;
    }
  }
}

function folderExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined || dirname(path) === path;
}

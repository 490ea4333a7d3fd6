import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemCode } from './atomic-files.ts';

/**
 * Makes a folder and those above it that are not there. Node's own `recursive` never ends where the system says of a folder
 * that cannot be made that the one above it is missing, though it is there, as it does below `/proc`.
 */
export function makeFolders(path: string, mode?: number): void {
  const folders = [resolve(path)];
  for (let above = dirname(folders[0] ?? ''); !folderExists(above); above = dirname(above)) folders.push(above);
  for (const folder of folders.reverse()) {
    try {
      mkdirSync(folder, mode);
    } catch (error) {
      // Somebody else may have been first.
      if (systemCode(error) !== 'EEXIST' || statSync(folder).isDirectory() !== true) throw error;
    }
  }
}

function folderExists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined || dirname(path) === path;
}

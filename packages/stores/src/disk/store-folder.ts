/** Creates and checks the folder of a store before the store is opened. */
import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import { AppError, refusalKinds } from '@coppice/core';
import { type FilePurpose, makeDamagedFileError, statOrNull, syncFolder, withFileErrors } from './atomic-files.ts';
import { makeFolders } from './make-folders.ts';

/** Creates the folder of a store if it is missing. Returns whether it was created. Throws if the path is a file. */
export function makeStoreFolder(folder: string, readOnly: boolean, part: FilePurpose): boolean {
  const stat = statOrNull(folder);
  if (stat?.isDirectory() === true) return false;
  if (stat !== null) throw makeDamagedFileError(folder, 'is a file, not a folder');
  if (readOnly)
    throw new AppError({
      code: 'store/unavailable',
      kind: refusalKinds['store/unavailable'],
      message: `There is no folder ${folder}.`,
      data: { place: folder },
    });
  withFileErrors(folder, () => {
    makeFolders(folder);
    syncFolder(dirname(folder), part);
  });
  return true;
}

/** Whether this process may write to a folder. */
export function isFolderWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the note that a store shows if its folder cannot be written. */
export function makeReadOnlyNote(place: string): string {
  return `${place} is not writable: everything can be read, nothing can be saved.`;
}

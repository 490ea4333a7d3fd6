/** Reads and writes `.coppice/format.json`, which marks a folder as a store and has the version of its layout. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFieldMap, ownField } from '@coppice/core/decode';
import {
  type AtomicWriter,
  encodeFileText,
  makeDamagedFileError,
  makeNewerFormatError,
  readJsonFile,
  withFileErrors,
} from '../disk/atomic-files.ts';
import { toReadableJson } from './node-file.ts';

/** The version of the folder layout that this build reads and writes. */
export const folderLayoutVersion = 1;

/** Whether a folder is marked as a store. Throws if the format file is unreadable or from a newer version. */
export function hasFormatFile(place: string): boolean {
  const path = join(place, '.coppice', 'format.json');
  const json = readJsonFile(path);
  if (json === undefined) return false;
  if (!isFieldMap(json) || ownField(json, 'format') !== 'coppice/files')
    throw makeDamagedFileError(path, 'does not name the format of Coppice');
  const version = ownField(json, 'formatVersion');
  if (version !== folderLayoutVersion) throw makeNewerFormatError(path, version, folderLayoutVersion);
  return true;
}

/** Writes the format file if the folder has none. */
export function writeFormatFile(place: string, writer: AtomicWriter): void {
  if (hasFormatFile(place)) return;
  const path = join(place, '.coppice', 'format.json');
  withFileErrors(path, () => mkdirSync(join(place, '.coppice'), { recursive: true }));
  writer.replace(
    path,
    [encodeFileText(toReadableJson({ format: 'coppice/files', formatVersion: folderLayoutVersion }))],
    'format',
    true,
  );
}

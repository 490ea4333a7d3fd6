/** `.coppice/format.json`: marks a folder as a store, with the version of its layout. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { isFieldMap, ownField } from '@coppice/core/decode';
import {
  type AtomicWriter,
  bytesOfFile,
  damagedFile,
  newerFormatError,
  onFile,
  readTextFile,
} from '../disk/atomic-files.ts';
import { toReadableJson } from './node-file.ts';

/** The version of the folder layout. */
export const layoutVersion = 1;

/** Whether a folder is a store. Throws if the mark is unreadable or from a newer version. */
export function checkFormat(place: string): boolean {
  const path = join(place, '.coppice', 'format.json');
  const found = readTextFile(path);
  if (found === null) return false;
  let json: unknown;
  try {
    json = JSON.parse(found);
  } catch {
    throw damagedFile(path, found === '' ? 'is empty' : 'is no JSON');
  }
  if (!isFieldMap(json) || ownField(json, 'format') !== 'coppice/files')
    throw damagedFile(path, 'does not name our format');
  const version = ownField(json, 'formatVersion');
  if (version !== layoutVersion) throw newerFormatError(path, version, layoutVersion);
  return true;
}

/** Marks a folder as a store, unless it is marked already. */
export function writeFormat(place: string, bench: AtomicWriter): void {
  if (checkFormat(place)) return;
  const path = join(place, '.coppice', 'format.json');
  onFile(path, () => mkdirSync(join(place, '.coppice'), { recursive: true }));
  bench.replace(
    path,
    [bytesOfFile(toReadableJson({ format: 'coppice/files', formatVersion: layoutVersion }))],
    'format',
    true,
  );
}

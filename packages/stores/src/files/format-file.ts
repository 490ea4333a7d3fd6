/** `.coppice/format.json`: what says that a folder is a store of ours, and which build may write to it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AtomicWriter,
  bytesOfFile,
  damagedFile,
  newerFormat,
  onFile,
  readTextFile,
} from '../disk/atomic-files.ts';
import { diskField, isDiskFields } from '../disk/decode.ts';
import { fileFingerprint } from './node-file.ts';

/** The version of the layout of folders. */
export const layoutVersion = 1;

/** Whether a folder says that it is a store. Refuses one that says it in a way that cannot be read, or that is newer. */
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
  if (!isDiskFields(json) || diskField(json, 'format') !== 'coppice/files')
    throw damagedFile(path, 'does not name our format');
  const version = diskField(json, 'formatVersion');
  if (version !== layoutVersion) throw newerFormat(path, version, layoutVersion);
  return true;
}

/** Says that a folder is a store, if it does not say so already. */
export function writeFormat(place: string, bench: AtomicWriter): void {
  if (checkFormat(place)) return;
  const path = join(place, '.coppice', 'format.json');
  onFile(path, () => mkdirSync(join(place, '.coppice'), { recursive: true }));
  bench.replace(
    path,
    [bytesOfFile(fileFingerprint({ format: 'coppice/files', formatVersion: layoutVersion }))],
    'format',
    true,
  );
}

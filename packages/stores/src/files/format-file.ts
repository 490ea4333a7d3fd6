/** `.coppice/format.json`: what says that a folder is a store of ours, and which build may write to it. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { field, isFields } from '../disk/decode.ts';
import { bytesOf, damaged, newer, onFile, readText, type Workbench } from '../disk/whole-files.ts';
import { print } from './node-file.ts';

/** The version of the layout of folders. */
export const layoutVersion = 1;

/** Whether a folder says that it is a store. Refuses one that says it in a way that cannot be read, or that is newer. */
export function checkFormat(place: string): boolean {
  const path = join(place, '.coppice', 'format.json');
  const found = readText(path);
  if (found === null) return false;
  let json: unknown;
  try {
    json = JSON.parse(found);
  } catch {
    throw damaged(path, found === '' ? 'is empty' : 'is no JSON');
  }
  if (!isFields(json) || field(json, 'format') !== 'coppice/files') throw damaged(path, 'does not name our format');
  const version = field(json, 'formatVersion');
  if (version !== layoutVersion) throw newer(path, version, layoutVersion);
  return true;
}

/** Says that a folder is a store, if it does not say so already. */
export function writeFormat(place: string, bench: Workbench): void {
  if (checkFormat(place)) return;
  const path = join(place, '.coppice', 'format.json');
  onFile(path, () => mkdirSync(join(place, '.coppice'), { recursive: true }));
  bench.replace(path, [bytesOf(print({ format: 'coppice/files', formatVersion: layoutVersion }))], 'format', true);
}

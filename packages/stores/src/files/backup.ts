/** A complete copy of a store in another folder. */
import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { refuse } from '@coppice/core';
import { onFile, step, syncFolder } from '../disk/whole-files.ts';
import type { FilesKeeper, Holdings } from './files-keeper.ts';

// What belongs to this process and not to what is kept.
const passing = new Set(['lock', 'locking', 'making', 'gone']);

/**
 * Copies everything. Each tree is copied in one go, so that its files say the same as its journal. The folder gets its
 * name when it is complete and on the disk; before that there is none.
 */
export async function backupFolder(holdings: Holdings, keeper: FilesKeeper, to: string): Promise<void> {
  const path = resolve(to);
  if (existsSync(path)) refuse('command/invalid', `There is ${path} already: a backup overwrites nothing.`, { to });
  const { place } = holdings;
  const part = `${path}.part-${process.pid}`;
  rmSync(part, { recursive: true, force: true });
  try {
    onFile(part, () => mkdirSync(part, { recursive: true }));
    await keeper.flush();
    for (const name of onFile(place, () => readdirSync(place))) {
      await keeper.flush();
      copy(join(place, name), join(part, name), name === '.coppice' ? passing : new Set());
      await breathe();
    }
    onFile(path, () => {
      step('backup', 'rename', () => renameSync(part, path));
      syncFolder(dirname(path), 'backup');
    });
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
}

function copy(from: string, to: string, without: ReadonlySet<string>): void {
  const open = [{ from, to }];
  const made: string[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const each = at;
    onFile(each.from, () => {
      if (!isFolder(each.from)) {
        copyFileSync(each.from, each.to);
        return sync(each.to);
      }
      mkdirSync(each.to, { recursive: true });
      made.push(each.to);
      for (const name of readdirSync(each.from))
        if (each.from !== from || !without.has(name))
          open.push({ from: join(each.from, name), to: join(each.to, name) });
    });
  }
  for (const folder of made) onFile(folder, () => sync(folder));
}

function isFolder(path: string): boolean {
  return statSync(path).isDirectory();
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    step('backup', 'fsync', () => fsyncSync(handle));
  } finally {
    closeSync(handle);
  }
}

/** A complete copy of sessions in another place. */
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
import { basename, dirname, join, resolve } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { refuse } from '@coppice/core';
import { namesIn, onFile, step, syncFolder } from '../disk/whole-files.ts';
import type { Holdings } from './jsonl-keeper.ts';
import { sideOf } from './places.ts';

// What belongs to a process and not to what is kept.
const passing: ReadonlySet<string> = new Set(['lock', 'locking', 'making', 'gone']);

/** Copies everything. The copy gets its name when it is complete and on the disk; before that there is none. */
export async function backupSessions({ place, single }: Holdings, to: string): Promise<void> {
  const path = resolve(to);
  if (existsSync(path)) refuse('command/invalid', `There is ${path} already: a backup overwrites nothing.`, { to });
  const part = `${path}.part-${process.pid}`;
  const clear = () => {
    for (const name of [part, sideOf(part)]) rmSync(name, { recursive: true, force: true });
  };
  clear();
  try {
    if (single) {
      if (existsSync(sideOf(place))) copy(sideOf(place), sideOf(path));
      if (existsSync(place)) copy(place, part);
    } else {
      onFile(part, () => mkdirSync(part, { recursive: true }));
      for (const name of namesIn(place).filter((one) => one === '.coppice' || !one.startsWith('.'))) {
        copy(join(place, name), join(part, name));
        await breathe();
      }
      sync(part);
    }
    onFile(path, () => {
      step('backup', 'rename', () => renameSync(part, path));
      syncFolder(dirname(path), 'backup');
    });
  } catch (error) {
    clear();
    throw error;
  }
}

function copy(from: string, to: string): void {
  const open = [{ from, to }];
  const made: string[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const each = at;
    onFile(each.from, () => {
      if (!statSync(each.from).isDirectory()) {
        mkdirSync(dirname(each.to), { recursive: true });
        copyFileSync(each.from, each.to);
        return sync(each.to);
      }
      mkdirSync(each.to, { recursive: true });
      made.push(each.to);
      for (const name of readdirSync(each.from))
        if (!passing.has(name) || basename(each.from) === 'blobs')
          open.push({ from: join(each.from, name), to: join(each.to, name) });
    });
  }
  for (const folder of made) onFile(folder, () => sync(folder));
}

function sync(path: string): void {
  const handle = openSync(path, 'r');
  try {
    step('backup', 'fsync', () => fsyncSync(handle));
  } finally {
    closeSync(handle);
  }
}

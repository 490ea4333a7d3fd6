/** A complete copy of sessions in another place. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { refuse } from '@coppice/core';
import { copyDurably, nameCopy, syncCopy } from '../disk/copying.ts';
import { passing } from '../disk/passing.ts';
import { namesIn, onFile } from '../disk/whole-files.ts';
import type { Holdings } from './jsonl-keeper.ts';
import { sideOf } from './places.ts';

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
      syncCopy(part);
    }
    nameCopy(part, path);
  } catch (error) {
    clear();
    throw error;
  }
}

// An attachment may have any name.
function copy(from: string, to: string): void {
  copyDurably(from, to, (folder, name) => passing.has(name) && basename(folder) !== 'blobs');
}

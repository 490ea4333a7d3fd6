/** A complete copy of sessions in another place. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { refuse } from '@coppice/core';
import { namesInFolder, onFile } from '../disk/atomic-files.ts';
import { copyDurably, nameCopy, syncCopy } from '../disk/copying.ts';
import { transientNames } from '../disk/transient-names.ts';
import type { SessionsOpenState } from './jsonl-persistence.ts';
import { sidecarFolder } from './paths.ts';

/** Copies everything. The copy gets its name when it is complete and on the disk; before that there is none. */
export async function backupSessions({ place, single }: SessionsOpenState, to: string): Promise<void> {
  const path = resolve(to);
  if (existsSync(path)) refuse('command/invalid', `There is ${path} already: a backup overwrites nothing.`, { to });
  const part = `${path}.part-${process.pid}`;
  const clear = () => {
    for (const name of [part, sidecarFolder(part)]) rmSync(name, { recursive: true, force: true });
  };
  clear();
  try {
    if (single) {
      if (existsSync(sidecarFolder(place))) copySession(sidecarFolder(place), sidecarFolder(path));
      if (existsSync(place)) copySession(place, part);
    } else {
      onFile(part, () => mkdirSync(part, { recursive: true }));
      for (const name of namesInFolder(place).filter((one) => one === '.coppice' || !one.startsWith('.'))) {
        copySession(join(place, name), join(part, name));
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
function copySession(from: string, to: string): void {
  copyDurably(from, to, (folder, name) => transientNames.has(name) && basename(folder) !== 'blobs');
}

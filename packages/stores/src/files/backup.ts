/** A complete copy of a store in another folder. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { refuse } from '@coppice/core';
import { onFile } from '../disk/atomic-files.ts';
import { copyDurably, nameCopy } from '../disk/copying.ts';
import { transientNames } from '../disk/transient-names.ts';
import type { FilesOpenState, FilesPersistence } from './files-persistence.ts';

/**
 * Copies everything. Each tree is copied in one go, so that its files say the same as its journal. The folder gets its
 * name when it is complete and on the disk; before that there is none.
 */
export async function backupFolder(holdings: FilesOpenState, persistence: FilesPersistence, to: string): Promise<void> {
  const path = resolve(to);
  if (existsSync(path)) refuse('command/invalid', `There is ${path} already: a backup overwrites nothing.`, { to });
  const { place } = holdings;
  const part = `${path}.part-${process.pid}`;
  rmSync(part, { recursive: true, force: true });
  try {
    onFile(part, () => mkdirSync(part, { recursive: true }));
    await persistence.flush();
    for (const name of onFile(place, () => readdirSync(place))) {
      await persistence.flush();
      const from = join(place, name);
      copyDurably(
        from,
        join(part, name),
        (folder, one) => name === '.coppice' && folder === from && transientNames.has(one),
      );
      await breathe();
    }
    nameCopy(part, path);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
}

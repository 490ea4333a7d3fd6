/** Copies the folder of a store to a backup. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { withFileErrors } from '../disk/atomic-files.ts';
import { makeBackup } from '../disk/backup.ts';
import { copyDurably } from '../disk/copying.ts';
import { transientNames } from '../disk/transient-names.ts';
import type { FilesOpenState, FilesPersistence } from './files-persistence.ts';

/** Makes a backup of the folder. While a tree is copied it is not written, so that its files match its journal. */
export function backUpFolder({ place }: FilesOpenState, persistence: FilesPersistence, to: string): Promise<void> {
  return makeBackup(to, async (part) => {
    withFileErrors(part, () => mkdirSync(part, { recursive: true }));
    await persistence.flush();
    for (const name of withFileErrors(place, () => readdirSync(place))) {
      await persistence.flush();
      const from = join(place, name);
      copyDurably(
        from,
        join(part, name),
        (folder, one) => name === '.coppice' && folder === from && transientNames.has(one),
      );
      await breathe();
    }
  });
}

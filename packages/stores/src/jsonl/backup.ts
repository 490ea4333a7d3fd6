/** Copies session files and their side files to a backup. */
import { existsSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { listNamesInFolder, withFileErrors } from '../disk/atomic-files.ts';
import { makeBackup } from '../disk/backup.ts';
import { copyDurably, syncBackupPath } from '../disk/copying.ts';
import { transientNames } from '../disk/transient-names.ts';
import type { SessionsOpenState } from './jsonl-persistence.ts';
import { sidecarFolderOf } from './paths.ts';

/** Makes a backup of a folder of sessions, or of one session file with its side files. */
export function backUpSessions({ place, single }: SessionsOpenState, to: string): Promise<void> {
  const copySessions = async (part: string, path: string) => {
    if (single) {
      if (existsSync(sidecarFolderOf(place))) copySession(sidecarFolderOf(place), sidecarFolderOf(path));
      if (existsSync(place)) copySession(place, part);
      return;
    }
    withFileErrors(part, () => mkdirSync(part, { recursive: true }));
    for (const name of listNamesInFolder(place).filter((one) => one === '.coppice' || !one.startsWith('.'))) {
      copySession(join(place, name), join(part, name));
      await breathe();
    }
    syncBackupPath(part);
  };
  return makeBackup(to, copySessions, (part) => [sidecarFolderOf(part)]);
}

// Transient names are left out, but not in `blobs`: an attachment may have the same name as a lock file.
function copySession(from: string, to: string): void {
  copyDurably(from, to, (folder, name) => transientNames.has(name) && basename(folder) !== 'blobs');
}

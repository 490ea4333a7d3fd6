/** Makes a backup of a store on disk under a temporary name, and renames it at the end. */
import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { refuse } from '@coppice/core';
import { renameFinishedCopy } from './copying.ts';

/**
 * Makes a backup at `to`. `copy` writes the backup to a temporary path and also receives the final path; `extra` names
 * further files to delete if the copy fails. The backup gets its final name only when it is complete and synced.
 */
export async function makeBackup(
  to: string,
  copy: (part: string, path: string) => Promise<void>,
  extra: (part: string) => readonly string[] = () => [],
): Promise<void> {
  const path = resolve(to);
  if (existsSync(path))
    refuse('command/invalid', `${path} already exists, and a backup overwrites nothing. Choose another name.`, { to });
  const part = `${path}.part-${process.pid}`;
  const clear = () => {
    for (const name of [part, ...extra(part)]) rmSync(name, { recursive: true, force: true });
  };
  clear();
  try {
    await copy(part, path);
    renameFinishedCopy(part, path);
  } catch (error) {
    clear();
    throw error;
  }
}

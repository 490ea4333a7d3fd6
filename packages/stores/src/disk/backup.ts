/** Makes the backup of a store on disk. */
import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { refuse } from '@coppice/core';
import { renameFinishedCopy } from './copying.ts';

/**
 * Makes a copy. `copy` writes it under a temporary name and receives the final one; `extra` names further files that a
 * failed copy may leave. The copy gets its final name only when it is complete and synced.
 */
export async function makeBackup(
  to: string,
  copy: (part: string, path: string) => Promise<void>,
  extra: (part: string) => readonly string[] = () => [],
): Promise<void> {
  const path = resolve(to);
  if (existsSync(path)) refuse('command/invalid', `There is ${path} already: a backup overwrites nothing.`, { to });
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

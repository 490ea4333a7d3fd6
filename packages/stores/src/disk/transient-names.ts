/** What stands in a store's folder for as long as a process works there, and belongs to no copy of it. */
import { rmdirSync } from 'node:fs';
import { join } from 'node:path';

const folders = ['locking', 'making', 'gone', 'creating'] as const;

/** The names of it. */
export const transientNames: ReadonlySet<string> = new Set(['lock', ...folders]);

/** Takes its empty folders away: a place that was only looked at is left without a trace. */
export function tidyFolder(path: string): void {
  for (const name of ['creating/locking', ...folders, ''])
    try {
      rmdirSync(join(path, '.coppice', name));
    } catch {
      // There is something in it, or it is not there.
    }
}

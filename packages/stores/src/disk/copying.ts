/** Copies files and folders; copies are synced before they get their name. */
import { closeSync, copyFileSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileStep, onFile, syncFolder } from './atomic-files.ts';

/** Copies a file or a folder, without what `leaves` names; synced on return. */
export function copyDurably(from: string, to: string, leaves: (folder: string, name: string) => boolean): void {
  const open = [{ from, to }];
  const made: string[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const each = at;
    onFile(each.from, () => {
      if (!statSync(each.from).isDirectory()) {
        mkdirSync(dirname(each.to), { recursive: true });
        copyFileSync(each.from, each.to);
        return syncCopy(each.to);
      }
      mkdirSync(each.to, { recursive: true });
      made.push(each.to);
      for (const name of readdirSync(each.from))
        if (!leaves(each.from, name)) open.push({ from: join(each.from, name), to: join(each.to, name) });
    });
  }
  for (const folder of made) onFile(folder, () => syncCopy(folder));
}

/** Syncs a file or folder to disk. */
export function syncCopy(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fileStep('backup', 'fsync', () => fsyncSync(handle));
  } finally {
    closeSync(handle);
  }
}

/** Gives a complete copy its final name. */
export function nameCopy(part: string, path: string): void {
  onFile(path, () => {
    fileStep('backup', 'rename', () => renameSync(part, path));
    syncFolder(dirname(path), 'backup');
  });
}

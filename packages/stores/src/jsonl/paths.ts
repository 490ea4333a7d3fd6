/** The paths of session files and of their side files. */
import { rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isUuid, refuse, type TreeId, treeId } from '@coppice/core';
import {
  AtomicWriter,
  linkOrCopy,
  listNamesInFolder,
  runFileOperation,
  statOrNull,
  syncFolder,
  withFileErrors,
} from '../disk/atomic-files.ts';

/**
 * Returns the folder for the lease and the side files of a session file. External ids, provenance and runs are stored
 * only there, and for a store of one file also accounts and attachments. All other files in it can be deleted without a
 * loss.
 */
export function sidecarFolderOf(path: string): string {
  return join(dirname(path), '.coppice', basename(path));
}

/** Returns the file name of a new session. The time comes first, so that names sort by age, then the session id. */
export function buildSessionFileName(at: number, id: TreeId): string {
  const time = Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? new Date(at) : new Date(0);
  return `${time.toISOString().replace(/[:.]/g, '-')}_${id}.jsonl`;
}

/** Returns the session id in a file name; null if there is none. */
export function findSessionIdInName(path: string): TreeId | null {
  const id = basename(path).slice(-42, -6);
  return isUuid(id) ? treeId(id) : null;
}

export function listSessionPaths(folder: string): string[] {
  return listNamesInFolder(folder)
    .filter((name) => name.endsWith('.jsonl') && !name.startsWith('.'))
    .map((name) => join(folder, name));
}

/** Whether a path is in the folder of another tool. Files there are never rewritten. */
export function isInForeignFolder(path: string): boolean {
  return dirname(path)
    .split(/[\\/]/)
    .some((part) => part === '.pi' || part === '.claude');
}

/** Creates a session file atomically, never over an existing one. */
export function createSessionFile(path: string, pieces: Iterable<Uint8Array>): void {
  if (statOrNull(path) !== null)
    refuse('command/invalid', `${path} already exists and is not overwritten. Choose another name.`, { path });
  const writer = new AtomicWriter(join(sidecarFolderOf(path), 'making'));
  const temporaryPath = writer.make(pieces, 'session', true);
  withFileErrors(path, () => {
    let linked = false;
    try {
      runFileOperation('session', 'rename', () => {
        linkOrCopy(temporaryPath, path);
        linked = true;
      });
      rmSync(temporaryPath, { force: true });
      syncFolder(dirname(path), 'session');
    } catch (error) {
      // Errors are ignored, because the original error is thrown. The files that remain are complete but were not
      // acknowledged.
      for (const name of linked ? [temporaryPath, path] : [temporaryPath])
        ignoreErrors(() => rmSync(name, { force: true }));
      throw error;
    } finally {
      ignoreErrors(() => rmdirSync(join(sidecarFolderOf(path), 'making')));
    }
  });
}

/**
 * Gives a file a second, unused name such as `name.jsonl.damaged-1`, and returns that name. If a link from before a
 * crash exists, its name is returned.
 */
export function keepBackupLink(path: string, ending: string, first = 1): string {
  return withFileErrors(path, () => {
    const own = statSync(path).ino;
    for (let count = 1; ; count++) {
      const name = `${path}.${ending}${count < first ? '' : count}`;
      const there = statSync(name, { throwIfNoEntry: false });
      if (there === undefined) {
        linkOrCopy(path, name);
        syncFolder(dirname(path), 'session');
      }
      if (there === undefined || there.ino === own) return name;
    }
  });
}

/** Returns the copies of a session file that a migration or repair left. */
export function listBackupCopies(path: string): string[] {
  const own = basename(path);
  const isCopy = (name: string) => name.startsWith(own) && /^\.(?:bak\d*|damaged-\d+)$/.test(name.slice(own.length));
  return listNamesInFolder(dirname(path))
    .filter(isCopy)
    .map((name) => join(dirname(path), name));
}

/**
 * Removes the empty folders beside a new session file. Folders that are not empty stay, because another process may use
 * them.
 */
export function removeEmptySidecarFolders(path: string): void {
  const side = sidecarFolderOf(path);
  for (const name of ['locking', 'making', '', '..']) ignoreErrors(() => rmdirSync(join(side, name)));
}

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // A file or folder that cannot be removed does no harm.
  }
}

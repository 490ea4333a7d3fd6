/** The paths of session files and of their side files. */
import { rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isUuid, refuse, type TreeId, treeId } from '@coppice/core';
import {
  AtomicWriter,
  linkOrCopy,
  listFolderNames,
  runFileStep,
  statOrNull,
  syncFolder,
  withFileErrors,
} from '../disk/atomic-files.ts';

/**
 * Returns the folder beside a session file with its lease and side files; everything except external ids and runs can
 * be deleted.
 */
export function sidecarFolder(path: string): string {
  return join(dirname(path), '.coppice', basename(path));
}

/** Returns the name of a new session's file: the time first, so that names sort by age, then the session id. */
export function sessionFileName(at: number, id: TreeId): string {
  const time = Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? new Date(at) : new Date(0);
  return `${time.toISOString().replace(/[:.]/g, '-')}_${id}.jsonl`;
}

/** Returns the session id in a file name, if there is one. */
export function sessionIdInName(path: string): TreeId | null {
  const id = basename(path).slice(-42, -6);
  return isUuid(id) ? treeId(id) : null;
}

/** The session files of a folder. */
export function listSessionPaths(folder: string): string[] {
  return listFolderNames(folder)
    .filter((name) => name.endsWith('.jsonl') && !name.startsWith('.'))
    .map((name) => join(folder, name));
}

/** Whether a path is in the folder of another tool, where nothing is ever rewritten. */
export function isForeignFolder(path: string): boolean {
  return dirname(path)
    .split(/[\\/]/)
    .some((part) => part === '.pi' || part === '.claude');
}

/** Creates a session file atomically, never over an existing one. */
export function createSessionFile(path: string, pieces: Iterable<Uint8Array>): void {
  if (statOrNull(path) !== null)
    refuse('command/invalid', `There is ${path} already: nothing is written over another file.`, { path });
  const writer = new AtomicWriter(join(sidecarFolder(path), 'making'));
  const made = writer.make(pieces, 'session', true);
  withFileErrors(path, () => {
    let linked = false;
    try {
      runFileStep('session', 'rename', () => {
        linkOrCopy(made, path);
        linked = true;
      });
      rmSync(made, { force: true });
      syncFolder(dirname(path), 'session');
    } catch (error) {
      // Best effort: leftovers were never acknowledged, but are complete.
      for (const name of linked ? [made, path] : [made]) ignoreErrors(() => rmSync(name, { force: true }));
      throw error;
    } finally {
      ignoreErrors(() => rmdirSync(join(sidecarFolder(path), 'making')));
    }
  });
}

/**
 * Gives a file an unused second name, such as `name.jsonl.damaged-1`, and returns it. If it has one already, as after a
 * crash, that one is returned.
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
  return listFolderNames(dirname(path))
    .filter(isCopy)
    .map((name) => join(dirname(path), name));
}

/**
 * Removes the folders beside a new file that no other process can know yet; another process may be about to use others.
 */
export function removeEmptySidecarFolders(path: string): void {
  const side = sidecarFolder(path);
  for (const name of ['locking', 'making', '', '..']) ignoreErrors(() => rmdirSync(join(side, name)));
}

function ignoreErrors(work: () => void): void {
  try {
    work();
  } catch {
    // Not empty, or missing.
  }
}

/** Where session files lie, and what lies beside them. */
import { rmdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isUuid, refuse, type TreeId, treeId } from '@coppice/core';
import {
  AtomicWriter,
  fileStep,
  linkOrCopy,
  namesInFolder,
  onFile,
  statOrNull,
  syncFolder,
} from '../disk/atomic-files.ts';

/** The folder beside a session file that holds its lease and what belongs to it; all of it but names and runs can go. */
export function sidecarFolder(path: string): string {
  return join(dirname(path), '.coppice', basename(path));
}

/** The name of a new session's file: the time first, so that names sort by age, then the session's id. */
export function fileName(at: number, id: TreeId): string {
  const time = Number.isFinite(at) && Math.abs(at) <= 8.64e15 ? new Date(at) : new Date(0);
  return `${time.toISOString().replace(/[:.]/g, '-')}_${id}.jsonl`;
}

/** The session's id as far as a file's name tells it. */
export function idInName(path: string): TreeId | null {
  const id = basename(path).slice(-42, -6);
  return isUuid(id) ? treeId(id) : null;
}

/** The session files of a folder. */
export function sessionPaths(folder: string): string[] {
  return namesInFolder(folder)
    .filter((name) => name.endsWith('.jsonl') && !name.startsWith('.'))
    .map((name) => join(folder, name));
}

/** Whether a path lies where another tool keeps its own sessions: nothing there is ever rewritten. */
export function isForeignFolder(path: string): boolean {
  return dirname(path)
    .split(/[\\/]/)
    .some((part) => part === '.pi' || part === '.claude');
}

/** Makes a session file, whole or not at all, and never over another one. */
export function makeFile(path: string, pieces: Iterable<Uint8Array>): void {
  if (statOrNull(path) !== null)
    refuse('command/invalid', `There is ${path} already: nothing is written over another file.`, { path });
  const bench = new AtomicWriter(join(sidecarFolder(path), 'making'));
  const made = bench.make(pieces, 'session', true);
  onFile(path, () => {
    let linked = false;
    try {
      fileStep('session', 'rename', () => {
        linkOrCopy(made, path);
        linked = true;
      });
      rmSync(made, { force: true });
      syncFolder(dirname(path), 'session');
    } catch (error) {
      // As far as it can be done: what is left was never acknowledged, and is whole.
      for (const name of linked ? [made, path] : [made]) tried(() => rmSync(name, { force: true }));
      throw error;
    } finally {
      tried(() => rmdirSync(join(sidecarFolder(path), 'making')));
    }
  });
}

/**
 * Gives a file a second name beside it that nothing has, such as `name.jsonl.damaged-1`, and returns it. One that has such
 * a name already, as after a crash in between, is not given another.
 */
export function keepBeside(path: string, ending: string, first = 1): string {
  return onFile(path, () => {
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

/** The copies of a session file that a migration or a repair has left beside it. */
export function copiesBeside(path: string): string[] {
  const own = basename(path);
  const isCopy = (name: string) => name.startsWith(own) && /^\.(?:bak\d*|damaged-\d+)$/.test(name.slice(own.length));
  return namesInFolder(dirname(path))
    .filter(isCopy)
    .map((name) => join(dirname(path), name));
}

/** Takes away the folders beside a new file that nobody else knows of yet: another process may be about to use others. */
export function tidy(path: string): void {
  const side = sidecarFolder(path);
  for (const name of ['locking', 'making', '', '..']) tried(() => rmdirSync(join(side, name)));
}

function tried(work: () => void): void {
  try {
    work();
  } catch {
    // There is something in it, or it is not there.
  }
}

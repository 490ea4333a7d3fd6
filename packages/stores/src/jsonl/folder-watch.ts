/** Detects sessions that other processes created, changed or deleted in a folder. */
import { statSync } from 'node:fs';
import type { TreeId } from '@coppice/core';
import { statOrNull } from '../disk/atomic-files.ts';
import type { ExternalChanges } from '../in-process/persistence.ts';
import { listSessionPaths } from './paths.ts';
import type { SessionState } from './session.ts';

/** Registers session files that are found after the store was opened, readable or not. */
export interface SessionDiscovery {
  find(path: string, mayWrite: boolean): void;
  take(): Pick<ExternalChanges, 'known'>;
  /**
   * Removes a file from the list of unreadable files. Returns the tree that represented the file in lists; null if it
   * is not in the list.
   */
  forgetBroken(path: string): TreeId | null;
}

// Two changes within one clock tick have the same timestamp. A folder that changed that recently is listed again.
const clockTick = 50;

interface Stamp {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
}

/** Detects changes in a folder. It compares file times only when a caller asks, and uses no system watcher. */
export class FolderWatch {
  readonly #folder: string;
  readonly #sessions: Map<TreeId, SessionState>;
  readonly #discovery: SessionDiscovery;
  readonly #mayWrite: boolean;
  readonly #stamps = new Map<string, Stamp | null>();
  #seen = Number.NEGATIVE_INFINITY;

  constructor(folder: string, sessions: Map<TreeId, SessionState>, discovery: SessionDiscovery, mayWrite: boolean) {
    this.#folder = folder;
    this.#sessions = sessions;
    this.#discovery = discovery;
    this.#mayWrite = mayWrite;
  }

  /** Records the state of a file before it is read. */
  note(path: string): void {
    this.#stamps.set(path, stampOf(path));
  }

  /** Returns the changes since the last call; null if nothing changed. With `rows` the files are compared too. */
  survey(rows: boolean): ExternalChanges | null {
    const gone: TreeId[] = [];
    const changed: TreeId[] = [];
    const replaced: TreeId[] = [];
    if (this.#isFolderChanged()) this.#list(gone);
    if (rows) this.#compare(gone, changed, replaced);
    const found = this.#discovery.take();
    const isQuiet = [gone, changed, replaced, found.known].every((list) => list.length === 0);
    return isQuiet ? null : { ...found, gone, changed, replaced };
  }

  #isFolderChanged(): boolean {
    const now = Date.now();
    const mtimeMs = Number(statOrNull(this.#folder)?.mtimeMs ?? 0);
    if (mtimeMs === this.#seen) return false;
    this.#seen = mtimeMs + clockTick > now ? Number.NEGATIVE_INFINITY : mtimeMs;
    return true;
  }

  /** Compares the names in the folder with the known sessions, and adds deleted trees to `gone`. */
  #list(gone: TreeId[]): void {
    const paths = new Set(listSessionPaths(this.#folder));
    const own = new Map<string, SessionState>();
    for (const session of this.#sessions.values()) own.set(session.path, session);
    for (const path of paths) {
      if (this.#stamps.has(path)) continue;
      this.note(path);
      if (!own.has(path)) this.#discovery.find(path, this.#mayWrite);
    }
    for (const path of [...this.#stamps.keys()]) {
      if (paths.has(path)) continue;
      this.#stamps.delete(path);
      const session = own.get(path);
      const broken = this.#discovery.forgetBroken(path);
      if (broken !== null) gone.push(broken);
      // The session stays known if this process writes to it: the next write reports that its file was deleted.
      if (session === undefined || session.isWriter) continue;
      session.close();
      this.#sessions.delete(session.treeId);
      gone.push(session.treeId);
    }
  }

  /** Compares the files with their state at the last call, and adds their trees to the lists. */
  #compare(gone: TreeId[], changed: TreeId[], replaced: TreeId[]): void {
    const own = new Map<string, SessionState>();
    for (const session of this.#sessions.values()) own.set(session.path, session);
    for (const [path, before] of this.#stamps) {
      const session = own.get(path);
      const now = stampOf(path);
      if (now === null || isSame(before, now)) continue;
      this.#stamps.set(path, now);
      if (session === undefined) {
        const broken = this.#discovery.forgetBroken(path);
        if (broken !== null) gone.push(broken);
        this.#discovery.find(path, this.#mayWrite);
      } else if (before?.ino === now.ino && now.size >= before.size) changed.push(session.treeId);
      // The session stays known if this process writes to it: the next write reports that its file was replaced.
      else if (!session.isWriter) {
        session.reset();
        replaced.push(session.treeId);
      }
    }
  }
}

function stampOf(path: string): Stamp | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : { ino: stat.ino, size: stat.size, mtimeMs: stat.mtimeMs };
}

function isSame(one: Stamp | null, other: Stamp): boolean {
  return one?.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;
}
